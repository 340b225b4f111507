//! What the tasks of one connection share.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use mcp_jsonrpc::{
    CloseReason, Correlator, Diagnostic, Handler, Notification, Reply, Request, Sample, TransportFault,
};
use tokio_util::sync::CancellationToken;

use crate::outbox::Outbox;
use crate::secrets::Mask;
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

/// Passes everything on, and tells `tracing` what went wrong on the way.
pub(crate) struct Traced {
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) server: String,
    /// What servers send may hold their own secrets.
    pub(crate) mask: Mask,
}

impl Handler for Traced {
    fn on_notification(&self, notification: &Notification<'_>) {
        self.handler.on_notification(notification);
    }

    fn on_request(&self, request: &Request<'_>, reply: Reply) {
        self.handler.on_request(request, reply);
    }

    fn on_error(&self, fault: &TransportFault) {
        // The cause may be the server's own words, so it is cut and escaped.
        let cause = fault.source().map(|cause| format!(": {}", Sample::of(cause.to_string().as_bytes())));
        let text = format!("{fault}{}", cause.unwrap_or_default());
        tracing::warn!(server = self.server, "{}", self.mask.apply(&text));
        self.handler.on_error(fault);
    }

    fn on_close(&self, reason: &CloseReason) {
        tracing::debug!(server = self.server, "closed: {reason}");
        self.handler.on_close(reason);
    }

    fn on_diagnostic(&self, diagnostic: &Diagnostic) {
        tracing::debug!(server = self.server, "{}", self.mask.apply(&diagnostic.to_string()));
        self.handler.on_diagnostic(diagnostic);
    }
}
