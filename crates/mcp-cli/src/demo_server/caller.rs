//! The client that asked for something, as whoever does it sees it. Each era has its own kind.

use std::fmt;

use serde_json::{Value, json};

use super::asked::Answer;
use super::level::Level;
use super::outcome::Ended;
use super::revision::Revision;
use super::wire::Wire;

pub(super) trait Caller: fmt::Debug + Send + Sync {
    fn revision(&self) -> Revision;

    /// Whether the client said that it answers such questions.
    fn answers(&self, method: &str) -> bool;

    /// Whether it wants log messages of this level.
    fn wants(&self, level: Level) -> bool;

    /// Asks the client, and has all answers, in order. With 2026-07-28 the client has them or is told
    /// to come back with them; before, this waits for it.
    fn ask(&self, wire: &Wire, questions: &[Question]) -> Result<Vec<Answer>, Ended>;

    /// Makes the client come again once, where the protocol has a way to ask that.
    fn come_again(&self) -> Result<(), Ended>;

    /// What the era adds to the result of a call.
    fn dress(&self, result: Value) -> Value;
}

/// Something to ask the client.
#[derive(Debug)]
pub(super) struct Question {
    /// Tells it from others of the same call.
    pub(super) key: &'static str,
    pub(super) method: String,
    pub(super) params: Option<Value>,
}

/// Sends a log message, if the client wants this level.
pub(super) fn log(caller: &dyn Caller, wire: &Wire, level: Level, data: &Value) {
    if caller.wants(level) {
        let params = json!({ "level": level.name(), "logger": "demo-server", "data": data });
        wire.notify("notifications/message", &params);
    }
}
