//! What the library says about its own work, with `-v` and `-vv`.

use std::io::IsTerminal;

use tracing::level_filters::LevelFilter;

/// Sends events to stderr: warnings with `-v`, everything with `-vv`. Configured secrets are masked
/// where they are read, so none can get here.
pub(crate) fn start(verbose: u8) {
    let level = match verbose {
        0 => return,
        1 => LevelFilter::WARN,
        _ => LevelFilter::TRACE,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .without_time()
        .init();
}
