//! A tool call that became a task (the extension `io.modelcontextprotocol/tasks`): followed to its end.
//!
//! ```text
//!   tools/call ──► a task ──► tasks/get, again and again ──► completed: the result of the call
//!                     │            │         ▲                failed: the error of the call
//!                     │            ▼         │                cancelled: an error
//!                     │         what it asks: the handlers, then tasks/update
//!                     └──► given up on the way: tasks/cancel
//! ```

mod line;

use std::collections::HashSet;

use mcp_jsonrpc::{CallError, Raw, RequestOptions};
use mcp_types::task_extension::{
    self, CancelExtensionTask, ExtensionTask, GetExtensionTask, UpdateTask, UpdateTaskParams,
};
use mcp_types::{CallTool, ErrorCode, Extra, Method, TaskParams, TaskStatus};
use serde::Serialize;
use serde::de::Error as _;

use self::line::{Line, Unended};
use super::ask::{Ask, wrong_type};
use super::budget::Budget;
use super::rounds::{InputError, Question};
use crate::error::ClientError;
use crate::options::ClientOptions;
use crate::result_type::{Kind, result_type};

/// Whether we say that a tool call may become a task.
pub(super) fn is_declared(options: &ClientOptions) -> bool {
    options.capabilities.extensions.as_ref().is_some_and(|them| them.get(task_extension::ID).is_some())
}

/// Whether the method is one of the extension.
pub(super) fn is_of_extension(method: &str) -> bool {
    matches!(method, GetExtensionTask::NAME | UpdateTask::NAME | CancelExtensionTask::NAME)
}

/// One task, from its creation to its end.
pub(super) struct Following<'a> {
    ask: &'a Ask<'a>,
    budget: Budget,
    line: Line,
    /// The keys of all that was asked and answered. At most the rounds times what may be asked in each.
    answered: HashSet<String>,
    rounds: usize,
}

impl<'a> Following<'a> {
    /// Of the call `ask`; the time of the call holds on.
    pub(super) fn new(ask: &'a Ask<'a>, budget: &Budget) -> Self {
        let Ask { inner, modern, .. } = ask;
        let budget = budget.within(inner.transport.now(), inner.options.task_polling.limit);
        Self { ask, budget, line: Line::new(inner, modern), answered: HashSet::new(), rounds: 0 }
    }

    /// The result of the call, once the task is final (C-385). `created` is what the call was answered by.
    pub(super) async fn result(mut self, created: &Raw) -> Result<Raw, ClientError> {
        let inner = self.ask.inner;
        let mut task: ExtensionTask = inner.read(CallTool::NAME, created)?;
        // Asks for its end when it is dropped, whatever way this is left.
        let mut unended = Unended::new(&self.line, task.task_id.clone(), inner.options.send_cancelled);
        if lacks_what_its_status_brings(&task) {
            task = self.look(&mut unended).await?;
        }
        while !task.status.is_final() {
            self.answer(&task).await?;
            self.pause(&task).await?;
            task = self.look(&mut unended).await?;
        }
        unended.has_ended();
        self.outcome(task)
    }

    /// How far the task is. An answer has to be of that task, and to have what its status brings.
    async fn look(&self, unended: &mut Unended) -> Result<ExtensionTask, ClientError> {
        let (inner, method) = (self.ask.inner, GetExtensionTask::NAME);
        let answer = match self.request(method, &TaskParams::new(unended.id())).await {
            Err(error) if is_unknown(&error) => {
                unended.has_ended();
                return Err(error);
            }
            answer => answer?,
        };
        let task: ExtensionTask = inner.read(method, &answer)?;
        let misfit = |text| inner.unread(method, &answer, serde_json::Error::custom(text));
        if task.task_id != unended.id() {
            return Err(misfit("`taskId` is that of another task"));
        }
        match task.status {
            TaskStatus::Completed if task.result.is_none() => Err(misfit("`result` is missing")),
            TaskStatus::Failed if task.error.is_none() => Err(misfit("`error` is missing")),
            _ => Ok(task),
        }
    }

