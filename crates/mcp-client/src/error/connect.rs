//! Why a connection was not made.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{CallError, OpenError, Sample};
use mcp_types::{Discover, ErrorCode, ErrorObject, Method, Revision};

/// Why [`Client::connect`](crate::Client::connect) failed. Nothing is left running then.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConnectError {
    /// The transport could not be opened.
    Open {
        /// The name of the server.
        server: Arc<str>,
        /// The transport's own error.
        source: OpenError,
    },
    /// The client's info or capabilities cannot be written.
    Params {
        /// The name of the server.
        server: Arc<str>,
        /// Why not.
        source: serde_json::Error,
    },
    /// The server did not finish the handshake in time.
    TimedOut {
        /// The name of the server.
        server: Arc<str>,
        /// The limit that ran out.
        limit: Duration,
        /// Whether `initialize` may have reached the server; if not, there was no connection yet.
        sent: bool,
        /// Whether anything at all came from the server; if not, it may still be starting.
        heard: bool,
        /// The last it wrote to stderr; bounded, escaped.
        stderr_tail: String,
    },
    /// The server refused the handshake. The text is `MCP error <code>: <message>`.
    Refused {
        /// The name of the server.
        server: Arc<str>,
        /// What it was asked: `initialize` or `server/discover`.
        method: &'static str,
        /// Its error.
        error: ErrorObject,
    },
    /// There is no version of the protocol that both sides support.
    Version {
        /// The name of the server.
        server: Arc<str>,
        /// The version we offered last.
        offered: Revision,
        /// The version in the server's answer, if it names one.
        answered: Option<Sample>,
        /// The versions that the server says it supports; empty if it does not say.
        supported: Vec<Sample>,
        /// The error by which it refused, if it did so by one.
        refusal: Option<ErrorObject>,
    },
    /// The answer has not the right shape.
    Answer {
        /// The name of the server.
        server: Arc<str>,
        /// What was asked: `initialize` or `server/discover`.
        method: &'static str,
        /// What does not fit.
        source: serde_json::Error,
        /// How the answer begins.
        sample: Sample,
    },
    /// The handshake failed below the protocol. The text is that of the [`CallError`], so for
    /// example `Transport closed`.
    Call {
        /// The name of the server.
        server: Arc<str>,
        /// What happened.
        source: CallError,
    },
}

impl ConnectError {
    /// The name of the server.
    pub fn server(&self) -> &str {
        let (Self::Open { server, .. }
        | Self::Params { server, .. }
        | Self::TimedOut { server, .. }
        | Self::Refused { server, .. }
        | Self::Version { server, .. }
        | Self::Answer { server, .. }
        | Self::Call { server, .. }) = self;
        server
    }

    /// What may help, beyond the message.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::TimedOut { heard: false, .. } => Some("still starting, no output yet"),
            Self::Refused { method: Discover::NAME, error, .. } if !ErrorCode::is_modern(error.code) => {
                Some("it may speak only revisions of the protocol before 2026-07-28")
            }
            Self::TimedOut { heard: true, .. } => Some("it sent something, but not the answer"),
            _ => None,
        }
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { server, .. } => write!(formatter, "cannot connect to server `{server}`"),
            Self::Params { .. } => formatter.write_str("the params of `initialize` cannot be written"),
            Self::TimedOut { server, limit, .. } => {
                let limit = limit.as_millis();
                write!(formatter, "Connection to MCP server \"{server}\" timed out after {limit}ms")
            }
            Self::Refused { error, .. } => error.fmt(formatter),
            Self::Version { server, offered, answered, supported, .. } => {
                write!(formatter, "server `{server}` ")?;
                match (answered, supported.as_slice()) {
                    (Some(answered), _) => write!(formatter, "answered with protocol version `{answered}`")?,
                    (None, []) => formatter.write_str("answered without a protocol version")?,
                    (None, [first, rest @ ..]) => {
                        write!(formatter, "supports only protocol version `{first}`")?;
                        rest.iter().try_for_each(|version| write!(formatter, ", `{version}`"))?;
                    }
                }
                write!(formatter, ", we offered `{offered}`")
            }
            Self::Answer { server, method, .. } => {
                write!(formatter, "the answer of server `{server}` to `{method}` does not fit")
            }
            Self::Call { source, .. } => source.fmt(formatter),
        }
    }
}

impl Error for ConnectError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Open { source, .. } => Some(source),
            Self::Params { source, .. } | Self::Answer { source, .. } => Some(source),
            Self::Version { refusal, .. } => refusal.as_ref().map(|refusal| refusal as _),
            // Its text is ours already, so its cause is our cause.
            Self::Call { source, .. } => source.source(),
            Self::TimedOut { .. } | Self::Refused { .. } => None,
        }
    }
}
