//! Which params and which answer belong to which method.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::call::{CallToolParams, CallToolResult};
use crate::cancel::CancelledParams;
use crate::elicitation::{ElicitParams, ElicitResult, ElicitationCompleteParams};
use crate::empty::{EmptyResult, NoParams};
use crate::lifecycle::{InitializeParams, InitializeResult};
use crate::logging::LogMessageParams;
use crate::progress::ProgressParams;
use crate::roots::{ListRootsParams, ListRootsResult};
use crate::sampling::{CreateMessageParams, CreateMessageResult};
use crate::tool::{ListToolsParams, ListToolsResult};

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

/// Begins a session (2024-11-05 to 2025-11-25).
#[derive(Debug)]
pub enum Initialize {}

impl Method for Initialize {
    const NAME: &'static str = "initialize";
    type Params = InitializeParams;
    type Answer = InitializeResult;
}

/// Asks whether the peer is there (2024-11-05 to 2025-11-25).
#[derive(Debug)]
pub enum Ping {}

impl Method for Ping {
    const NAME: &'static str = "ping";
    type Params = NoParams;
    type Answer = EmptyResult;
}

/// Lists tools, page by page.
#[derive(Debug)]
pub enum ListTools {}

impl Method for ListTools {
    const NAME: &'static str = "tools/list";
    type Params = ListToolsParams;
    type Answer = ListToolsResult;
}

/// Calls a tool.
#[derive(Debug)]
pub enum CallTool {}

impl Method for CallTool {
    const NAME: &'static str = "tools/call";
    type Params = CallToolParams;
    type Answer = CallToolResult;
}

/// The server asks the client for its roots.
#[derive(Debug)]
pub enum ListRoots {}

impl Method for ListRoots {
    const NAME: &'static str = "roots/list";
    type Params = ListRootsParams;
    type Answer = ListRootsResult;
}

/// The server asks the client for an answer of its model.
#[derive(Debug)]
pub enum CreateMessage {}

impl Method for CreateMessage {
    const NAME: &'static str = "sampling/createMessage";
    type Params = CreateMessageParams;
    type Answer = CreateMessageResult;
}

/// The server asks the user (2025-06-18 and later).
#[derive(Debug)]
pub enum Elicit {}

impl Method for Elicit {
    const NAME: &'static str = "elicitation/create";
    type Params = ElicitParams;
    type Answer = ElicitResult;
}

/// The client has read the answer to `initialize` (C-045).
#[derive(Debug)]
pub enum Initialized {}

impl Notice for Initialized {
    const NAME: &'static str = "notifications/initialized";
    type Params = NoParams;
}

/// The sender gives a request of its own up.
#[derive(Debug)]
pub enum Cancelled {}

impl Notice for Cancelled {
    const NAME: &'static str = "notifications/cancelled";
    type Params = CancelledParams;
}

/// A request has come further.
#[derive(Debug)]
pub enum Progress {}

impl Notice for Progress {
    const NAME: &'static str = "notifications/progress";
    type Params = ProgressParams;
}

/// The server has something to log.
#[derive(Debug)]
pub enum LogMessage {}

impl Notice for LogMessage {
    const NAME: &'static str = "notifications/message";
    type Params = LogMessageParams;
}

/// The tools of the server have changed.
#[derive(Debug)]
pub enum ToolListChanged {}

impl Notice for ToolListChanged {
    const NAME: &'static str = "notifications/tools/list_changed";
    type Params = NoParams;
}

/// The roots of the client have changed (2024-11-05 to 2025-11-25).
#[derive(Debug)]
pub enum RootsListChanged {}

impl Notice for RootsListChanged {
    const NAME: &'static str = "notifications/roots/list_changed";
    type Params = NoParams;
}

/// An elicitation in URL mode is done (2025-11-25 only).
#[derive(Debug)]
pub enum ElicitationComplete {}

impl Notice for ElicitationComplete {
    const NAME: &'static str = "notifications/elicitation/complete";
    type Params = ElicitationCompleteParams;
}
