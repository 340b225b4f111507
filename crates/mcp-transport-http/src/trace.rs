//! How far an exchange has come: kept beside it, since its future may be dropped at any point.

use std::sync::atomic::{AtomicBool, Ordering};

use mcp_jsonrpc::TimeoutPhase;

/// How far one exchange has come.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// Whether the message may have reached the server.
    sent: AtomicBool,
    /// Whether an event stream is being read.
    is_streaming: AtomicBool,
}

impl Trace {
    pub(crate) fn set_sent(&self, sent: bool) {
        self.sent.store(sent, Ordering::Relaxed);
    }

    pub(crate) fn is_sent(&self) -> bool {
        self.sent.load(Ordering::Relaxed)
    }

    pub(crate) fn set_streaming(&self) {
        self.is_streaming.store(true, Ordering::Relaxed);
    }

    /// What a deadline that runs out now interrupts (S-70, S-71).
    pub(crate) fn phase(&self) -> TimeoutPhase {
        if self.is_streaming.load(Ordering::Relaxed) {
            TimeoutPhase::SseResponse
        } else {
            TimeoutPhase::Request
        }
    }
}
