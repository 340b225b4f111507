//! Why a connection is gone.

use std::fmt;
use std::io;
use std::process::ExitStatus;

/// Why a connection is gone, with what is known of the process behind it.
#[derive(Debug)]
#[non_exhaustive]
pub struct CloseReason {
    /// What ended it.
    pub cause: CloseCause,
    /// How the server process ended, if there was one and it did.
    pub exit: Option<ExitStatus>,
    /// The last bytes the server wrote to stderr, bounded, escaped, configured secrets masked.
    pub stderr_tail: String,
}

impl CloseReason {
    /// A reason without a process behind it.
    pub fn new(cause: CloseCause) -> Self {
        Self { cause, exit: None, stderr_tail: String::new() }
    }

    /// The same reason, with how the process ended and what it wrote last.
    #[must_use]
    pub fn of_process(cause: CloseCause, exit: Option<ExitStatus>, stderr_tail: String) -> Self {
        Self { cause, exit, stderr_tail }
    }
}

/// What ended a connection.
#[derive(Debug)]
#[non_exhaustive]
pub enum CloseCause {
    /// `close()` was called.
    Requested,
    /// The transport was dropped without `close()`.
    Dropped,
    /// The peer ended its stream.
    EndOfStream,
    /// The server process ended while its stream was still open.
    Exited,
    /// Reading failed.
    Read(io::Error),
    /// Writing failed.
    Write(io::Error),
    /// A task of the transport panicked, most likely in a handler.
    Panicked,
}

impl fmt::Display for CloseReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self.cause {
            CloseCause::Requested => "the client closed the connection",
            CloseCause::Dropped => "the client dropped the connection",
            CloseCause::EndOfStream => "the server ended its output",
            CloseCause::Exited => "the server process ended",
            CloseCause::Read(_) => "reading from the server failed",
            CloseCause::Write(_) => "writing to the server failed",
            CloseCause::Panicked => "a handler panicked",
        })?;
        match self.exit {
            Some(exit) => write!(formatter, " ({exit})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for CloseReason {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.cause {
            CloseCause::Read(error) | CloseCause::Write(error) => Some(error),
            _ => None,
        }
    }
}
