//! How serious log messages of the server have to be.

use mcp_types::{LoggingLevel, SetLevel, SetLevelParams};

use crate::client::Client;
use crate::error::ClientError;
use crate::options::CallOptions;

impl Client {
    /// Chooses the least level of log messages.
    ///
    /// # Errors
    ///
    /// As [`set_log_level_with`](Self::set_log_level_with).
    ///
    /// # Cancel safety
    ///
    /// As [`set_log_level_with`](Self::set_log_level_with).
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<(), ClientError> {
        self.set_log_level_with(level, CallOptions::default()).await
    }

    /// Chooses the least level of the log messages that the server sends from now on (C-231). Until then
    /// the server decides.
    ///
    /// In 2026-07-28 nothing is sent: each later call asks for the messages about itself, unless its own
    /// [`log_level`](CallOptions::log_level) says otherwise; until then there are none.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call).
    pub async fn set_log_level_with(
        &self,
        level: LoggingLevel,
        options: CallOptions,
    ) -> Result<(), ClientError> {
        match &self.inner.modern {
            None => self.call::<SetLevel>(&SetLevelParams::new(level), options).await.map(drop),
            Some(modern) => {
                modern.set_log_level(level);
                Ok(())
            }
        }
    }
}
