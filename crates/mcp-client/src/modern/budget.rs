//! The time that a call has in all, over as many exchanges as it takes.

use std::pin::Pin;
use std::time::{Duration, Instant};

use mcp_jsonrpc::{Bounds, CallError, Cancel, Clock, GaveUp, TimeoutPhase, Transport, bounded};

/// What is left of the time of one call. Without a limit each exchange has that of the transport.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    limit: Duration,
    ends: Option<Instant>,
}

impl Budget {
    /// Starts now; zero and nothing are no limit.
    pub(super) fn new(now: Instant, limit: Option<Duration>) -> Self {
        let limit = limit.unwrap_or_default();
        Self { limit, ends: if limit.is_zero() { None } else { now.checked_add(limit) } }
    }

    /// The same, which ends `limit` after `now` at the latest; zero is no limit.
    pub(super) fn within(self, now: Instant, limit: Duration) -> Self {
        let other = Self::new(now, Some(limit));
        match (self.ends, other.ends) {
            (Some(ends), Some(sooner)) if ends <= sooner => self,
            (_, Some(_)) => other,
            (_, None) => self,
        }
    }

    /// What is left for one exchange, as the options of a request say it: nothing where there is no limit.
    pub(super) fn left(&self, now: Instant) -> Result<Option<Duration>, CallError> {
        match self.ends.map(|ends| ends.saturating_duration_since(now)) {
            Some(Duration::ZERO) => Err(self.ran_out()),
            left => Ok(left),
        }
    }

    /// Does what lies between two exchanges, as long as there is time and nobody gives the call up.
    pub(super) async fn spend<T>(
        &self,
        work: impl Future<Output = T>,
        cancel: Option<&Cancel>,
        transport: &dyn Transport,
    ) -> Result<T, CallError> {
        let left = self.left(transport.now())?.unwrap_or_default();
        let bounds = Bounds::new(Duration::ZERO, left).cancelled_by(cancel.cloned());
        bounded(work, &bounds, &ClockOf(transport)).await.map_err(|stopped| match stopped.why {
            GaveUp::Timeout(_) => self.ran_out(),
            _ => stopped.into_error(TimeoutPhase::Request, true),
        })
    }

    fn ran_out(&self) -> CallError {
        CallError::Timeout { phase: TimeoutPhase::Request, limit: self.limit, total: true, sent: true }
    }
}

/// The clock of a transport, as one of a transport's parts sees it.
struct ClockOf<'a>(&'a dyn Transport);

impl<'a> Clock for ClockOf<'a> {
    type Sleep = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

    fn now(&self) -> Instant {
        self.0.now()
    }

    fn sleep_until(&self, at: Instant) -> Self::Sleep {
        self.0.pause(at.saturating_duration_since(self.0.now()))
    }
}
