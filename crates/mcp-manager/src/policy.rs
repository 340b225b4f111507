//! How lost servers are healed: decisions only, without clock, runtime or IO.
//!
//! The time comes in as `now`, chance as a `u64` of any even source, and what to do goes out as an
//! enum. What waits, connects and resends is elsewhere.
//!
//! - [`ReconnectPolicy`]: what is done at all. Off unless asked for.
//! - [`Backoff`]: one server; when it is started again, and when that is given up.
//! - [`Pace`]: all processes; how fast they may be started.
//! - [`RetryPlan`]: one request without effects, such as `initialize` or a list, that failed.
//! - [`Repeat`]: one tool call that failed, and what is known of its [`Outcome`].

mod backoff;
mod delays;
mod pace;
mod reconnect;
mod repeat;
mod retry;
#[cfg(test)]
mod tests;

pub use backoff::{Asker, Backoff, Next};
pub use delays::Delays;
pub use pace::Pace;
pub use reconnect::{Quota, ReconnectPolicy, ServerKind};
pub use repeat::{Outcome, Repeat};
pub use retry::{RetryLimits, RetryPlan, is_lasting};
