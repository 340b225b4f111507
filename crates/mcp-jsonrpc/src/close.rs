//! Why a connection is gone.

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitStatus;
use std::sync::{Arc, OnceLock};

use crate::handler::Handler;

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

/// The end of one connection, which its handler hears of once.
#[derive(Debug, Default)]
pub struct Ending(OnceLock<Arc<CloseReason>>);

impl Ending {
    /// A connection that has not ended.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Why it ended, once that was announced.
    pub fn reason(&self) -> Option<&Arc<CloseReason>> {
        self.0.get()
    }

    /// Tells the handler, unless it was told before. A handler that panics is caught: this may run
    /// while another panic unwinds, where a second one would abort.
    pub fn announce(&self, reason: Arc<CloseReason>, handler: &dyn Handler) {
        if self.0.set(reason.clone()).is_ok() {
            let told = catch_unwind(AssertUnwindSafe(|| handler.on_close(&reason)));
            if told.is_err() {
                tracing::warn!("on_close panicked");
            }
        }
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Panics(AtomicUsize);

    impl Handler for Panics {
        fn on_close(&self, _: &CloseReason) {
            self.0.fetch_add(1, Ordering::Relaxed);
            panic!("on purpose");
        }
    }

    #[test]
    fn an_end_is_told_once_even_to_a_handler_that_panics() {
        let (ending, handler) = (Ending::new(), Panics::default());
        assert!(ending.reason().is_none());
        for cause in [CloseCause::Requested, CloseCause::Dropped] {
            ending.announce(Arc::new(CloseReason::new(cause)), &handler);
        }
        assert_eq!(handler.0.load(Ordering::Relaxed), 1);
        assert!(matches!(ending.reason().unwrap().cause, CloseCause::Requested));
    }
}
