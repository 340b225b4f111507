//! The events that wait for one listener.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_jsonrpc::Raw;
use tokio::sync::Notify;

use super::Event;

/// A queue of a bounded number of events and bytes. When it is full, the oldest go.
#[derive(Debug)]
pub(super) struct Queue {
    capacity: usize,
    max_bytes: usize,
    waiting: Mutex<Waiting>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    events: VecDeque<Event>,
    bytes: usize,
    /// Events that were dropped before the first that waits.
    missed: u64,
}

impl Queue {
    pub(super) fn new(capacity: usize, max_bytes: usize) -> Self {
        Self { capacity, max_bytes, waiting: Mutex::default(), arrived: Notify::new() }
    }

    pub(super) fn push(&self, event: Event) {
        let mut waiting = self.waiting();
        let size = size(&event);
        while waiting.events.len() >= self.capacity || waiting.bytes.saturating_add(size) > self.max_bytes {
            let Some(oldest) = waiting.events.pop_front() else { break };
            waiting.bytes -= self::size(&oldest);
            waiting.missed += 1;
        }
        if size > self.max_bytes {
            waiting.missed += 1;
        } else {
            waiting.bytes += size;
            waiting.events.push_back(event);
        }
        self.arrived.notify_one();
    }

    /// The last event, which takes no room of others and is never missed.
    pub(super) fn end(&self, why: Arc<str>) {
        self.waiting().events.push_back(Event::Closed(why));
        self.arrived.notify_one();
    }

    /// Waits for the first event. Dropping the future takes none out.
    pub(super) async fn next(&self) -> Event {
        loop {
            if let Some(event) = self.take() {
                return event;
            }
            self.arrived.notified().await;
        }
    }

    fn take(&self) -> Option<Event> {
        let mut waiting = self.waiting();
        let missed = mem::take(&mut waiting.missed);
        if missed > 0 {
            return Some(Event::Missed(missed));
        }
        let event = waiting.events.pop_front()?;
        waiting.bytes -= size(&event);
        Some(event)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Nothing that can panic runs under the lock, so a poisoned one is still sound.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of a peer in an event. The last one counts as nothing, since it is never dropped.
fn size(event: &Event) -> usize {
    match event {
        Event::Notification(notification) => {
            let params = notification.params.as_ref().map_or(0, |params| Raw::as_bytes(params).len());
            notification.method.len() + params
        }
        Event::ElicitationComplete(text) | Event::Fault(text) | Event::Diagnostic(text) => text.len(),
        Event::Interrupted | Event::ListeningAgain | Event::Missed(_) | Event::Closed(_) => 0,
    }
}
