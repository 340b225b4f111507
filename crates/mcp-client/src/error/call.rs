//! Why a call failed.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use mcp_jsonrpc::{CallError, Sample};

use super::pages::PagesError;
use crate::answering::UrlElicitation;
use crate::modern::{InputError, ListenError};
use crate::param_headers::ParamError;
use crate::urls;

/// Why a call or notification failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// The server answered with an error, or there was no answer. The text is that of the
    /// [`CallError`], so for example `MCP error -32602: ...` or `Request timeout after 30000ms`.
    Call {
        /// The name of the server.
        server: Arc<str>,
        /// The method.
        method: Arc<str>,
        /// What happened.
        source: CallError,
    },
    /// There was an answer, and it has not the shape that the method asks for.
    Answer {
        /// The name of the server.
        server: Arc<str>,
        /// The method.
        method: Arc<str>,
        /// What does not fit.
        source: serde_json::Error,
        /// How the answer begins.
        sample: Sample,
    },
    /// The params cannot be written. Nothing was sent.
    Params {
        /// The name of the server.
        server: Arc<str>,
        /// The method.
        method: Arc<str>,
        /// Why not.
        source: serde_json::Error,
    },
    /// The server did not declare what the method needs (C-051). Nothing was sent.
    NotOffered {
        /// The name of the server.
        server: Arc<str>,
        /// The method.
        method: Arc<str>,
        /// The capability.
        capability: &'static str,
    },
    /// The result is of a kind that the method does not have, or that nobody knows (2026-07-28, C-037).
    ResultType {
        /// The name of the server.
        server: Arc<str>,
        /// The method.
        method: Arc<str>,
        /// The kind.
        found: Sample,
    },
    /// An argument of a tool cannot go into the header that the tool's schema asks for (2026-07-28).
    /// Nothing was sent.
    Header {
        /// The name of the server.
        server: Arc<str>,
        /// The method.
        method: Arc<str>,
        /// Why not.
        source: ParamError,
    },
    /// The changes of a resource are not told (2026-07-28).
    Listen {
        /// The name of the server.
        server: Arc<str>,
        /// The method.
        method: Arc<str>,
        /// Why not.
        source: ListenError,
    },
    /// The server asks for something before it answers (2026-07-28), which it does not get.
    Input {
        /// The name of the server.
        server: Arc<str>,
        /// The method.
        method: Arc<str>,
        /// Why not.
        source: InputError,
    },
    /// A listing was broken off: it does not end, or is too long.
    Pages {
        /// The name of the server.
        server: Arc<str>,
        /// The method.
        method: Arc<str>,
        /// Why.
        source: PagesError,
    },
}

impl ClientError {
    /// The name of the server.
    pub fn server(&self) -> &str {
        let (Self::Call { server, .. }
        | Self::Answer { server, .. }
        | Self::Params { server, .. }
        | Self::NotOffered { server, .. }
        | Self::ResultType { server, .. }
        | Self::Input { server, .. }
        | Self::Listen { server, .. }
        | Self::Header { server, .. }
        | Self::Pages { server, .. }) = self;
        server
    }

    /// The method.
    pub fn method(&self) -> &str {
        let (Self::Call { method, .. }
        | Self::Answer { method, .. }
        | Self::Params { method, .. }
        | Self::NotOffered { method, .. }
        | Self::ResultType { method, .. }
        | Self::Input { method, .. }
        | Self::Listen { method, .. }
        | Self::Header { method, .. }
        | Self::Pages { method, .. }) = self;
        method
    }

    /// The error of the transport, or the error object of the server: where one branches on
    /// timeout, cancel, close, and code.
    pub fn call_error(&self) -> Option<&CallError> {
        match self {
            Self::Call { source, .. } => Some(source),
            _ => None,
        }
    }

    /// What the user has to open before the request can be repeated (C-353), if this is what the
    /// server says (error -32042). Elicitations without a sound address are left out.
    ///
    /// Each needs the user's consent. When one is done, the server may say so, see
    /// [`Event::ElicitationComplete`](crate::Event::ElicitationComplete); it need not.
    pub fn url_elicitations(&self) -> Option<Vec<UrlElicitation>> {
        urls::required_by(self.call_error()?)
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { source, .. } => source.fmt(formatter),
            Self::Answer { method, .. } => write!(formatter, "the answer to `{method}` does not fit"),
            Self::Params { method, .. } => write!(formatter, "the params of `{method}` cannot be written"),
            Self::NotOffered { server, method, capability } => {
                write!(formatter, "server `{server}` does not offer `{capability}`, which `{method}` needs")
            }
            Self::ResultType { method, found, .. } => {
                write!(formatter, "the result of `{method}` is of the type {found}, which it cannot be")
            }
            Self::Listen { .. } => formatter.write_str("the resource is not watched"),
            Self::Header { .. } => formatter.write_str("an argument cannot go into its header"),
            Self::Input { method, .. } => {
                write!(formatter, "the server asks back before it answers `{method}`")
            }
            Self::Pages { method, .. } => write!(formatter, "the listing by `{method}` was broken off"),
        }
    }
}

impl Error for ClientError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // Its text is ours already, so its cause is our cause.
            Self::Call { source, .. } => source.source(),
            Self::Answer { source, .. } | Self::Params { source, .. } => Some(source),
            Self::Pages { source, .. } => Some(source),
            Self::Input { source, .. } => Some(source),
            Self::Listen { source, .. } => Some(source),
            Self::Header { source, .. } => Some(source),
            Self::NotOffered { .. } | Self::ResultType { .. } => None,
        }
    }
}
