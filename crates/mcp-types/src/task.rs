//! Tasks of 2025-11-25: a request that is answered at once by a task, whose result is fetched later.
//!
//! The extension of 2026-07-28 is another thing and not compatible: see
//! [`task_extension`](crate::task_extension).

mod status;

use crate::extra::Extra;
use crate::meta::Meta;
use crate::object::object;

pub use self::status::TaskStatus;

/// The member `task` of a request: asks for a task.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TaskMetadata {
    /// How long the task should be kept, in milliseconds since it was created (C-361). Absent
    /// leaves it to the receiver.
    pub ttl: Option<u64>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl TaskMetadata {
    /// Asks for a task that is kept so many milliseconds.
    pub fn new(ttl: Option<u64>) -> Self {
        Self { ttl, extra: Extra::new() }
    }
}

object!(TaskMetadata { "ttl" => ttl: optional });

/// A task: the state of a request that goes on. It is the result of `tasks/get` and `tasks/cancel`, too.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Task {
    /// Its identifier. Who knows it may be able to fetch the result.
    pub task_id: String,
    /// How far it is.
    pub status: TaskStatus,
    /// What is to say about that, for people. Untrusted.
    pub status_message: Option<String>,
    /// When it was created (ISO 8601). Empty if the peer does not say.
    pub created_at: String,
    /// When it changed last (ISO 8601). Empty if the peer does not say.
    pub last_updated_at: String,
    /// How long it is kept, in milliseconds since it was created. `None` is without end.
    pub ttl: Option<i64>,
    /// How long to wait between two looks at it, in milliseconds (C-362).
    pub poll_interval: Option<i64>,
    /// The `_meta` member, where the task is a result or the params of a notification.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl Task {
    /// A task that works, without any dates.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self {
            task_id: task_id.into(),
            status: TaskStatus::Working,
            status_message: None,
            created_at: String::new(),
            last_updated_at: String::new(),
            ttl: None,
            poll_interval: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

object!(Task {
    "taskId" => task_id: required,
    "status" => status: required,
    "statusMessage" => status_message: optional,
    "createdAt" => created_at: lenient,
    "lastUpdatedAt" => last_updated_at: lenient,
    "ttl" => ttl: lenient,
    "pollInterval" => poll_interval: optional,
    "_meta" => meta: optional,
});

/// Result of a request that became a task.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CreateTaskResult {
    /// The task.
    pub task: Task,
    /// The `_meta` member; see [`Meta::model_immediate_response`].
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl CreateTaskResult {
    /// The request became this task.
    pub fn new(task: Task) -> Self {
        Self { task, meta: None, extra: Extra::new() }
    }
}

object!(CreateTaskResult {
    "task" => task: required,
    "_meta" => meta: optional,
});

/// Params of `tasks/get`, `tasks/result` and `tasks/cancel`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TaskParams {
    /// The identifier of the task.
    pub task_id: String,
    /// The `_meta` member. It names no related task: the identifier above decides (C-370).
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl TaskParams {
    /// Means this task.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self { task_id: task_id.into(), ..Self::default() }
    }
}

object!(TaskParams {
    "taskId" => task_id: required,
    "_meta" => meta: optional,
});

/// Params of `tasks/list`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListTasksParams {
    /// Where the page starts: `nextCursor` of the page before. `None` is the first page.
    pub cursor: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ListTasksParams {
    "cursor" => cursor: optional,
    "_meta" => meta: optional,
});

/// Result of `tasks/list`: one page.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListTasksResult {
    /// What is on this page.
    pub tasks: Vec<Task>,
    /// Where the next page starts. `None` is the end; an empty string is a cursor like any other.
    pub next_cursor: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ListTasksResult {
    "tasks" => tasks: required,
    "nextCursor" => next_cursor: optional,
    "_meta" => meta: optional,
});

#[cfg(test)]
mod tests;
