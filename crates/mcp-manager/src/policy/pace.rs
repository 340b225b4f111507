//! How fast processes are started, all servers together.

use std::collections::VecDeque;
use std::time::Instant;

use super::reconnect::Quota;

/// Spaces out starts of processes, so that servers which die together do not start together.
#[derive(Clone, Debug)]
pub struct Pace {
    quota: Quota,
    /// The latest starts, not more than the quota, in order.
    starts: VecDeque<Instant>,
}

impl Pace {
    /// Nothing started yet. A quota of no attempts counts as one attempt.
    pub fn new(quota: Quota) -> Self {
        Self { quota, starts: VecDeque::new() }
    }

    /// Takes the next place for a start: at once if there is room, else the first moment with room.
    /// The place is taken even if the start is then given up.
    ///
    /// To be called when a start is due, not when it is planned: no start is placed before one
    /// that was placed earlier.
    pub fn place(&mut self, now: Instant) -> Instant {
        let most = self.quota.counted().max(1);
        let mut at = self.starts.back().map_or(now, |&last| last.max(now));
        if self.starts.len() >= most {
            let oldest = self.starts.pop_front();
            // A window beyond the clock's range never closes; the start is still not lost.
            let free = oldest.and_then(|oldest| oldest.checked_add(self.quota.window));
            at = free.map_or(at, |free| at.max(free));
        }
        self.starts.push_back(at);
        at
    }
}
