//! Whether a request without effects is sent again, and when.

use std::time::Duration;

use mcp_jsonrpc::{CallError, FailureKind};
use mcp_transport_http::HttpError;

use super::delays::Delays;

/// How often `initialize`, lists and pings are sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryLimits {
    /// Most retries of one request; the first try is none. 3. Zero: a failure is final.
    pub max_retries: u32,
    /// The wait before each retry. 500 ms, then twice as long each, at most 5 s.
    pub delays: Delays,
    /// The longest `Retry-After` that is waited for. 30 s. A server that asks for more is not
    /// bothered earlier: the failure is final.
    pub max_retry_after: Duration,
}

impl RetryLimits {
    /// No retries.
    pub fn none() -> Self {
        Self { max_retries: 0, ..Self::default() }
    }
}

impl Default for RetryLimits {
    fn default() -> Self {
        Self {
            max_retries: 3,
            delays: Delays { max: Duration::from_secs(5), ..Delays::default() },
            max_retry_after: Duration::from_secs(30),
        }
    }
}

/// The retries of one request that may run twice without harm: `initialize`, a list, a ping. Tool
/// calls are another matter, see [`Repeat`](super::Repeat).
#[derive(Clone, Debug)]
pub struct RetryPlan {
    limits: RetryLimits,
    done: u32,
}

impl RetryPlan {
    /// A request that was not tried yet.
    pub fn new(limits: RetryLimits) -> Self {
        Self { limits, done: 0 }
    }

    /// How long to wait before the request is sent again; `None` if it is not. `random` is any
    /// number, all of them being as likely.
    ///
    /// It is sent again after 429, 502, 503 and 504, and if the address refused or was out of
    /// reach, or the connection broke before the answer. Not after other statuses, a deadline, or
    /// an answer, and not where only a new process, session or authorization would help.
    pub fn next(&mut self, error: &CallError, random: u64) -> Option<Duration> {
        if self.done >= self.limits.max_retries || !is_passing(error) {
            return None;
        }
        let wanted = retry_after(error).unwrap_or_default();
        if wanted > self.limits.max_retry_after {
            return None;
        }
        let delay = self.limits.delays.after(self.done, random);
        self.done += 1;
        Some(delay.max(wanted))
    }
}

/// Whether the same request will fail in the same way until somebody changes something: the
/// address, the credentials, a certificate. A server that fails so is not retried in the background
/// (see [`Backoff::stopped`](super::Backoff::stopped)).
pub fn is_lasting(error: &CallError) -> bool {
    match error.failure_kind() {
        Some(
            FailureKind::Unauthorized | FailureKind::Tls | FailureKind::Redirect | FailureKind::MediaType,
        ) => true,
        // A timeout, a request that came too early, a limit on the rate: all of them pass.
        Some(FailureKind::Status(status)) => {
            (400..500).contains(&status) && !matches!(status, 408 | 425 | 429)
        }
        _ => false,
    }
}

/// Whether a retry on the same connection, or a new one of the same session, may meet better luck.
fn is_passing(error: &CallError) -> bool {
    match error {
        CallError::NoResponse { .. } => true,
        CallError::Transport(failure) => match failure.kind {
            FailureKind::Refused | FailureKind::Unreachable | FailureKind::Reset => true,
            FailureKind::Status(status) => matches!(status, 429 | 502..=504),
            // A name that is not found is more often misspelt than on its way.
            _ => false,
        },
        _ => false,
    }
}

/// How long the server asks to wait.
fn retry_after(error: &CallError) -> Option<Duration> {
    match error.downcast_ref::<HttpError>()? {
        HttpError::Neither { first, .. } => retry_after(first),
        error => error.status()?.retry_after,
    }
}
