//! The correlator: the one place where ids are made and matched (invariant 3).

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::SystemTime;

use mcp_types::RequestId;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::close::CloseReason;
use crate::envelope::Id;
use crate::error::CallError;
use crate::frame;
use crate::ids::{IdFormat, Ids};
use crate::pending::{Match, Pending};
use crate::raw::Raw;

/// How a call ended.
pub type Settled = Result<Raw, CallError>;

/// What came over a connection and how it was matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Requests begun.
    pub begun: u64,
    /// Requests settled by a response of the peer, or by one that could not be read.
    pub settled: u64,
    /// Requests given up: timeout, cancel, dropped future.
    pub abandoned: u64,
    /// Requests failed because the connection closed.
    pub closed: u64,
    /// Responses to requests given up before.
    pub late: u64,
    /// Second responses.
    pub duplicate: u64,
    /// Responses to requests that were never made.
    pub unmatched: u64,
    /// Frames, or members of batches, that were no messages.
    pub malformed: u64,
    /// Messages longer than the limit.
    pub too_large: u64,
}

/// Ids and waiting calls of one connection.
///
/// One lock, never held across an await; every change goes through one function that checks
/// that each call begun is waiting, settled, given up or closed, and only one of these
/// (invariant 7).
#[derive(Debug)]
pub struct Correlator {
    ids: Ids,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    pending: Pending<oneshot::Sender<Settled>>,
    closed: Option<Arc<CloseReason>>,
    counts: Counts,
}

/// How a response was matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Matched {
    Settled,
    Late,
    Duplicate,
    Unmatched,
}

impl Correlator {
    /// For a connection made `now`, which becomes the timestamp in its ids.
    pub fn new(format: IdFormat, now: SystemTime) -> Arc<Self> {
        Arc::new(Self { ids: Ids::new(format, now), state: Mutex::default() })
    }

    /// Begins a call: makes its id and enters it.
    ///
    /// # Errors
    ///
    /// [`CallError::Closed`] after [`close`](Self::close).
    pub fn begin(self: &Arc<Self>) -> Result<PendingCall, CallError> {
        let (sender, receiver) = oneshot::channel();
        let number = self.enter(|state| match &state.closed {
            Some(reason) => Err(CallError::Closed { reason: reason.clone(), sent: false }),
            None => {
                state.counts.begun += 1;
                Ok(state.pending.begin(sender))
            }
        })?;
        Ok(PendingCall { correlator: self.clone(), number, receiver, is_over: false })
    }

    /// Fails every call in flight and every later one. Only the first reason counts; true if this
    /// was it.
    pub fn close(&self, reason: &Arc<CloseReason>) -> bool {
        let waiting = self.enter(|state| {
            if state.closed.is_some() {
                return None;
            }
            state.closed = Some(reason.clone());
            let waiting = state.pending.drain();
            state.counts.closed += waiting.len() as u64;
            Some(waiting)
        });
        let first = waiting.is_some();
        for waiter in waiting.into_iter().flatten() {
            // Nobody waits any more where the call was just given up.
            let _ = waiter.send(Err(CallError::Closed { reason: reason.clone(), sent: true }));
        }
        first
    }

    /// Fails the call with this id, if it waits.
    pub fn fail(&self, id: &RequestId, error: CallError) -> bool {
        self.ids.number_of(id).is_some_and(|number| self.fail_number(number, error))
    }

    /// Calls in flight.
    pub fn pending(&self) -> usize {
        self.enter(|state| state.pending.len())
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        self.enter(|state| state.counts)
    }

    /// Why the connection is gone, if it is.
    pub fn close_reason(&self) -> Option<Arc<CloseReason>> {
        self.enter(|state| state.closed.clone())
    }

    /// Settles the call that the id of a response names.
    pub(crate) fn settle(&self, id: Id<'_>, outcome: Settled) -> Matched {
        match self.ids.number(id) {
            Some(number) => self.settle_number(number, outcome),
            None => {
                self.count(|counts| counts.unmatched += 1);
                Matched::Unmatched
            }
        }
    }

