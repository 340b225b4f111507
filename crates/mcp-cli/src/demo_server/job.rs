//! A call that was taken up. It blocks while it runs, so the driver gives it a thread.

use std::sync::Arc;

use serde_json::{Value, json};

use super::caller::{self, Caller};
use super::catalogue::tools;
use super::level::Level;
use super::message::{Id, Params};
use super::outcome::INTERNAL_ERROR;
use super::outcome::{Ended, RpcError};
use super::running::{Running, Stop};
use super::tools::Call;
use super::wire::{self, Answered, Wire};
use super::world::World;

#[derive(Debug)]
pub(super) struct Job {
    pub(super) world: Arc<World>,
    pub(super) caller: Box<dyn Caller>,
    pub(super) running: Arc<Running>,
    /// Where it is in `running`.
    pub(super) key: String,
    id: Id,
    tool: String,
    arguments: Params,
    progress_token: Option<Value>,
    stop: Arc<Stop>,
}

impl Job {
    /// Takes up a call with these params.
    pub(super) fn begin(
        world: &Arc<World>,
        running: &Arc<Running>,
        caller: Box<dyn Caller>,
        key: String,
        id: Id,
        params: &Params,
    ) -> Result<Self, RpcError> {
        let tool = params.get("name").and_then(Value::as_str);
        let tool = tool.ok_or_else(|| RpcError::invalid("`name` must be a string"))?.to_owned();
        let arguments = match params.get("arguments") {
            None => Params::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => return Err(RpcError::invalid("`arguments` must be an object")),
        };
        if tools::find(&world.shelf(), &tool).is_none() {
            return Err(RpcError::invalid(format!("Unknown tool: {tool}")));
        }
        let progress_token = params.get("_meta").and_then(|meta| meta.get("progressToken")).cloned();
        let stop = running.begin(&key).map_err(|text| RpcError::new(INTERNAL_ERROR, text))?;
        let (world, running) = (Arc::clone(world), Arc::clone(running));
        Ok(Self { world, caller, running, key, id, tool, arguments, progress_token, stop })
    }

    /// Runs the tool, which says on `wire` what it has to say. Returns the answer; there is none
    /// to a call that was cancelled.
    pub(super) fn run(self, wire: &Wire) -> Option<Answered> {
        caller::log(&*self.caller, wire, Level::INFO, &json!(format!("{} was called", self.tool)));
        let call = Call {
            world: &self.world,
            caller: &*self.caller,
            wire,
            arguments: self.arguments,
            progress_token: self.progress_token,
            stop: &self.stop,
        };
        let outcome = call.run(&self.tool).or_else(Ended::into_outcome);
        let outcome = outcome.map(|result| self.caller.dress(result));
        self.running.finish(&self.key).then(|| wire::answer(&self.id, &outcome))
    }
}
