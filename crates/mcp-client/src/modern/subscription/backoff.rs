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
}

impl Backoff {
    /// The next wait.
    pub(super) fn next(&mut self) -> Duration {
        let whole = FIRST.saturating_mul(1 << self.losses.min(6)).min(MOST);
        self.losses = self.losses.saturating_add(1);
        // The hasher's keys are random; what is hashed does not matter.
        let half = u32::try_from(RandomState::new().hash_one(self.losses) % 1000).unwrap_or(0);
        whole - whole * half / 2000
    }

    /// It went well: the next wait is a short one.
    pub(super) fn reset(&mut self) {
        self.losses = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_minute_and_begin_again_after_a_success() {
        let mut backoff = Backoff::default();
        for whole in [1, 2, 4, 8, 16, 32, 60, 60, 60].map(Duration::from_secs) {
            let wait = backoff.next();
            assert!(wait <= whole && wait >= whole / 2, "{wait:?} of {whole:?}");
        }
        backoff.reset();
        assert!(backoff.next() <= FIRST);
    }
}
