//! What a caller can set.

use std::time::Duration;

use mcp_transport_http::Headers;
use mcp_transport_http::connector::ConnectorConfig;

/// The default of [`CallOptions::max_body`]: 64 MiB.
pub const MAX_BODY: usize = 64 << 20;

/// How a call is made; see each field for its default.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CallOptions {
    /// More headers for the request; none by default. Those of the protocol win over them.
    pub headers: Headers,
    /// How long the whole call may take; without a limit by default (S-92). A call that takes
    /// longer fails with [`LiteError::Timeout`](crate::LiteError::Timeout).
    pub timeout: Option<Duration>,
    /// How large the body of the response may be, all messages of a stream together; 64 MiB by
    /// default. A larger one fails with [`LiteError::TooLarge`](crate::LiteError::TooLarge), unless
    /// the answer came before.
    pub max_body: usize,
    /// How connections are made; its own defaults.
    pub connector: ConnectorConfig,
}

impl Default for CallOptions {
    fn default() -> Self {
        Self {
            headers: Headers::default(),
            timeout: None,
            max_body: MAX_BODY,
            connector: ConnectorConfig::default(),
        }
    }
}
