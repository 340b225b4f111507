//! Tasks of 2025-11-25: tools that are called now and whose result is fetched later.
//!
//! The tasks of 2026-07-28 are an extension and another thing.

mod handle;
mod polling;
mod send;

use std::time::Duration;

use mcp_jsonrpc::{Raw, RequestOptions, Sample};
use mcp_types::{
    CallTool, CreateTaskResult, ListTasks, ListTasksResult, Method, Task, TaskMetadata, TaskResult, Tool,
};
use serde::Serialize;

pub use self::handle::ToolTask;
pub use self::polling::TaskPolling;
use self::send::{Progress, send, task_call};
use crate::client::{Client, Inner};
use crate::error::ClientError;
use crate::list::Page;
use crate::options::CallOptions;

impl Client {
    /// Calls a tool as a task: the answer comes at once, and the result when the [`ToolTask`] is asked
    /// for it. The server is asked to keep the task for `ttl` since it was created, to the millisecond;
    /// `None` leaves that to the server.
    ///
    /// It takes the tool as it was listed, since a tool has to say that it can be called so (C-358); a
    /// tool whose `taskSupport` is `required` cannot be called otherwise (C-360). Progress for
    /// `options.progress` comes for as long as the [`ToolTask`] lives (C-250).
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call). Where tasks are not in the revision, or the server did not declare
    /// `tasks.requests.tools.call` (C-357), or the tool does not allow it, nothing is sent, unless
    /// [`require_capabilities`](crate::ClientOptions::require_capabilities) is off. A server that
    /// ignores the wish and answers with the result itself is a [`ClientError::Answer`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the call up without a word to the server: a task is ended by
    /// `tasks/cancel` only (C-262), and its id is not known yet. The task may exist, for as long as the
    /// server keeps it.
    pub async fn call_tool_as_task(
        &self,
        tool: &Tool,
        arguments: &impl Serialize,
        ttl: Option<Duration>,
        options: CallOptions,
    ) -> Result<ToolTask, ClientError> {
        let inner = &*self.inner;
        inner.check_task(tool)?;
        let (watched, keep_alive) = inner.watch(&options);
        let token = watched.as_ref().map(|watched| watched.token);
        let ttl = ttl.map(|ttl| u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX));
        let params = task_call(&tool.name, arguments, token, &TaskMetadata::new(ttl))
            .map_err(|error| inner.unwritten(CallTool::NAME, error))?;
        let mut request = RequestOptions::default();
        request.timeout = options.timeout.or(inner.options.timeout);
        request.max_total_timeout = options.max_total_timeout.or(inner.options.max_total_timeout);
        request.cancel = options.cancel;
        request.keep_alive = keep_alive;
        let answer = send(inner, CallTool::NAME, Some(params), request).await?;
        let created: CreateTaskResult = inner.read(CallTool::NAME, &answer)?;
        let progress = watched.map(|watched| Progress::new(&inner.router, watched.keep()));
        Ok(ToolTask::created(self.clone(), created, progress))
    }

    /// A task by its id: one that was created on another connection, or listed.
    pub fn task(&self, id: impl Into<String>) -> ToolTask {
        ToolTask::known(self.clone(), id.into())
    }

    /// All tasks that the server tells of.
    ///
    /// # Errors
    ///
    /// As [`list_tasks_with`](Self::list_tasks_with).
    ///
    /// # Cancel safety
    ///
    /// As [`list_tasks_with`](Self::list_tasks_with).
    pub async fn list_tasks(&self) -> Result<Vec<Task>, ClientError> {
        self.list_tasks_with(CallOptions::default()).await
    }

    /// All tasks that the server tells of, all pages of them. Bounds and timeouts are as with
    /// [`list_raw`](Self::list_raw).
    ///
    /// # Errors
    ///
    /// As [`list_raw`](Self::list_raw).
    ///
    /// # Cancel safety
    ///
    /// As [`list_raw`](Self::list_raw).
    pub async fn list_tasks_with(&self, options: CallOptions) -> Result<Vec<Task>, ClientError> {
        let read = |page: &Raw| {
            let page: ListTasksResult = page.parse()?;
            Ok(Page { items: page.tasks, next: page.next_cursor })
        };
        self.inner.list(ListTasks::NAME, options, read).await
    }
}

impl Inner {
    /// Fails if `tool` may not be called as a task.
    fn check_task(&self, tool: &Tool) -> Result<(), ClientError> {
        if !self.options.require_capabilities {
            return Ok(());
        }
        self.check_offered(CallTool::NAME)?;
        // Only the revision with these tasks has this method.
        self.check_offered(TaskResult::NAME)?;
        let tasks = self.agreed.capabilities.tasks.as_ref();
        if !tasks.is_some_and(|tasks| tasks.has_tool_calls()) {
            return Err(self.not_offered(CallTool::NAME, "tasks.requests.tools.call"));
        }
        if !tool.may_be_task() {
            return Err(ClientError::NotAsTask {
                server: self.server.clone(),
                method: CallTool::NAME.into(),
                tool: Sample::of(tool.name.as_bytes()),
            });
        }
        Ok(())
    }
}
