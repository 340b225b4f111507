//! What goes wrong over HTTP, with the details that a caller may want.

use std::fmt;
use std::time::Duration;

use mcp_jsonrpc::{CallError, FailureKind, RequestId, Sample, TransportFailure};

use crate::challenge::Challenge;
use crate::connector::{ConnectFailure, ConnectKind, tls_problem};
use crate::endpoint::EndpointError;
use crate::mirror::MirrorError;

/// Why an HTTP exchange failed. [`CallError::downcast_ref`] gives it to who knows this transport.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// There is no connection; nothing was sent.
    #[error(transparent)]
    Connect(ConnectFailure),
    /// The connection broke.
    #[error("the connection to the server broke")]
    Broken(#[source] hyper::Error),
    /// The answer's head is not HTTP, or longer than the limit.
    #[error("the answer is not readable as HTTP")]
    Head(#[source] hyper::Error),
    /// The server answered with a status that means failure.
    #[error(transparent)]
    Status(Box<StatusError>),
    /// The answer is neither JSON nor an event stream.
    #[error("the answer is of type {found}, not `application/json` or `text/event-stream`")]
    MediaType {
        /// The type, as it came; "no type" if there is none.
        found: String,
    },
    /// The server redirects, and the redirect is not followed.
    #[error("HTTP {status}: the server redirects to {target}, {problem}")]
    Redirect {
        /// The status.
        status: u16,
        /// Where to, secrets masked.
        target: String,
        /// Why it is not followed.
        problem: RedirectProblem,
    },
    /// The session header breaks the rules.
    #[error("the server's `Mcp-Session-Id` {0}")]
    SessionHeader(&'static str),
    /// The body has an encoding that was not offered.
    #[error("the answer's encoding {0} was not offered")]
    ContentEncoding(Sample),
    /// The body cannot be decompressed.
    #[cfg(feature = "gzip")]
    #[error("the answer cannot be decompressed")]
    Gunzip(#[source] crate::gunzip::GunzipError),
    /// A request was answered as if it were a notification.
    #[error("HTTP {status}: the server took the request but gives no answer to it")]
    NoAnswer {
        /// The status.
        status: u16,
    },
    /// The answer is for other requests only.
    #[error("the answer is for {found}, not for request ID {expected}")]
    WrongId {
        /// Ours.
        expected: RequestId,
        /// What the answer named.
        found: String,
    },
    /// A request that stands for itself cannot be put into headers; nothing was sent (2026-07-28).
    #[error("the request cannot be sent without a session")]
    Mirror(#[source] MirrorError),
    /// The server asked something where no server may (2026-07-28); it gets no answer.
    #[error("a server without a session gets no answers")]
    NoReplies,
    /// The listener stream ended.
    #[error("the server ended the stream")]
    StreamEnded,
    /// The event stream ended before it named an endpoint (2024-11-05).
    #[error("the event stream does not begin with an `endpoint` event")]
    NoEndpoint,
    /// The `endpoint` event names an unusable endpoint.
    #[error("the server's `endpoint` event is unusable")]
    Endpoint(#[source] EndpointError),
    /// The `endpoint` event names another origin, which must not get our requests.
    #[error("the server's `endpoint` event leads to another origin, {target}")]
    EndpointOrigin {
        /// The endpoint, secrets masked.
        target: String,
    },
    /// Neither wire works: what the first try met, and what the second.
    #[error("{first} (and as the other HTTP transport: {second})")]
    Neither {
        /// What the first try met.
        first: Box<CallError>,
        /// What the second try met.
        second: Box<CallError>,
    },
}

impl HttpError {
    /// The kind, for who knows no transport.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Connect(failure) => match failure.kind() {
                ConnectKind::Resolve => FailureKind::Resolve,
                ConnectKind::Refused => FailureKind::Refused,
                ConnectKind::Tls(_) => FailureKind::Tls,
                ConnectKind::Proxy => FailureKind::Proxy,
                _ => FailureKind::Unreachable,
            },
            // A server refuses a client certificate only after the handshake (TLS 1.3).
            Self::Broken(error) if tls_problem(error).is_some() => FailureKind::Tls,
            Self::Broken(_) => FailureKind::Reset,
            Self::Status(status) => status.kind(),
            Self::MediaType { .. } => FailureKind::MediaType,
            Self::Redirect { .. } => FailureKind::Redirect,
            Self::Mirror(_) => FailureKind::Unsendable,
            Self::Neither { first, .. } => first.failure_kind().unwrap_or(FailureKind::Protocol),
            _ => FailureKind::Protocol,
        }
    }

    /// The failed status, if it is one.
    pub fn status(&self) -> Option<&StatusError> {
        match self {
            Self::Status(status) => Some(status),
            _ => None,
        }
    }

    /// What a person can try.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Connect(failure) => failure.hint(),
            Self::Status(status) => status.hint(),
            Self::MediaType { .. } => Some("is this the address of an MCP endpoint?"),
            Self::Redirect { .. } => Some("configure the address that the server redirects to"),
            Self::Neither { first, .. } => first.downcast_ref::<Self>().and_then(Self::hint),
            _ => None,
        }
    }

    /// As the error of a call.
    pub(crate) fn into_call_error(self, sent: bool) -> CallError {
        CallError::Transport(TransportFailure::new(self.kind(), sent, self))
    }
}

