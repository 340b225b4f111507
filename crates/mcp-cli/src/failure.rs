//! What the program says when something fails, and the exit status that goes with it.

mod of_client;
mod of_config;

use std::error::Error;
use std::fmt;

use crate::show::escape;
use crate::show::look::Look;
use crate::status::Status;

/// What a line begins with that says what to try.
const HINT: &str = "hint: ";

/// Why a command stops early.
#[derive(Debug)]
pub(crate) enum Stop {
    Failure(Failure),
    /// Nobody reads stdout any more.
    StdoutClosed,
}

/// A failure as people read it:
///
/// ```text
/// error: files: Transport closed
///     the server process ended (exit status: 78)
///     hint: ...
/// ```
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) server: Option<String>,
    /// Begins with the text that the behaviour contract gives for the case, if it gives one.
    pub(crate) text: String,
    /// What helps, a line each; all come from servers and files, so all are escaped.
    pub(crate) details: Vec<String>,
    pub(crate) status: Status,
}

impl Failure {
    pub(crate) fn new(status: Status, text: impl Into<String>) -> Self {
        Self { server: None, text: text.into(), details: Vec::new(), status }
    }

    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::new(Status::Usage, text)
    }

    /// The same, about this server.
    pub(crate) fn of(mut self, server: &str) -> Self {
        self.server = Some(server.to_owned());
        self
    }

    /// The same with one more line below it.
    pub(crate) fn with(mut self, detail: impl Into<String>) -> Self {
        self.details.push(detail.into());
        self
    }

    pub(crate) fn hint(self, hint: &str) -> Self {
        self.with(format!("{HINT}{hint}"))
    }

    /// What is known of it, without what to try.
    pub(crate) fn facts(&self) -> impl Iterator<Item = &str> {
        let details = self.details.iter().map(String::as_str);
        std::iter::once(self.text.as_str()).chain(details.filter(|line| !line.starts_with(HINT)))
    }

    /// What to try, if something is known.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.details.iter().find_map(|line| line.strip_prefix(HINT))
    }

    /// The same with the causes behind `error`, a line each.
    fn with_causes(mut self, error: &dyn Error) -> Self {
        let mut cause = error.source();
        while let Some(error) = cause {
            self.details.push(error.to_string());
            cause = error.source();
        }
        self
    }

    /// The same with the last a server wrote to stderr.
    fn with_stderr(mut self, tail: &str) -> Self {
        if !tail.trim().is_empty() {
            self.details.push("stderr ends with:".to_owned());
            self.details.extend(tail.trim_end().lines().map(|line| format!("  {line}")));
        }
        self
    }

    /// As it goes to stderr.
    pub(crate) fn render(&self, look: Look) -> String {
        let mut out = look.bad("error:");
        if let Some(server) = &self.server {
            out.push_str(&format!(" {}:", escape::line(server)));
        }
        out.push_str(&format!(" {}\n", escape::line(&self.text)));
        for detail in &self.details {
            out.push_str(&format!("    {}\n", escape::line(detail)));
        }
        out
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.render(Look::PLAIN).trim_end())
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

#[cfg(test)]
mod tests;
