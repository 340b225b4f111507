//! A request on its way, and what becomes of it when it is given up.

use std::sync::Arc;

use mcp_jsonrpc::{CallError, CancelNotice, GaveUp, PendingCall, ReplySink, Settled, notification};

use crate::link::Link;
use crate::trace::Trace;

/// One request in flight. However it ends, drop included, it leaves no trace, and the server is
/// told if the request may have reached it and was not answered (D-05).
pub(crate) struct InFlight<'a> {
    pub(crate) pending: PendingCall,
    pub(crate) trace: Trace,
    link: &'a Arc<Link>,
    notice: Option<CancelNotice>,
    is_over: bool,
}

impl<'a> InFlight<'a> {
    /// A request that was begun.
    pub(crate) fn new(link: &'a Arc<Link>, pending: PendingCall, notice: Option<CancelNotice>) -> Self {
        Self { pending, trace: Trace::default(), link, notice, is_over: false }
    }

    pub(crate) fn finish(mut self, settled: Settled) -> Settled {
        self.is_over = true;
        match settled {
            // The correlator does not know what was sent when a connection closes.
            Err(CallError::Closed { reason, .. }) => {
                Err(CallError::Closed { reason, sent: self.trace.is_sent() })
            }
            Err(CallError::Malformed { problem, sample }) => {
                Err(CallError::Malformed { problem, sample: self.link.wire.masked(&sample) })
            }
            settled => settled,
        }
    }

    /// Gives up; yields the answer, if it is there already.
    pub(crate) fn give_up(&mut self, why: &GaveUp) -> Option<Settled> {
        self.is_over = true;
        let settled = self.pending.abandon();
        if let (None, true, Some(notice)) = (&settled, self.trace.is_sent(), self.notice) {
            let notice = notice(&self.pending.id(), why);
            self.link.replies.send_reply(notification(notice.method, notice.params.as_deref()));
        }
        settled
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.give_up(&GaveUp::Dropped);
        }
    }
}
