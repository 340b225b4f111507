//! Failures of connecting and of calls.

use std::error::Error;

use mcp_client::{ClientError, ConnectError, InputError, ListenError, UrlElicitation};
use mcp_jsonrpc::{CallError, ErrorObject, OpenError, Sample};
use mcp_manager::StartError;
use mcp_transport_http::connector::ConnectKind;
use mcp_transport_http::{self as http_transport, HttpError};
use mcp_transport_stdio::SpawnError;
use mcp_types::{ErrorCode, Revision};
use serde_json::value::RawValue;

use super::{Failure, Stop};
use crate::show::json;
use crate::status::Status;

/// Longest `data` of an error object that is shown.
const LONGEST_DATA: usize = 400;

/// Most addresses that are shown.
const MOST_URLS: usize = 8;

const OPEN_FIRST: &str = "open that in your browser if you trust it, then repeat the command";

const LONGER: &str = "--timeout MS gives it longer, --timeout 0 any time";

const NO_ROOTS: &str = "--root DIR names a folder that it may work on";

const ANOTHER_REVISION: &str = "--protocol V chooses another revision, if the server speaks one that has it";

const CANNOT_ANSWER: &str = "it asks for what this program does not answer, or only at a terminal";

impl From<&ConnectError> for Failure {
    fn from(error: &ConnectError) -> Self {
        let server = error.server().to_owned();
        let failure = match error {
            ConnectError::Open { source, .. } => of_open(source),
            ConnectError::TimedOut { stderr_tail, .. } => {
                let failure = Self::new(Status::Timeout, error.to_string());
                let state = error.hint().map(|state| format!("the server was still running: {state}"));
                state.into_iter().fold(failure, Self::with).with_stderr(stderr_tail).hint(LONGER)
            }
            ConnectError::Refused { error: object, .. } => {
                let hint = error.hint().map(|hint| format!("{hint}; --protocol auto finds out"));
                hint.iter().fold(of_rpc(object), |failure, hint| failure.hint(hint))
            }
            ConnectError::Version { supported, .. } => {
                let failure = Self::new(Status::Link, error.to_string()).with_causes(error);
                other_revision(supported).iter().fold(failure, |failure, hint| failure.hint(hint))
            }
            ConnectError::Call { source, .. } => of_call(source),
            ConnectError::Answer { sample, .. } => {
                Self::new(Status::Link, error.to_string()).with_causes(error).with(begins(sample))
            }
            _ => Self::new(Status::Link, error.to_string()).with_causes(error),
        };
        failure.of(&server)
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Self::from(&error)
    }
}

impl From<&ClientError> for Failure {
    fn from(error: &ClientError) -> Self {
        let server = error.server().to_owned();
        let failure = match error {
            ClientError::Call { source, .. } => of_call(source),
            ClientError::NotOffered { .. } | ClientError::NotAsTask { .. } => Self::usage(error.to_string()),
            ClientError::NotInRevision { .. } => Self::usage(error.to_string()).hint(ANOTHER_REVISION),
            ClientError::Params { .. } | ClientError::Header { .. } => {
                Self::usage(error.to_string()).with_causes(error)
            }
            ClientError::TaskUnfinished { .. } => Self::new(Status::Timeout, error.to_string()),
            ClientError::Listen { source, .. } => of_listen(error, source),
            ClientError::Input { source: InputError::Refused { .. }, .. } => {
                Self::new(Status::Link, error.to_string()).with_causes(error).hint(CANNOT_ANSWER)
            }
            ClientError::Answer { sample, .. } => {
                Self::new(Status::Link, error.to_string()).with_causes(error).with(begins(sample))
            }
            _ => Self::new(Status::Link, error.to_string()).with_causes(error),
        };
        let urls = error.url_elicitations().unwrap_or_default();
        with_urls(failure, &urls).of(&server)
    }
}

impl From<ClientError> for Stop {
    fn from(error: ClientError) -> Self {
        Self::Failure(error.into())
    }
}

impl Failure {
    /// A start that failed otherwise than by what the client says of it.
    pub(crate) fn of_start(error: &StartError) -> Self {
        match error {
            StartError::TimedOut { .. } => Self::new(Status::Timeout, error.to_string()).hint(LONGER),
            _ => Self::new(Status::Link, error.to_string()).with_causes(error),
        }
    }

