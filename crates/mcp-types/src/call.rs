//! Calling a tool: `tools/call`.

use serde_json::value::RawValue;

use crate::content::ContentBlock;
use crate::extra::Extra;
use crate::meta::Meta;
use crate::object::object;
use crate::task::TaskMetadata;

/// Params of `tools/call`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CallToolParams {
    /// The name of the tool.
    pub name: String,
    /// The arguments, a JSON object, sent byte for byte as it is here.
    pub arguments: Option<Box<RawValue>>,
    /// Asks for a task; the answer is then a [`CreateTaskResult`](crate::CreateTaskResult) (2025-11-25
    /// only).
    pub task: Option<TaskMetadata>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl CallToolParams {
    /// A call without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

object!(CallToolParams {
    "name" => name: required,
    "arguments" => arguments: optional,
    "task" => task: optional,
    "_meta" => meta: optional,
});

/// Result of `tools/call`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CallToolResult {
    /// The result as content. Servers that leave it out are read as having none.
    pub content: Vec<ContentBlock>,
    /// The result as JSON (2025-06-18 and later). An explicit `null` is `Some`.
    pub structured_content: Option<Box<RawValue>>,
    /// Whether the tool failed, as it was sent; see [`CallToolResult::is_error`].
    pub is_error: Option<bool>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl CallToolResult {
    /// A success.
    pub fn new(content: Vec<ContentBlock>) -> Self {
        Self { content, ..Self::default() }
    }

    /// Whether the tool failed. Absent means no.
    ///
    /// Such a result is for the model to read (C-185), unlike an error response.
    pub fn is_error(&self) -> bool {
        self.is_error.unwrap_or(false)
    }
}

object!(CallToolResult {
    "content" => content: lenient,
    "structuredContent" => structured_content: nullable,
    "isError" => is_error: optional,
    "_meta" => meta: optional,
});

#[cfg(test)]
mod tests;
