//! What a transport tells its user, and how a request of the peer is answered.

use std::fmt;
use std::io;
use std::sync::Arc;

use mcp_types::{ErrorObject, RequestId};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::close::CloseReason;
use crate::envelope::Malformed;
use crate::error::CallError;
use crate::frame;
use crate::sample::Sample;

/// The callbacks of a connection (S-09). All are optional.
///
/// A handler is given before the first byte is read, so nothing is missed. Every callback runs on
/// the task that reads, in the order of arrival (invariant 9), and must not block: what takes
/// time goes to a task of the handler's own.
pub trait Handler: Send + Sync + 'static {
    /// A notification came.
    fn on_notification(&self, notification: &Notification<'_>) {
        let _ = notification;
    }

    /// A request came; `reply` answers it, at once or later. The default says `-32601`.
    fn on_request(&self, request: &Request<'_>, reply: Reply) {
        reply.method_not_found(request.method);
    }

    /// Something is wrong with the connection, which goes on, or is about to close.
    fn on_error(&self, fault: &TransportFault) {
        let _ = fault;
    }

    /// The connection is gone. Called exactly once, after all calls in flight have failed.
    fn on_close(&self, reason: &CloseReason) {
        let _ = reason;
    }

    /// Something odd came that was skipped or ignored.
    fn on_diagnostic(&self, diagnostic: &Diagnostic) {
        let _ = diagnostic;
    }
}

/// A handler that does nothing: notifications are skipped, requests get `-32601`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ignore;

impl Handler for Ignore {}

/// A notification of the peer, borrowed from its frame.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Notification<'a> {
    /// The method.
    pub method: &'a str,
    /// The params, as they came.
    pub params: Option<&'a RawValue>,
}

/// A request of the peer, borrowed from its frame.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The peer's id; its id space is independent of ours (D-02).
    pub id: RequestId,
    /// The method.
    pub method: &'a str,
    /// The params, as they came.
    pub params: Option<&'a RawValue>,
}

impl<'a> Notification<'a> {
    pub(crate) fn new(method: &'a str, params: Option<&'a RawValue>) -> Self {
        Self { method, params }
    }
}

impl<'a> Request<'a> {
    pub(crate) fn new(id: RequestId, method: &'a str, params: Option<&'a RawValue>) -> Self {
        Self { id, method, params }
    }
}

/// Where replies go: the control lane of a transport.
pub trait ReplySink: Send + Sync + 'static {
    /// Sends one message (a JSON object without framing). Never waits; a transport whose lane is
    /// full or closed drops it and reports that.
    fn send_reply(&self, message: Vec<u8>);
}

/// The one answer to a request of the peer.
///
/// Answering consumes it. Dropped without an answer, it sends `-32603`, so that the peer never
/// waits for nothing (invariant 8).
pub struct Reply {
    id: Box<RawValue>,
    sink: Option<Arc<dyn ReplySink>>,
}

impl Reply {
    pub(crate) fn new(id: Box<RawValue>, sink: Arc<dyn ReplySink>) -> Self {
        Self { id, sink: Some(sink) }
    }

    /// Answers with a result.
    pub fn result(self, result: &impl Serialize) {
        match to_raw_value(result) {
            Ok(raw) => self.raw_result(&raw),
            Err(error) => {
                self.error(&ErrorObject::internal(format!("the result does not serialise: {error}")))
            }
        }
    }

    /// Answers with a result that is JSON already.
    pub fn raw_result(mut self, result: &RawValue) {
        self.send(Ok(result));
    }

    /// Answers with an error.
    pub fn error(mut self, error: &ErrorObject) {
        self.send(Err(error));
    }

    /// Answers that nobody implements `method` (C-017).
    pub fn method_not_found(self, method: &str) {
        self.error(&ErrorObject::method_not_found(method));
    }

    /// Sends nothing: for a request that its sender cancelled (C-254).
    pub fn withhold(mut self) {
        self.sink = None;
    }

    fn send(&mut self, outcome: Result<&RawValue, &ErrorObject>) {
        if let Some(sink) = self.sink.take() {
            sink.send_reply(frame::response(&self.id, outcome));
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.send(Err(&ErrorObject::internal("The request was not answered")));
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Reply").field("id", &self.id.get()).finish_non_exhaustive()
    }
}

/// Something wrong with a connection as a whole; it goes on unless `on_close` follows.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportFault {
    /// A message was longer than the limit and was skipped.
    #[error("a message is longer than the limit of {limit} bytes and was skipped")]
    TooLarge {
        /// The limit, in bytes.
        limit: usize,
        /// How the message begins.
        sample: Sample,
    },
    /// An error that names no request; it fails nothing by guess (D-03).
    #[error("the server reported an error that names no request")]
    Unattributed(#[source] ErrorObject),
    /// Reading failed; the connection closes.
    #[error("reading from the server failed")]
    Read(#[source] io::Error),
    /// Something that the transport does beside the calls failed, such as a listener stream or a
    /// reply with an exchange of its own; calls go on.
    #[error("{what} failed")]
    Background {
        /// What it was.
        what: &'static str,
        /// Why.
        #[source]
        source: CallError,
    },
    /// A reply or a cancel notice could not be queued, since the peer does not read.
    #[error("the server does not read: {dropped} replies or cancel notices were dropped")]
    ControlLaneFull {
        /// How many were dropped so far.
        dropped: u64,
    },
}

/// Something odd in what the peer sent; it was skipped or ignored and harms nothing.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Diagnostic {
    /// Bytes that are no message.
    #[error("skipped what is no message ({problem}): {sample}")]
    Malformed {
        /// What is wrong.
        problem: Malformed,
        /// How it begins.
        sample: Sample,
    },
    /// A response to a request that was given up before.
    #[error("late response for id {id}")]
    Late {
        /// The id, as it came.
        id: Sample,
    },
    /// A second response to a request.
    #[error("duplicate response for id {id}")]
    Duplicate {
        /// The id, as it came.
        id: Sample,
    },
    /// A response to a request that was never made.
    #[error("response for unknown id {id}")]
    Unmatched {
        /// The id, as it came.
        id: Sample,
    },
}
