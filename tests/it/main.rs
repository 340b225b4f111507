//! Tests across the crates, with real processes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

mod asked;
mod calls;
#[cfg(target_os = "linux")]
mod cli;
mod correlation;
mod data;
mod framing;
#[cfg(target_os = "linux")]
mod handshake;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod orphans;
#[cfg(target_os = "linux")]
mod process;
mod servers;
mod servers_cli;
#[cfg(target_os = "linux")]
mod statements;
mod timeouts;
