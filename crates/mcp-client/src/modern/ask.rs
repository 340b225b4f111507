//! The way of one call without a handshake: stamped, mirrored, and asked again until the answer is
//! there.

use std::time::Duration;

use mcp_jsonrpc::{CallError, Raw, RequestOptions, Sample};
use mcp_types::{
    CallTool, ErrorCode, ErrorObject, GetPrompt, ListTools, ListToolsResult, Method, ReadResource,
    ResultType, Revision,
};
use serde_json::value::RawValue;

use super::budget::Budget;
use super::results::Found;
use super::rounds::{InputError, Question, Responses};
use super::tasks::{Following, is_declared, is_of_extension};
use super::{Modern, Stamped, names};
use crate::client::Inner;
use crate::error::ClientError;
use crate::handshake::supported;
use crate::list::Page;
use crate::options::CallOptions;
use crate::result_type::{Kind, result_type};

/// Before a request is repeated for which nothing was asked.
const PAUSE: Duration = Duration::from_millis(250);

/// One call, over as many requests as it takes.
pub(crate) struct Ask<'a> {
    pub(crate) inner: &'a Inner,
    pub(crate) modern: &'a Modern,
    pub(crate) method: &'a str,
    pub(crate) params: Option<&'a RawValue>,
    pub(crate) options: CallOptions,
    pub(crate) on_task: OnTask,
}

/// What happens where a tool call became a task, and the extension is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnTask {
    /// It is followed to its end.
    Follow,
    /// It is the answer.
    HandOver,
}

