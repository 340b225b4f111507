//! When a lost server is brought back.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::reconnect::{Quota, ReconnectPolicy, ServerKind};

/// Where one server stands: up, waiting for its next attempt, or given up.
///
/// It is told what happens and answers what to do. It plans one attempt at a time: the driver makes
/// the attempt, and then reports [`connected`](Self::connected) or [`lost`](Self::lost).
#[derive(Clone, Debug)]
pub struct Backoff {
    policy: ReconnectPolicy,
    breaker: Option<Quota>,
    state: State,
    /// Losses and failed attempts since the server was last stable.
    failures: u32,
    /// The attempts that the breaker counts, not more than it allows.
    attempts: VecDeque<Instant>,
    /// The breaker opened, and no stable time came since: attempts only on request.
    is_open: bool,
    /// When the delay after the last loss is over.
    rested_at: Option<Instant>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Never connected, or lost with the policy off.
    Down,
    Up {
        since: Instant,
    },
    /// An attempt comes at that moment, or has begun then.
    Due {
        at: Instant,
    },
    GivenUp,
    /// Not wanted.
    Stopped,
}

/// What to do about a server that is not connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Next {
    /// Make one attempt at this moment, at once if it is past. A process is started only when this
    /// moment has come *and* the old process is reaped.
    RetryAt(Instant),
    /// The breaker is open: no attempt until [`Backoff::asked`].
    GaveUp {
        /// The attempts that the breaker allows.
        attempts: u32,
        /// In which time.
        window: Duration,
    },
    /// No attempt: the policy is off, or the server is not wanted.
    Off,
}

/// Who wants a server that is not connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// A call that needs it. Calls can come in a row, so the delay between attempts holds.
    Call,
    /// A person or a program that asks for just this: at once, and even if the policy is off or
    /// the server was stopped.
    Reconnect,
}

impl Backoff {
    /// A server that was never up.
    pub fn new(policy: ReconnectPolicy, kind: ServerKind) -> Self {
        let breaker = policy.breaker(kind);
        Self {
            policy,
            breaker,
            state: State::Down,
            failures: 0,
            attempts: VecDeque::new(),
            is_open: false,
            rested_at: None,
        }
    }

    /// The connection was lost, or an attempt (the first one included) failed. `random` is any
    /// number, all of them being as likely.
    ///
    /// A loss that is told again before the next attempt is due changes nothing.
    pub fn lost(&mut self, now: Instant, random: u64) -> Next {
        match self.state {
            State::Due { at } if now < at => return Next::RetryAt(at),
            State::GivenUp => return self.give_up(),
            State::Stopped => return Next::Off,
            State::Up { since } if now.saturating_duration_since(since) >= self.policy.stable_after => {
                self.forget();
            }
            State::Due { .. } | State::Up { .. } | State::Down => {}
        }
        if !self.policy.enabled {
            self.state = State::Down;
            return Next::Off;
        }
        let at = later(now, self.policy.delays.after(self.failures, random));
        self.failures = self.failures.saturating_add(1);
        self.rested_at = Some(at);
        if self.is_open || !self.has_room(at) {
            return self.give_up();
        }
        self.attempt(at)
    }

    /// An attempt succeeded. Delay and counters stay as they are: the next loss forgets them if
    /// the server was up for [`ReconnectPolicy::stable_after`] by then.
    ///
    /// Told of a server that was [`stopped`](Self::stopped) meanwhile, it changes nothing: the
    /// driver closes the connection.
    pub fn connected(&mut self, now: Instant) {
        if !matches!(self.state, State::Up { .. } | State::Stopped) {
            self.state = State::Up { since: now };
        }
    }

    /// Someone wants the server now.
    ///
    /// After giving up that is good for one more attempt. An attempt that is planned already comes
    /// at its time for a call, and at once for a reconnect. A reconnect of a server that is up is
    /// an attempt like any other, made once the old connection is closed.
    pub fn asked(&mut self, now: Instant, by: Asker) -> Next {
        let is_wanted = self.policy.enabled && !matches!(self.state, State::Stopped);
        match (self.state, by) {
            (State::Due { at }, Asker::Call) => Next::RetryAt(at),
            (State::Due { at }, Asker::Reconnect) => {
                // It is counted already.
                let at = at.min(now);
                self.state = State::Due { at };
                Next::RetryAt(at)
            }
            (_, Asker::Call) if !is_wanted => Next::Off,
            (_, Asker::Call) => self.attempt(self.rested_at.map_or(now, |at| at.max(now))),
            (_, Asker::Reconnect) => self.attempt(now),
        }
    }

    /// The server is not wanted any more: what was planned and counted is forgotten, and only
    /// [`Asker::Reconnect`] brings it back. For a server that was closed on purpose, and for one
    /// whose failure is [lasting](super::is_lasting).
    pub fn stopped(&mut self) {
        self.forget();
        self.rested_at = None;
        self.state = State::Stopped;
    }

    /// Losses and failed attempts since the server was last stable.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Whether it is left alone until it is asked for.
    pub fn has_given_up(&self) -> bool {
        matches!(self.state, State::GivenUp)
    }

    fn forget(&mut self) {
        self.failures = 0;
        self.attempts.clear();
        self.is_open = false;
    }

    /// Whether the breaker allows an attempt at that moment.
    fn has_room(&mut self, at: Instant) -> bool {
        let Some(quota) = self.breaker else {
            return true;
        };
        self.attempts.retain(|&attempt| at.saturating_duration_since(attempt) < quota.window);
        self.attempts.len() < quota.counted()
    }

    fn attempt(&mut self, at: Instant) -> Next {
        if let Some(quota) = self.breaker {
            self.attempts.push_back(at);
            // Attempts on request come on top of what is allowed.
            let surplus = self.attempts.len().saturating_sub(quota.counted());
            self.attempts.drain(..surplus);
        }
        self.state = State::Due { at };
        Next::RetryAt(at)
    }

    fn give_up(&mut self) -> Next {
        self.is_open = true;
        self.state = State::GivenUp;
        let Quota { attempts, window } = self.breaker.unwrap_or(Quota::new(0, Duration::ZERO));
        Next::GaveUp { attempts, window }
    }
}

fn later(now: Instant, delay: Duration) -> Instant {
    // A delay is a day at most, so only a clock at its very end has no such moment.
    now.checked_add(delay).unwrap_or(now)
}
