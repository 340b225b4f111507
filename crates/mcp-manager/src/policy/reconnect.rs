//! What is done about servers that are lost.

use std::time::Duration;

use super::delays::Delays;
use super::retry::RetryLimits;

/// Most attempts that are remembered, whatever was configured.
const MOST_COUNTED: usize = 1000;

/// What is done about servers that are lost. Nothing by default.
///
/// [`off`](Self::off) and [`on`](Self::on) differ in `enabled` and `retries` only.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReconnectPolicy {
    /// Whether lost servers are started or connected again and lost sessions renewed, without
    /// anybody asking. Off.
    pub enabled: bool,
    /// How long to wait before each attempt. 500 ms, then twice as long each, at most 30 s.
    pub delays: Delays,
    /// How long a server must have been up for its past to be forgotten: a handshake alone proves
    /// nothing (case 49). 60 s. Zero: each connection counts as stable, and only `pace` is left
    /// to stop a storm.
    pub stable_after: Duration,
    /// Most attempts to start one process, after which it is left alone until someone asks for it.
    /// Attempts before a stable time are forgotten. 5 within 5 min. `None`: no end, the cap of
    /// `delays` holds.
    pub process_breaker: Option<Quota>,
    /// The same for a remote server. `None`: it is tried in the background as long as it takes,
    /// since a try costs next to nothing and outages pass.
    pub remote_breaker: Option<Quota>,
    /// How fast processes are started again, all servers together. 10 a second.
    pub pace: Quota,
    /// Whether a tool call whose answer was lost is made once more if the tool says of itself that
    /// this does no harm (`readOnlyHint` or `idempotentHint`). Off: servers are not always right
    /// about their tools. Has no effect unless `enabled`.
    pub retry_idempotent: bool,
    /// How often `initialize` and lists are tried again. 3 retries if on, none if off; can be set
    /// whether `enabled` or not.
    pub retries: RetryLimits,
}

impl ReconnectPolicy {
    /// Nothing is done without being asked for.
    pub fn off() -> Self {
        Self {
            enabled: false,
            delays: Delays::default(),
            stable_after: Duration::from_secs(60),
            process_breaker: Some(Quota::new(5, Duration::from_mins(5))),
            remote_breaker: None,
            pace: Quota::new(10, Duration::from_secs(1)),
            retry_idempotent: false,
            retries: RetryLimits::none(),
        }
    }

    /// Lost servers are brought back, with the defaults that the fields document.
    pub fn on() -> Self {
        Self { enabled: true, retries: RetryLimits::default(), ..Self::off() }
    }

    pub(super) fn breaker(&self, kind: ServerKind) -> Option<Quota> {
        match kind {
            ServerKind::Process => self.process_breaker,
            ServerKind::Remote => self.remote_breaker,
        }
    }
}

impl Default for ReconnectPolicy {
    fn default() -> Self {
        Self::off()
    }
}

/// So many attempts in any stretch of time this long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Most attempts. More than 1000 count as 1000.
    pub attempts: u32,
    /// The length of the stretch.
    pub window: Duration,
}

impl Quota {
    /// So many attempts in so long.
    pub const fn new(attempts: u32, window: Duration) -> Self {
        Self { attempts, window }
    }

    /// How many attempts need to be remembered.
    pub(super) fn counted(self) -> usize {
        usize::try_from(self.attempts).map_or(MOST_COUNTED, |attempts| attempts.min(MOST_COUNTED))
    }
}

/// What an attempt at a server costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerKind {
    /// A process is started (stdio).
    Process,
    /// A connection is opened (HTTP).
    Remote,
}
