//! What the server says by itself, for any number of listeners.

mod queue;

use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use mcp_jsonrpc::{Notification, Raw};
use mcp_types::Notice;

use self::queue::Queue;

/// Something that happened on a connection.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The server sent a notification. Progress is not among them: it goes to its call, or nowhere.
    Notification(ServerNotification),
    /// An address that the user was asked to open is done with, by the id of its elicitation: what
    /// waited for it can be tried again (C-350). It follows the notification itself.
    ElicitationComplete(Arc<str>),
    /// What the server says by itself is not heard at the moment, since the subscription was lost. It is
    /// asked for again until [`ListeningAgain`](Self::ListeningAgain) or a [`Fault`](Self::Fault) tells how
    /// that went (2026-07-28).
    Interrupted,
    /// What the server says by itself was not heard for a while, and is again: anything it tells of may
    /// have changed since (2026-07-28).
    ListeningAgain,
    /// Something is wrong with the connection, which goes on.
    Fault(Arc<str>),
    /// Something odd came that was skipped or ignored and harms nothing.
    Diagnostic(Arc<str>),
    /// This listener was too slow: so many events are gone, before those that follow.
    Missed(u64),
    /// The connection is gone, and why. Nothing follows.
    Closed(Arc<str>),
}

/// A notification of the server.
#[derive(Clone)]
#[non_exhaustive]
pub struct ServerNotification {
    /// The method.
    pub method: Arc<str>,
    /// The params, as they came.
    pub params: Option<Raw>,
}

impl ServerNotification {
    pub(crate) fn of(notification: &Notification<'_>) -> Self {
        Self { method: notification.method.into(), params: notification.params.map(Raw::from) }
    }

    /// Reads the params, if this is an `N`.
    pub fn parse<N: Notice>(&self) -> Option<serde_json::Result<N::Params>> {
        let params = self.params.as_ref().map_or("null", Raw::as_str);
        (*self.method == *N::NAME).then(|| serde_json::from_str(params))
    }
}

/// Without the params: they may be secret.
impl fmt::Debug for ServerNotification {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ServerNotification").field("method", &self.method).finish_non_exhaustive()
    }
}

/// One listener: the events since it was made, in order. Made by
/// [`Client::events`](crate::Client::events).
///
/// Events wait here within the limits of the [`ClientOptions`](crate::ClientOptions); beyond them
/// the oldest are dropped and counted. A listener that is dropped costs nothing more.
#[derive(Debug)]
pub struct EventStream {
    queue: Arc<Queue>,
    is_over: bool,
}

impl EventStream {
    /// The next event. Waits for it; `None` after [`Event::Closed`] was delivered.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses no event.
    pub async fn next(&mut self) -> Option<Event> {
        if self.is_over {
            return None;
        }
        let event = self.queue.next().await;
        self.is_over = matches!(event, Event::Closed(_));
        Some(event)
    }
}

/// The listeners of one connection.
pub(crate) struct Events {
    capacity: usize,
    bytes: usize,
    hub: Mutex<Hub>,
}

#[derive(Default)]
struct Hub {
    queues: Vec<Weak<Queue>>,
    closed: Option<Arc<str>>,
}

impl Events {
    /// For listeners at most `capacity` events and `bytes` bytes behind.
    pub(crate) fn new(capacity: usize, bytes: usize) -> Self {
        Self { capacity: capacity.max(1), bytes, hub: Mutex::default() }
    }

    /// A listener from now on. After the end it gets just that.
    pub(crate) fn listen(&self) -> EventStream {
        let queue = Arc::new(Queue::new(self.capacity, self.bytes));
        let mut hub = self.hub();
        match &hub.closed {
            Some(why) => queue.end(why.clone()),
            None => {
                hub.queues.retain(|queue| queue.strong_count() > 0);
                hub.queues.push(Arc::downgrade(&queue));
            }
        }
        EventStream { queue, is_over: false }
    }

    /// Tells every listener. The event is made only if there is one.
    pub(crate) fn publish(&self, make: impl FnOnce() -> Event) {
        let mut hub = self.hub();
        hub.queues.retain(|queue| queue.strong_count() > 0);
        if hub.queues.is_empty() {
            return;
        }
        let event = make();
        for queue in hub.queues.iter().filter_map(Weak::upgrade) {
            queue.push(event.clone());
        }
    }

    /// Tells every listener that nothing more will come. Only the first reason counts.
    pub(crate) fn close(&self, why: Arc<str>) {
        let mut hub = self.hub();
        if hub.closed.is_none() {
            for queue in mem::take(&mut hub.queues).iter().filter_map(Weak::upgrade) {
                queue.end(why.clone());
            }
            hub.closed = Some(why);
        }
    }

    fn hub(&self) -> MutexGuard<'_, Hub> {
        // What runs under the lock only clones and moves, so a poisoned one is still sound.
        self.hub.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A listener may outlive everything else; it must not wait for ever.
impl Drop for Events {
    fn drop(&mut self) {
        self.close("the client dropped the connection".into());
    }
}

#[cfg(test)]
mod tests;
