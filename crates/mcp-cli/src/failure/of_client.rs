//! Failures of connecting and of calls.

use std::error::Error;

use mcp_client::{ClientError, ConnectError, UrlElicitation};
use mcp_jsonrpc::{CallError, ErrorObject, OpenError, Sample};
use mcp_manager::StartError;
use mcp_transport_http::connector::ConnectKind;
use mcp_transport_http::{self as http_transport, HttpError};
use mcp_transport_stdio::SpawnError;

use super::{Failure, Stop};
use crate::show::json;
use crate::status::Status;

/// Longest `data` of an error object that is shown.
const LONGEST_DATA: usize = 400;

/// Most addresses that are shown.
const MOST_URLS: usize = 8;

const OPEN_FIRST: &str = "open that in your browser if you trust it, then repeat the command";

const LONGER: &str = "--timeout MS gives it longer, --timeout 0 any time";

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
            ConnectError::Refused { error: object, .. } => of_rpc(object),
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
            ClientError::NotOffered { .. } => Self::new(Status::Usage, error.to_string()),
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
    let Some(data) = &object.data else { return failure };
    let data = json::compact(data.get());
    let cut = data.floor_char_boundary(LONGEST_DATA);
    let more = if cut < data.len() { "…" } else { "" };
    failure.with(format!("data: {}{more}", &data[..cut]))
}
