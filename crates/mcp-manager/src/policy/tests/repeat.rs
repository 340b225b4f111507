//! Which tool calls are made once more.

use mcp_jsonrpc::{CallError, CloseCause, ErrorObject, FailureKind};
use mcp_types::ToolAnnotations;

use super::failures::{closed, failed, no_response, status, timeout};
use crate::policy::{Outcome, ReconnectPolicy, Repeat};

fn policy(retry_idempotent: bool) -> ReconnectPolicy {
    ReconnectPolicy { retry_idempotent, ..ReconnectPolicy::on() }
}

fn hints(read_only: Option<bool>, idempotent: Option<bool>) -> ToolAnnotations {
    let mut annotations = ToolAnnotations::default();
    annotations.read_only_hint = read_only;
    annotations.idempotent_hint = idempotent;
    annotations
}

fn lost_answers() -> [CallError; 6] {
    [
        closed(CloseCause::Exited, true),
        failed(FailureKind::Reset, true),
        no_response(),
        status(502),
        status(503),
        status(504),
    ]
}

#[test]
fn a_tool_is_not_run_twice_unless_it_and_the_policy_say_so() {
    let harmless = [hints(Some(true), None), hints(None, Some(true)), hints(Some(true), Some(false))];
    let others = [hints(None, None), hints(Some(false), Some(false)), hints(Some(false), None)];
    let unknown = Repeat::Never(Outcome::Unknown);
    for error in &lost_answers() {
        assert_eq!(Repeat::of(error, None, &policy(true)), unknown, "{error}");
        for hints in &others {
            assert_eq!(Repeat::of(error, Some(hints), &policy(true)), unknown, "{error}");
        }
        for hints in &harmless {
            assert_eq!(Repeat::of(error, Some(hints), &policy(true)), Repeat::Once, "{error}");
            assert_eq!(Repeat::of(error, Some(hints), &policy(false)), unknown, "{error}");
        }
    }
}

#[test]
fn with_the_policy_off_nothing_is_repeated() {
    let off = ReconnectPolicy { retry_idempotent: true, ..ReconnectPolicy::off() };
    let read_only = hints(Some(true), None);
    for error in &lost_answers() {
        assert_eq!(Repeat::of(error, Some(&read_only), &off), Repeat::Never(Outcome::Unknown));
    }
    assert_eq!(Repeat::of(&CallError::NotConnected, None, &off), Repeat::Never(Outcome::NotRun));
}

#[test]
fn what_was_not_run_is_sent_once_more() {
    for error in [
        CallError::NotConnected,
        closed(CloseCause::EndOfStream, false),
        failed(FailureKind::SessionLost, true),
        failed(FailureKind::Refused, false),
        failed(FailureKind::Resolve, false),
        failed(FailureKind::Reset, false),
    ] {
        assert_eq!(Repeat::of(&error, None, &policy(false)), Repeat::Once, "{error}");
    }
}

#[test]
fn what_would_fail_again_is_not_sent_again_although_it_was_not_run() {
    for error in [failed(FailureKind::Unauthorized, true), failed(FailureKind::Tls, false)] {
        assert_eq!(Repeat::of(&error, None, &policy(true)), Repeat::Never(Outcome::NotRun), "{error}");
    }
}

#[test]
fn what_the_caller_ended_stays_ended() {
    let read_only = hints(Some(true), Some(true));
    let cancelled = |sent| CallError::Cancelled { reason: None, sent };
    for (unsent, sent) in [
        (timeout(false), timeout(true)),
        (cancelled(false), cancelled(true)),
        (closed(CloseCause::Requested, false), closed(CloseCause::Requested, true)),
        (closed(CloseCause::Dropped, false), closed(CloseCause::Dropped, true)),
    ] {
        let decide = |error| Repeat::of(error, Some(&read_only), &policy(true));
        assert_eq!(decide(&unsent), Repeat::Never(Outcome::NotRun), "{unsent}");
        assert_eq!(decide(&sent), Repeat::Never(Outcome::Unknown), "{sent}");
    }
}

#[test]
fn an_answer_is_final_and_a_useless_one_proves_nothing() {
    let read_only = hints(Some(true), Some(true));
    let decide = |error| Repeat::of(&error, Some(&read_only), &policy(true));
    for error in [CallError::Rpc(ErrorObject::internal("no")), status(400), status(404), status(429)] {
        assert_eq!(decide(error), Repeat::Never(Outcome::Answered));
    }
    let useless = [CallError::TooLarge { limit: 1 }, status(500), failed(FailureKind::MediaType, true)];
    for error in useless {
        assert_eq!(decide(error), Repeat::Never(Outcome::Unknown));
    }
}
