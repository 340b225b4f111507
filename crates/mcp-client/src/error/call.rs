//! Why a call failed.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{CallError, Sample};
use mcp_types::{ErrorCode, Extra, Method, ReadResource, Revision};

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
    /// The revision that was agreed on does not have the method (C-049, C-075). Nothing was sent.
    NotInRevision {
        /// The name of the server.
        server: Arc<str>,
        /// The method.
        method: Arc<str>,
        /// The revision.
        revision: Revision,
    },
    /// The tool does not say that it can be called as a task (C-358). Nothing was sent.
    NotAsTask {
        /// The name of the server.
        server: Arc<str>,
        /// The method.
        method: Arc<str>,
        /// The name of the tool.
        tool: Sample,
    },
    /// The task was cancelled, so there is no result.
    TaskCancelled {
        /// The name of the server.
        server: Arc<str>,
        /// The method by which that was seen.
        method: Arc<str>,
    },
    /// The task was not done within the limit of [`TaskPolling`](crate::TaskPolling). It goes on.
    TaskUnfinished {
        /// The name of the server.
        server: Arc<str>,
        /// The method that was used last, or would have come next.
        method: Arc<str>,
        /// The limit.
        limit: Duration,
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
        | Self::NotInRevision { server, .. }
        | Self::NotAsTask { server, .. }
        | Self::TaskCancelled { server, .. }
        | Self::TaskUnfinished { server, .. }
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
        | Self::NotInRevision { method, .. }
        | Self::NotAsTask { method, .. }
        | Self::TaskCancelled { method, .. }
        | Self::TaskUnfinished { method, .. }
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

    /// Whether the server says that the resource to be read is not there: by -32002, as up to 2025-11-25
    /// (C-211), or by -32602 with an `uri` in the data of the error (2026-07-28, C-212).
    pub fn is_resource_not_found(&self) -> bool {
        let error = self.call_error().and_then(CallError::as_rpc);
        let Some(error) = error.filter(|_| self.method() == ReadResource::NAME) else { return false };
        match error.code {
            ErrorCode::RESOURCE_NOT_FOUND => true,
            ErrorCode::INVALID_PARAMS => {
                let data = error.data.as_ref().map_or("null", |data| data.get());
                let data = serde_json::from_str::<Extra>(data).unwrap_or_default();
                data.get("uri").is_some_and(|uri| uri.get().starts_with('"'))
            }
            _ => false,
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
            Self::NotInRevision { server, method, revision } => {
                write!(formatter, "server `{server}` speaks `{revision}`, which has no `{method}`")
            }
            Self::NotAsTask { tool, .. } => write!(formatter, "tool `{tool}` cannot be called as a task"),
            Self::TaskCancelled { server, .. } => {
                write!(formatter, "the task on server `{server}` was cancelled")
            }
            Self::TaskUnfinished { server, limit, .. } => {
                let limit = limit.as_millis();
                write!(formatter, "the task on server `{server}` was not done after {limit}ms")
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
            Self::NotOffered { .. }
            | Self::NotInRevision { .. }
            | Self::NotAsTask { .. }
            | Self::TaskCancelled { .. }
            | Self::TaskUnfinished { .. }
            | Self::ResultType { .. } => None,
        }
    }
}
