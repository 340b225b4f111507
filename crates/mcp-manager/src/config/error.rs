//! What can be wrong with a file, and with one entry of it.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use mcp_transport_http::{EndpointError, HeaderError};

use super::expand::VariableProblem;
use super::lines::Place;
use super::origin::Origin;
use crate::names::GlobError;

/// A file that cannot be used at all.
#[derive(Debug)]
#[non_exhaustive]
pub struct ConfigError {
    /// Which file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub problem: FileProblem,
}

/// What is wrong with a file as a whole.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileProblem {
    /// It cannot be read.
    Read(io::Error),
    /// It is no text.
    Utf8 {
        /// Where it stops being one.
        place: Place,
    },
    /// There is nothing in it.
    Empty,
    /// It is no JSON object, where it has to be one.
    Json(SyntaxError),
    /// It is no TOML, where it has to be.
    Toml(SyntaxError),
    /// It has no servers.
    NoServers {
        /// The member they should be in.
        container: &'static str,
    },
    /// The member with the servers is there more than once; taking one of them would lose the others.
    ServersTwice {
        /// The member.
        container: &'static str,
        /// Where it is there again.
        place: Place,
    },
    /// The member with the servers is no object.
    NotServers {
        /// The member.
        container: &'static str,
        /// What it is.
        found: &'static str,
        /// Where it begins.
        place: Place,
    },
    /// It is longer than any such file.
    TooLong {
        /// What is read at most, in bytes.
        limit: u64,
    },
    /// It has more servers than any such file.
    TooMany {
        /// How many there may be.
        limit: usize,
    },
}

/// A text that does not follow the rules of its language.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyntaxError {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub place: Option<Place>,
}

impl ConfigError {
    pub(super) fn new(file: &Path, problem: FileProblem) -> Self {
        Self { file: file.to_owned(), problem }
    }

