//! One client's session: the server as it sees it, and the stream for what belongs to no call.

use std::sync::Arc;

use super::super::server::Server;
use super::super::wire::Wire;
use super::listener::Listener;

#[derive(Debug)]
pub(super) struct Session {
    pub(super) server: Arc<Server>,
    pub(super) listener: Arc<Listener>,
}

impl Session {
    pub(super) fn new(page: usize) -> Self {
        let listener = Arc::new(Listener::default());
        let heard = Arc::clone(&listener);
        let wire = Wire::new(move |message| heard.say(message));
        Self { server: Arc::new(Server::new(wire, page)), listener }
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
