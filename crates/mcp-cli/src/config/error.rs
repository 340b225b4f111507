//! What can be wrong with a file, and with one entry of it.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use mcp_transport_http::{EndpointError, HeaderError};

use super::Source;
use super::variables::VariableProblem;

/// A file that cannot be used at all.
#[derive(Debug)]
pub(crate) struct ConfigError {
    pub(crate) file: PathBuf,
    pub(crate) problem: FileProblem,
}

#[derive(Debug)]
pub(crate) enum FileProblem {
    Read(io::Error),
    Utf8 {
        line: usize,
    },
    Empty,
    /// No JSON, or not of the shape `{"mcpServers": {...}}`; the error names line and column.
    Json(serde_json::Error),
    NoServers,
    /// `mcpServers` is there more than once; taking one of them would lose the others.
    ServersTwice,
    TooLong {
        limit: u64,
    },
    NotServers {
        found: &'static str,
        line: usize,
    },
}

impl ConfigError {
    pub(super) fn new(file: &Path, problem: FileProblem) -> Self {
        Self { file: file.to_owned(), problem }
    }

    /// What may help.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match &self.problem {
            FileProblem::Json(_) => {
                Some("the file must be plain JSON: no comments, no comma after the last item")
            }
            FileProblem::Empty | FileProblem::NoServers | FileProblem::NotServers { .. } => {
                Some(r#"the least that works is {"mcpServers": {"NAME": {"command": "PROGRAM"}}}"#)
            }
            FileProblem::ServersTwice => Some("put all servers into one of them"),
            FileProblem::Read(_) | FileProblem::Utf8 { .. } | FileProblem::TooLong { .. } => None,
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        match &self.problem {
            FileProblem::Read(_) => write!(formatter, "cannot read config file {file}"),
            FileProblem::Utf8 { line } => write!(formatter, "config file {file} is not UTF-8 in line {line}"),
            FileProblem::Empty => write!(formatter, "config file {file} is empty"),
            FileProblem::Json(_) => write!(formatter, "config file {file} is not valid JSON"),
            FileProblem::NoServers => write!(formatter, r#"config file {file} has no "mcpServers""#),
            FileProblem::ServersTwice => {
                write!(formatter, r#"config file {file} has "mcpServers" more than once"#)
            }
            FileProblem::TooLong { limit } => {
                write!(formatter, "config file {file} is longer than {limit} bytes")
            }
            FileProblem::NotServers { found, line } => write!(
                formatter,
                r#"config file {file}: "mcpServers" in line {line} must be an object of servers by name, not {found}"#
            ),
        }
    }
}

impl Error for ConfigError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.problem {
            FileProblem::Read(error) => Some(error),
            FileProblem::Json(error) => Some(error),
            _ => None,
        }
    }
}

/// One entry that cannot be used.
#[derive(Clone, Debug)]
pub(crate) struct EntryError {
    pub(crate) server: String,
    pub(crate) source: Source,
    pub(crate) problem: EntryProblem,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum EntryProblem {
    NotAnObject {
        found: &'static str,
    },
    Twice,
    FieldTwice {
        field: String,
    },
    UnknownType {
        kind: String,
    },
    CommandAndUrl,
    NoCommand,
    NoUrl {
        kind: &'static str,
    },
    /// The address is none.
    Address(EndpointError),
    Header {
        field: String,
        problem: HeaderError,
    },
    Variable {
        field: String,
        problem: VariableProblem,
    },
    Proxy {
        reason: String,
    },
    /// A key without the certificate that it belongs to.
    KeyAlone,
    /// A field with a value that does not fit.
    Field {
        field: String,
        expected: &'static str,
        found: String,
    },
}

impl EntryError {
    /// The field that is wrong, where it is one.
    pub(crate) fn field(&self) -> Option<&str> {
        match &self.problem {
            EntryProblem::NotAnObject { .. } | EntryProblem::Twice | EntryProblem::CommandAndUrl => None,
            EntryProblem::UnknownType { .. } => Some("type"),
            EntryProblem::NoCommand => Some("command"),
            EntryProblem::NoUrl { .. } | EntryProblem::Address(_) => Some("url"),
            EntryProblem::Proxy { .. } => Some("proxy"),
            EntryProblem::KeyAlone => Some("client_key"),
            EntryProblem::FieldTwice { field }
            | EntryProblem::Header { field, .. }
            | EntryProblem::Variable { field, .. }
            | EntryProblem::Field { field, .. } => Some(field),
        }
    }

    /// What may help.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match &self.problem {
            EntryProblem::UnknownType { .. } => Some(r#"the types are "stdio", "http" and "sse""#),
            EntryProblem::NoCommand => Some(r#""command" is the program to run, "args" its arguments"#),
            EntryProblem::Variable { problem, .. } => Some(problem.hint()),
            EntryProblem::Proxy { .. } => Some(r#"a proxy is "http://HOST:PORT", or "none""#),
            EntryProblem::Twice => Some("rename one of the two, or remove it"),
            EntryProblem::Field { field, .. } if field == "args" => {
                Some(r#"write each argument as a string of its own: ["--root", "."]"#)
            }
            _ => None,
        }
    }
}

/// The exact texts of the behaviour contract, where it has one.
impl fmt::Display for EntryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let EntryProblem::UnknownType { kind } = &self.problem {
            return write!(formatter, "Unknown server type: {kind}");
        }
        write!(formatter, "Server \"{}\": ", self.server)?;
        match &self.problem {
            EntryProblem::NotAnObject { found } => write!(formatter, "must be an object, not {found}"),
            EntryProblem::Twice => formatter.write_str("is in the file twice"),
            EntryProblem::FieldTwice { field } => write!(formatter, "\"{field}\" is there twice"),
            EntryProblem::UnknownType { .. } => Ok(()), // Written above: its text has no server.
            EntryProblem::CommandAndUrl => formatter.write_str(
                "both \"command\" and \"url\" are set - server should be either stdio (command) OR http/sse (url), not both",
            ),
            EntryProblem::NoCommand => formatter.write_str("stdio server requires \"command\" field"),
            EntryProblem::NoUrl { kind } => write!(formatter, "{kind} server requires \"url\" field"),
            EntryProblem::Address(problem) => write!(formatter, "\"url\": {problem}"),
            EntryProblem::Header { field, problem } => write!(formatter, "\"{field}\": {problem}"),
            EntryProblem::Variable { field, problem } => write!(formatter, "\"{field}\": {problem}"),
            EntryProblem::Proxy { reason } => write!(formatter, "\"proxy\": {reason}"),
            EntryProblem::KeyAlone => formatter.write_str("\"client_key\" needs \"client_cert\" beside it"),
            EntryProblem::Field { field, expected, found } => {
                write!(formatter, "\"{field}\" must be {expected}, not {found}")
            }
        }
    }
}

impl Error for EntryError {}
