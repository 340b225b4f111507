//! What the library says about its own work, with `-v` and `-vv`.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use tracing::level_filters::LevelFilter;

use crate::console::Console;

/// Sends events to stderr: warnings with `-v`, everything with `-vv`.
pub(crate) fn start(verbose: u8, console: &Arc<Console>) {
    let level = match verbose {
        0 => return,
        1 => LevelFilter::WARN,
        _ => LevelFilter::TRACE,
    };
    let console = Arc::clone(console);
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(move || Lines(Arc::clone(&console)))
        .with_ansi(io::stderr().is_terminal())
        .without_time()
        .log_internal_errors(false)
        .init();
}

/// Hands each event, which comes in one piece, to the console.
struct Lines(Arc<Console>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.trace(String::from_utf8_lossy(bytes).into_owned());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