/// Why a redirect is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RedirectProblem {
    /// It leads to another scheme, host or port.
    OtherOrigin,
    /// The status would turn a POST into a GET.
    MethodChange,
    /// There is no usable `Location`.
    NoLocation,
    /// There were too many in a row.
    TooMany,
}

impl fmt::Display for RedirectProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::OtherOrigin => "which is another origin",
            Self::MethodChange => "in a way that would turn the POST into a GET",
            Self::NoLocation => "which cannot be followed",
            Self::TooMany => "after too many redirects",
        })
    }
}

/// A status that means failure, and what came with it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StatusError {
    /// The status.
    pub status: u16,
    /// The body as text: bounded, escaped, configured secrets masked. The reason phrase if it is
    /// empty.
    pub text: String,
    /// The hints at authorization, as the message shows them; empty if there are none.
    pub hints: String,
    /// The challenges of `WWW-Authenticate`.
    pub challenges: Vec<Challenge>,
    /// How long the server asks to wait (`Retry-After` in seconds; a date is not read).
    pub retry_after: Option<Duration>,
    /// Whether the request carried a session id that the server no longer knows.
    pub is_session_lost: bool,
}

impl StatusError {
    /// The scope that the server asks for, if it names one.
    pub fn scope(&self) -> Option<&str> {
        self.challenges.iter().find_map(Challenge::scope)
    }

    /// Where the server describes what it wants (RFC 9728), if it says so. Nothing was fetched.
    pub fn resource_metadata(&self) -> Option<&str> {
        self.challenges.iter().find_map(Challenge::resource_metadata)
    }

    pub(crate) fn wants_authorization(&self) -> bool {
        let asks_for_more =
            || self.challenges.iter().any(|challenge| challenge.error() == Some("insufficient_scope"));
        self.status == 401 || self.status == 403 && asks_for_more()
    }

    fn kind(&self) -> FailureKind {
        match () {
            () if self.is_session_lost => FailureKind::SessionLost,
            () if self.wants_authorization() => FailureKind::Unauthorized,
            () => FailureKind::Status(self.status),
        }
    }

    fn hint(&self) -> Option<&'static str> {
        match self.status {
            _ if self.is_session_lost => Some("the server ended the session; connect again"),
            401 => Some("the server wants authorization: configure a header such as `Authorization`"),
            403 if self.wants_authorization() => Some("the token lacks a scope that the server wants"),
            404 => Some("is the path of the address right?"),
            405 => Some("is this the address of an MCP endpoint?"),
            429 | 502..=504 => Some("the server is overloaded or down; try again later"),
            _ => None,
        }
    }
}

/// The exact text of the contract.
impl fmt::Display for StatusError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "HTTP {}: {}{}", self.status, self.text, self.hints)
    }
}

impl std::error::Error for StatusError {}

impl From<StatusError> for CallError {
    fn from(status: StatusError) -> Self {
        HttpError::Status(Box::new(status)).into_call_error(true)
    }
}

/// A failure on the way: what went wrong, and whether the message may have reached the server.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: HttpError,
    pub(crate) sent: bool,
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> Self {
        failure.error.into_call_error(failure.sent)
    }
}
