//! When a call has waited long enough: an idle limit that signs of life re-arm, under a total one.

use std::time::{Duration, Instant};

/// The deadline of one call. It reads no clock: `now` comes in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    idle: Limit,
    total: Limit,
}

#[derive(Clone, Copy, Debug)]
struct Limit {
    length: Duration,
    ends: Option<Instant>,
}

/// The limit that ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RanOut {
    pub(crate) limit: Duration,
    pub(crate) total: bool,
}

impl Limit {
    /// Zero, and what lies beyond the clock's range, is no limit.
    fn from(now: Instant, length: Duration) -> Self {
        let ends = if length.is_zero() { None } else { now.checked_add(length) };
        Self { length, ends }
    }
}

impl Deadline {
    /// Starts both limits.
    pub(crate) fn new(now: Instant, idle: Duration, total: Duration) -> Self {
        Self { idle: Limit::from(now, idle), total: Limit::from(now, total) }
    }

    /// A sign of life: the idle limit starts again, the total one does not.
    pub(crate) fn touch(&mut self, now: Instant) {
        self.idle = Limit::from(now, self.idle.length);
    }

    /// When the first of the limits ends; `None` if there is none.
    pub(crate) fn ends(&self) -> Option<Instant> {
        [self.idle.ends, self.total.ends].into_iter().flatten().min()
    }

    /// Which limit it is that ends first.
    pub(crate) fn first(&self) -> RanOut {
        let total = match (self.idle.ends, self.total.ends) {
            (Some(idle), Some(total)) => total <= idle,
            (idle, _) => idle.is_none(),
        };
        RanOut { limit: if total { self.total.length } else { self.idle.length }, total }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test needs some instant to start from")]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn signs_of_life_extend_the_idle_limit_up_to_the_total() {
        let start = Instant::now();
        let mut deadline = Deadline::new(start, ms(200), ms(500));
        assert_eq!(deadline.ends(), Some(start + ms(200)));
        deadline.touch(start + ms(150));
        assert_eq!(deadline.ends(), Some(start + ms(350)));
        assert_eq!(deadline.first(), RanOut { limit: ms(200), total: false });
        deadline.touch(start + ms(340));
        assert_eq!(deadline.ends(), Some(start + ms(500)));
        assert_eq!(deadline.first(), RanOut { limit: ms(500), total: true });
    }

    #[test]
    fn zero_means_no_limit() {
        let start = Instant::now();
        assert_eq!(Deadline::new(start, Duration::ZERO, Duration::ZERO).ends(), None);
        let total_only = Deadline::new(start, Duration::ZERO, ms(5));
        assert_eq!((total_only.ends(), total_only.first().total), (Some(start + ms(5)), true));
        assert_eq!(Deadline::new(start, Duration::MAX, Duration::ZERO).ends(), None);
    }
}
