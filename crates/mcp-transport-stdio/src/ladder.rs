//! The order in which a server process is asked, told and forced to end. No IO, no clock.

use std::time::{Duration, Instant};

/// How long each step of a shutdown may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShutdownLimits {
    /// How long the server may take to end after its stdin was closed. 2 s.
    pub close_grace: Duration,
    /// How long it may take after SIGTERM to its process group. 2 s.
    pub terminate_grace: Duration,
    /// How long to wait for the operating system after SIGKILL. 1 s.
    pub kill_wait: Duration,
    /// Kill at once, without asking (the original's plain kill). Off.
    pub kill_immediately: bool,
}

impl Default for ShutdownLimits {
    fn default() -> Self {
        Self {
            close_grace: Duration::from_secs(2),
            terminate_grace: Duration::from_secs(2),
            kill_wait: Duration::from_secs(1),
            kill_immediately: false,
        }
    }
}

impl ShutdownLimits {
    /// The longest a shutdown can take.
    pub fn total(&self) -> Duration {
        let graces = if self.kill_immediately {
            Duration::ZERO
        } else {
            self.close_grace.saturating_add(self.terminate_grace)
        };
        graces.saturating_add(self.kill_wait)
    }
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// Close the server's stdin.
    CloseStdin,
    /// Wait until the whole process group is gone, at most until then.
    Wait {
        /// The latest moment.
        until: Instant,
    },
    /// Send SIGTERM to the process group.
    Terminate,
    /// Send SIGKILL to the process group.
    Kill,
    /// Nothing more: all is gone, or was killed and did not go.
    Done,
}

/// A shutdown in progress: close stdin, wait, SIGTERM, wait, SIGKILL, wait (D-09).
#[derive(Clone, Debug)]
pub struct Ladder {
    limits: ShutdownLimits,
    stage: Stage,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Start,
    Closed { until: Option<Instant> },
    Terminated { until: Option<Instant> },
    Killed { until: Option<Instant> },
}

impl Ladder {
    /// A shutdown that has not begun.
    pub fn new(limits: ShutdownLimits) -> Self {
        Self { limits, stage: Stage::Start }
    }

    /// The next thing to do, given whether the whole process group is gone.
    pub fn next(&mut self, now: Instant, is_gone: bool) -> Rung {
        let limits = self.limits;
        match &mut self.stage {
            Stage::Start => {
                self.stage = Stage::Closed { until: None };
                Rung::CloseStdin
            }
            _ if is_gone => Rung::Done,
            Stage::Closed { until } => {
                let grace = if limits.kill_immediately { Duration::ZERO } else { limits.close_grace };
                wait(until, now, grace).unwrap_or_else(|| {
                    if limits.kill_immediately {
                        self.stage = Stage::Killed { until: None };
                        return Rung::Kill;
                    }
                    self.stage = Stage::Terminated { until: None };
                    Rung::Terminate
                })
            }
            Stage::Terminated { until } => wait(until, now, limits.terminate_grace).unwrap_or_else(|| {
                self.stage = Stage::Killed { until: None };
                Rung::Kill
            }),
            Stage::Killed { until } => wait(until, now, limits.kill_wait).unwrap_or(Rung::Done),
        }
    }
}

/// A wait that begins now or goes on; `None` once it is over.
fn wait(until: &mut Option<Instant>, now: Instant, grace: Duration) -> Option<Rung> {
    // A grace beyond the clock's range is as good as a day.
    let far = || now.checked_add(grace).unwrap_or(now + Duration::from_hours(24));
    let until = *until.get_or_insert_with(far);
    (now < until).then_some(Rung::Wait { until })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    /// Climbs with a server that is gone at `gone_at`; yields the steps and when each was taken.
    fn climb(limits: ShutdownLimits, gone_at: Duration) -> Vec<(u128, &'static str)> {
        let start = Instant::now();
        let (mut now, mut ladder, mut steps) = (start, Ladder::new(limits), Vec::new());
        loop {
            let at = (now - start).as_millis();
            match ladder.next(now, now - start >= gone_at) {
                Rung::CloseStdin => steps.push((at, "close stdin")),
                Rung::Wait { until } => now = until.min((start + gone_at).max(now)),
                Rung::Terminate => steps.push((at, "terminate")),
                Rung::Kill => steps.push((at, "kill")),
                Rung::Done => {
                    steps.push((at, "done"));
                    return steps;
                }
            }
        }
    }

    #[test]
    fn a_good_server_is_only_asked() {
        assert_eq!(climb(ShutdownLimits::default(), ms(300)), [(0, "close stdin"), (300, "done")]);
        assert_eq!(climb(ShutdownLimits::default(), ms(0)), [(0, "close stdin"), (0, "done")]);
    }

    #[test]
    fn a_stubborn_server_is_told_then_forced() {
        let told = [(0, "close stdin"), (2000, "terminate"), (2100, "done")];
        assert_eq!(climb(ShutdownLimits::default(), ms(2100)), told);
        let forced = [(0, "close stdin"), (2000, "terminate"), (4000, "kill"), (4001, "done")];
        assert_eq!(climb(ShutdownLimits::default(), ms(4001)), forced);
    }

    #[test]
    fn the_total_is_bounded_whatever_happens() {
        let limits = ShutdownLimits::default();
        let steps = climb(limits, ms(60_000));
        assert_eq!(steps.last(), Some(&(limits.total().as_millis(), "done")));
    }

    #[test]
    fn kill_immediately_does_not_ask() {
        let limits = ShutdownLimits { kill_immediately: true, ..ShutdownLimits::default() };
        assert_eq!(climb(limits, ms(1)), [(0, "close stdin"), (0, "kill"), (1, "done")]);
        assert_eq!(climb(limits, ms(9999)).last(), Some(&(limits.total().as_millis(), "done")));
    }
}
