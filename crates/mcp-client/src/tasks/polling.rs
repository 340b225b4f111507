//! How often, and for how long, a task is looked at.

use std::time::{Duration, Instant};

/// How a task is looked at: by [`ToolTask::wait`](crate::ToolTask::wait), and by a tool call that became
/// one (2026-07-28, see [`ClientOptions::task_polling`](crate::ClientOptions::task_polling)).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TaskPolling {
    /// How long to wait between two looks if the server does not say. Defaults to 1 s.
    pub interval: Duration,
    /// Shortest wait, whatever the server says. Defaults to 100 ms.
    pub min_interval: Duration,
    /// Longest wait, whatever the server says (C-362), and whatever the shortest is. Defaults to 10 min.
    pub max_interval: Duration,
    /// Longest time in all. Defaults to 24 h; zero means no limit. At the limit the wait fails with
    /// [`ClientError::TaskUnfinished`](crate::ClientError::TaskUnfinished), and the task goes on; a tool
    /// call fails by timeout, and the task is asked to end.
    pub limit: Duration,
}

impl Default for TaskPolling {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(1),
            min_interval: Duration::from_millis(100),
            max_interval: Duration::from_secs(600),
            limit: Duration::from_secs(24 * 3600),
        }
    }
}

impl TaskPolling {
    /// How long to wait after a look at a task whose server has this wish, in milliseconds. A negative
    /// one is one for nothing.
    pub(crate) fn after(&self, wish: Option<i64>) -> Duration {
        let wish = wish.map(|wish| Duration::from_millis(u64::try_from(wish).unwrap_or(0)));
        wish.unwrap_or(self.interval).max(self.min_interval).min(self.max_interval)
    }

    /// When the wait ends that begins now. `None` is never.
    pub(super) fn end(&self, now: Instant) -> Option<Instant> {
        if self.limit.is_zero() { None } else { now.checked_add(self.limit) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wish_of_the_server_counts_within_bounds() {
        let polling = TaskPolling::default();
        for (wish, milliseconds) in [
            (None, 1_000),
            (Some(2_500), 2_500),
            (Some(100), 100),
            (Some(99), 100),
            (Some(0), 100),
            (Some(i64::MIN), 100),
            (Some(600_000), 600_000),
            (Some(i64::MAX), 600_000),
        ] {
            assert_eq!(polling.after(wish), Duration::from_millis(milliseconds), "{wish:?}");
        }
    }

    #[test]
    fn bounds_the_wrong_way_round_do_no_harm() {
        let polling = TaskPolling {
            min_interval: Duration::from_secs(9),
            max_interval: Duration::from_secs(3),
            ..TaskPolling::default()
        };
        assert_eq!(polling.after(Some(5_000)), Duration::from_secs(3));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "any instant does")]
    fn a_limit_of_zero_or_beyond_all_time_is_none() {
        let now = Instant::now();
        let end = |limit| TaskPolling { limit, ..TaskPolling::default() }.end(now);
        assert_eq!(end(Duration::ZERO), None);
        assert_eq!(end(Duration::MAX), None);
        assert_eq!(end(Duration::from_secs(1)), Some(now + Duration::from_secs(1)));
    }
}
