//! How long to wait before listening again.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

const FIRST: Duration = Duration::from_secs(1);
const MOST: Duration = Duration::from_secs(60);

/// Waits of 1 s, 2 s, and so on up to a minute, each cut by up to a half at random, so that many
/// clients do not come back at once.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    losses: u32,
    last: Duration,
}

impl Backoff {
    /// The next wait.
    pub(super) fn next(&mut self) -> Duration {
        let whole = FIRST.saturating_mul(1 << self.losses.min(6)).min(MOST);
        self.losses = self.losses.saturating_add(1);
        // The hasher's keys are random; what is hashed does not matter.
        let half = u32::try_from(RandomState::new().hash_one(self.losses) % 1000).unwrap_or(0);
        self.last = whole - whole * half / 2000;
        self.last
    }

    /// It went well for so long. If that was at least as long as the last wait, the next one is short; so
    /// a server that ends all it grants at once is asked ever more seldom.
    pub(super) fn went_well_for(&mut self, time: Duration) {
        if time >= self.last {
            self.losses = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_minute_and_begin_again_after_a_success_as_long_as_the_last() {
        let mut backoff = Backoff::default();
        for whole in [1, 2, 4, 8, 16, 32, 60, 60, 60].map(Duration::from_secs) {
            let wait = backoff.next();
            assert!(wait <= whole && wait >= whole / 2, "{wait:?} of {whole:?}");
        }
        let last = backoff.last;
        backoff.went_well_for(last - Duration::from_millis(1));
        assert!(backoff.next() >= MOST / 2);
        backoff.went_well_for(MOST);
        assert!(backoff.next() <= FIRST);
    }
}
