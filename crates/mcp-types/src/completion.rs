//! Completing an argument while it is typed: `completion/complete`.

use std::collections::BTreeMap;

use crate::extra::Extra;
use crate::meta::Meta;
use crate::object::object;

/// Params of `completion/complete`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CompleteParams {
    /// The member `ref`: what the argument belongs to.
    pub reference: CompletionReference,
    /// The argument that is being typed.
    pub argument: CompletionArgument,
    /// What was chosen for other arguments (2025-06-18 and later).
    pub context: Option<CompletionContext>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl CompleteParams {
    /// Completes `value`, typed so far for the argument `name`.
    pub fn new(reference: CompletionReference, name: impl Into<String>, value: impl Into<String>) -> Self {
        let argument = CompletionArgument { name: name.into(), value: value.into(), extra: Extra::new() };
        Self { reference, argument, ..Self::default() }
    }

    /// Says what was chosen for other arguments.
    #[must_use]
    pub fn with_context(mut self, arguments: BTreeMap<String, String>) -> Self {
        self.context = Some(CompletionContext { arguments: Some(arguments), extra: Extra::new() });
        self
    }
}

object!(CompleteParams {
    "ref" => reference: required,
    "argument" => argument: required,
    "context" => context: optional,
    "_meta" => meta: optional,
});

/// A prompt by its name, or a template of resources by its URI template.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CompletionReference {
    /// The member `type`: [`PROMPT`](Self::PROMPT) or [`RESOURCE`](Self::RESOURCE).
    pub kind: String,
    /// The name of the prompt.
    pub name: Option<String>,
    /// The name of the prompt for people (2025-06-18 and later).
    pub title: Option<String>,
    /// The template, or the identifier of a single resource.
    pub uri: Option<String>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl CompletionReference {
    /// The kind of a prompt.
    pub const PROMPT: &str = "ref/prompt";
    /// The kind of a template of resources.
    pub const RESOURCE: &str = "ref/resource";

    /// The prompt of this name.
    pub fn prompt(name: impl Into<String>) -> Self {
        Self { kind: Self::PROMPT.to_owned(), name: Some(name.into()), ..Self::default() }
    }

    /// The template of resources.
    pub fn resource(uri: impl Into<String>) -> Self {
        Self { kind: Self::RESOURCE.to_owned(), uri: Some(uri.into()), ..Self::default() }
    }
}

object!(CompletionReference {
    "type" => kind: required,
    "name" => name: optional,
    "title" => title: optional,
    "uri" => uri: optional,
});

/// The argument that is being typed.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CompletionArgument {
    /// The argument of the prompt, or the variable of the template.
    pub name: String,
    /// What was typed so far.
    pub value: String,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(CompletionArgument {
    "name" => name: required,
    "value" => value: required,
});

/// What else is known while an argument is typed.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CompletionContext {
    /// The values of other arguments.
    pub arguments: Option<BTreeMap<String, String>>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(CompletionContext { "arguments" => arguments: optional });

/// Result of `completion/complete`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CompleteResult {
    /// What there is.
    pub completion: Completion,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(CompleteResult {
    "completion" => completion: required,
    "_meta" => meta: optional,
});

/// Values that an argument may have, as far as they are told.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Completion {
    /// The values; a server should give at most 100.
    pub values: Vec<String>,
    /// How many there are in all, if the server says so (C-225).
    pub total: Option<i64>,
    /// Whether there are more, if the server says so (C-225).
    pub has_more: Option<bool>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(Completion {
    "values" => values: required,
    "total" => total: optional,
    "hasMore" => has_more: optional,
});

#[cfg(test)]
mod tests {
    use super::{CompleteParams, CompleteResult, CompletionReference};

    #[test]
    fn a_reference_has_the_members_of_its_kind_only() {
        let params = CompleteParams::new(CompletionReference::prompt("review"), "language", "py");
        assert_eq!(
            serde_json::to_string(&params).unwrap(),
            r#"{"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"language","value":"py"}}"#
        );
        let params = CompleteParams::new(CompletionReference::resource("file:///{path}"), "path", "");
        let params = params.with_context([("owner".to_owned(), "me".to_owned())].into());
        assert_eq!(
            serde_json::to_string(&params).unwrap(),
            r#"{"ref":{"type":"ref/resource","uri":"file:///{path}"},"argument":{"name":"path","value":""},"context":{"arguments":{"owner":"me"}}}"#
        );
    }

    #[test]
    fn a_result_need_not_say_how_many_there_are() {
        let result: CompleteResult = serde_json::from_str(r#"{"completion":{"values":["a"]}}"#).unwrap();
        assert_eq!(result.completion.values, ["a"]);
        assert_eq!((result.completion.total, result.completion.has_more), (None, None));
    }

    #[test]
    fn a_result_of_another_shape_does_not_fit() {
        for json in [
            "{}",
            "[]",
            r#"{"values":[]}"#,
            r#"{"completion":[]}"#,
            r#"{"completion":{}}"#,
            r#"{"completion":{"values":[1]}}"#,
            r#"{"completion":{"values":[],"total":1e400}}"#,
            r#"{"completion":{"values":[],"hasMore":"yes"}}"#,
        ] {
            serde_json::from_str::<CompleteResult>(json).unwrap_err();
        }
    }
}
