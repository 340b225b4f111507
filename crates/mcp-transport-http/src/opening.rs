//! The first call of a connection, which finds out which of the two transports the server speaks
//! (D-17), and calls over the older one.

use std::pin::pin;
use std::sync::Arc;

use mcp_jsonrpc::{CallError, PendingCall, RequestId};

use crate::ask::Ask;
use crate::call::{Ended, first};
use crate::config::Wire as Preferred;
use crate::error::HttpError;
use crate::head::{self, Meaning};
use crate::legacy;
use crate::link::{Link, Mode};
use crate::pool::Lane;
use crate::trace::Trace;
use crate::wire::DISCARD;

impl Link {
    /// Sends a request to a server of which nothing is known yet. Others wait for what comes out.
    pub(crate) async fn first_call(
        self: &Arc<Self>,
        call: &mut PendingCall,
        ask: &Ask,
        trace: &Trace,
        id: &RequestId,
    ) -> Result<Ended, Ended> {
        let turn = first(call, pin!(self.deciding.lock())).await?;
        // Those that waited for what is known by now do not wait for each other.
        let turn = (self.mode() == Mode::Undecided).then_some(turn);
        let mut met = None;
        if self.mode() == Mode::Undecided && self.limits.preferred == Preferred::Sse {
            met = self.open_legacy(call).await?;
        }
        if self.mode() == Mode::Legacy {
            drop(turn);
            return self.over_legacy(call, ask, trace).await;
        }
        let answer = first(call, pin!(self.wire.exchange(Lane::Call, ask, trace))).await??;
        let meaning = head::meaning(answer.status, &answer.headers);
        if meaning != Meaning::Failed {
            self.decide(Mode::Streamable);
            drop(turn);
            return self.answered(call, answer, meaning, ask, trace, id).await;
        }
        let refusal = self.refusal(call, answer).await?;
        if refusal.as_rpc().is_some() {
            // It understood the message.
            self.decide(Mode::Streamable);
        }
        if self.mode() != Mode::Undecided || met.is_some() || !may_be_legacy(&refusal) {
            return Err(Ended::Failed(neither(met, refusal)));
        }
        match self.open_legacy(call).await? {
            None => {
                trace.set_sent(false);
                drop(turn);
                self.over_legacy(call, ask, trace).await
            }
            Some(second) => Err(Ended::Failed(neither(Some(refusal), second))),
        }
    }

    /// HTTP+SSE: the response to the POST says little, the answer comes on the one stream.
    pub(crate) async fn over_legacy(
        self: &Arc<Self>,
        call: &mut PendingCall,
        ask: &Ask,
        trace: &Trace,
    ) -> Result<Ended, Ended> {
        let answer = first(call, pin!(self.wire.exchange(Lane::Call, ask, trace))).await??;
        if head::meaning(answer.status, &answer.headers) == Meaning::Failed {
            return Err(Ended::Failed(self.refusal(call, answer).await?));
        }
        trace.set_streaming();
        first(call, pin!(answer.body.discard(DISCARD))).await?;
        Ok(Ended::Settled(call.await))
    }

    /// Opens the one stream of HTTP+SSE. Yields what is in the way, if the server does not speak it;
    /// fails if the server cannot be reached at all.
    async fn open_legacy(self: &Arc<Self>, call: &mut PendingCall) -> Result<Option<CallError>, Ended> {
        match first(call, pin!(legacy::open(self))).await? {
            Ok(()) => Ok(None),
            Err(failure) if failure.sent => Ok(Some(failure.into())),
            Err(failure) => Err(failure.into()),
        }
    }
}

/// Whether a refusal is one that servers of the older transport answer to a POST.
fn may_be_legacy(refusal: &CallError) -> bool {
    let status = refusal.downcast_ref::<HttpError>().and_then(HttpError::status);
    status.is_some_and(|status| matches!(status.status, 400 | 404 | 405))
}

/// What is told where both transports were tried: the first failure first.
fn neither(first: Option<CallError>, second: CallError) -> CallError {
    let Some(first) = first else { return second };
    HttpError::Neither { first: Box::new(first), second: Box::new(second) }.into_call_error(true)
}
