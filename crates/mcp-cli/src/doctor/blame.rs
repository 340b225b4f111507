//! From an error of the library to the step that failed and what to try next. Pure.

use mcp_client::{ClientError, ConnectError};
use mcp_jsonrpc::{CallError, CloseReason, FailureKind, OpenError};
use mcp_transport_http::connector::ConnectKind;
use mcp_transport_http::{self as http, HttpError};
use mcp_transport_stdio::SpawnError;

use super::step::Step;

/// The step that failed, and what to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blame {
    pub(crate) step: Step,
    pub(crate) next: &'static str,
}

const LONGER: &str = "give it longer with --timeout MS, or `start_timeout` in the config";
const SERVER_SAYS: &str = "what the server says is in its message; its log may say more";
const OLDER: &str = "offer it an older revision, with --protocol auto";
const NOT_MCP: &str = "check that this is an MCP server";

/// What a shell's exit status says of a program that a launcher did not find, or could not run.
const NOT_FOUND: i32 = 127;
const NOT_RUNNABLE: i32 = 126;

impl Blame {
    fn new(step: Step, next: &'static str) -> Self {
        Self { step, next }
    }

    /// For a connection that was not made.
    pub(crate) fn of_connect(error: &ConnectError) -> Self {
        match error {
            ConnectError::Open { source, .. } => Self::of_open(source),
            ConnectError::Params { .. } => Self::new(Step::Config, "report this as a fault of this program"),
            ConnectError::TimedOut { sent: false, .. } => {
                Self::new(Step::Tcp, "check whether a firewall is in between, or a proxy is needed")
            }
            ConnectError::TimedOut { heard: false, .. } => Self::new(Step::Http, LONGER),
            ConnectError::TimedOut { .. } => Self::new(Step::Handshake, LONGER),
            // There is no handshake to fail at where only 2026-07-28 was offered.
            ConnectError::Refused { .. } if error.hint().is_some() => Self::new(Step::Protocol, OLDER),
            ConnectError::Refused { .. } => Self::new(Step::Handshake, SERVER_SAYS),
            ConnectError::Version { .. } => Self::new(
                Step::Protocol,
                "update the server, or offer one of its revisions with --protocol V",
            ),
            ConnectError::Answer { .. } => Self::new(Step::Handshake, NOT_MCP),
            ConnectError::Call { source, .. } => Self::of_call(source, Step::Handshake),
            _ => Self::new(Step::Handshake, SERVER_SAYS),
        }
    }

    /// For tools that were not listed.
    pub(crate) fn of_tools(error: &ClientError) -> Self {
        let blame = match error {
            ClientError::Call { source, .. } => Self::of_call(source, Step::Tools),
            ClientError::Pages { .. } => {
                Self::new(Step::Tools, "report this to the server's author: its pages do not end")
            }
            ClientError::NotOffered { .. } => Self::new(Step::Tools, "the server has no tools to list"),
            ClientError::Params { .. } => Self::new(Step::Tools, "report this as a fault of this program"),
            ClientError::ResultType { .. } | ClientError::Input { .. } => Self::new(
                Step::Tools,
                "report this to the server's author: it answers a list as if it were a call",
            ),
            _ => Self::new(Step::Tools, "report this to the server's author: its list cannot be read"),
        };
        // Whatever broke now, the handshake was done.
        Self { step: Step::Tools, ..blame }
    }

    fn of_open(error: &OpenError) -> Self {
        if let Some(error) = error.downcast_ref::<SpawnError>() {
            let next = error.hint().unwrap_or("check the command, by running it in a terminal");
            return Self::new(Step::Command, next);
        }
        let is_config = matches!(error.downcast_ref(), Some(http::ConnectError::Connector(_)));
        let next = if is_config {
            "correct the certificates or the proxy in the config"
        } else {
            "check the entry of the server in the config"
        };
        Self::new(Step::Config, next)
    }

    /// For a call that failed at `step`, where it did not fail on the way.
    fn of_call(error: &CallError, step: Step) -> Self {
        if let Some(error) = error.downcast_ref::<HttpError>() {
            return Self::of_http(error);
        }
        match error {
            CallError::Rpc(_) => Self::new(step, SERVER_SAYS),
            CallError::Timeout { .. } => Self::new(step, LONGER),
            CallError::Closed { reason, .. } => Self::of_close(reason, step),
            CallError::NoResponse { .. } => {
                Self::new(Step::Http, "the event stream ended early: check for a proxy that cuts streams off")
            }
            CallError::Malformed { .. } => {
                Self::new(step, "check that it is an MCP server, and prints nothing but messages")
            }
            CallError::TooLarge { .. } => Self::new(step, "the server sends more than any answer may have"),
            CallError::Transport(_) => Self::new(Step::Http, NOT_MCP),
            _ => Self::new(step, "try again"),
        }
    }

    fn of_close(reason: &CloseReason, step: Step) -> Self {
        match reason.exit.and_then(|exit| exit.code()) {
            Some(NOT_FOUND) => Self::new(Step::Command, "install what the end of stderr says is not found"),
            Some(NOT_RUNNABLE) => Self::new(Step::Command, "make executable what the end of stderr names"),
            Some(0) => Self::new(step, "check its arguments: it ended as if it had nothing to do"),
            _ if !reason.stderr_tail.trim().is_empty() => {
                Self::new(step, "correct what the end of its stderr says")
            }
            _ => Self::new(step, "run the command in a terminal and see what it says"),
        }
    }

    fn of_http(error: &HttpError) -> Self {
        let (step, next) = match error {
            HttpError::Connect(failure) => (step_of(failure.kind()), "try again, or check the network"),
            HttpError::Status(status) => return Self::of_status(status.status),
            HttpError::Broken(_) if error.kind() == FailureKind::Tls => {
                (Step::Tls, "check the client certificate that the server wants")
            }
            HttpError::Broken(_) => (Step::Http, "check the server's log: it broke the connection"),
            HttpError::Head(_) => (Step::Http, "check the port: what answers there does not speak HTTP/1.1"),
            HttpError::NoAnswer { .. } => (Step::Http, NOT_MCP),
            HttpError::Neither { first, .. } => return Self::of_call(first, Step::Http),
            _ => (Step::Http, "check that this is the address of an MCP endpoint"),
        };
        Self::new(step, error.hint().unwrap_or(next))
    }

    fn of_status(status: u16) -> Self {
        let next = match status {
            401 | 403 => {
                "check the token or key: --header 'Authorization: Bearer TOKEN', or `headers` in the config"
            }
            400 | 405 | 406 | 415 => NOT_MCP,
            404 | 410 => "check the path of the address; many servers have /mcp or /sse",
            429 => "the server has had too many requests: try again later",
            500..=599 => "check the server's log, or try again later",
            _ => "check the address, and what the server says",
        };
        Self::new(Step::Http, next)
    }
}

/// The step at which a connection failed.
fn step_of(kind: ConnectKind) -> Step {
    match kind {
        ConnectKind::Resolve => Step::Dns,
        ConnectKind::Tls(_) => Step::Tls,
        ConnectKind::Proxy => Step::Proxy,
        ConnectKind::Socket => Step::Socket,
        _ => Step::Tcp,
    }
}

#[cfg(test)]
mod tests;
