//! Which params and which answer belong to which method.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::call::{CallToolParams, CallToolResult};
use crate::cancel::CancelledParams;
use crate::completion::{CompleteParams, CompleteResult};
use crate::discover::DiscoverResult;
use crate::elicitation::{ElicitParams, ElicitResult, ElicitationCompleteParams};
use crate::empty::{EmptyResult, NoParams};
use crate::lifecycle::{InitializeParams, InitializeResult};
use crate::logging::{LogMessageParams, SetLevelParams};
use crate::progress::ProgressParams;
use crate::prompt::{GetPromptParams, GetPromptResult, ListPromptsParams, ListPromptsResult};
use crate::resource::{
    ListResourceTemplatesParams, ListResourceTemplatesResult, ListResourcesParams, ListResourcesResult,
    ReadResourceParams, ReadResourceResult,
};
use crate::roots::{ListRootsParams, ListRootsResult};
use crate::sampling::{CreateMessageParams, CreateMessageResult};
use crate::subscription::{AcknowledgedParams, ListenParams};
use crate::task::{ListTasksParams, ListTasksResult, Task, TaskParams};
use crate::tool::{ListToolsParams, ListToolsResult};
use crate::watched::{ResourceUpdatedParams, SubscribeParams, UnsubscribeParams};

/// A request method, as a type without values: it ties a name to params and answer.
///
/// Extensions implement it for methods of their own.
pub trait Method {
    /// The `method` member.
    const NAME: &'static str;
    /// The `params` member. What is written as `null` is left out; see [`NoParams`].
    type Params: Serialize;
    /// The `result` member of the answer.
    type Answer: DeserializeOwned;
}

/// A notification, as a type without values: it ties a name to params.
pub trait Notice {
    /// The `method` member.
    const NAME: &'static str;
    /// The `params` member. What is written as `null` is left out, what is left out reads as `null`.
    type Params: Serialize + DeserializeOwned;
}

/// Ties names to params and answers: one type without values for each.
macro_rules! methods {
    ($($(#[$doc:meta])* $method:ident = $name:literal: $params:ty => $answer:ty;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub enum $method {}

            impl Method for $method {
                const NAME: &'static str = $name;
                type Params = $params;
                type Answer = $answer;
            }
        )*
    };
}

/// The same for notifications.
macro_rules! notices {
    ($($(#[$doc:meta])* $notice:ident = $name:literal: $params:ty;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub enum $notice {}

            impl Notice for $notice {
                const NAME: &'static str = $name;
                type Params = $params;
            }
        )*
    };
}

pub(crate) use {methods, notices};

methods! {
    /// Begins a session (2024-11-05 to 2025-11-25).
    Initialize = "initialize": InitializeParams => InitializeResult;

    /// Asks whether the peer is there (2024-11-05 to 2025-11-25).
    Ping = "ping": NoParams => EmptyResult;

    /// Asks what the server is and speaks (2026-07-28).
    Discover = "server/discover": NoParams => DiscoverResult;

    /// Asks for what the server has to say by itself; the answer is the end of it (2026-07-28).
    Listen = "subscriptions/listen": ListenParams => EmptyResult;

    /// Lists tools, page by page.
    ListTools = "tools/list": ListToolsParams => ListToolsResult;

    /// Calls a tool.
    CallTool = "tools/call": CallToolParams => CallToolResult;

    /// Lists resources, page by page.
    ListResources = "resources/list": ListResourcesParams => ListResourcesResult;

    /// Lists templates of resources, page by page.
    ListResourceTemplates = "resources/templates/list": ListResourceTemplatesParams => ListResourceTemplatesResult;

    /// Reads a resource.
    ReadResource = "resources/read": ReadResourceParams => ReadResourceResult;

    /// Wants to hear when a resource changes (2024-11-05 to 2025-11-25).
    Subscribe = "resources/subscribe": SubscribeParams => EmptyResult;

    /// Wants to hear of a resource no longer (2024-11-05 to 2025-11-25).
    Unsubscribe = "resources/unsubscribe": UnsubscribeParams => EmptyResult;

    /// Lists prompts, page by page.
    ListPrompts = "prompts/list": ListPromptsParams => ListPromptsResult;

    /// Asks for the messages of a prompt.
    GetPrompt = "prompts/get": GetPromptParams => GetPromptResult;

    /// Completes an argument of a prompt or of a template of resources.
    Complete = "completion/complete": CompleteParams => CompleteResult;

    /// Chooses the least level of log messages (2024-11-05 to 2025-11-25).
    SetLevel = "logging/setLevel": SetLevelParams => EmptyResult;

    /// Asks how far a task is (2025-11-25 only).
    GetTask = "tasks/get": TaskParams => Task;

    /// Waits for a task and fetches what its request would have returned (2025-11-25 only). What that
    /// is depends on the request, so it stays text.
    TaskResult = "tasks/result": TaskParams => Box<RawValue>;

    /// Ends a task (2025-11-25 only).
    CancelTask = "tasks/cancel": TaskParams => Task;

    /// Lists tasks, page by page (2025-11-25 only).
    ListTasks = "tasks/list": ListTasksParams => ListTasksResult;

    /// The server asks the client for its roots.
    ListRoots = "roots/list": ListRootsParams => ListRootsResult;

    /// The server asks the client for an answer of its model.
    CreateMessage = "sampling/createMessage": CreateMessageParams => CreateMessageResult;

    /// The server asks the user (2025-06-18 and later).
    Elicit = "elicitation/create": ElicitParams => ElicitResult;
}

notices! {
    /// The client has read the answer to `initialize` (C-045).
    Initialized = "notifications/initialized": NoParams;

    /// The sender gives a request of its own up.
    Cancelled = "notifications/cancelled": CancelledParams;

    /// A request has come further.
    Progress = "notifications/progress": ProgressParams;

    /// The server has something to log.
    LogMessage = "notifications/message": LogMessageParams;

    /// The tools of the server have changed.
    ToolListChanged = "notifications/tools/list_changed": NoParams;

    /// The resources of the server have changed, or their templates.
    ResourceListChanged = "notifications/resources/list_changed": NoParams;

    /// A resource has changed.
    ResourceUpdated = "notifications/resources/updated": ResourceUpdatedParams;

    /// The prompts of the server have changed.
    PromptListChanged = "notifications/prompts/list_changed": NoParams;

    /// The roots of the client have changed (2024-11-05 to 2025-11-25).
    RootsListChanged = "notifications/roots/list_changed": NoParams;

    /// A subscription has begun (2026-07-28).
    Acknowledged = "notifications/subscriptions/acknowledged": AcknowledgedParams;

    /// An elicitation in URL mode is done (2025-11-25 only).
    ElicitationComplete = "notifications/elicitation/complete": ElicitationCompleteParams;

    /// A task has changed (2025-11-25 only). A hint: it need not come (C-368).
    TaskStatusChanged = "notifications/tasks/status": Task;
}
