//! The built-in server: a small, correct MCP server on stdin and stdout.
//!
//! It serves `demo`, and tests use it as a peer. It is written against the specification with nothing
//! but threads and `serde_json`, and shares no code with the client, so that neither hides a
//! mistake of the other.
//!
//! ```text
//! stdin ──► lines ──► message ──► Server ──► a thread a call ──► tools
//!                                   │                              │
//! stdout ◄─────────────── wire ◄────┴──────────────────────────────┘
//! ```

mod asked;
mod catalogue;
mod lines;
mod message;
mod outcome;
mod running;
mod server;
mod tools;
mod wire;

use std::io::{self, BufReader};
use std::thread;

use self::lines::{Line, Lines};
use self::server::Server;
use self::wire::Wire;

/// Longest line read, in bytes. A longer one is skipped and answered with an error.
const LONGEST_LINE: usize = 64 << 20;

/// How the server behaves.
#[derive(Debug)]
pub(crate) struct Options {
    /// Tools on one page of `tools/list`.
    pub(crate) page: usize,
}

/// Serves until stdin ends. Calls that still run are then cancelled, so this returns at once.
pub(crate) fn serve(options: &Options) -> io::Result<()> {
    let server = Server::new(Wire::new(io::stdout()), options.page);
    let mut lines = Lines::new(BufReader::new(io::stdin()), LONGEST_LINE);
    thread::scope(|scope| {
        let mut read = Ok(());
        loop {
            match lines.next_line() {
                Ok(Some(Line::Whole(line))) => server.accept(scope, line),
                Ok(Some(Line::TooLong)) => server.refuse_long_line(LONGEST_LINE),
                Ok(None) => break,
                Err(error) => {
                    read = Err(error);
                    break;
                }
            }
        }
        server.end();
        read
    })
}