    /// A connection that was not made to a server behind an address, of whose process nothing is
    /// known.
    pub(crate) fn of_remote(error: &ConnectError) -> Self {
        let ConnectError::TimedOut { server, heard, .. } = error else { return error.into() };
        let state =
            if *heard { "it sent something, but not the answer" } else { "nothing came from the server" };
        Self::new(Status::Timeout, error.to_string()).of(server).with(state).hint(LONGER)
    }
}

fn of_open(error: &OpenError) -> Failure {
    if let Some(http_transport::ConnectError::Connector(cause)) = error.downcast_ref() {
        return Failure::usage(cause.to_string()).with_causes(cause);
    }
    let failure = Failure::new(Status::Link, error.to_string()).with_causes(error);
    match error.downcast_ref::<SpawnError>().and_then(SpawnError::hint) {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn of_call(error: &CallError) -> Failure {
    let text = error.to_string();
    match error {
        CallError::Rpc(object) => of_rpc(object),
        CallError::Timeout { total, .. } => {
            let failure = Failure::new(Status::Timeout, text);
            if *total {
                failure.hint("`max_total_timeout` is the limit on the whole call")
            } else {
                failure.hint(LONGER)
            }
        }
        CallError::Closed { reason, .. } => {
            let failure = Failure::new(Status::Link, text).with(reason.to_string());
            let causes = reason.source().map(ToString::to_string);
            causes.into_iter().fold(failure, Failure::with).with_stderr(&reason.stderr_tail)
        }
        CallError::Malformed { sample, .. } => {
            Failure::new(Status::Link, text).with_causes(error).with(begins(sample))
        }
        CallError::Transport(_) => of_http(error),
        _ => Failure::new(Status::Link, text).with_causes(error),
    }
}

/// A failure that only the transport over HTTP knows.
fn of_http(error: &CallError) -> Failure {
    let http = error.downcast_ref::<HttpError>();
    let is_late =
        matches!(http, Some(HttpError::Connect(failure)) if failure.kind() == ConnectKind::TimedOut);
    let status = if is_late { Status::Timeout } else { Status::Link };
    let failure = Failure::new(status, error.to_string()).with_causes(error);
    http.and_then(HttpError::hint).into_iter().fold(failure, Failure::hint)
}

/// How to speak the newest of these revisions that is known here.
fn other_revision(supported: &[Sample]) -> Option<String> {
    let known = supported.iter().filter_map(|version| Revision::parse(&version.to_string()));
    known.max().map(|revision| format!("--protocol {revision} offers what it supports"))
}

/// A resource whose changes are not told.
fn of_listen(error: &ClientError, cause: &ListenError) -> Failure {
    let status = match cause {
        ListenError::Refused(cause) => of_call(cause).status,
        ListenError::NotHonoured => Status::Refused,
        ListenError::TooMany { .. } => Status::Usage,
        _ => Status::Link,
    };
    Failure::new(status, error.to_string()).with_causes(error)
}

fn begins(sample: &Sample) -> String {
    format!("it begins: {sample}")
}

/// What the server wants opened first, in full: the user decides.
fn with_urls(failure: Failure, urls: &[UrlElicitation]) -> Failure {
    if urls.is_empty() {
        return failure;
    }
    let shown = urls.iter().take(MOST_URLS).map(|it| format!("to open first, at {}: {}", it.host(), it.url));
    shown.fold(failure, Failure::with).hint(OPEN_FIRST)
}

/// The server's own error, with what it adds to it.
fn of_rpc(object: &ErrorObject) -> Failure {
    let failure = Failure::new(Status::Refused, object.to_string());
    let Some(raw) = &object.data else { return failure };
    let data = json::compact(raw.get());
    let cut = data.floor_char_boundary(LONGEST_DATA);
    let more = if cut < data.len() { "…" } else { "" };
    let failure = failure.with(format!("data: {}{more}", &data[..cut]));
    let lacks_roots = object.code == ErrorCode::MISSING_CLIENT_CAPABILITY && wants_roots(raw);
    if lacks_roots { failure.hint(NO_ROOTS) } else { failure }
}

/// Whether what a server misses in this client is the folders.
fn wants_roots(data: &RawValue) -> bool {
    let data: serde_json::Value = serde_json::from_str(data.get()).unwrap_or_default();
    data.pointer("/requiredCapabilities/roots").is_some()
}
