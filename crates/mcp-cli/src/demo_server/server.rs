//! The server's side of the protocol: handshake, methods, and which of them when.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::asked::{Answer, Asked};
use super::catalogue;
use super::job::Job;
use super::message::{Id, Message, Params};
use super::outcome::{INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Outcome, RpcError};
use super::running::Running;
use super::wire::{self, Wire};

/// The revisions spoken, oldest first.
const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The first revision that has structured results.
const STRUCTURED_SINCE: &str = "2025-06-18";

/// Log levels, least important first.
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// Whether this is a revision that the server speaks.
pub(super) fn speaks(revision: &str) -> bool {
    REVISIONS.contains(&revision)
}

/// The server as one client sees it. How bytes reach it, and who waits, is the matter of a driver.
#[derive(Debug)]
pub(super) struct Server {
    /// For what belongs to no call.
    wire: Wire,
    page: usize,
    session: Mutex<Session>,
    running: Running,
    asked: Asked,
}

#[derive(Debug)]
struct Session {
    phase: Phase,
    revision: &'static str,
    client: String,
    /// The least important level that is sent, by its place in [`LEVELS`].
    level: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    New,
    /// `initialize` was answered.
    Greeted,
    /// `notifications/initialized` came.
    Ready,
}

/// What comes of a message.
#[derive(Debug)]
pub(super) enum Reply {
    /// Nothing: it was a notification or an answer.
    None,
    /// The answer to a request.
    Now(String),
    /// The answer when this has run.
    Later(Job),
}

impl Server {
    pub(super) fn new(wire: Wire, page: usize) -> Self {
        let session = Session { phase: Phase::New, revision: REVISIONS[0], client: String::new(), level: 1 };
        Self {
            wire,
            page,
            session: Mutex::new(session),
            running: Running::default(),
            asked: Asked::default(),
        }
    }

    /// Takes one message of the client.
    pub(super) fn accept(self: &Arc<Self>, message: Message) -> Reply {
        match message {
            Message::Request { id, method, params } if method == "tools/call" => self.call(id, &params),
            Message::Request { id, method, params } => {
                Reply::Now(wire::answer(&id, &self.handle(&method, &params)))
            }
            Message::Notification { method, params } => {
                self.notice(&method, &params);
                Reply::None
            }
            Message::Answer { id, outcome } => {
                self.asked.settle(&id, outcome);
                Reply::None
            }
        }
    }

    /// The client is gone: wakes everything that waits.
    pub(super) fn end(&self) {
        self.running.end_all();
        self.asked.end();
    }

    /// Sends a log message, if the client wants this level.
    pub(super) fn log(&self, wire: &Wire, level: &str, data: &Value) {
        let wanted = self.session().level;
        if LEVELS.iter().position(|known| *known == level).is_some_and(|place| place >= wanted) {
            let params = json!({ "level": level, "logger": "demo-server", "data": data });
            wire.notify("notifications/message", &params);
        }
    }

    /// Asks the client; `None` if it does not answer in time.
    pub(super) fn ask(
        &self,
        wire: &Wire,
        method: &str,
        params: Option<&Value>,
        patience: Duration,
    ) -> Option<Answer> {
        let (id, answer) = self.asked.begin();
        wire.request(&id, method, params);
        let answer = answer.recv_timeout(patience).ok();
        self.asked.forget(&id);
        answer
    }

    /// Lets a call go that has run; true if it is still to be answered.
    pub(super) fn is_wanted(&self, id: &Id) -> bool {
        self.running.finish(id)
    }

    /// Whether no call runs.
    pub(super) fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Whether `initialize` was answered with a result.
    pub(super) fn is_greeted(&self) -> bool {
        self.session().phase != Phase::New
    }

    /// Whether the client knows structured results. Revisions are dates, so they sort.
    pub(super) fn speaks_structured(&self) -> bool {
        self.session().revision >= STRUCTURED_SINCE
    }

    fn handle(&self, method: &str, params: &Params) -> Outcome {
        match method {
            "ping" => Ok(json!({})),
            "initialize" => self.initialize(params),
            "tools/list" => {
                self.ready()?;
                catalogue::page(params.get("cursor"), self.page, self.speaks_structured())
            }
            "logging/setLevel" => {
                self.ready()?;
                self.set_level(params)
            }
            _ => Err(RpcError::new(METHOD_NOT_FOUND, format!("Method not found: {method}"))),
        }
    }

