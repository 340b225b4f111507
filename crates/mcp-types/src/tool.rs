//! Tools: what `tools/list` lists.

use serde_json::value::RawValue;

use crate::extra::Extra;
use crate::icon::Icon;
use crate::meta::Meta;
use crate::object::object;

/// A tool as the server describes it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tool {
    /// The identifier, unique within the server and case-sensitive (C-195).
    pub name: String,
    /// The name for people (2025-06-18 and later); see [`Tool::display_name`].
    pub title: Option<String>,
    /// What it does, for the model and for people.
    pub description: Option<String>,
    /// JSON Schema of the arguments, byte for byte as it was sent (C-209).
    pub input_schema: Box<RawValue>,
    /// JSON Schema of the structured result, byte for byte as it was sent (C-209).
    pub output_schema: Option<Box<RawValue>>,
    /// Hints about its behaviour.
    pub annotations: Option<ToolAnnotations>,
    /// How it may be run (2025-11-25 only).
    pub execution: Option<ToolExecution>,
    /// Its icons (2025-11-25 and later).
    pub icons: Option<Vec<Icon>>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl Tool {
    /// A tool with nothing but a name and a schema.
    pub fn new(name: impl Into<String>, input_schema: Box<RawValue>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema,
            output_schema: None,
            annotations: None,
            execution: None,
            icons: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// The name for people: `title`, then `annotations.title`, then `name` (C-210).
    pub fn display_name(&self) -> &str {
        let annotated = || self.annotations.as_ref()?.title.as_deref();
        self.title.as_deref().or_else(annotated).unwrap_or(&self.name)
    }

    /// Whether a call of this tool may become a task (2025-11-25 only; C-358 to C-360). A word that
    /// no revision has means no.
    pub fn may_be_task(&self) -> bool {
        let support = self.execution.as_ref().and_then(|execution| execution.task_support.as_deref());
        matches!(support, Some(ToolExecution::OPTIONAL | ToolExecution::REQUIRED))
    }
}

object!(Tool {
    "name" => name: required,
    "title" => title: optional,
    "description" => description: optional,
    "inputSchema" => input_schema: required,
    "outputSchema" => output_schema: optional,
    "annotations" => annotations: optional,
    "execution" => execution: optional,
    "icons" => icons: optional,
    "_meta" => meta: optional,
});

/// Hints about a tool (2025-03-26 and later). Untrusted, unless the server is trusted (C-182).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// The name for people.
    pub title: Option<String>,
    /// It changes nothing. Absent: it may.
    pub read_only_hint: Option<bool>,
    /// It may destroy something, if it is not read-only. Absent: it may.
    pub destructive_hint: Option<bool>,
    /// Doing it again has no further effect, if it is not read-only. Absent: it has.
    pub idempotent_hint: Option<bool>,
    /// It talks to the outside world. Absent: it does.
    pub open_world_hint: Option<bool>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ToolAnnotations {
    "title" => title: optional,
    "readOnlyHint" => read_only_hint: optional,
    "destructiveHint" => destructive_hint: optional,
    "idempotentHint" => idempotent_hint: optional,
    "openWorldHint" => open_world_hint: optional,
});

/// How a tool may be run (2025-11-25 only).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolExecution {
    /// Whether a call may become a task: `forbidden`, `optional` or `required`.
    pub task_support: Option<String>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ToolExecution {
    /// A call may not become a task; so it is, too, where nothing is said (C-358).
    pub const FORBIDDEN: &str = "forbidden";
    /// A call may become a task or not (C-359).
    pub const OPTIONAL: &str = "optional";
    /// A call has to become a task (C-360).
    pub const REQUIRED: &str = "required";
}

object!(ToolExecution { "taskSupport" => task_support: optional });

/// Params of `tools/list`. The default asks for the first page.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListToolsParams {
    /// The `next_cursor` of the page before, unchanged.
    pub cursor: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ListToolsParams {
    "cursor" => cursor: optional,
    "_meta" => meta: optional,
});

/// Result of `tools/list`: one page of tools.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListToolsResult {
    /// The tools of this page.
    pub tools: Vec<Tool>,
    /// Where the next page starts. `None` is the end; an empty string is a cursor like any other.
    pub next_cursor: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ListToolsResult {
    /// The last or only page.
    pub fn new(tools: Vec<Tool>) -> Self {
        Self { tools, ..Self::default() }
    }
}

object!(ListToolsResult {
    "tools" => tools: required,
    "nextCursor" => next_cursor: optional,
    "_meta" => meta: optional,
});

#[cfg(test)]
mod tests {
    use super::Tool;

    #[test]
    fn the_display_name_is_title_then_annotation_then_name() {
        let name = |members: &str| {
            let json = format!(r#"{{"name":"n","inputSchema":{{}}{members}}}"#);
            serde_json::from_str::<Tool>(&json).unwrap().display_name().to_owned()
        };
        assert_eq!(name(r#","title":"t","annotations":{"title":"a"}"#), "t");
        assert_eq!(name(r#","annotations":{"title":"a"}"#), "a");
        assert_eq!(name(r#","annotations":{}"#), "n");
        assert_eq!(name(""), "n");
    }

    #[test]
    fn a_tool_may_be_called_as_a_task_only_if_it_says_so() {
        let may = |execution: &str| {
            let json = format!(r#"{{"name":"n","inputSchema":{{}}{execution}}}"#);
            serde_json::from_str::<Tool>(&json).unwrap().may_be_task()
        };
        assert!(may(r#","execution":{"taskSupport":"optional"}"#));
        assert!(may(r#","execution":{"taskSupport":"required"}"#));
        for no in [
            "",
            r#","execution":null"#,
            r#","execution":{}"#,
            r#","execution":{"taskSupport":null}"#,
            r#","execution":{"taskSupport":"forbidden"}"#,
            r#","execution":{"taskSupport":"Optional"}"#,
            r#","execution":{"taskSupport":"always"}"#,
        ] {
            assert!(!may(no), "{no}");
        }
    }
}
