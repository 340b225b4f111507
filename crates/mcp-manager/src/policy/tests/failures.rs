//! Failures as calls meet them.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{CallError, CloseCause, CloseReason, FailureKind, TimeoutPhase, TransportFailure};

pub(super) fn failed(kind: FailureKind, sent: bool) -> CallError {
    CallError::Transport(TransportFailure::new(kind, sent, io::Error::other("broken")))
}

pub(super) fn status(status: u16) -> CallError {
    failed(FailureKind::Status(status), true)
}

pub(super) fn closed(cause: CloseCause, sent: bool) -> CallError {
    CallError::Closed { reason: Arc::new(CloseReason::new(cause)), sent }
}

pub(super) fn timeout(sent: bool) -> CallError {
    CallError::Timeout { phase: TimeoutPhase::Request, limit: Duration::ZERO, total: false, sent }
}

pub(super) fn no_response() -> CallError {
    CallError::NoResponse { id: 1.into(), cause: None }
}
