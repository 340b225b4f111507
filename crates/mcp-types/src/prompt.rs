//! Prompts: what `prompts/list` lists, and the messages of one.

use std::collections::BTreeMap;

use crate::content::ContentBlock;
use crate::extra::Extra;
use crate::icon::Icon;
use crate::meta::Meta;
use crate::object::object;
use crate::role::Role;

/// A prompt as the server describes it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Prompt {
    /// Its identifier.
    pub name: String,
    /// Its name for people (2025-06-18 and later).
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// What can be filled in.
    pub arguments: Option<Vec<PromptArgument>>,
    /// Its icons (2025-11-25 and later).
    pub icons: Option<Vec<Icon>>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl Prompt {
    /// The name for people: `title`, then `name` (C-219).
    pub fn display_name(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

object!(Prompt {
    "name" => name: required,
    "title" => title: optional,
    "description" => description: optional,
    "arguments" => arguments: optional,
    "icons" => icons: optional,
    "_meta" => meta: optional,
});

/// Something that can be filled in; its value is a text.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PromptArgument {
    /// Its identifier.
    pub name: String,
    /// Its name for people (2025-06-18 and later).
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Whether it must be given. Absent means no.
    pub required: Option<bool>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl PromptArgument {
    /// The name for people: `title`, then `name` (C-219).
    pub fn display_name(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

object!(PromptArgument {
    "name" => name: required,
    "title" => title: optional,
    "description" => description: optional,
    "required" => required: optional,
});

/// Params of `prompts/list`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListPromptsParams {
    /// Where the page starts: `nextCursor` of the page before. `None` is the first page.
    pub cursor: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ListPromptsParams {
    "cursor" => cursor: optional,
    "_meta" => meta: optional,
});

/// Result of `prompts/list`: one page.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListPromptsResult {
    /// What is on this page.
    pub prompts: Vec<Prompt>,
    /// Where the next page starts. `None` is the end; an empty string is a cursor like any other.
    pub next_cursor: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ListPromptsResult {
    "prompts" => prompts: required,
    "nextCursor" => next_cursor: optional,
    "_meta" => meta: optional,
});

/// Params of `prompts/get`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct GetPromptParams {
    /// The prompt.
    pub name: String,
    /// What is filled in.
    pub arguments: Option<BTreeMap<String, String>>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl GetPromptParams {
    /// Asks for this prompt with nothing filled in.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

object!(GetPromptParams {
    "name" => name: required,
    "arguments" => arguments: optional,
    "_meta" => meta: optional,
});

/// Result of `prompts/get`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct GetPromptResult {
    /// What the prompt is for.
    pub description: Option<String>,
    /// Its messages. They come from the server and are not to be trusted.
    pub messages: Vec<PromptMessage>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(GetPromptResult {
    "description" => description: optional,
    "messages" => messages: required,
    "_meta" => meta: optional,
});

/// One message of a prompt.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PromptMessage {
    /// Who says it.
    pub role: Role,
    /// What it says.
    pub content: ContentBlock,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(PromptMessage {
    "role" => role: required,
    "content" => content: required,
});

#[cfg(test)]
mod tests {
    use super::{GetPromptParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument};
    use crate::role::Role;

    #[test]
    fn a_prompt_and_an_argument_are_shown_by_title_then_name() {
        for (title, shown) in [(None, "n"), (Some("T".to_owned()), "T"), (Some(String::new()), "")] {
            let prompt = Prompt { name: "n".into(), title: title.clone(), ..Prompt::default() };
            let argument = PromptArgument { name: "n".into(), title, ..PromptArgument::default() };
            assert_eq!((prompt.display_name(), argument.display_name()), (shown, shown));
        }
    }

    #[test]
    fn prompts_and_messages_keep_what_they_do_not_know() {
        let prompts = r#"{"prompts":[{"name":"n","arguments":[{"name":"a","required":true,"x":1}],"y":2}]}"#;
        let page: ListPromptsResult = serde_json::from_str(prompts).unwrap();
        assert_eq!(page.prompts[0].arguments.as_ref().unwrap()[0].required, Some(true));
        assert_eq!(serde_json::to_string(&page).unwrap(), prompts);

        let messages = r#"{"messages":[{"role":"user","content":{"type":"text","text":"t"},"z":1},{"role":"tool","content":{"type":"odd","q":1e400}}]}"#;
        let result: GetPromptResult = serde_json::from_str(messages).unwrap();
        assert_eq!(result.messages[0].role, Role::User);
        assert_eq!(serde_json::to_string(&result).unwrap(), messages);
    }

    #[test]
    fn arguments_are_texts_and_left_out_where_there_are_none() {
        let mut params = GetPromptParams::new("n");
        assert_eq!(serde_json::to_string(&params).unwrap(), r#"{"name":"n"}"#);
        params.arguments = Some([("b".to_owned(), "1".to_owned()), ("a".to_owned(), String::new())].into());
        let json = r#"{"name":"n","arguments":{"a":"","b":"1"}}"#;
        assert_eq!(serde_json::to_string(&params).unwrap(), json);
    }

    #[test]
    fn a_result_without_messages_and_a_message_without_a_role_do_not_fit() {
        for json in ["{}", r#"{"messages":7}"#, r#"{"messages":[{"content":{"type":"text","text":""}}]}"#] {
            serde_json::from_str::<GetPromptResult>(json).unwrap_err();
        }
    }
}
