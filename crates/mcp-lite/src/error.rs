//! Why there is no envelope.

use std::fmt;
use std::time::Duration;

use mcp_transport_http::EndpointError;
use mcp_transport_http::connector::{ConnectFailure, ConnectorError};
use mcp_types::RequestId;

/// Why a call gave no envelope. An error that the server put into its answer is none of these:
/// that envelope is returned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiteError {
    /// The address cannot be used.
    #[error("the address of the MCP server cannot be used")]
    Url(#[source] EndpointError),
    /// The params cannot be written as JSON.
    #[error("the params of the MCP request cannot be written as JSON")]
    Params(#[source] serde_json::Error),
    /// [`CallOptions::connector`](crate::CallOptions::connector) cannot be used.
    #[error("the settings for connections cannot be used")]
    Connector(#[source] ConnectorError),
    /// There is no connection; nothing was sent.
    #[error("no connection to the MCP server")]
    Connect(#[source] ConnectFailure),
    /// The connection broke, or what came over it is not HTTP.
    #[error("the connection to the MCP server broke")]
    Broken(#[source] hyper::Error),
    /// The server answered with another status than 2xx; redirects count.
    #[error("MCP request failed: {0}")]
    Status(Box<StatusFailure>),
    /// There is no answer in what the server sent.
    #[error("Failed to parse MCP response")]
    Parse(#[source] ParseProblem),
    /// The body is larger than [`CallOptions::max_body`](crate::CallOptions::max_body).
    #[error("the MCP response is larger than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The whole call took longer than [`CallOptions::timeout`](crate::CallOptions::timeout).
    #[error("Request timeout after {}ms", after.as_millis())]
    Timeout {
        /// The limit.
        after: Duration,
    },
}

/// A status that means failure, and what came with it.
#[derive(Clone)]
#[non_exhaustive]
pub struct StatusFailure {
    /// The status.
    pub status: u16,
    /// The reason that the server gave, or the usual one of the status; may be empty. Escaped and
    /// bounded, configured values masked.
    pub reason: String,
    /// The beginning of the body, at most 64 KiB, configured values masked but otherwise as it
    /// came.
    pub body: String,
}

/// Status and reason.
impl fmt::Display for StatusFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.status)?;
        if self.reason.is_empty() { Ok(()) } else { write!(formatter, " {}", self.reason) }
    }
}

/// Without the body, in which a server can repeat anything.
impl fmt::Debug for StatusFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("StatusFailure")
            .field("status", &self.status)
            .field("reason", &self.reason)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish()
    }
}

/// Why a response could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseProblem {
    /// There is no message in it.
    #[error("there is no JSON-RPC message in the response")]
    NotJson,
    /// There are messages, but no answer.
    #[error("there is no answer in the response")]
    NoAnswer,
    /// There is an answer, but to another request.
    #[error("the answer in the response is for request ID {found}, not for {expected}")]
    OtherId {
        /// The id of the request.
        expected: RequestId,
        /// The id of the answer, bounded.
        found: String,
    },
}
