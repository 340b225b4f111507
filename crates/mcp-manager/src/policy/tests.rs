//! The decisions, each alone, and all of them over a simulated day.

mod backoff;
mod delays;
mod failures;
mod pace;
mod repeat;
mod retry;
mod simulation;

use std::time::Duration;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

const fn s(n: u64) -> Duration {
    Duration::from_secs(n)
}