impl Ask<'_> {
    /// The result, once it is complete.
    pub(crate) async fn answer(self) -> Result<Raw, ClientError> {
        let Inner { transport, options, .. } = self.inner;
        let total = self.options.max_total_timeout.or(options.max_total_timeout);
        let budget = Budget::new(transport.now(), total);
        let results = &self.inner.router.results;
        let mut place = match results.find(self.method, self.params, self.options.is_fresh, transport.now()) {
            Found::Fresh(result) => return Ok(result),
            Found::Nothing(place) => place,
        };
        let mut responses = None;
        for _ in 0..=options.max_rounds {
            let answer = self.mended(&budget, responses.as_ref()).await?;
            match result_type(&answer) {
                Kind::Complete => {
                    if let Some(place) = place {
                        results.keep(place, &answer, transport.now());
                    }
                    return Ok(answer);
                }
                Kind::InputRequired if asks_back(self.method) => {
                    // What comes of an answer holds for this once.
                    place = None;
                    let question = Question::read(&answer).map_err(|error| self.input(error))?;
                    responses = Some(self.respond(&budget, question).await?);
                }
                Kind::Task if self.may_become_task() => {
                    return match self.on_task {
                        OnTask::Follow => Following::new(&self, &budget).result(&answer).await,
                        OnTask::HandOver => Ok(answer),
                    };
                }
                // Some servers call all results of the extension so.
                Kind::Task if is_of_extension(self.method) && is_declared(options) => return Ok(answer),
                kind => return Err(self.wrong_type(&kind)),
            }
        }
        Err(self.input(InputError::TooManyRounds { limit: options.max_rounds }))
    }

    /// What the server asks for. The time for it is that of the whole call; while a user thinks, no
    /// other timeout runs.
    async fn respond(&self, budget: &Budget, question: Question) -> Result<Responses, ClientError> {
        let Inner { router, transport, options, .. } = self.inner;
        let work = async {
            if !question.needs_input() {
                transport.pause(PAUSE).await;
            }
            question.answer(router, options.max_server_requests).await
        };
        let done = budget.spend(work, self.options.cancel.as_ref(), &**transport).await;
        done.map_err(|error| self.inner.unanswered(self.method, error))?.map_err(|error| self.input(error))
    }

    /// One request; once more if the server refuses it for what can be mended: the version, which it
    /// names as supported all the same (C-085), or headers that a newer list of tools may ask for.
    async fn mended(&self, budget: &Budget, responses: Option<&Responses>) -> Result<Raw, ClientError> {
        let refused = match self.once(budget, responses).await {
            Err(error) => error,
            answer => return answer,
        };
        let is_mended = match refused.call_error() {
            Some(CallError::Rpc(error)) if error.code == ErrorCode::HEADER_MISMATCH => {
                self.listed(budget).await?
            }
            Some(CallError::Rpc(error)) => supports(error, self.modern.version),
            _ => false,
        };
        if is_mended { self.once(budget, responses).await } else { Err(refused) }
    }

    /// Lists the tools again for the headers that they ask for, where that can change anything.
    async fn listed(&self, budget: &Budget) -> Result<bool, ClientError> {
        if self.method != CallTool::NAME || !self.inner.transport.mirrors() {
            return Ok(false);
        }
        let mut options = self.options.clone();
        (options.is_fresh, options.progress) = (true, None);
        // Boxed, since a listing is a call as well. Why it fails is of no interest to who called a tool.
        let listing = Box::pin(self.inner.list(ListTools::NAME, options, pass_over));
        // The list has no more time, page by page, than the call has.
        let done = budget.spend(listing, self.options.cancel.as_ref(), &*self.inner.transport).await;
        done.map(|list| list.is_ok()).map_err(|error| self.inner.unanswered(self.method, error))
    }

    /// One request. Its id and its progress token are its own.
    async fn once(&self, budget: &Budget, responses: Option<&Responses>) -> Result<Raw, ClientError> {
        let Self { inner, modern, method, params, options, .. } = self;
        let (watched, keep_alive) = inner.watch(options);
        let params = modern.stamp.on(Stamped {
            version: modern.version,
            params: *params,
            token: watched.as_ref().map(|watched| watched.token),
            log_level: options.log_level.clone().or_else(|| modern.log_level()),
            responses,
        });
        let params = params.map_err(|error| inner.unwritten(method, error))?;
        let left = budget.left(inner.transport.now());
        let mut request = RequestOptions::default();
        request.max_total_timeout = left.map_err(|error| inner.unanswered(method, error))?;
        if inner.transport.mirrors() {
            request.mirrored.extend(names::of(method, Some(&params)));
            let headers = modern.headers.of_call(method, Some(&params));
            request.mirrored.extend(headers.map_err(|source| ClientError::Header {
                server: inner.server.clone(),
                method: (*method).into(),
                source,
            })?);
        }
        inner.exchange(method, Some(params), request, options, keep_alive).await
    }

    /// Only a tool call can become a task, and only where the extension is declared (C-383).
    fn may_become_task(&self) -> bool {
        self.method == CallTool::NAME && is_declared(&self.inner.options)
    }

    pub(super) fn input(&self, source: InputError) -> ClientError {
        let Self { inner, method, .. } = self;
        ClientError::Input { server: inner.server.clone(), method: (*method).into(), source }
    }

    fn wrong_type(&self, kind: &Kind) -> ClientError {
        wrong_type(self.inner, self.method, kind)
    }
}

/// The error for a result of a kind that it cannot be.
pub(super) fn wrong_type(inner: &Inner, method: &str, kind: &Kind) -> ClientError {
    ClientError::ResultType { server: inner.server.clone(), method: method.into(), found: name(kind) }
}

/// Reads a page of tools for its cursor; what is in it was noted already.
fn pass_over(page: &Raw) -> serde_json::Result<Page<()>> {
    let page: ListToolsResult = page.parse()?;
    Ok(Page { items: vec![(); page.tools.len()], next: page.next_cursor })
}

/// A kind as it came.
fn name(kind: &Kind) -> Sample {
    match kind {
        Kind::Complete => Sample::of(ResultType::COMPLETE.as_bytes()),
        Kind::InputRequired => Sample::of(ResultType::INPUT_REQUIRED.as_bytes()),
        Kind::Task => Sample::of(ResultType::TASK.as_bytes()),
        Kind::Unknown(value) => value.clone(),
    }
}

/// Whether the method may be answered by a question.
fn asks_back(method: &str) -> bool {
    matches!(method, CallTool::NAME | GetPrompt::NAME | ReadResource::NAME)
}

/// Whether a server that refuses `version` says in the same breath that it supports it.
fn supports(error: &ErrorObject, version: Revision) -> bool {
    error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        && supported(error).iter().any(|supported| supported == version.as_str())
}
