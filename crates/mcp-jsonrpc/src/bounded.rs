//! Runs a piece of work until it is done, its deadline runs out, or its caller gives it up.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use crate::deadline::Deadline;
use crate::error::{CallError, TimeoutPhase};
use crate::options::{Cancel, GaveUp, KeepAlive};

/// The clock of a transport; this crate has none.
pub trait Clock {
    /// What waits on it.
    type Sleep: Future<Output = ()> + Send;

    /// Now.
    fn now(&self) -> Instant;

    /// Waits until `at`.
    fn sleep_until(&self, at: Instant) -> Self::Sleep;
}

/// What bounds a call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Bounds {
    /// Longest time without a sign of life; zero means no limit.
    pub timeout: Duration,
    /// Longest time in all; zero means no limit.
    pub max_total_timeout: Duration,
    /// Gives up from outside.
    pub cancel: Option<Cancel>,
    /// Re-arms `timeout`.
    pub keep_alive: Option<KeepAlive>,
}

impl Bounds {
    /// Bounds by time alone.
    pub fn new(timeout: Duration, max_total_timeout: Duration) -> Self {
        Self { timeout, max_total_timeout, cancel: None, keep_alive: None }
    }

    /// Adds a signal that gives the work up.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: Option<Cancel>) -> Self {
        self.cancel = cancel;
        self
    }

    /// Adds a handle that re-arms the timeout.
    #[must_use]
    pub fn kept_alive_by(mut self, keep_alive: Option<KeepAlive>) -> Self {
        self.keep_alive = keep_alive;
        self
    }
}

/// Why work was stopped before it was done.
#[derive(Clone, Debug)]
pub struct Stopped {
    /// Why, in the words of a cancel notice.
    pub why: GaveUp,
    /// Whether it was the total limit.
    pub total: bool,
}

impl Stopped {
    /// The error a caller gets.
    pub fn into_error(self, phase: TimeoutPhase, sent: bool) -> CallError {
        match self.why {
            GaveUp::Timeout(limit) => CallError::Timeout { phase, limit, total: self.total, sent },
            GaveUp::Cancelled(reason) => CallError::Cancelled { reason, sent },
            GaveUp::Dropped => CallError::Cancelled { reason: None, sent },
        }
    }
}

/// Runs `work` within `bounds`. Work that is done wins over a deadline or signal that comes at
/// the same time; a signal given before it begins means that it never begins.
///
/// # Errors
///
/// [`Stopped`] if the work was not done in time or was given up.
///
/// # Cancel safety
///
/// As that of `work`.
pub async fn bounded<T, C: Clock>(
    work: impl Future<Output = T>,
    bounds: &Bounds,
    clock: &C,
) -> Result<T, Stopped> {
    let cancelled_now =
        || Stopped { why: GaveUp::Cancelled(bounds.cancel.as_ref().and_then(Cancel::reason)), total: false };
    if bounds.cancel.as_ref().is_some_and(Cancel::is_cancelled) {
        return Err(cancelled_now());
    }
    let mut deadline = Deadline::new(clock.now(), bounds.timeout, bounds.max_total_timeout);
    let sleep = |deadline: &Deadline| deadline.ends().map(|at| clock.sleep_until(at));
    let mut work = pin!(work);
    let mut cancelled = pin!(cancelled(bounds.cancel.as_ref()));
    let mut touched = pin!(touched(bounds.keep_alive.as_ref()));
    let mut asleep = pin!(sleep(&deadline));
    poll_fn(|context| {
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Ok(done));
        }
        if cancelled.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(cancelled_now()));
        }
        while touched.as_mut().poll(context).is_ready() {
            deadline.touch(clock.now());
            asleep.set(sleep(&deadline));
            touched.set(self::touched(bounds.keep_alive.as_ref()));
        }
        match asleep.as_mut().as_pin_mut().map(|sleep| sleep.poll(context)) {
            Some(Poll::Ready(())) => {
                let first = deadline.first();
                Poll::Ready(Err(Stopped { why: GaveUp::Timeout(first.limit), total: first.total }))
            }
            _ => Poll::Pending,
        }
    })
    .await
}

async fn cancelled(cancel: Option<&Cancel>) {
    match cancel {
        Some(cancel) => cancel.cancelled().await,
        None => pending().await,
    }
}

async fn touched(keep_alive: Option<&KeepAlive>) {
    match keep_alive {
        Some(keep_alive) => keep_alive.touched().await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests;
