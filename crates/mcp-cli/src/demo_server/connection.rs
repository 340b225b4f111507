//! One stream on which a client may speak either era: each message goes where it belongs.

use std::sync::Arc;

use super::legacy::Legacy;
use super::message::Message;
use super::modern::{self, Modern, Request};
use super::reply::Reply;
use super::running::Running;
use super::wire::Wire;
use super::world::World;

/// Calls at once; more are refused.
const MOST_CALLS: usize = 64;

#[derive(Debug)]
pub(super) struct Connection {
    legacy: Arc<Legacy>,
    modern: Modern,
    world: Arc<World>,
}

impl Connection {
    pub(super) fn new(world: &Arc<World>, wire: Wire) -> Self {
        // Ids are the client's, whichever era it speaks, so one table has them all.
        let running = Arc::new(Running::new(MOST_CALLS));
        Self {
            legacy: Arc::new(Legacy::new(world, wire, Arc::clone(&running))),
            modern: Modern::new(world, running),
            world: Arc::clone(world),
        }
    }

    pub(super) fn accept(&self, message: Message) -> Reply {
        let era = self.world.era;
        match message {
            Message::Request { id, method, params }
                if era.has_modern() && (!era.has_legacy() || modern::is_meant(&method, &params)) =>
            {
                let key = id.get().to_owned();
                self.modern.accept(Request { id, method, params, key }, |_, _| Ok(()))
            }
            Message::Notification { method, params } => {
                if method == "notifications/cancelled"
                    && let Some(id) = params.get("requestId")
                {
                    self.modern.cancel(&id.to_string());
                }
                if era.has_legacy() {
                    return self.legacy.accept(Message::Notification { method, params });
                }
                Reply::None
            }
            message if era.has_legacy() => self.legacy.accept(message),
            _ => Reply::None, // An answer, where nothing was asked.
        }
    }

    /// Whether the client may send several messages at once.
    pub(super) fn takes_batches(&self) -> bool {
        self.legacy.takes_batches()
    }

    /// The client is gone: wakes everything that waits, and ends all subscriptions.
    pub(super) fn end(&self) {
        self.modern.end();
        self.legacy.end();
    }
}
