//! What failures look like, and their statuses.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::{ClientError, ConnectError, InputError, ListenError, Refusal};
use mcp_jsonrpc::{CallError, CloseCause, CloseReason, ErrorObject, Sample, TimeoutPhase};
use mcp_types::Revision;
use serde_json::value::RawValue;

use super::Failure;
use crate::show::look::Look;
use crate::status::Status;

#[track_caller]
fn check(error: CallError, status: Status, expected: &str) {
    let error = ClientError::Call { server: "files".into(), method: "x".into(), source: error };
    let failure = Failure::from(error);
    assert_eq!((failure.status, failure.render(Look::PLAIN).as_str()), (status, expected));
}

#[test]
fn a_lost_link_tells_how_the_server_ended() {
    let reason = CloseReason::of_process(CloseCause::Exited, None, "TOKEN not set\nbye".to_owned());
    check(
        CallError::Closed { reason: Arc::new(reason), sent: true },
        Status::Link,
        "error: files: Transport closed\n    the server process ended\n    stderr ends with:\n      \
         TOKEN not set\n      bye\n",
    );
}

#[test]
fn a_timeout_names_its_limit_and_the_way_out() {
    check(
        CallError::Timeout {
            phase: TimeoutPhase::Request,
            limit: Duration::from_millis(50),
            total: false,
            sent: true,
        },
        Status::Timeout,
        "error: files: Request timeout after 50ms\n    hint: --timeout MS gives it longer, --timeout 0 any time\n",
    );
}

#[test]
fn an_error_of_the_server_shows_its_data() {
    let data = RawValue::from_string(r#"{"why": "\u001b"}"#.to_owned()).unwrap();
    check(
        CallError::Rpc(ErrorObject::new(-32602, "Unknown tool: x").with_data(data)),
        Status::Refused,
        "error: files: MCP error -32602: Unknown tool: x\n    data: {\"why\":\"\\u001b\"}\n",
    );
}

#[test]
fn a_server_that_needs_folders_gets_the_hint_how_to_name_them() {
    let missing = |data: &str| {
        let data = RawValue::from_string(data.to_owned()).unwrap();
        CallError::Rpc(ErrorObject::new(-32021, "no roots").with_data(data))
    };
    check(
        missing(r#"{"requiredCapabilities":{"roots":{}}}"#),
        Status::Refused,
        "error: files: MCP error -32021: no roots\n    data: {\"requiredCapabilities\":{\"roots\":{}}}\n    \
         hint: --root DIR names a folder that it may work on\n",
    );
    check(
        missing(r#"{"requiredCapabilities":["roots"]}"#),
        Status::Refused,
        "error: files: MCP error -32021: no roots\n    data: {\"requiredCapabilities\":[\"roots\"]}\n",
    );
}

#[test]
fn what_a_server_cannot_be_asked_is_a_mistake_of_use() {
    let (server, method) = (|| "files".into(), || "x".into());
    for error in [
        ClientError::NotOffered { server: server(), method: method(), capability: "tools" },
        ClientError::NotInRevision { server: server(), method: method(), revision: Revision::V2026_07_28 },
        ClientError::NotAsTask { server: server(), method: method(), tool: Sample::of(b"t") },
        listen_error(ListenError::TooMany { limit: 1 }),
    ] {
        let failure = Failure::from(&error);
        assert_eq!((failure.status, failure.server.as_deref()), (Status::Usage, Some("files")), "{error:?}");
    }
}

fn listen_error(source: ListenError) -> ClientError {
    ClientError::Listen { server: "files".into(), method: "subscriptions/listen".into(), source }
}

#[test]
fn a_resource_that_is_not_watched_has_the_status_of_its_reason() {
    let refused = |error| ListenError::Refused(Arc::new(error));
    for (source, status) in [
        (ListenError::NotHonoured, Status::Refused),
        (ListenError::Gone, Status::Link),
        (refused(CallError::Rpc(ErrorObject::new(-32601, "no"))), Status::Refused),
        (refused(CallError::NotConnected), Status::Link),
    ] {
        let failure = Failure::from(&listen_error(source));
        assert_eq!(failure.status, status, "{failure}");
        assert!(!failure.details.is_empty(), "{failure}");
    }
}

#[test]
fn what_is_not_answered_to_a_server_names_the_reason() {
    let source = InputError::Refused { key: Sample::of(b"model"), refusal: Refusal::Rejected };
    let error = ClientError::Input { server: "files".into(), method: "tools/call".into(), source };
    let failure = Failure::from(error);
    assert_eq!(failure.status, Status::Link);
    assert_eq!(
        failure.details,
        [
            "there is no answer to model",
            "User rejected sampling request",
            "hint: it asks for what this program does not answer, or only at a terminal"
        ]
    );
}

#[test]
fn another_revision_is_named_where_one_is_known() {
    let hint = |supported: &[&str]| {
        let error = ConnectError::Version {
            server: "files".into(),
            offered: Revision::V2025_11_25,
            answered: None,
            supported: supported.iter().map(|version| Sample::of(version.as_bytes())).collect(),
            refusal: None,
        };
        Failure::from(&error).advice().map(str::to_owned)
    };
    let expected = "--protocol 2026-07-28 offers what it supports";
    assert_eq!(hint(&["2026-07-28", "9999-01-01"]).as_deref(), Some(expected));
    assert_eq!(hint(&["9999-01-01"]), None);
    assert_eq!(hint(&[]), None);
}

#[test]
fn a_server_that_knows_no_discovery_is_to_be_asked_otherwise() {
    let error = ConnectError::Refused {
        server: "files".into(),
        method: "server/discover",
        error: ErrorObject::new(-32601, "Method not found"),
    };
    let failure = Failure::from(&error);
    assert_eq!(failure.status, Status::Refused);
    assert!(failure.advice().is_some_and(|hint| hint.ends_with("; --protocol auto finds out")), "{failure}");
}

#[test]
fn a_handshake_that_takes_too_long_is_a_timeout() {
    let error = ConnectError::TimedOut {
        server: "files".into(),
        limit: Duration::from_secs(1),
        sent: true,
        heard: false,
        stderr_tail: String::new(),
    };
    let failure = Failure::from(&error);
    assert_eq!(failure.status, Status::Timeout);
    assert_eq!(failure.text, "Connection to MCP server \"files\" timed out after 1000ms");
    assert_eq!(failure.details[0], "the server was still running: still starting, no output yet");
}

#[test]
fn details_stand_indented_below_the_line() {
    let failure =
        Failure::new(Status::Link, "Transport closed").of("files").with("exit status: 78").hint("look");
    let expected = "error: files: Transport closed\n    exit status: 78\n    hint: look\n";
    assert_eq!(failure.render(Look::PLAIN), expected);
}

#[test]
fn an_error_is_one_line_whatever_the_server_says() {
    let failure = Failure::new(Status::Refused, "MCP error 1: a\nerror: b\u{1b}[2J").of("x\n").with("c\rd");
    let expected = "error: x\\n: MCP error 1: a\\nerror: b\\u{1b}[2J\n    c\\rd\n";
    assert_eq!(failure.render(Look::PLAIN), expected);
}
