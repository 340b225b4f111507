//! Requests that stand for themselves: the 2026-07-28 revision, which has no handshake.
//!
//! ```text
//!   Client::call ──► Modern ──► stamp: `_meta` with version, client and capabilities
//!                      │        names: what HTTP repeats in headers
//!                      ▼
//!                  Transport::request ──► result type ──► complete: the answer
//!                      ▲                                  input required: the handlers answer,
//!                      └── rounds: the same request ◄──── and it is asked again
//! ```

mod ask;
mod budget;
mod names;
mod result_type;
mod rounds;
mod stamp;

use std::sync::{Mutex, PoisonError};

use mcp_types::{LoggingLevel, Revision};

pub(crate) use self::ask::Ask;
pub use self::rounds::InputError;
pub(crate) use self::stamp::{Stamp, Stamped};

/// What a connection without a handshake keeps.
pub(crate) struct Modern {
    version: Revision,
    stamp: Stamp,
    /// The least level of log messages that each request wants, unless it says so itself.
    log_level: Mutex<Option<LoggingLevel>>,
}

impl Modern {
    pub(crate) fn new(version: Revision, stamp: Stamp) -> Self {
        Self { version, stamp, log_level: Mutex::default() }
    }

    /// Requests from now on ask for log messages of this level and above.
    #[expect(dead_code, reason = "for logging.rs, which comes next")]
    pub(crate) fn set_log_level(&self, level: LoggingLevel) {
        *self.log_level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    fn log_level(&self) -> Option<LoggingLevel> {
        self.log_level.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
