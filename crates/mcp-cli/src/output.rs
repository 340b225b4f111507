//! Stdout: results and nothing else. The only place that writes there, the demo server apart.

use std::io::{self, ErrorKind, Write};

use serde::Serialize;

use crate::failure::{Failure, Stop};
use crate::show::look::Look;
use crate::status::Status;

/// Stdout, and how to write for it.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) look: Look,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self { look: Look::of_stdout() }
    }

    /// Prints `text`, and a line end where it has none.
    ///
    /// # Errors
    ///
    /// [`Stop::StdoutClosed`] if nobody reads any more, which is no failure: whoever read has
    /// seen enough.
    pub(crate) fn print(&self, text: &str) -> Result<(), Stop> {
        // Whoever reads may be slow. Meanwhile signals and servers need this thread's work done.
        let written = tokio::task::block_in_place(|| write(text));
        written.map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => Stop::StdoutClosed,
            _ => Failure::new(Status::Link, format!("cannot write to stdout: {error}")).into(),
        })
    }
}

/// The one JSON document that a command prints with `--json`.
///
/// # Errors
///
/// Something in it has no place in JSON.
pub(crate) fn document(document: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(document).map_err(|error| Failure::new(Status::Link, error.to_string()))
}

fn write(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    if !text.is_empty() && !text.ends_with('\n') {
        stdout.write_all(b"\n")?;
    }
    stdout.flush()
}
