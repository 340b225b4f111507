//! What the tasks of one connection share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use mcp_jsonrpc::{CloseReason, Correlator, Ending, Handler};
use tokio_util::sync::CancellationToken;

use crate::outbox::Outbox;
use crate::stderr::Tail;

/// One connection, seen by the transport and by the tasks that run it.
pub(crate) struct Link {
    pub(crate) correlator: Arc<Correlator>,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) tail: Arc<Tail>,
    /// Bytes received.
    pub(crate) received: AtomicU64,
    pub(crate) is_connected: AtomicBool,
    /// Asks for the connection to be closed.
    pub(crate) close: CancellationToken,
    /// Whether that is because the transport was dropped, so that nobody wants to wait.
    pub(crate) is_dropped: AtomicBool,
    /// Given when nothing of the connection is left.
    pub(crate) closed: CancellationToken,
    /// Why it was closed, with all that is known in the end.
    pub(crate) ending: Ending,
}

impl Link {
    /// Fails what is in flight and what comes later.
    pub(crate) fn settle(&self, reason: &Arc<CloseReason>) {
        self.is_connected.store(false, Ordering::Release);
        self.correlator.close(reason);
    }

    /// The end: tells the handler, once.
    pub(crate) fn announce(&self, reason: Arc<CloseReason>) {
        self.ending.announce(reason, &*self.handler);
    }
}