    /// Fails the call whose integer id the peer turned into this string.
    pub(crate) fn fail_stringified(&self, id: Id<'_>, error: CallError) -> bool {
        self.ids.number_as_text(id).is_some_and(|number| self.fail_number(number, error))
    }

    pub(crate) fn count(&self, change: impl FnOnce(&mut Counts)) {
        self.enter(|state| change(&mut state.counts));
    }

    fn settle_number(&self, number: u64, outcome: Settled) -> Matched {
        let waiter = self.enter(|state| {
            let (matched, waiter) = match state.pending.settle(number) {
                Match::Waiting(waiter) => (&mut state.counts.settled, Ok(waiter)),
                Match::Late => (&mut state.counts.late, Err(Matched::Late)),
                Match::Duplicate => (&mut state.counts.duplicate, Err(Matched::Duplicate)),
                Match::Unknown => (&mut state.counts.unmatched, Err(Matched::Unmatched)),
            };
            *matched += 1;
            waiter
        });
        match waiter {
            Ok(waiter) => {
                // Fails only if the caller is gone. One that gives up right now finds the answer
                // in its channel, or loses it if it looks before it is there.
                let _ = waiter.send(outcome);
                Matched::Settled
            }
            Err(other) => other,
        }
    }

    fn fail_number(&self, number: u64, error: CallError) -> bool {
        let waiter = self.enter(|state| {
            let waiter = state.pending.take(number);
            state.counts.settled += u64::from(waiter.is_some());
            waiter
        });
        match waiter {
            Some(waiter) => {
                // As above: it is settled, whether or not somebody still looks.
                let _ = waiter.send(Err(error));
                true
            }
            None => false,
        }
    }

    fn abandon(&self, number: u64) -> bool {
        self.enter(|state| {
            let waited = state.pending.abandon(number);
            state.counts.abandoned += u64::from(waited);
            waited
        })
    }

    /// The only way to the state.
    fn enter<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        // No code that can panic runs under the lock, so a poisoned one is still sound.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let value = change(&mut state);
        let counts = state.counts;
        debug_assert_eq!(
            counts.begun,
            counts.settled + counts.abandoned + counts.closed + state.pending.len() as u64,
            "each call is in one place"
        );
        value
    }
}

/// One call that waits for its answer: a future of it. Dropping it gives the call up.
#[derive(Debug)]
#[must_use = "dropping a pending call gives it up"]
pub struct PendingCall {
    correlator: Arc<Correlator>,
    number: u64,
    receiver: oneshot::Receiver<Settled>,
    is_over: bool,
}

impl PendingCall {
    /// The id of the call.
    pub fn id(&self) -> RequestId {
        self.correlator.ids.value(self.number)
    }

    /// The message that asks for it, without framing.
    pub fn message(&self, method: &str, params: Option<&RawValue>) -> Vec<u8> {
        frame::request(|out| self.correlator.ids.write(out, self.number), method, params)
    }

    /// Whether the outcome is there, so that waiting for it would not wait.
    pub fn is_settled(&self) -> bool {
        self.is_over || !self.receiver.is_empty()
    }

    /// Gives the call up. If its answer is there already, that wins and is returned.
    pub fn abandon(&mut self) -> Option<Settled> {
        if self.is_over || self.correlator.abandon(self.number) {
            self.is_over = true;
            return None;
        }
        self.is_over = true;
        self.receiver.try_recv().ok()
    }
}

impl Future for PendingCall {
    type Output = Settled;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Settled> {
        let settled = std::task::ready!(Pin::new(&mut self.receiver).poll(context));
        self.is_over = true;
        // The sender lives in the table until it is used.
        Poll::Ready(settled.unwrap_or(Err(CallError::NotConnected)))
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        if !self.is_over {
            self.correlator.abandon(self.number);
        }
    }
}

#[cfg(test)]
mod tests;
