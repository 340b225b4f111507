//! What failures look like, and their statuses.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::{ClientError, ConnectError};
use mcp_jsonrpc::{CallError, CloseCause, CloseReason, ErrorObject, TimeoutPhase};
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