    /// Whether the file is not there.
    pub fn is_not_found(&self) -> bool {
        matches!(&self.problem, FileProblem::Read(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// Where in the file it is, if it is one place.
    pub fn place(&self) -> Option<Place> {
        match &self.problem {
            FileProblem::Json(error) | FileProblem::Toml(error) => error.place,
            FileProblem::Utf8 { place }
            | FileProblem::ServersTwice { place, .. }
            | FileProblem::NotServers { place, .. } => Some(*place),
            _ => None,
        }
    }

    /// What may help.
    pub fn hint(&self) -> Option<&'static str> {
        match &self.problem {
            FileProblem::Json(_) => {
                Some("the file must be JSON; comments and a comma after the last item are fine")
            }
            FileProblem::Empty | FileProblem::NoServers { .. } | FileProblem::NotServers { .. } => {
                Some(r#"the least that works is {"mcpServers": {"NAME": {"command": "PROGRAM"}}}"#)
            }
            FileProblem::ServersTwice { .. } => Some("put all servers into one of them"),
            _ => None,
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        match &self.problem {
            FileProblem::Read(_) => write!(formatter, "cannot read config file {file}"),
            FileProblem::Utf8 { place } => {
                write!(formatter, "config file {file} is not UTF-8 in line {}", place.line)
            }
            FileProblem::Empty => write!(formatter, "config file {file} is empty"),
            FileProblem::Json(_) => write!(formatter, "config file {file} is not valid JSON"),
            FileProblem::Toml(_) => write!(formatter, "config file {file} is not valid TOML"),
            FileProblem::NoServers { container } => {
                write!(formatter, r#"config file {file} has no "{container}""#)
            }
            FileProblem::ServersTwice { container, .. } => {
                write!(formatter, r#"config file {file} has "{container}" more than once"#)
            }
            FileProblem::TooLong { limit } => {
                write!(formatter, "config file {file} is longer than {limit} bytes")
            }
            FileProblem::TooMany { limit } => {
                write!(formatter, "config file {file} has more than {limit} servers")
            }
            FileProblem::NotServers { container, found, place } => write!(
                formatter,
                r#"config file {file}: "{container}" in line {} must be an object of servers by name, not {found}"#,
                place.line
            ),
        }
    }
}

impl Error for ConfigError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.problem {
            FileProblem::Read(error) => Some(error),
            FileProblem::Json(error) | FileProblem::Toml(error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(place) => write!(formatter, "{} at {place}", self.message),
            None => formatter.write_str(&self.message),
        }
    }
}

impl Error for SyntaxError {}

/// One entry that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntryError {
    /// The name of the server.
    pub server: String,
    /// Where it is wrong: the place of the value if there is one, else that of the entry.
    pub origin: Origin,
    /// What is wrong.
    pub problem: EntryProblem,
}

/// What is wrong with an entry. Fields are named as they are in the file. No message shows a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields of each variant are those of its message")]
pub enum EntryProblem {
    /// It is no object.
    NotAnObject { found: &'static str },
    /// Its name is there more than once.
    Twice,
    /// A field is there more than once.
    FieldTwice { field: String },
    /// No transport has this name.
    UnknownType { kind: String },
    /// It is a program and an address.
    CommandAndUrl,
    /// The program is missing.
    NoCommand,
    /// The address is missing.
    NoUrl { kind: &'static str, field: &'static str },
    /// The address is none.
    Address { field: String, problem: EndpointError },
    /// A header cannot be sent.
    Header { field: String, problem: HeaderError },
    /// A variable cannot be filled in.
    Variable { field: String, problem: VariableProblem },
    /// The proxy cannot be used.
    Proxy { reason: String },
    /// A key without the certificate that it belongs to.
    KeyAlone,
    /// A field with a value that does not fit.
    Field { field: String, expected: &'static str, found: String },
    /// A pattern for tools is none.
    Pattern { field: String, problem: GlobError },
    /// The host does something for this field that is not done here, and the server is not the same
    /// without it.
    Refused { field: String, reason: &'static str },
}

impl EntryError {
    /// The field that is wrong, where it is one.
    pub fn field(&self) -> Option<&str> {
        self.problem.field()
    }

    /// What may help.
    pub fn hint(&self) -> Option<&'static str> {
        match &self.problem {
            EntryProblem::UnknownType { .. } => Some(r#"the types are "stdio", "http" and "sse""#),
            EntryProblem::NoCommand => Some(r#""command" is the program to run, "args" its arguments"#),
            EntryProblem::NoUrl { field: "serverUrl", .. } => {
                Some(r#"Windsurf reads "serverUrl", not "url""#)
            }
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

impl EntryProblem {
    /// The field that is wrong, where it is one.
    pub(super) fn field(&self) -> Option<&str> {
        match self {
            Self::NotAnObject { .. } | Self::Twice | Self::CommandAndUrl => None,
            Self::UnknownType { .. } => Some("type"),
            Self::NoCommand => Some("command"),
            Self::NoUrl { field, .. } => Some(field),
            Self::Proxy { .. } => Some("proxy"),
            Self::KeyAlone => Some("client_key"),
            Self::FieldTwice { field }
            | Self::Address { field, .. }
            | Self::Header { field, .. }
            | Self::Variable { field, .. }
            | Self::Pattern { field, .. }
            | Self::Refused { field, .. }
            | Self::Field { field, .. } => Some(field),
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
            EntryProblem::NoUrl { kind, field } => {
                write!(formatter, "{kind} server requires \"{field}\" field")
            }
            EntryProblem::Address { field, problem } => write!(formatter, "\"{field}\": {problem}"),
            EntryProblem::Header { field, problem } => write!(formatter, "\"{field}\": {problem}"),
            EntryProblem::Variable { field, problem } => write!(formatter, "\"{field}\": {problem}"),
            EntryProblem::Proxy { reason } => write!(formatter, "\"proxy\": {reason}"),
            EntryProblem::KeyAlone => formatter.write_str("\"client_key\" needs \"client_cert\" beside it"),
            EntryProblem::Field { field, expected, found } => {
                write!(formatter, "\"{field}\" must be {expected}, not {found}")
            }
            EntryProblem::Pattern { field, problem } => write!(formatter, "\"{field}\": {problem}"),
            EntryProblem::Refused { field, reason } => write!(formatter, "\"{field}\" {reason}"),
        }
    }
}

impl Error for EntryError {}
