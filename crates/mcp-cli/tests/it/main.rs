//! The program as people and scripts use it: arguments in; stdout, stderr and exit status out.
//!
//! Servers are the built-in one, and small ones written in shell; those need a Unix.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod asked;
mod demo;
mod demo_server;
mod demo_server_http;
mod demo_server_legacy;
mod demo_server_listen;
mod demo_server_modern;
mod demo_server_modern_http;
mod demo_server_rounds;
mod eras;
mod http;
mod http_peer;
mod line_peer;
mod run;

#[cfg(unix)]
mod call;
#[cfg(unix)]
mod complete;
#[cfg(unix)]
mod completions;
#[cfg(unix)]
mod config;
#[cfg(unix)]
mod config_commands;
#[cfg(unix)]
mod config_import;
#[cfg(unix)]
mod discovery;
#[cfg(unix)]
mod doctor;
#[cfg(unix)]
mod failures;
#[cfg(unix)]
mod interrupt;
#[cfg(unix)]
mod listen;
#[cfg(unix)]
mod lists;
#[cfg(unix)]
mod several;
#[cfg(unix)]
mod stderr;
#[cfg(unix)]
mod trust;
#[cfg(unix)]
mod world;
