//! What client and server agreed on.

use mcp_types::{DiscoverResult, Implementation, InitializeResult, Revision, ServerCapabilities};

/// What came out of the handshake, or of `server/discover`. It stays the same for the life of the connection.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Agreed {
    /// The revision of the protocol that both sides keep to.
    pub version: Revision,
    /// What the server can do. Nothing else may be asked of it (C-050, C-051).
    pub capabilities: ServerCapabilities,
    /// Who the server says it is: for display only (C-072). A server of 2026-07-28 need not say.
    pub server_info: Option<Implementation>,
    /// How to use the server, for the model.
    pub instructions: Option<String>,
}

impl Agreed {
    pub(crate) fn new(version: Revision, answer: InitializeResult) -> Self {
        Self {
            version,
            capabilities: answer.capabilities,
            server_info: Some(answer.server_info),
            instructions: answer.instructions,
        }
    }

    pub(crate) fn discovered(version: Revision, answer: DiscoverResult) -> Self {
        Self {
            version,
            server_info: answer.server_info(),
            capabilities: answer.capabilities,
            instructions: answer.instructions,
        }
    }
}
