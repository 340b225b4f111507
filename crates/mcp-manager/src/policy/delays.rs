//! How long each of a row of tries waits.

use std::time::Duration;

/// Without a pause a row of tries is a storm, whatever was configured.
const SHORTEST: Duration = Duration::from_millis(50);
/// Keeps all sums in range of the clock.
const LONGEST: Duration = Duration::from_hours(24);
/// More doublings than lie between the shortest and the longest wait.
const MOST_STEPS: u32 = 64;

/// Waits that grow with each try in a row, up to a cap, and are spread by chance.
///
/// The spread is a share around the wait, not the whole of it ("full jitter"): a try that chance
/// puts at zero would start a process right after the last one died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delays {
    /// The wait before the first try. 500 ms. Less than 50 ms counts as 50 ms.
    pub first: Duration,
    /// By how much each wait is longer than the one before. 2. Zero counts as one: all are alike.
    pub factor: u32,
    /// The longest wait, the spread included, so that the longest waits are spread below it:
    /// from 20 to 30 s by default. 30 s. Less than 50 ms counts as 50 ms, more than a day as a day.
    pub max: Duration,
    /// How far chance moves a wait to either side, in percent of it. 20. More than 100 counts as
    /// 100, zero spreads nothing.
    pub jitter_percent: u32,
}

impl Default for Delays {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(500),
            factor: 2,
            max: Duration::from_secs(30),
            jitter_percent: 20,
        }
    }
}

impl Delays {
    /// The wait after `before` tries that failed in a row. `random` is any number, all of them
    /// being as likely.
    pub fn after(&self, before: u32, random: u64) -> Duration {
        let cap = self.max.clamp(SHORTEST, LONGEST);
        let jitter = self.jitter_percent.min(100);
        // The top of the spread is what must not pass the cap.
        let middle = self.grown(before, cap).min(cap * 100 / (100 + jitter));
        let lowest = middle * (100 - jitter) / 100;
        let spread = (middle * (2 * jitter) / 100).as_nanos();
        let moved = Duration::from_nanos_u128((spread * u128::from(random)) >> u64::BITS);
        (lowest + moved).clamp(SHORTEST, cap)
    }

    fn grown(&self, before: u32, cap: Duration) -> Duration {
        let mut wait = self.first.clamp(SHORTEST, cap);
        for _ in 0..before.min(MOST_STEPS) {
            wait = wait.saturating_mul(self.factor.max(1)).min(cap);
        }
        wait
    }
}
