//! Tells the log what a handler is told.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::close::CloseReason;
use crate::handler::{Diagnostic, Handler, Notification, Reply, Request, TransportFault};
use crate::mask::Mask;
use crate::sample::Sample;

/// A handler that passes everything on, and tells `tracing` what went wrong on the way: faults as
/// warnings, the rest at debug.
pub struct Traced {
    handler: Arc<dyn Handler>,
    server: String,
    mask: Mask,
}

impl Traced {
    /// In front of `handler`. What servers send may hold their own secrets, hence the `mask`.
    pub fn new(handler: Arc<dyn Handler>, server: String, mask: Mask) -> Self {
        Self { handler, server, mask }
    }
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

impl fmt::Debug for Traced {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Traced").field("server", &self.server).finish_non_exhaustive()
    }
}
