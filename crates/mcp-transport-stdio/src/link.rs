//! What the tasks of one connection share.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use mcp_jsonrpc::{CloseReason, Correlator, Handler};
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
    pub(crate) last_reason: OnceLock<Arc<CloseReason>>,
}

impl Link {
    /// Fails what is in flight and what comes later.
    pub(crate) fn settle(&self, reason: &Arc<CloseReason>) {
        self.is_connected.store(false, Ordering::Release);
        self.correlator.close(reason);
    }

    /// The end: tells the handler, once.
    pub(crate) fn announce(&self, reason: Arc<CloseReason>) {
        if self.last_reason.set(reason.clone()).is_ok() {
            // This may run while another handler's panic unwinds, where a second one would abort.
            let told = catch_unwind(AssertUnwindSafe(|| self.handler.on_close(&reason)));
            if told.is_err() {
                tracing::warn!("on_close panicked");
            }
        }
    }
}
