//! The clock of this transport: tokio's, which tests can pause.

use std::time::Instant;

use mcp_jsonrpc::Clock;

#[derive(Debug)]
pub(crate) struct TokioClock;

impl Clock for TokioClock {
    type Sleep = tokio::time::Sleep;

    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    fn sleep_until(&self, at: Instant) -> Self::Sleep {
        tokio::time::sleep_until(at.into())
    }
}
