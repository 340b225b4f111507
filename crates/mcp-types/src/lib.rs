//! Shapes of the Model Context Protocol, from 2024-11-05 to 2026-07-28.
//!
//! ```
//! use mcp_types::{CallTool, CallToolParams, Method};
//!
//! let params = CallToolParams::new("add");
//! assert_eq!(CallTool::NAME, "tools/call");
//! assert_eq!(serde_json::to_string(&params)?, r#"{"name":"add"}"#);
//!
//! type Answer = <CallTool as Method>::Answer;
//! let answer: Answer = serde_json::from_str(
//!     r#"{"content":[{"type":"text","text":"3"}],"structuredContent":{"sum":3},"took":1e-3}"#,
//! )?;
//! assert_eq!(answer.content[0].as_text(), Some("3"));
//! assert_eq!(answer.structured_content.unwrap().get(), r#"{"sum":3}"#);
//! assert_eq!(answer.extra.get("took").unwrap().get(), "1e-3");
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! Objects are open: what a peer adds is kept in `extra`, and free-form JSON is kept as text, so that
//! no digit and no key order is lost. Raw JSON can only be read by `serde_json`.
//!
//! This crate has no IO and no opinion: it does not frame messages, match answers to requests, check a
//! schema or refuse a version.

mod extra;
mod object;

mod error;
mod id;
mod meta;
mod revision;

mod annotations;
mod content;
mod icon;
mod resource;

mod capabilities;
mod discover;
mod empty;
mod lifecycle;

mod call;
mod completion;
mod task;
mod tool;

mod elicitation;
mod prompt;
mod role;
mod roots;
mod sampling;

mod cancel;
mod input;
mod logging;
mod progress;
mod subscription;
mod watched;

mod method;

pub mod task_extension;

pub use error::{ErrorCode, ErrorObject};
pub use extra::Extra;
pub use id::{ProgressToken, RequestId};
pub use meta::Meta;
pub use revision::Revision;

pub use annotations::Annotations;
pub use content::{AudioContent, ContentBlock, EmbeddedResource, ImageContent, TextContent, UnknownContent};
pub use icon::Icon;
pub use resource::{
    ListResourceTemplatesParams, ListResourceTemplatesResult, ListResourcesParams, ListResourcesResult,
    ReadResourceParams, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};

pub use capabilities::{
    ClientCapabilities, ElicitationCapability, PromptsCapability, ResourcesCapability, RootsCapability,
    SamplingCapability, ServerCapabilities, TaskRequestsCapability, TasksCapability, ToolsCapability,
};
pub use discover::DiscoverResult;
pub use empty::{EmptyResult, NoParams};
pub use lifecycle::{Implementation, InitializeParams, InitializeResult};

pub use call::{CallToolParams, CallToolResult};
pub use completion::{
    CompleteParams, CompleteResult, Completion, CompletionArgument, CompletionContext, CompletionReference,
};
pub use task::{
    CreateTaskResult, ListTasksParams, ListTasksResult, Task, TaskMetadata, TaskParams, TaskStatus,
};
pub use tool::{ListToolsParams, ListToolsResult, Tool, ToolAnnotations, ToolExecution};

pub use elicitation::{
    ElicitAction, ElicitField, ElicitItems, ElicitOption, ElicitParams, ElicitResult, ElicitSchema,
    ElicitationCompleteParams, UrlElicitationRequired,
};
pub use prompt::{
    GetPromptParams, GetPromptResult, ListPromptsParams, ListPromptsResult, Prompt, PromptArgument,
    PromptMessage,
};
pub use role::Role;
pub use roots::{ListRootsParams, ListRootsResult, Root};
pub use sampling::{
    CreateMessageParams, CreateMessageResult, ModelHint, ModelPreferences, SamplingBlock, SamplingContent,
    SamplingMessage, ToolChoice, ToolResultContent, ToolUseContent,
};

pub use cancel::CancelledParams;
pub use input::{InputRequest, InputRequiredResult, ResultType};
pub use logging::{LogMessageParams, LoggingLevel, SetLevelParams};
pub use progress::ProgressParams;
pub use subscription::{AcknowledgedParams, ListenParams, SubscriptionFilter};
pub use watched::{ResourceUpdatedParams, SubscribeParams, UnsubscribeParams};

pub use method::{
    Acknowledged, CallTool, CancelTask, Cancelled, Complete, CreateMessage, Discover, Elicit,
    ElicitationComplete, GetPrompt, GetTask, Initialize, Initialized, ListPrompts, ListResourceTemplates,
    ListResources, ListRoots, ListTasks, ListTools, Listen, LogMessage, Method, Notice, Ping, Progress,
    PromptListChanged, ReadResource, ResourceListChanged, ResourceUpdated, RootsListChanged, SetLevel,
    Subscribe, TaskResult, TaskStatusChanged, ToolListChanged, Unsubscribe,
};

#[cfg(test)]
mod tests {
    /// Invariant 1: no async, no IO. What is not linked cannot be used; `clippy.toml` bans the rest.
    #[test]
    fn this_crate_depends_on_serde_and_serde_json_only() {
        let manifest = include_str!("../Cargo.toml");
        let tables: Vec<_> = manifest.split("\n[").filter(|table| table.contains("dependencies")).collect();
        let [normal, dev] = tables[..] else { panic!("other tables of dependencies: {tables:?}") };
        assert!(dev.starts_with("dev-dependencies]\n"), "{dev}");

        let (title, lines) = normal.split_once('\n').unwrap();
        assert_eq!(title, "dependencies]");
        let names: Vec<_> = lines.lines().filter_map(|line| line.split(['.', ' ', '=']).next()).collect();
        let names: Vec<_> = names.into_iter().filter(|name| !name.is_empty()).collect();
        assert_eq!(names, ["serde", "serde_json"]);
    }
}
