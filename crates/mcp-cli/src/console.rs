//! Stderr: failures, warnings, log messages and the progress bar, without getting in each other's way.

mod bar;
mod writer;

use std::io::IsTerminal;
use std::sync::Arc;

use mcp_client::ProgressCallback;
use mcp_types::{LogMessageParams, LoggingLevel, ProgressParams};
use serde_json::Value;

use self::writer::Writer;
use crate::failure::Failure;
use crate::show::escape;
use crate::show::look::Look;

/// Stderr, and how much is to be said there. Nothing here waits for a stderr that is not read, but
/// for a moment at the end.
#[derive(Debug)]
pub(crate) struct Console {
    look: Look,
    verbose: u8,
    is_terminal: bool,
    writer: Writer,
}

/// Whether somebody can be asked: questions stand on stderr and are answered on stdin.
pub(crate) fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

impl Console {
    pub(crate) fn new(verbose: u8) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        Self { look: Look::of_stderr(), verbose, is_terminal, writer: Writer::start() }
    }

    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose > 0
    }

    pub(crate) fn failure(&self, failure: &Failure) {
        self.writer.important(failure.render(self.look));
    }

    pub(crate) fn warning(&self, server: &str, text: &str) {
        self.writer.text(format!("warning: {}: {}", escape::line(server), escape::line(text)));
    }

    /// Something that a person should know and no failure.
    pub(crate) fn note(&self, text: &str) {
        self.writer.text(format!("note: {}", escape::line(text)));
    }

    /// A question, which is escaped already; it is there when this returns.
    pub(crate) fn question(&self, text: String) {
        self.writer.important(text);
        self.writer.flush();
    }

    /// Something that only matters to who asked for more.
    pub(crate) fn detail(&self, server: &str, text: &str) {
        if self.is_verbose() {
            self.writer.text(self.look.faint(&format!("{}: {}", escape::line(server), escape::line(text))));
        }
    }

    /// A log message of a server. Warnings and worse always show, the others with `-v`.
    pub(crate) fn log(&self, server: &str, message: &LogMessageParams) {
        if self.is_verbose() || is_serious(&message.level) {
            let server = escape::line(server);
            let level = escape::line(message.level.as_str());
            self.writer.text(format!("{server}: {level}: {}", log_text(message)));
        }
    }

    /// The least serious log messages that [`log`](Self::log) shows.
    pub(crate) fn least_level(&self) -> LoggingLevel {
        if self.is_verbose() { LoggingLevel::Debug } else { LoggingLevel::Warning }
    }

    /// Progress of a call: a bar on a terminal, lines with `-v` elsewhere. `None` if nobody would
    /// see it, so that the server need not send any.
    pub(crate) fn progress(self: &Arc<Self>, server: &str) -> Option<ProgressCallback> {
        let (console, server) = (Arc::clone(self), server.to_owned());
        if self.is_terminal {
            Some(Arc::new(move |progress| console.writer.progress(progress)))
        } else if self.is_verbose() {
            Some(Arc::new(move |progress| console.detail(&server, &progress_text(progress))))
        } else {
            None
        }
    }

    /// Takes the bar away.
    pub(crate) fn end_progress(&self) {
        self.writer.end_progress();
    }

    /// Waits a moment until all is written.
    pub(crate) fn flush(&self) {
        self.writer.flush();
    }

    /// A line of the library's own log.
    pub(crate) fn trace(&self, line: String) {
        self.writer.text(line);
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
