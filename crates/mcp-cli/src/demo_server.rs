//! The built-in server: a small, correct MCP server on stdin and stdout, or over HTTP, of both eras.
//!
//! It serves `demo`, and tests use it as a peer. It is written against the specification and shares
//! no code with the client, so that neither hides a mistake of the other; the bytes of HTTP itself
//! it leaves to `hyper`.
//!
//! ```text
//! stdin ──► lines ──► message ──► Connection ──┬─► Legacy, a session ──┬─► features ──► catalogue
//!                        ▲                     └─► Modern, no session ─┤
//! POST ──► http ─────────┴─────────────────────────▲   ▲               └─► Job, a thread ──► tools
//!                                                                             │
//!         World: what grew, the counter, the audience of changes              ▼
//!                                                         wire: stdout, or the stream of the request
//! ```
//!
//! The eras are thin: what a client is told of, how it is asked something (`Caller`), and what is added
//! to results. All clients of a process see one [`World`](world::World).

mod asked;
mod audience;
mod caller;
mod catalogue;
mod completion;
mod connection;
mod era;
mod features;
mod http;
mod job;
mod legacy;
mod level;
mod lines;
mod message;
mod modern;
mod outcome;
mod questions;
mod reply;
mod revision;
mod running;
mod seal;
mod stdio;
mod tools;
mod wire;
mod world;

use std::io::Write;

use serde_json::{Value, json};

pub(crate) use self::era::Era;
pub(crate) use self::http::HttpServer;
pub(crate) use self::http::address::Address;
use self::revision::Revision;
pub(crate) use self::stdio::serve;

const INSTRUCTIONS: &str = "A server to try a client on. Nothing it does leaves this process.";

/// How the server behaves.
#[derive(Debug)]
pub(crate) struct Options {
    /// Items on one page of a list.
    pub(crate) page: usize,
    /// Which clients it serves.
    pub(crate) era: Era,
}

/// What the server is called.
fn info() -> Value {
    json!({ "name": "mcp-demo", "title": "Demo server", "version": env!("CARGO_PKG_VERSION") })
}

/// What the server has, as far as a revision has a name for it.
fn capabilities(revision: Revision) -> Value {
    let mut capabilities = json!({
        "tools": { "listChanged": true },
        "resources": { "subscribe": true, "listChanged": true },
        "prompts": { "listChanged": true },
        "logging": {},
    });
    if revision.has_completions() {
        capabilities["completions"] = json!({});
    }
    capabilities
}

/// Says something on stderr, whether or not anybody reads it.
fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "demo-server: {text}");
}
