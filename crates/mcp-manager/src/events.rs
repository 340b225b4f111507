//! What happens to the servers, for any number of listeners.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_client::ServerNotification;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

/// Something that happened to one server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Event {
    /// The server.
    pub server: Arc<str>,
    /// What happened.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum What {
    /// A connection is being made.
    Connecting,
    /// It is connected, and so many tools are known.
    Connected {
        /// How many.
        tools: usize,
    },
    /// It could not be connected.
    Failed {
        /// Why, in one line.
        reason: Arc<str>,
    },
    /// Its list of tools is another one now.
    ToolsChanged {
        /// How many there are.
        tools: usize,
    },
    /// Its list of resources or of their templates is another one now; see
    /// [`Manager::resources`](crate::Manager::resources). Said once of a list that nobody asked
    /// for yet.
    ResourcesChanged,
    /// Its list of prompts is another one now; see [`Manager::prompts`](crate::Manager::prompts).
    /// Said once of a list that nobody asked for yet.
    PromptsChanged,
    /// The connection is gone: closed, or lost.
    Closed {
        /// Why, in one line.
        reason: Arc<str>,
    },
    /// It said something by itself.
    Notification(ServerNotification),
}

/// One listener. What it does not take in time is dropped, the oldest first, and counted.
pub struct Events {
    /// What came before anybody listened.
    first: VecDeque<Event>,
    receiver: broadcast::Receiver<Event>,
    missed: u64,
}

impl Events {
    /// The next event. Waits for it; `None` once the manager is gone.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Event> {
        if let Some(event) = self.first.pop_front() {
            return Some(event);
        }
        loop {
            match self.receiver.recv().await {
                Ok(event) => return Some(event),
                Err(RecvError::Lagged(missed)) => self.missed += missed,
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// How many events this listener was too slow for.
    pub fn missed(&self) -> u64 {
        self.missed
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Events").field("missed", &self.missed).finish_non_exhaustive()
    }
}

/// Where events come from.
#[derive(Debug)]
pub(crate) struct Hub {
    capacity: usize,
    sender: broadcast::Sender<Event>,
    /// Kept until somebody listens, so that the first listener misses nothing of the start.
    early: Mutex<Option<VecDeque<Event>>>,
}

impl Hub {
    /// Each listener, and whoever comes first, may be so many events behind.
    pub(crate) fn new(capacity: usize) -> Self {
        let capacity = capacity.clamp(1, 1 << 20);
        Self { capacity, sender: broadcast::Sender::new(capacity), early: Mutex::new(Some(VecDeque::new())) }
    }

    pub(crate) fn listen(&self) -> Events {
        let mut early = self.early.lock().unwrap_or_else(PoisonError::into_inner);
        let receiver = self.sender.subscribe();
        Events { first: early.take().unwrap_or_default(), receiver, missed: 0 }
    }

    pub(crate) fn publish(&self, server: &Arc<str>, what: What) {
        let event = Event { server: server.clone(), what };
        let mut early = self.early.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *early {
            Some(early) => {
                if early.len() == self.capacity {
                    early.pop_front();
                }
                early.push_back(event);
            }
            // Nobody listens any more: then it is nobody's loss.
            None => drop(self.sender.send(event)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name() -> Arc<str> {
        "s".into()
    }

    #[tokio::test]
    async fn the_first_listener_hears_what_came_before_it() {
        let hub = Hub::new(2);
        for tools in 1..=3 {
            hub.publish(&name(), What::Connected { tools });
        }
        let mut events = hub.listen();
        hub.publish(&name(), What::Connecting);
        let mut seen = Vec::new();
        for _ in 0..3 {
            seen.push(format!("{:?}", events.next().await.unwrap().what));
        }
        assert_eq!(seen, ["Connected { tools: 2 }", "Connected { tools: 3 }", "Connecting"]);
    }

    #[tokio::test]
    async fn a_slow_listener_misses_the_oldest_and_knows_it() {
        let hub = Hub::new(2);
        let mut events = hub.listen();
        for tools in 1..=4 {
            hub.publish(&name(), What::Connected { tools });
        }
        assert!(matches!(events.next().await.unwrap().what, What::Connected { tools: 3 }));
        assert_eq!(events.missed(), 2);
        drop(hub);
        assert!(events.next().await.is_some() && events.next().await.is_none());
    }
}
