//! Stderr: failures, warnings, log messages and the progress bar, without getting in each other's way.

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use mcp_client::ProgressCallback;
use mcp_types::{LogMessageParams, LoggingLevel, ProgressParams};
use serde_json::Value;

use crate::failure::Failure;
use crate::show::escape;
use crate::show::look::Look;

/// The bar counts in thousandths, since progress may be a fraction.
const SCALE: f64 = 1000.0;

/// Stderr, and how much is to be said there.
#[derive(Debug)]
pub(crate) struct Console {
    look: Look,
    verbose: u8,
    is_terminal: bool,
    bar: Mutex<Option<ProgressBar>>,
}

impl Console {
    pub(crate) fn new(verbose: u8) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        Self { look: Look::of_stderr(), verbose, is_terminal, bar: Mutex::new(None) }
    }

    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose > 0
    }

    pub(crate) fn failure(&self, failure: &Failure) {
        self.write(&failure.render(self.look));
    }

    pub(crate) fn warning(&self, server: &str, text: &str) {
        self.write(&format!("warning: {}: {}\n", escape::line(server), escape::line(text)));
    }

    /// Something that only matters to who asked for more.
    pub(crate) fn detail(&self, server: &str, text: &str) {
        if self.is_verbose() {
            self.write(&self.look.faint(&format!("{}: {}", escape::line(server), escape::line(text))));
        }
    }

    /// A log message of a server. Warnings and worse always show, the others with `-v`.
    pub(crate) fn log(&self, server: &str, message: &LogMessageParams) {
        if self.is_verbose() || is_serious(&message.level) {
            let server = escape::line(server);
            let level = escape::line(message.level.as_str());
            self.write(&format!("{server}: {level}: {}\n", log_text(message)));
        }
    }

    /// Progress of a call: a bar on a terminal, lines with `-v` elsewhere. `None` if nobody would
    /// see it, so that the server need not send any.
    pub(crate) fn progress(self: &Arc<Self>, server: &str) -> Option<ProgressCallback> {
        let (console, server) = (Arc::clone(self), server.to_owned());
        if self.is_terminal {
            Some(Arc::new(move |progress| console.move_bar(progress)))
        } else if self.is_verbose() {
            Some(Arc::new(move |progress| console.detail(&server, &progress_text(progress))))
        } else {
            None
        }
    }

    /// Takes the bar away.
    pub(crate) fn end_progress(&self) {
        if let Some(bar) = self.bar().take() {
            bar.finish_and_clear();
        }
    }

    fn move_bar(&self, progress: &ProgressParams) {
        let mut slot = self.bar();
        let bar = slot.get_or_insert_with(|| {
            let bar = ProgressBar::no_length();
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        match progress.total.filter(|total| *total > 0.0) {
            Some(total) => {
                bar.set_style(style("{spinner} {bar:30} {percent:>3}% {wide_msg}"));
                bar.set_length((total * SCALE) as u64);
                bar.set_position((progress.progress.min(total) * SCALE) as u64);
            }
            None => bar.set_style(style("{spinner} {wide_msg}")),
        }
        let counted = || count(progress);
        bar.set_message(progress.message.as_deref().map_or_else(counted, escape::line));
    }

    /// A stderr that is gone takes no message; there is nowhere else to say so.
    fn write(&self, text: &str) {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let write = || {
            let _ = std::io::stderr().write_all(format!("{text}{end}").as_bytes());
        };
        match &*self.bar() {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    fn bar(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The text of a log message, with the name of its logger.
pub(crate) fn log_text(message: &LogMessageParams) -> String {
    let data = match serde_json::from_str(message.data.get()) {
        Ok(Value::String(text)) => text,
        _ => message.data.get().to_owned(),
    };
    match &message.logger {
        Some(logger) => format!("[{}] {}", escape::line(logger), escape::line(&data)),
        None => escape::line(&data),
    }
}

/// One progress notification in words.
pub(crate) fn progress_text(progress: &ProgressParams) -> String {
    match &progress.message {
        Some(message) => format!("progress {}: {}", count(progress), escape::line(message)),
        None => format!("progress {}", count(progress)),
    }
}

fn count(progress: &ProgressParams) -> String {
    match progress.total {
        Some(total) => format!("{}/{total}", progress.progress),
        None => progress.progress.to_string(),
    }
}

fn is_serious(level: &LoggingLevel) -> bool {
    use LoggingLevel::{Alert, Critical, Emergency, Error, Warning};
    matches!(level, Warning | Error | Critical | Alert | Emergency)
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
