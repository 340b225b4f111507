//! Takes frames apart and sends each message where it belongs.

use std::sync::Arc;

use bytes::Bytes;
use mcp_types::{ErrorObject, RequestId};
use serde_json::value::RawValue;

use crate::correlator::{Correlator, Matched, Settled};
use crate::envelope::{self, Id, Malformed, Message, Outcome};
use crate::error::CallError;
use crate::handler::{Diagnostic, Handler, Notification, Reply, ReplySink, Request, TransportFault};
use crate::raw::Raw;
use crate::salvage::Salvage;
use crate::sample::Sample;
use crate::split::{self, Split};

/// The inbound half of a connection: correlator and handler behind one door.
pub struct Inbound {
    correlator: Arc<Correlator>,
    handler: Arc<dyn Handler>,
    replies: Arc<dyn ReplySink>,
}

impl Inbound {
    /// Responses go to `correlator`, all else to `handler`, whose replies go to `replies`.
    pub fn new(correlator: Arc<Correlator>, handler: Arc<dyn Handler>, replies: Arc<dyn ReplySink>) -> Self {
        Self { correlator, handler, replies }
    }

    /// Handles one frame: a message, or a batch of them. Returns how many calls it settled.
    ///
    /// Whatever is in the frame, the connection goes on (invariant 6); what cannot be used is
    /// reported, and where it shows the id of a waiting call, that call fails now (D-01).
    pub fn accept(&self, frame: &Bytes) -> usize {
        let mut settled = 0;
        self.read(frame, |what| match what {
            Found::Settled(calls) => settled += calls,
            Found::Unattributed(error) => self.handler.on_error(&TransportFault::Unattributed(error)),
            Found::Malformed { .. } => {}
        });
        settled
    }

    /// Handles one frame of an exchange that was opened for `call` alone, such as an HTTP response:
    /// an error without an id, or a frame that is no message, is what became of that call (D-03,
    /// S-86), if it still waits after the whole frame.
    pub fn accept_for(&self, frame: &Bytes, call: &RequestId) -> usize {
        let mut settled = 0;
        let mut outcome = None;
        self.read(frame, |what| match what {
            Found::Settled(calls) => settled += calls,
            Found::Unattributed(error) => outcome = Some(CallError::Rpc(error)),
            Found::Malformed { problem, sample } => {
                outcome = outcome.take().or(Some(CallError::Malformed { problem, sample }));
            }
        });
        settled + outcome.map_or(0, |error| usize::from(self.correlator.fail(call, error)))
    }

    /// Reports a message longer than `limit`, of which `head` is the beginning.
    ///
    /// The transport goes on feeding a [`Salvage`], and hands the ids it finds to
    /// [`fail_too_large`](Self::fail_too_large).
    pub fn too_large(&self, limit: usize, head: &[u8]) {
        self.correlator.count(|counts| counts.too_large += 1);
        self.handler.on_error(&TransportFault::TooLarge { limit, sample: Sample::of(head) });
    }

    /// Fails the call whose answer is longer than `limit`.
    pub fn fail_too_large(&self, id: &RequestId, limit: usize) -> bool {
        self.correlator.fail(id, CallError::TooLarge { limit })
    }

    fn read(&self, frame: &Bytes, mut found: impl FnMut(Found)) {
        if let Some(Split { id, result }) = split::response(frame)
            && let Some(id) = Id::from_text(id)
        {
            return found(Found::Settled(self.settle(frame, id, Ok(Raw::unread(frame, result)))));
        }
        envelope::read(frame, |part, message| match message {
            Ok(Message::Response { id, outcome }) => found(self.response(frame, id, &outcome)),
            Ok(Message::Notification { method, params }) => {
                self.handler.on_notification(&Notification::new(&method, params));
            }
            Ok(Message::Request { id, method, params }) => self.request(id, &method, params),
            Err(problem) => {
                found(Found::Settled(self.malformed(part, &problem)));
                found(Found::Malformed { problem, sample: Sample::of(part) });
            }
        });
    }

    fn response(&self, frame: &Bytes, id: Option<Id<'_>>, outcome: &Outcome<'_>) -> Found {
        let Some(id) = id else {
            let Outcome::Error(error) = outcome else { return Found::Settled(0) };
            return Found::Unattributed(
                serde_json::from_str(error.get()).unwrap_or_else(|_| {
                    ErrorObject::internal(Sample::of(error.get().as_bytes()).to_string())
                }),
            );
        };
        let answer = match outcome {
            Outcome::Result(result) => Ok(Raw::within(frame, result)),
            Outcome::Error(error) => Err(read_error(error)),
            Outcome::Unusable(what) => Err(malformed(Malformed::Shape((*what).to_owned()), frame)),
        };
        Found::Settled(self.settle(frame, id, answer))
    }

    fn settle(&self, frame: &Bytes, id: Id<'_>, answer: Settled) -> usize {
        let shown = || Sample::of(id.raw().get().as_bytes());
        let diagnostic = match self.correlator.settle(id, answer) {
            Matched::Settled => return 1,
            Matched::Late => Diagnostic::Late { id: shown() },
            Matched::Duplicate => Diagnostic::Duplicate { id: shown() },
            Matched::Unmatched => Diagnostic::Unmatched { id: shown() },
        };
        self.handler.on_diagnostic(&diagnostic);
        // An integer id that came back as a string: wrong, but no reason to let the call hang.
        let problem = Malformed::Shape(format!("response for unknown id {}", shown()));
        usize::from(self.correlator.fail_stringified(id, malformed(problem, frame)))
    }

    fn request(&self, id: Id<'_>, method: &str, params: Option<&RawValue>) {
        let reply = Reply::new(id.raw().to_owned(), self.replies.clone());
        match id.value() {
            Some(id) => self.handler.on_request(&Request::new(id, method, params), reply),
            None => reply.error(&ErrorObject::new(
                mcp_types::ErrorCode::INVALID_REQUEST,
                "The id is neither a string nor a 64-bit integer",
            )),
        }
    }

    fn malformed(&self, part: &[u8], problem: &Malformed) -> usize {
        self.correlator.count(|counts| counts.malformed += 1);
        let sample = Sample::of(part);
        self.handler
            .on_diagnostic(&Diagnostic::Malformed { problem: problem.clone(), sample: sample.clone() });
        let mut failed = 0;
        Salvage::new().push(part, |id| {
            let error = CallError::Malformed { problem: problem.clone(), sample: sample.clone() };
            failed += usize::from(self.correlator.fail(&id, error));
        });
        failed
    }
}

/// What is in a frame, beyond what goes to the handler.
enum Found {
    /// So many calls were settled.
    Settled(usize),
    /// An error that names no call.
    Unattributed(ErrorObject),
    /// No message.
    Malformed { problem: Malformed, sample: Sample },
}

impl std::fmt::Debug for Inbound {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Inbound").field("correlator", &self.correlator).finish_non_exhaustive()
    }
}

fn read_error(error: &RawValue) -> CallError {
    match serde_json::from_str(error.get()) {
        Ok(error) => CallError::Rpc(error),
        Err(problem) => {
            malformed(Malformed::shape(&format_args!("`error`: {problem}")), error.get().as_bytes())
        }
    }
}

fn malformed(problem: Malformed, bytes: &[u8]) -> CallError {
    CallError::Malformed { problem, sample: Sample::of(bytes) }
}

#[cfg(test)]
mod tests;