    /// Has the handlers answer what is new in what the task asks, and sends that (C-387). What was asked
    /// before stays in the task until the server has taken the answer, and is passed over (C-389, C-390).
    async fn answer(&mut self, task: &ExtensionTask) -> Result<(), ClientError> {
        let Ask { inner, method, options, .. } = self.ask;
        let Some(requests) =
            task.input_requests.as_ref().filter(|_| task.status == TaskStatus::InputRequired)
        else {
            return Ok(());
        };
        let news = self.news(requests).map_err(|error| self.ask.input(error))?;
        if news.is_empty() {
            return Ok(());
        }
        let limit = inner.options.max_rounds;
        if self.rounds >= limit {
            return Err(self.ask.input(InputError::TooManyRounds { limit }));
        }
        self.rounds += 1;
        self.answered.extend(news.iter().map(|(key, _)| key.to_owned()));
        let work = Question::of_task(news).answer(&inner.router, inner.options.max_server_requests);
        let answers = self.budget.spend(work, options.cancel.as_ref(), &*inner.transport).await;
        let answers = answers.map_err(|error| inner.unanswered(method, error))?;
        let answers = answers.map_err(|error| self.ask.input(error))?.into_inputs();
        match self.request(UpdateTask::NAME, &UpdateTaskParams::new(&*task.task_id, answers)).await {
            // The task may have come to its end meanwhile, which the next look shows.
            Err(error) if !is_unknown(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// What is asked for the first time.
    fn news(&self, requests: &Extra) -> Result<Extra, InputError> {
        let limit = self.ask.inner.options.max_server_requests;
        let mut seen = HashSet::new();
        let keys: Vec<_> = requests.iter().map(|(key, _)| key).collect();
        let new = keys.into_iter().filter(|key| !self.answered.contains(*key) && seen.insert(*key));
        let new: Vec<_> = new.collect();
        if new.len() > limit {
            return Err(InputError::TooMany { asked: new.len(), limit });
        }
        let mut news = Extra::new();
        for key in new {
            if let Some(request) = requests.get(key) {
                news.insert(key, request.to_owned());
            }
        }
        Ok(news)
    }

    /// Waits as long as the server wants until the next look (C-384), within our bounds.
    async fn pause(&self, task: &ExtensionTask) -> Result<(), ClientError> {
        let Ask { inner, method, options, .. } = self.ask;
        let pause = inner.transport.pause(inner.options.task_polling.after(task.poll_interval_ms));
        let done = self.budget.spend(pause, options.cancel.as_ref(), &*inner.transport).await;
        done.map_err(|error| inner.unanswered(method, error))
    }

    /// One request about the task. That it is given up is told by no notice (C-391).
    async fn request(&self, method: &str, params: &impl Serialize) -> Result<Raw, ClientError> {
        let Ask { inner, options, .. } = self.ask;
        let params = self.line.write(params).map_err(|error| inner.unwritten(method, error))?;
        let left = self.budget.left(inner.transport.now());
        let mut request = RequestOptions::default();
        request.timeout = options.timeout.or(inner.options.timeout);
        request.max_total_timeout = left.map_err(|error| inner.unanswered(method, error))?;
        request.cancel = options.cancel.clone();
        let answer = self.line.send(method, params, request).await;
        let answer = answer.map_err(|error| inner.unanswered(method, error))?;
        match result_type(&answer) {
            // Some servers call all results of the extension so.
            Kind::Complete | Kind::Task => Ok(answer),
            kind => Err(wrong_type(inner, method, &kind)),
        }
    }

    /// What a final task means for the call.
    fn outcome(&self, task: ExtensionTask) -> Result<Raw, ClientError> {
        let Ask { inner, method, .. } = self.ask;
        match (task.status, task.result, task.error) {
            (TaskStatus::Completed, Some(result), _) => {
                let result = Raw::from(result);
                match result_type(&result) {
                    Kind::Complete => Ok(result),
                    kind => Err(wrong_type(inner, method, &kind)),
                }
            }
            (TaskStatus::Failed, _, Some(error)) => {
                let error = CallError::Rpc(error);
                inner.remember_urls(&error);
                Err(inner.unanswered(method, error))
            }
            _ => Err(ClientError::TaskCancelled {
                server: inner.server.clone(),
                method: GetExtensionTask::NAME.into(),
            }),
        }
    }
}

/// Whether there is more to be known at once, by a look: a server need not put it into the result that
/// creates the task.
fn lacks_what_its_status_brings(task: &ExtensionTask) -> bool {
    match task.status {
        TaskStatus::Completed => task.result.is_none(),
        TaskStatus::Failed => task.error.is_none(),
        TaskStatus::InputRequired => task.input_requests.is_none(),
        _ => false,
    }
}

/// Whether the server says that there is no such task, or not any more.
fn is_unknown(error: &ClientError) -> bool {
    matches!(error.call_error(), Some(CallError::Rpc(error)) if error.code == ErrorCode::INVALID_PARAMS)
}
