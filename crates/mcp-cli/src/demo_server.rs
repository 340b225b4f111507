//! The built-in server: a small, correct MCP server on stdin and stdout, or over HTTP.
//!
//! It serves `demo`, and tests use it as a peer. It is written against the specification and shares
//! no code with the client, so that neither hides a mistake of the other; the bytes of HTTP itself
//! it leaves to `hyper`.
//!
//! ```text
//! stdin ──► lines ──► message ──► Server ──► Job, on a thread ──► tools
//!                        ▲           │                              │
//! POST ──► http ─────────┘           ▼                              ▼
//!                                  answer               wire: stdout, or the stream of the call
//! ```

mod asked;
mod catalogue;
mod http;
mod job;
mod lines;
mod message;
mod outcome;
mod questions;
mod running;
mod server;
mod stdio;
mod tools;
mod wire;

use std::io::Write;

pub(crate) use self::http::HttpServer;
pub(crate) use self::http::address::Address;
pub(crate) use self::stdio::serve;

/// How the server behaves.
#[derive(Debug)]
pub(crate) struct Options {
    /// Tools on one page of `tools/list`.
    pub(crate) page: usize,
}

/// Says something on stderr, whether or not anybody reads it.
fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "demo-server: {text}");
}
