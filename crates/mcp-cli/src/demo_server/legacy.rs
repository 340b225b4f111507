//! The revisions up to 2025-11-25: handshake, session, and which methods when.

mod client;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use self::client::Client;
use super::asked::{Answer, Asked};
use super::audience::{MOST_RESOURCES, Member, Wants};
use super::caller;
use super::catalogue::resources;
use super::features;
use super::job::Job;
use super::level::Level;
use super::message::{Id, Message, Params};
use super::outcome::{Ended, INTERNAL_ERROR, INVALID_REQUEST, Outcome, RpcError};
use super::reply::Reply;
use super::revision::Revision;
use super::running::Running;
use super::wire::{self, Wire};
use super::world::World;
use super::{INSTRUCTIONS, info};

/// The server as one client sees it. How bytes reach it, and who waits, is the matter of a driver.
#[derive(Debug)]
pub(super) struct Legacy {
    world: Arc<World>,
    /// For what belongs to no call.
    wire: Wire,
    session: Mutex<Session>,
    running: Arc<Running>,
    asked: Asked,
    /// Among those who hear of changes.
    key: String,
}

#[derive(Debug)]
struct Session {
    phase: Phase,
    revision: Revision,
    client: String,
    capabilities: Value,
    /// The least important level that is sent.
    level: Level,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    New,
    /// `initialize` was answered.
    Greeted,
    /// `notifications/initialized` came.
    Ready,
}

impl Legacy {
    pub(super) fn new(world: &Arc<World>, wire: Wire, running: Arc<Running>) -> Self {
        let session = Session {
            phase: Phase::New,
            revision: Revision::LEGACY[0],
            client: String::new(),
            capabilities: Value::Null,
            level: Level::INFO,
        };
        Self {
            world: Arc::clone(world),
            wire,
            session: Mutex::new(session),
            running,
            asked: Asked::default(),
            key: world.key(),
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
        self.world.audience.leave(&self.key);
    }

    /// Asks the client; `None` if it does not answer in time.
    fn ask(&self, wire: &Wire, method: &str, params: Option<&Value>, patience: Duration) -> Option<Answer> {
        let (id, answer) = self.asked.begin();
        wire.request(&id, method, params);
        let answer = answer.recv_timeout(patience).ok();
        self.asked.forget(&id);
        answer
    }

    /// Whether no call runs.
    pub(super) fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Whether `initialize` was answered with a result.
    pub(super) fn is_greeted(&self) -> bool {
        self.session().phase != Phase::New
    }

    /// Whether the client may send several messages at once.
    pub(super) fn takes_batches(&self) -> bool {
        let session = self.session();
        session.phase != Phase::New && session.revision.has_batches()
    }

    fn handle(self: &Arc<Self>, method: &str, params: &Params) -> Outcome {
        match method {
            "ping" => Ok(json!({})),
            "initialize" => self.initialize(params),
            "logging/setLevel" => self.ready().and_then(|()| self.set_level(params)),
            "resources/subscribe" => self.ready().and_then(|()| self.subscribe(params)),
            "resources/unsubscribe" => self.ready().and_then(|()| self.unsubscribe(params)),
            "server/discover" | "subscriptions/listen" => Err(RpcError::no_method(method)),
            _ => {
                let client = Client(Arc::clone(self));
                match features::answer(&self.world, &client, method, params) {
                    Some(outcome) => self.ready().and_then(|()| outcome.or_else(Ended::into_outcome)),
                    None => Err(RpcError::no_method(method)),
                }
            }
        }
    }

    fn initialize(&self, params: &Params) -> Outcome {
        let wanted = params.get("protocolVersion").and_then(Value::as_str);
        let wanted = wanted.ok_or_else(|| RpcError::invalid("`protocolVersion` must be a string"))?;
        let capabilities = params.get("capabilities").filter(|capabilities| capabilities.is_object());
        let capabilities =
            capabilities.ok_or_else(|| RpcError::invalid("`capabilities` must be an object"))?;
        let client = params.get("clientInfo").and_then(|info| info.get("name")).and_then(Value::as_str);
        let client = client.ok_or_else(|| RpcError::invalid("`clientInfo.name` must be a string"))?;

        let mut session = self.session();
        if session.phase != Phase::New {
            return Err(RpcError::new(INVALID_REQUEST, "already initialized"));
        }
        session.revision = Revision::legacy(wanted).unwrap_or(Revision::NEWEST_LEGACY);
        session.phase = Phase::Greeted;
        client.clone_into(&mut session.client);
        session.capabilities = capabilities.clone();
        Ok(json!({
            "protocolVersion": session.revision.name(),
            "capabilities": super::capabilities(session.revision),
            "serverInfo": info(),
            "instructions": INSTRUCTIONS,
        }))
    }

    fn set_level(&self, params: &Params) -> Outcome {
        let level = params.get("level").and_then(Value::as_str).and_then(Level::parse);
        let level = level.ok_or_else(|| RpcError::invalid("`level` must be a log level"))?;
        self.session().level = level;
        Ok(json!({}))
    }

    fn subscribe(&self, params: &Params) -> Outcome {
        let uri = features::uri(params)?;
        if !resources::has(&self.world.shelf(), uri) {
            return Err(features::not_found(false, uri));
        }
        let added = self.world.audience.change(&self.key, |wants| {
            let is_new = !wants.uris.iter().any(|known| known == uri);
            if is_new && wants.uris.len() >= MOST_RESOURCES {
                return false;
            }
            if is_new {
                wants.uris.push(uri.to_owned());
            }
            true
        });
        match added {
            Some(true) => Ok(json!({})),
            _ => Err(RpcError::new(INTERNAL_ERROR, "too many subscriptions")),
        }
    }

    /// One that there is not is ended already.
    fn unsubscribe(&self, params: &Params) -> Outcome {
        let uri = features::uri(params)?;
        self.world.audience.change(&self.key, |wants| wants.uris.retain(|known| known != uri));
        Ok(json!({}))
    }

    fn notice(self: &Arc<Self>, method: &str, params: &Params) {
        match method {
            "notifications/initialized" => {
                let mut session = self.session();
                if session.phase == Phase::Greeted {
                    session.phase = Phase::Ready;
                    let text = format!("hello, {}", session.client);
                    drop(session);
                    self.attend();
                    caller::log(&Client(Arc::clone(self)), &self.wire, Level::INFO, &json!(text));
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

    /// From now on the client hears of changes; if there is no room, it does not.
    fn attend(&self) {
        let wants = Wants { tools: true, prompts: true, resources: true, uris: Vec::new() };
        let member = Member { wants, wire: self.wire.clone(), subscription: None };
        let _ = self.world.audience.join(&self.key, member, None);
    }

    fn call(self: &Arc<Self>, id: Id, params: &Params) -> Reply {
        let begun = self.ready().and_then(|()| {
            let client = Box::new(Client(Arc::clone(self)));
            Job::begin(&self.world, &self.running, client, id.get().to_owned(), id.clone(), params)
        });
        match begun {
            Ok(job) => Reply::Later(job),
            Err(error) => Reply::Now(wire::refusal(Some(&id), &error)),
        }
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
