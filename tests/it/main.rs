//! Tests across the crates, with real processes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

mod asked;
mod calls;
#[cfg(target_os = "linux")]
mod cli;
mod correlation;
mod data;
mod doctor;
mod eras;
mod framing;
#[cfg(target_os = "linux")]
mod handshake;
mod http_answers;
mod http_bounds;
mod http_events;
mod http_failures;
mod http_giving_up;
mod http_headers;
mod http_legacy;
mod http_listener;
mod http_pool;
mod http_redirects;
mod http_servers;
mod http_session;
mod http_stateless;
mod http_stateless_ends;
mod http_two;
mod manager_http;
mod manager_lists;
#[cfg(target_os = "linux")]
mod manager_processes;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod orphans;
#[cfg(target_os = "linux")]
mod process;
mod round_trips;
mod servers;
mod servers_cli;
#[cfg(target_os = "linux")]
mod statements;
mod timeouts;
