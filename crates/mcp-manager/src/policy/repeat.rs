//! Whether a failed tool call is made once more, and what is known of the one that failed.

use mcp_jsonrpc::{CallError, CloseCause, FailureKind};
use mcp_types::ToolAnnotations;

use super::reconnect::ReconnectPolicy;
use super::retry::is_lasting;

/// Whether a failed tool call is made once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Repeat {
    /// Once more, after the connection or the session was made anew where it is gone. Not asked
    /// again if that fails too.
    Once,
    /// No; the caller gets the error, and this much is known.
    Never(Outcome),
}

/// What is known of a tool call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The server provably did not run it.
    NotRun,
    /// The server answered: the error is its answer.
    Answered,
    /// It may have been run, or still be running, and its answer is lost.
    Unknown,
}

impl Repeat {
    /// Decides about a call of a tool with these annotations, `None` if it has none.
    ///
    /// What was not run is repeated if the policy is on. What may have been run is repeated only
    /// if its answer was lost on the way, the tool says that repeating does no harm, and
    /// [`ReconnectPolicy::retry_idempotent`] trusts it in that. What the caller ended (by
    /// cancelling, by its deadline, by closing) is not repeated.
    pub fn of(error: &CallError, annotations: Option<&ToolAnnotations>, policy: &ReconnectPolicy) -> Self {
        let outcome = Outcome::of(error);
        let may_help = policy.enabled && !is_callers_end(error) && !is_lasting(error);
        let is_allowed = match outcome {
            Outcome::NotRun => true,
            Outcome::Answered => false,
            Outcome::Unknown => {
                policy.retry_idempotent && is_lost_answer(error) && annotations.is_some_and(is_harmless_twice)
            }
        };
        if may_help && is_allowed { Self::Once } else { Self::Never(outcome) }
    }
}

impl Outcome {
    /// What the error tells. Unknown, unless the error proves more: a status of a proxy (5xx) says
    /// nothing about the server behind it, and an answer that cannot be read may say anything.
    pub fn of(error: &CallError) -> Self {
        if error.is_safe_to_retry() {
            return Self::NotRun;
        }
        match error.failure_kind() {
            _ if error.as_rpc().is_some() => Self::Answered,
            Some(FailureKind::Status(400..=499)) => Self::Answered,
            _ => Self::Unknown,
        }
    }
}

fn is_harmless_twice(annotations: &ToolAnnotations) -> bool {
    annotations.read_only_hint == Some(true) || annotations.idempotent_hint == Some(true)
}

/// Whether the caller or this side ended the call, so that nobody waits for another one.
fn is_callers_end(error: &CallError) -> bool {
    let is_own_close = |cause: &CloseCause| matches!(cause, CloseCause::Requested | CloseCause::Dropped);
    error.is_timeout()
        || error.is_cancelled()
        || error.close_reason().is_some_and(|reason| is_own_close(&reason.cause))
}

/// Whether the answer did not come through, rather than being one that nobody can use.
fn is_lost_answer(error: &CallError) -> bool {
    match error {
        CallError::Closed { .. } | CallError::NoResponse { .. } => true,
        CallError::Transport(failure) => {
            matches!(failure.kind, FailureKind::Reset | FailureKind::Status(502..=504))
        }
        _ => false,
    }
}
