//! Why a server is not there, and why a call through the manager failed.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::{ClientError, ConnectError};
use mcp_jsonrpc::CallError;

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// It could not be connected.
    #[error(transparent)]
    Connect(Box<ConnectError>),
    /// It is connected, but does not list its tools.
    #[error(transparent)]
    List(Box<ClientError>),
    /// The whole took too long. The text is that of the contract.
    #[error("Connection to MCP server \"{server}\" timed out after {}ms", limit.as_millis())]
    TimedOut {
        /// The server.
        server: Arc<str>,
        /// The limit.
        limit: Duration,
    },
    /// It was disconnected while it was being connected.
    #[error("the server `{server}` was disconnected")]
    Disconnected {
        /// The server.
        server: Arc<str>,
    },
    /// Its connection was lost, and the policy does not bring it back.
    #[error("the connection to `{server}` was lost: {reason}")]
    Lost {
        /// The server.
        server: Arc<str>,
        /// Why.
        reason: Arc<str>,
    },
    /// What connects it panicked.
    #[error("connecting the server `{server}` panicked")]
    Panicked {
        /// The server.
        server: Arc<str>,
    },
}

impl StartError {
    /// What happened on the wire, if that is why.
    pub fn call_error(&self) -> Option<&CallError> {
        match self {
            Self::Connect(error) => match &**error {
                ConnectError::Call { source, .. } => Some(source),
                _ => None,
            },
            Self::List(error) => error.call_error(),
            _ => None,
        }
    }
}

/// Why a call through the manager failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManagerError {
    /// No server of this name is managed.
    #[error("there is no server `{server}`")]
    NoServer {
        /// The name.
        server: String,
    },
    /// No tool is exposed under this name.
    #[error("there is no tool `{name}`")]
    NoTool {
        /// The name.
        name: String,
    },
    /// The server is not connected; nothing was sent.
    #[error("the server `{server}` is not ready")]
    NotReady {
        /// The server.
        server: Arc<str>,
        /// Why.
        #[source]
        source: Arc<StartError>,
    },
    /// The server did not become ready while the call could wait; nothing was sent.
    #[error("the server `{server}` was not ready within {}ms", limit.as_millis())]
    NotReadyInTime {
        /// The server.
        server: Arc<str>,
        /// How long the call waited.
        limit: Duration,
    },
    /// A list, all pages of it, took longer than a start may.
    #[error("the server `{server}` did not finish its list within {}ms", limit.as_millis())]
    ListTooSlow {
        /// The server.
        server: Arc<str>,
        /// How long it had.
        limit: Duration,
    },
    /// The call was sent and its answer is lost: nobody knows whether it was run (case 105).
    #[error("the outcome of `{tool}` on `{server}` is unknown: its answer was lost")]
    OutcomeUnknown {
        /// The server.
        server: Arc<str>,
        /// The tool.
        tool: Arc<str>,
        /// How the answer was lost.
        #[source]
        source: Box<ClientError>,
    },
    /// The call failed.
    #[error(transparent)]
    Client(Box<ClientError>),
}
