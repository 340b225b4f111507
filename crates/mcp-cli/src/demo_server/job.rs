//! A call that was taken up. It blocks while it runs, so the driver gives it a thread.

use std::sync::Arc;

use serde_json::{Value, json};

use super::message::{Id, Params};
use super::running::Stop;
use super::server::Server;
use super::tools::Call;
use super::wire::{self, Wire};

#[derive(Debug)]
pub(super) struct Job {
    pub(super) server: Arc<Server>,
    pub(super) id: Id,
    pub(super) tool: String,
    pub(super) arguments: Params,
    pub(super) progress_token: Option<Value>,
    pub(super) stop: Arc<Stop>,
}

impl Job {
    /// Runs the tool, which says on `wire` what it has to say. Returns the answer; there is none
    /// to a call that was cancelled.
    pub(super) fn run(self, wire: &Wire) -> Option<String> {
        self.server.log(wire, "info", &json!(format!("{} was called", self.tool)));
        let call = Call {
            server: &self.server,
            wire,
            arguments: self.arguments,
            progress_token: self.progress_token,
            stop: &self.stop,
        };
        let outcome = call.run(&self.tool);
        self.server.is_wanted(&self.id).then(|| wire::answer(&self.id, &outcome))
    }
}