    fn initialize(&self, params: &Params) -> Outcome {
        let invalid = |text| RpcError::new(INVALID_PARAMS, text);
        let wanted = params.get("protocolVersion").and_then(Value::as_str);
        let wanted = wanted.ok_or_else(|| invalid("`protocolVersion` must be a string"))?;
        if !params.get("capabilities").is_some_and(Value::is_object) {
            return Err(invalid("`capabilities` must be an object"));
        }
        let client = params.get("clientInfo").and_then(|info| info.get("name")).and_then(Value::as_str);
        let client = client.ok_or_else(|| invalid("`clientInfo.name` must be a string"))?;

        let mut session = self.session();
        if session.phase != Phase::New {
            return Err(RpcError::new(INVALID_REQUEST, "already initialized"));
        }
        let newest = REVISIONS[REVISIONS.len() - 1];
        session.revision = REVISIONS.into_iter().find(|known| *known == wanted).unwrap_or(newest);
        session.phase = Phase::Greeted;
        client.clone_into(&mut session.client);
        Ok(json!({
            "protocolVersion": session.revision,
            "capabilities": { "tools": {}, "logging": {} },
            "serverInfo": { "name": "mcp-demo", "title": "Demo server", "version": env!("CARGO_PKG_VERSION") },
            "instructions": "A server to try a client on. Nothing it does leaves this process.",
        }))
    }

    fn set_level(&self, params: &Params) -> Outcome {
        let level = params.get("level").and_then(Value::as_str);
        let place = level.and_then(|level| LEVELS.iter().position(|known| *known == level));
        let place = place.ok_or_else(|| RpcError::new(INVALID_PARAMS, "`level` must be a log level"))?;
        self.session().level = place;
        Ok(json!({}))
    }

    fn notice(&self, method: &str, params: &Params) {
        match method {
            "notifications/initialized" => {
                let mut session = self.session();
                if session.phase == Phase::Greeted {
                    session.phase = Phase::Ready;
                    let text = format!("hello, {}", session.client);
                    drop(session);
                    self.log(&self.wire, "info", &json!(text));
                }
            }
            "notifications/cancelled" => {
                if let Some(id) = params.get("requestId") {
                    self.running.cancel(&id.to_string());
                }
            }
            _ => {} // As JSON-RPC asks: a notification is never answered.
        }
    }

    fn call(self: &Arc<Self>, id: Id, params: &Params) -> Reply {
        let begun = self.ready().and_then(|()| {
            let (tool, arguments) = tool_and_arguments(params)?;
            let stop = self.running.begin(&id).map_err(|text| RpcError::new(INTERNAL_ERROR, text))?;
            Ok((tool, arguments, stop))
        });
        let (tool, arguments, stop) = match begun {
            Ok(begun) => begun,
            Err(error) => return Reply::Now(wire::refusal(Some(&id), &error)),
        };
        let progress_token = params.get("_meta").and_then(|meta| meta.get("progressToken")).cloned();
        Reply::Later(Job { server: Arc::clone(self), id, tool, arguments, progress_token, stop })
    }

    fn ready(&self) -> Result<(), RpcError> {
        match self.session().phase {
            Phase::Ready => Ok(()),
            _ => Err(RpcError::new(INVALID_REQUEST, "not initialized yet")),
        }
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn tool_and_arguments(params: &Params) -> Result<(String, Params), RpcError> {
    let tool = params.get("name").and_then(Value::as_str);
    let tool = tool.ok_or_else(|| RpcError::new(INVALID_PARAMS, "`name` must be a string"))?;
    let arguments = match params.get("arguments") {
        None => Params::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(_) => return Err(RpcError::new(INVALID_PARAMS, "`arguments` must be an object")),
    };
    if !catalogue::has(tool) {
        return Err(RpcError::new(INVALID_PARAMS, format!("Unknown tool: {tool}")));
    }
    Ok((tool.to_owned(), arguments))
}
