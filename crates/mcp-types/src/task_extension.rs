//! The extension `io.modelcontextprotocol/tasks` of 2026-07-28: a tool call may be answered by a task.
//!
//! It shares no shape with the [tasks of 2025-11-25](crate::Task): the members of a task stand in the
//! result itself, times end in `Ms`, and the result of the work is part of the task.

use serde_json::value::RawValue;

use crate::empty::EmptyResult;
use crate::error::ErrorObject;
use crate::extra::Extra;
use crate::meta::Meta;
use crate::method::{Method, Notice, methods, notices};
use crate::object::object;
use crate::task::{TaskParams, TaskStatus};

/// The name of the extension in the capabilities of both sides.
pub const ID: &str = "io.modelcontextprotocol/tasks";

/// A task: the result of a tool call that became one (`resultType` is then `task`, in `extra`), the
/// result of `tasks/get`, and the params of `notifications/tasks`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExtensionTask {
    /// Its identifier. Who knows it may be able to fetch the result.
    pub task_id: String,
    /// How far it is. Here `failed` is a JSON-RPC error; a tool that failed has `completed`.
    pub status: TaskStatus,
    /// What is to say about that, for people. Untrusted.
    pub status_message: Option<String>,
    /// When it was created (ISO 8601). Empty if the server does not say.
    pub created_at: String,
    /// When it changed last (ISO 8601). Empty if the server does not say.
    pub last_updated_at: String,
    /// How long it is kept, in milliseconds since it was created; it may change. `None` is without
    /// end.
    pub ttl_ms: Option<i64>,
    /// How long to wait between two looks at it, in milliseconds; it may change (C-384).
    pub poll_interval_ms: Option<i64>,
    /// With `input_required`: what is asked, a key and an [`InputRequest`](crate::InputRequest) each.
    pub input_requests: Option<Extra>,
    /// With `completed`: what the call would have returned, exactly as it came.
    pub result: Option<Box<RawValue>>,
    /// With `failed`: the error that the call would have got.
    pub error: Option<ErrorObject>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ExtensionTask {
    /// A task that works, without any dates.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self {
            task_id: task_id.into(),
            status: TaskStatus::Working,
            status_message: None,
            created_at: String::new(),
            last_updated_at: String::new(),
            ttl_ms: None,
            poll_interval_ms: None,
            input_requests: None,
            result: None,
            error: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

object!(ExtensionTask {
    "taskId" => task_id: required,
    "status" => status: required,
    "statusMessage" => status_message: optional,
    "createdAt" => created_at: lenient,
    "lastUpdatedAt" => last_updated_at: lenient,
    "ttlMs" => ttl_ms: lenient,
    "pollIntervalMs" => poll_interval_ms: optional,
    "inputRequests" => input_requests: optional,
    "result" => result: optional,
    "error" => error: optional,
    "_meta" => meta: optional,
});

/// Params of `tasks/update`: answers to some or all of the `inputRequests` of a task.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct UpdateTaskParams {
    /// The identifier of the task.
    pub task_id: String,
    /// The answers: the key of the request, and the result (C-387).
    pub input_responses: Extra,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl UpdateTaskParams {
    /// Answers to what this task asks.
    pub fn new(task_id: impl Into<String>, input_responses: Extra) -> Self {
        Self { task_id: task_id.into(), input_responses, ..Self::default() }
    }
}

object!(UpdateTaskParams {
    "taskId" => task_id: required,
    "inputResponses" => input_responses: required,
    "_meta" => meta: optional,
});

methods! {
    /// Asks how far a task is.
    GetExtensionTask = "tasks/get": TaskParams => ExtensionTask;

    /// Answers what a task asks. The answer acknowledges, no more.
    UpdateTask = "tasks/update": UpdateTaskParams => EmptyResult;

    /// Wishes that a task ends. It may still complete.
    CancelExtensionTask = "tasks/cancel": TaskParams => EmptyResult;
}

notices! {
    /// A task has changed, on a subscription that names it.
    TaskChanged = "notifications/tasks": ExtensionTask;
}

#[cfg(test)]
mod tests;
