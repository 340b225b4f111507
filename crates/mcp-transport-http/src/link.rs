//! What the parts of one connection share.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use mcp_jsonrpc::{CloseReason, Correlator, Ending, Handler, Inbound, TransportFault};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::body::Body;
use crate::config::Wire as Preferred;
use crate::error::Failure;
use crate::events::Events;
use crate::replies::Replies;
use crate::resume::ResumeLimits;
use crate::wire::{DISCARD, Wire};

/// One connection, seen by the transport, by its calls and by the tasks in the background.
pub(crate) struct Link {
    pub(crate) wire: Arc<Wire>,
    pub(crate) replies: Arc<Replies>,
    pub(crate) inbound: Inbound,
    pub(crate) correlator: Arc<Correlator>,
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) limits: Limits,
    /// Which of the two transports the server speaks.
    pub(crate) mode: Mutex<Mode>,
    /// Held by the call that finds it out.
    pub(crate) deciding: tokio::sync::Mutex<()>,
    /// Whether the listener stream, or that of the older transport, is open.
    pub(crate) listening: watch::Sender<Listening>,

    pub(crate) runtime: Handle,
    /// What runs in the background: streams, drains, replies.
    pub(crate) tasks: TaskTracker,
    /// Ends it.
    pub(crate) stop: CancellationToken,
    /// Whether calls can no longer be made.
    pub(crate) is_closing: AtomicBool,
    /// Whether `close` has begun.
    pub(crate) is_closed_by_us: AtomicBool,
    /// Given when nothing of the connection is left.
    pub(crate) closed: CancellationToken,
    /// Why it was closed.
    pub(crate) ending: Ending,
}

/// What a connection heeds while it runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) max_message: usize,
    pub(crate) resume: ResumeLimits,
    pub(crate) resume_listener: bool,
    pub(crate) drain: Duration,
    pub(crate) close_timeout: Duration,
    pub(crate) preferred: Preferred,
}

/// Which transport the server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Undecided,
    Streamable,
    /// HTTP+SSE: answers come on the one stream.
    Legacy,
}

/// How the stream for what the server says by itself is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listening {
    /// Nobody asked for it.
    No,
    Opening,
    Open,
    /// Refused or lost.
    Over,
}

impl Link {
    pub(crate) fn mode(&self) -> Mode {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn decide(&self, mode: Mode) {
        let mut current = self.mode.lock().unwrap_or_else(PoisonError::into_inner);
        if *current == Mode::Undecided {
            *current = mode;
        }
    }

    /// Runs work in the background until it is done or the connection is closed.
    pub(crate) fn spawn(self: &Arc<Self>, work: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        let work = async move {
            // Cut short by the end of the connection, it is not missed.
            let _ = stop.run_until_cancelled(work).await;
        };
        self.tasks.spawn_on(work, &self.runtime);
    }

    /// Reads a stream to its end, for a bounded time, so that its connection can be used again;
    /// what it still brings is delivered.
    pub(crate) fn drain(self: &Arc<Self>, mut events: Events) {
        // Mostly the end is there already, and there is no need for a task.
        while let Some(next) = now(events.next()) {
            match next {
                Ok(Some(item)) => events.deliver(&item, &self.inbound, None),
                Ok(None) | Err(_) => return,
            };
        }
        let link = self.clone();
        self.spawn(async move {
            // Not done in time, the stream is dropped, which closes its connection.
            let _ = tokio::time::timeout(link.limits.drain, events.deliver_rest(&link.inbound)).await;
        });
    }

    /// Reads an unneeded body to its end, for a bounded time, so that its connection can be used
    /// again.
    pub(crate) fn discard(self: &Arc<Self>, mut body: Body) {
        if body.is_at_end() {
            return;
        }
        let drain = self.limits.drain;
        self.spawn(async move {
            // Not done in time, it is dropped, which closes its connection.
            let _ = tokio::time::timeout(drain, body.discard(DISCARD)).await;
        });
    }

    /// Reports what failed in the background; calls go on.
    pub(crate) fn report(&self, what: &'static str, failure: Failure) {
        self.handler.on_error(&TransportFault::Background { what, source: failure.into() });
    }

    /// The connection is over: fails what is in flight and what comes later.
    pub(crate) fn settle(&self, reason: &Arc<CloseReason>) {
        self.is_closing.store(true, Ordering::Release);
        self.correlator.close(reason);
    }

    /// The end: tells the handler, once.
    pub(crate) fn announce(&self, reason: Arc<CloseReason>) {
        self.ending.announce(reason, &*self.handler);
    }
}

/// What a future yields if it is polled once; it may be dropped then.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => None,
    }
}
