//! One client's session: the server as it sees it, and the stream for what belongs to no call.

use std::sync::Arc;

use super::super::legacy::Legacy;
use super::super::running::Running;
use super::super::wire::Wire;
use super::super::world::World;
use super::listener::Listener;

/// Calls of one session at once; more are refused.
const MOST_CALLS: usize = 64;

#[derive(Debug)]
pub(super) struct Session {
    pub(super) server: Arc<Legacy>,
    pub(super) listener: Arc<Listener>,
}

impl Session {
    pub(super) fn new(world: &Arc<World>) -> Self {
        let listener = Arc::new(Listener::default());
        let heard = Arc::clone(&listener);
        let wire = Wire::new(move |message| heard.say(message));
        let running = Arc::new(Running::new(MOST_CALLS));
        Self { server: Arc::new(Legacy::new(world, wire, running)), listener }
    }

    /// Whether nobody waits for anything of it.
    pub(super) fn is_idle(&self) -> bool {
        self.server.is_idle() && !self.listener.is_open()
    }

    /// Ends its calls, which are still answered, and its stream.
    pub(super) fn end(&self) {
        self.server.end();
        self.listener.end();
    }
}
