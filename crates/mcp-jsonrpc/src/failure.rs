//! Failures that only some transports know, for callers that know no transport.

use std::error::Error;
use std::fmt;

/// What kind of failure a transport met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// The name of the server could not be resolved (DNS).
    Resolve,
    /// The server's address refused the connection.
    Refused,
    /// The server's address could not be reached, or not in time.
    Unreachable,
    /// TLS failed: a certificate that is expired, for another name, of an unknown issuer.
    Tls,
    /// A proxy on the way failed or refused.
    Proxy,
    /// The connection broke before the answer was complete.
    Reset,
    /// The server answered with this HTTP status.
    Status(u16),
    /// The server wants authorization, or more of it. It did not look at the request.
    Unauthorized,
    /// The server does not know the session any more; only a new handshake helps (D-18). It did
    /// not look at the request.
    SessionLost,
    /// The answer is of a media type that holds no message.
    MediaType,
    /// The server redirects to where requests must not go.
    Redirect,
    /// The request cannot be sent in the way that the transport sends it, now or later: a value that
    /// no header can hold. Nothing was sent.
    Unsendable,
    /// The server broke the rules of the transport in another way.
    Protocol,
}

/// A failure of one transport: its kind, and the transport's own error behind it.
///
/// The text is that of the transport's error, and so is what is behind it.
#[derive(Debug)]
pub struct TransportFailure {
    /// What it is.
    pub kind: FailureKind,
    /// Whether the message may have reached the peer.
    pub sent: bool,
    error: Box<dyn Error + Send + Sync>,
}

impl TransportFailure {
    /// Wraps the error of a transport.
    pub fn new(kind: FailureKind, sent: bool, error: impl Error + Send + Sync + 'static) -> Self {
        Self { kind, sent, error: Box::new(error) }
    }

    /// The transport's own error, if it is an `E`.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.error.downcast_ref()
    }
}

impl fmt::Display for TransportFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(formatter)
    }
}

impl Error for TransportFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::error::CallError;

    fn failed(kind: FailureKind, sent: bool) -> CallError {
        CallError::Transport(TransportFailure::new(kind, sent, io::Error::other("broken")))
    }

    #[test]
    fn a_failure_speaks_with_the_words_of_its_transport() {
        let error = failed(FailureKind::Reset, true);
        assert_eq!(error.to_string(), "broken");
        assert_eq!(error.failure_kind(), Some(FailureKind::Reset));
        assert!(error.downcast_ref::<io::Error>().is_some() && error.downcast_ref::<CallError>().is_none());
    }

    #[test]
    fn a_refused_request_is_safe_to_retry_and_a_broken_one_is_not() {
        assert!(!failed(FailureKind::Reset, true).is_safe_to_retry());
        assert!(!failed(FailureKind::Status(503), true).is_safe_to_retry());
        assert!(failed(FailureKind::Refused, false).is_safe_to_retry());
        assert!(failed(FailureKind::SessionLost, true).is_safe_to_retry());
        assert!(failed(FailureKind::Unauthorized, true).is_safe_to_retry());
    }
}
