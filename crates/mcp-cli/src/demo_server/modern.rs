//! The revision 2026-07-28: no handshake and no session, each request says all that it needs.

mod caller;
pub(super) mod listen;
pub(super) mod meta;

use std::sync::Arc;

use serde_json::{Value, json};

use self::caller::ModernCaller;
use self::listen::Listen;
use self::meta::Meta;
use super::catalogue::resources;
use super::features;
use super::job::Job;
use super::message::{Id, Params};
use super::outcome::{Ended, Outcome, RpcError, UNSUPPORTED_VERSION};
use super::reply::Reply;
use super::revision::Revision;
use super::running::Running;
use super::wire;
use super::world::World;
use super::{INSTRUCTIONS, info};

/// How long a list may be kept, in milliseconds. Who listens learns of changes sooner.
const LIST_TTL: u64 = 60_000;
/// The same for what never changes.
const FIXED_TTL: u64 = 3_600_000;

/// Takes requests of all clients: of none of them it remembers anything.
#[derive(Debug)]
pub(super) struct Modern {
    world: Arc<World>,
    running: Arc<Running>,
}

/// One request, and a key for it among all that run.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) id: Id,
    pub(super) method: String,
    pub(super) params: Params,
    pub(super) key: String,
}

/// Whether a request belongs to this revision and not to a session.
pub(super) fn is_meant(method: &str, params: &Params) -> bool {
    matches!(method, "server/discover" | "subscriptions/listen") || meta::is_in(params)
}

impl Modern {
    pub(super) fn new(world: &Arc<World>, running: Arc<Running>) -> Self {
        Self { world: Arc::clone(world), running }
    }

    /// Takes a request. `check` compares it with what else was said about it, such as headers.
    pub(super) fn accept(
        &self,
        request: Request,
        check: impl FnOnce(&Meta, &Request) -> Result<(), RpcError>,
    ) -> Reply {
        let meta = match self.open(&request).and_then(|meta| check(&meta, &request).map(|()| meta)) {
            Ok(meta) => meta,
            Err(error) => return Reply::Refused(wire::refusal(Some(&request.id), &error)),
        };
        match self.take(&request, meta) {
            Ok(reply) => reply,
            Err(error) => Reply::Now(wire::refusal(Some(&request.id), &error)),
        }
    }

    /// The client is gone, or the server ends.
    pub(super) fn end(&self) {
        self.world.audience.end_subscriptions();
        self.running.end_all();
    }

    /// Stops what a request began, and answers it no more.
    pub(super) fn cancel(&self, key: &str) {
        self.running.cancel(key);
        self.world.audience.leave(key);
    }

    fn open(&self, request: &Request) -> Result<Meta, RpcError> {
        if request.method == "initialize" && !meta::is_in(&request.params) {
            let requested = request.params.get("protocolVersion").and_then(Value::as_str);
            return Err(self.unsupported(requested.unwrap_or_default()));
        }
        Meta::read(&request.params)
    }

    fn take(&self, request: &Request, meta: Meta) -> Result<Reply, RpcError> {
        let Request { id, method, params, key } = request;
        if meta.version != Revision::MODERN.name() {
            return Err(self.unsupported(&meta.version));
        }
        if method == "server/discover" {
            return Ok(Reply::Now(wire::answer(id, &Ok(dressed(method, params, self.discover())))));
        }
        if method == "subscriptions/listen" {
            return Listen::read(&self.world, id, key, params).map(Reply::Listen);
        }
        let caller = ModernCaller::new(&self.world, meta, method, params)?;
        if method == "tools/call" {
            let (caller, key) = (Box::new(caller), key.clone());
            return Job::begin(&self.world, &self.running, caller, key, id.clone(), params).map(Reply::Later);
        }
        let outcome = features::answer(&self.world, &caller, method, params);
        let outcome: Outcome =
            outcome.ok_or_else(|| RpcError::no_method(method))?.or_else(Ended::into_outcome);
        Ok(Reply::Now(wire::answer(id, &outcome.map(|result| dressed(method, params, result)))))
    }

    fn discover(&self) -> Value {
        json!({
            "supportedVersions": self.world.era.versions(),
            "capabilities": super::capabilities(Revision::MODERN),
            "instructions": INSTRUCTIONS,
        })
    }

    fn unsupported(&self, requested: &str) -> RpcError {
        let data = json!({ "supported": self.world.era.versions(), "requested": requested });
        RpcError::new(UNSUPPORTED_VERSION, "Unsupported protocol version").with(data)
    }
}

/// Adds what each result of this revision has, and what those have that may be kept.
fn dressed(method: &str, params: &Params, mut result: Value) -> Value {
    if result.get("resultType").is_none() {
        result["resultType"] = "complete".into();
        let ttl = match (method, params.get("uri").and_then(Value::as_str)) {
            ("resources/read", Some(resources::COUNTER)) => Some(0),
            ("server/discover" | "resources/read" | "resources/templates/list", _) => Some(FIXED_TTL),
            ("tools/list" | "resources/list" | "prompts/list", _) => Some(LIST_TTL),
            _ => None,
        };
        if let Some(ttl) = ttl {
            result["ttlMs"] = ttl.into();
            result["cacheScope"] = "public".into();
        }
    }
    result["_meta"]["io.modelcontextprotocol/serverInfo"] = info();
    result
}
