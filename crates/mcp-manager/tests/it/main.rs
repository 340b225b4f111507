//! The manager over servers in memory, in paused time.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod caching;
mod calls;
mod eras;
mod fake;
mod healing;
mod names;
mod reloading;
mod starting;
mod storms;
