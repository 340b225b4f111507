//! One task of the server.

use std::fmt;
use std::time::{Duration, Instant};

use mcp_jsonrpc::RequestOptions;
use mcp_types::{
    CallToolResult, CancelTask, CreateTaskResult, GetTask, Method, Task, TaskParams, TaskResult, TaskStatus,
};

use super::polling::TaskPolling;
use super::send::{Progress, send};
use crate::client::Client;
use crate::error::ClientError;
use crate::options::CallOptions;
use crate::params;

/// A tool call that goes on at the server (2025-11-25 only). Dropping it changes nothing there: the
/// server goes on, and keeps the result for a time.
pub struct ToolTask {
    client: Client,
    id: String,
    created: Option<CreateTaskResult>,
    /// Held for its drop.
    _progress: Option<Progress>,
}

impl ToolTask {
    pub(super) fn created(client: Client, created: CreateTaskResult, progress: Option<Progress>) -> Self {
        let id = created.task.task_id.clone();
        Self { client, id, created: Some(created), _progress: progress }
    }

    pub(super) fn known(client: Client, id: String) -> Self {
        Self { client, id, created: None, _progress: None }
    }

    /// Its id. Who knows it may be able to fetch the result.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What the server said when it created the task, if that was for this handle: the state at that
    /// time, and perhaps [what the model may be told](mcp_types::Meta::model_immediate_response).
    pub fn at_creation(&self) -> Option<&CreateTaskResult> {
        self.created.as_ref()
    }

    /// How far it is: `tasks/get`.
    ///
    /// # Errors
    ///
    /// As [`Client::call`]. A task that is unknown or no longer kept is an error of the server, of the
    /// code -32602.
    ///
    /// # Cancel safety
    ///
    /// As [`Client::call`]; the task goes on.
    pub async fn get(&self) -> Result<Task, ClientError> {
        self.client.call::<GetTask>(&self.params(), CallOptions::default()).await
    }

    /// Waits until the task is final and fetches its result, without a timeout.
    ///
    /// # Errors
    ///
    /// As [`result_with`](Self::result_with).
    ///
    /// # Cancel safety
    ///
    /// As [`result_with`](Self::result_with).
    pub async fn result(&self) -> Result<CallToolResult, ClientError> {
        self.result_with(CallOptions::default()).await
    }

    /// Waits until the task is final and fetches its result: `tasks/result`. Only timeouts of `options`
    /// hold, not those of the client: the server answers when the tool is done. What the server asks
    /// meanwhile comes as its requests always do.
    ///
    /// # Errors
    ///
    /// As [`Client::call`]; an error that the tool call got is one of the server.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future stops the waiting, without a word to the server; the task goes on.
    pub async fn result_with(&self, options: CallOptions) -> Result<CallToolResult, ClientError> {
        let inner = &*self.client.inner;
        let method = TaskResult::NAME;
        inner.check_offered(method)?;
        let (watched, keep_alive) = inner.watch(&options);
        let unwritten = |error| inner.unwritten(method, error);
        let mut params = params::plain(&self.params()).map_err(unwritten)?;
        if let Some(watched) = &watched {
            params = Some(params::with_token(params, watched.token).map_err(unwritten)?);
        }
        let mut request = RequestOptions::default();
        request.timeout = Some(options.timeout.unwrap_or(Duration::ZERO));
        request.max_total_timeout = Some(options.max_total_timeout.unwrap_or(Duration::ZERO));
        request.cancel = options.cancel;
        request.keep_alive = keep_alive;
        let answer = send(inner, method, params, request).await?;
        inner.read(method, &answer)
    }

    /// Ends the task: `tasks/cancel`. What is needed of it has to be fetched before: a server need not
    /// keep a task that was cancelled (C-372).
    ///
    /// # Errors
    ///
    /// As [`Client::call`]. A task that is final already is an error of the server, of the code -32602.
    ///
    /// # Cancel safety
    ///
    /// As [`Client::call`]. Whether the task was cancelled is not known then.
    pub async fn cancel(&self) -> Result<Task, ClientError> {
        self.client.call::<CancelTask>(&self.params(), CallOptions::default()).await
    }

    /// Looks at the task until it is final (C-363), and fetches its result. As soon as the server needs
    /// something of the client, it asks for the result at once (C-365) and waits for it: that is how the
    /// server's questions come.
    ///
    /// Hints of the server that a task has changed are not waited for, since they need not come (C-368).
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get) and [`result`](Self::result); then
    /// [`ClientError::TaskCancelled`], and [`ClientError::TaskUnfinished`] at the limit, which a look in
    /// flight may outlast by its own timeout. After an error, one can wait again.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future stops the looking; the task goes on, and one can wait again.
    pub async fn wait(&self, polling: &TaskPolling) -> Result<CallToolResult, ClientError> {
        let transport = &self.client.inner.transport;
        let end = polling.end(transport.now());
        let mut task = match &self.created {
            Some(created) => created.task.clone(),
            None => self.get().await?,
        };
        loop {
            match task.status {
                TaskStatus::Cancelled => return Err(self.cancelled()),
                TaskStatus::InputRequired | TaskStatus::Completed | TaskStatus::Failed => {
                    return self.result_until(end, polling).await;
                }
                // A word that nobody knows is not final, so the task goes on.
                _ => {}
            }
            let rest = self.rest(end, GetTask::NAME, polling)?;
            transport.pause(polling.after(task.poll_interval).min(rest)).await;
            self.rest(end, GetTask::NAME, polling)?;
            task = self.get().await?;
        }
    }

    /// The result, unless `end` comes first.
    async fn result_until(
        &self,
        end: Option<Instant>,
        polling: &TaskPolling,
    ) -> Result<CallToolResult, ClientError> {
        let rest = self.rest(end, TaskResult::NAME, polling)?;
        let options = CallOptions { max_total_timeout: end.map(|_| rest), ..CallOptions::default() };
        match self.result_with(options).await {
            Err(error) if error.call_error().is_some_and(|error| error.is_timeout()) => {
                Err(self.unfinished(TaskResult::NAME, polling))
            }
            result => result,
        }
    }

    /// How much time there is until `end`; fails if there is none.
    fn rest(
        &self,
        end: Option<Instant>,
        method: &str,
        polling: &TaskPolling,
    ) -> Result<Duration, ClientError> {
        let Some(end) = end else { return Ok(Duration::MAX) };
        let rest = end.saturating_duration_since(self.client.inner.transport.now());
        if rest.is_zero() { Err(self.unfinished(method, polling)) } else { Ok(rest) }
    }

    fn params(&self) -> TaskParams {
        TaskParams::new(&*self.id)
    }

    fn cancelled(&self) -> ClientError {
        ClientError::TaskCancelled { server: self.client.inner.server.clone(), method: GetTask::NAME.into() }
    }

    fn unfinished(&self, method: &str, polling: &TaskPolling) -> ClientError {
        let server = self.client.inner.server.clone();
        ClientError::TaskUnfinished { server, method: method.into(), limit: polling.limit }
    }
}

/// Without the id and what the server said: who knows the id may be able to fetch the result.
impl fmt::Debug for ToolTask {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ToolTask").field("client", &self.client).finish_non_exhaustive()
    }
}
