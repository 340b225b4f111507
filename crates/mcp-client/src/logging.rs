//! How much the server is to log.

use mcp_types::{LoggingLevel, SetLevel, SetLevelParams};

use crate::client::Client;
use crate::error::ClientError;
use crate::options::CallOptions;

impl Client {
    /// Asks for log messages of this level and above. They come as notifications, see
    /// [`Client::events`](Self::events), of the kind [`LogMessage`](mcp_types::LogMessage).
    ///
    /// Up to 2025-11-25 this is a request. In 2026-07-28 nothing is sent: each later call asks for the
    /// messages about itself, unless its own [`log_level`](CallOptions::log_level) says otherwise.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call).
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<(), ClientError> {
        match &self.inner.modern {
            Some(modern) => {
                modern.set_log_level(level);
                Ok(())
            }
            None => {
                self.call::<SetLevel>(&SetLevelParams::new(level), CallOptions::default()).await.map(drop)
            }
        }
    }
}
