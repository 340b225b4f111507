//! Why a call failed, and why a transport could not be opened.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{ErrorObject, RequestId};

use crate::close::CloseReason;
use crate::envelope::Malformed;
use crate::failure::{FailureKind, TransportFailure};
use crate::sample::Sample;

/// Why a request or a notification failed.
///
/// `Display` gives the texts of the contract and no more; what helps beyond them is in the fields
/// and behind [`source`](std::error::Error::source).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The peer answered with an error object.
    #[error(transparent)]
    Rpc(ErrorObject),
    /// A deadline ran out.
    #[error("{phase} timeout after {}ms", limit.as_millis())]
    Timeout {
        /// What was going on.
        phase: TimeoutPhase,
        /// The limit that ran out.
        limit: Duration,
        /// Whether it was the limit on the whole call, which progress does not extend.
        total: bool,
        /// Whether the message may have reached the peer.
        sent: bool,
    },
    /// The caller gave the call up; the text is the caller's reason, if it gave one.
    #[error("{}", reason.as_deref().unwrap_or("Request cancelled"))]
    Cancelled {
        /// The caller's reason.
        reason: Option<Arc<str>>,
        /// Whether the message may have reached the peer.
        sent: bool,
    },
    /// The transport was never connected.
    #[error("Transport not connected")]
    NotConnected,
    /// The connection is gone, or went while the call was in flight.
    #[error("Transport closed")]
    Closed {
        /// Why; shared by all calls that were in flight.
        #[source]
        reason: Arc<CloseReason>,
        /// Whether the message may have reached the peer.
        sent: bool,
    },
    /// There was an answer, but it cannot be read.
    #[error("the answer cannot be read")]
    Malformed {
        /// What is wrong with it.
        #[source]
        problem: Malformed,
        /// How it begins.
        sample: Sample,
    },
    /// The answer is longer than the limit on messages.
    #[error("the answer is longer than the limit of {limit} bytes")]
    TooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The response stream ended without the answer (HTTP).
    #[error("No response received for request ID {id}", id = bare(id))]
    NoResponse {
        /// The id of the request.
        id: RequestId,
        /// What ended the stream, if it did not end in peace.
        #[source]
        cause: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// What only some transports know: a refused connection, an HTTP status.
    #[error(transparent)]
    Transport(TransportFailure),
}

impl CallError {
    /// Whether a deadline ran out.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout { .. })
    }

    /// Whether the caller gave up.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Cancelled { .. })
    }

    /// Whether the connection is gone, so that only a new one helps.
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Closed { .. } | Self::NotConnected)
    }

    /// Whether the peer provably did not run the request, so that sending it again cannot make
    /// it run twice (case 105). An error object is an answer, not a failure to ask: false.
    pub fn is_safe_to_retry(&self) -> bool {
        match self {
            Self::NotConnected => true,
            Self::Timeout { sent, .. } | Self::Cancelled { sent, .. } | Self::Closed { sent, .. } => !sent,
            Self::Transport(failure) => {
                let is_refusal = matches!(failure.kind, FailureKind::Unauthorized | FailureKind::SessionLost);
                is_refusal || !failure.sent
            }
            _ => false,
        }
    }

    /// What kind of failure the transport met, if it is one that only some transports know.
    pub fn failure_kind(&self) -> Option<FailureKind> {
        match self {
            Self::Transport(failure) => Some(failure.kind),
            _ => None,
        }
    }

    /// The transport's own error, if there is one and it is an `E`.
    pub fn downcast_ref<E: std::error::Error + 'static>(&self) -> Option<&E> {
        match self {
            Self::Transport(failure) => failure.downcast_ref(),
            _ => None,
        }
    }

    /// The error object, if the peer answered with one.
    pub fn as_rpc(&self) -> Option<&ErrorObject> {
        match self {
            Self::Rpc(error) => Some(error),
            _ => None,
        }
    }

    /// Why the connection is gone, if that is why the call failed.
    pub fn close_reason(&self) -> Option<&CloseReason> {
        match self {
            Self::Closed { reason, .. } => Some(reason),
            _ => None,
        }
    }
}

fn bare(id: &RequestId) -> String {
    match id {
        RequestId::Text(text) => text.clone(),
        RequestId::Number(number) => number.to_string(),
    }
}

/// What was going on when a deadline ran out (D-04).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimeoutPhase {
    /// A request: sending it, or waiting for its answer.
    Request,
    /// Reading the event stream that should bring the answer (HTTP).
    SseResponse,
    /// Sending a notification.
    Notify,
}

impl fmt::Display for TimeoutPhase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Request => "Request",
            Self::SseResponse => "SSE response",
            Self::Notify => "Notify",
        })
    }
}

/// A transport could not be opened; carries the transport's own error, which a caller that knows
/// the transport gets by [`downcast_ref`](Self::downcast_ref).
#[derive(Debug)]
pub struct OpenError(Box<dyn std::error::Error + Send + Sync>);

impl OpenError {
    /// Wraps the error of a transport.
    pub fn new(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self(Box::new(error))
    }

    /// The transport's own error, if it is an `E`.
    pub fn downcast_ref<E: std::error::Error + 'static>(&self) -> Option<&E> {
        self.0.downcast_ref()
    }
}

/// The text of the transport's own error.
impl fmt::Display for OpenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::io;

    use super::*;
    use crate::close::CloseCause;

    fn closed(cause: CloseCause) -> CallError {
        CallError::Closed { reason: Arc::new(CloseReason::new(cause)), sent: true }
    }

    #[test]
    fn the_texts_are_those_of_the_contract() {
        let timeout = |phase| CallError::Timeout {
            phase,
            limit: Duration::from_millis(30_000),
            total: false,
            sent: true,
        };
        for (error, text) in [
            (CallError::Rpc(ErrorObject::new(-32601, "no")), "MCP error -32601: no"),
            (timeout(TimeoutPhase::Request), "Request timeout after 30000ms"),
            (timeout(TimeoutPhase::SseResponse), "SSE response timeout after 30000ms"),
            (timeout(TimeoutPhase::Notify), "Notify timeout after 30000ms"),
            (CallError::NotConnected, "Transport not connected"),
            (closed(CloseCause::Requested), "Transport closed"),
            (
                CallError::NoResponse { id: "a-1".into(), cause: None },
                "No response received for request ID a-1",
            ),
        ] {
            assert_eq!(error.to_string(), text);
        }
    }

    #[test]
    fn no_message_repeats_that_of_its_source() {
        let errors = [
            closed(CloseCause::Write(io::Error::other("pipe"))),
            closed(CloseCause::EndOfStream),
            CallError::Malformed { problem: Malformed::Utf8, sample: Sample::of(b"\xff") },
        ];
        for error in &errors {
            let mut error: &dyn Error = error;
            while let Some(source) = error.source() {
                assert!(!error.to_string().contains(&source.to_string()), "{error} / {source}");
                error = source;
            }
        }
    }

    #[test]
    fn only_what_was_not_sent_is_safe_to_retry() {
        let timeout = |sent| CallError::Timeout {
            phase: TimeoutPhase::Request,
            limit: Duration::ZERO,
            total: false,
            sent,
        };
        assert!(timeout(false).is_safe_to_retry() && CallError::NotConnected.is_safe_to_retry());
        assert!(!timeout(true).is_safe_to_retry() && !closed(CloseCause::Exited).is_safe_to_retry());
        assert!(!CallError::Rpc(ErrorObject::internal("x")).is_safe_to_retry());
    }
}
