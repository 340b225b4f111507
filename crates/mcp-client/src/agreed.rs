//! What client and server agreed on.

use mcp_types::{Implementation, InitializeResult, Revision, ServerCapabilities};

/// What came out of the handshake. It stays the same for the life of the connection.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Agreed {
    /// The revision of the protocol that both sides keep to.
    pub version: Revision,
    /// What the server can do. Nothing else may be asked of it (C-050, C-051).
    pub capabilities: ServerCapabilities,
    /// Who the server says it is: for display only.
    pub server_info: Implementation,
    /// How to use the server, for the model.
    pub instructions: Option<String>,
}

impl Agreed {
    pub(crate) fn new(version: Revision, answer: InitializeResult) -> Self {
        Self {
            version,
            capabilities: answer.capabilities,
            server_info: answer.server_info,
            instructions: answer.instructions,
        }
    }
}
