//! The text of every error, and what none of them says.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use expect_test::expect;
use mcp_jsonrpc::{CallError, CloseCause, CloseReason, OpenError, Sample, TimeoutPhase};
use mcp_types::{ErrorObject, Revision};

use super::*;

fn broken_json() -> serde_json::Error {
    serde_json::from_str::<u8>("{").unwrap_err()
}

fn closed() -> CallError {
    let cause = CloseCause::Write(io::Error::other("broken pipe"));
    CallError::Closed { reason: Arc::new(CloseReason::new(cause)), sent: true }
}

fn timeout() -> CallError {
    let limit = Duration::from_secs(30);
    CallError::Timeout { phase: TimeoutPhase::Request, limit, total: false, sent: true }
}

fn sample() -> Sample {
    Sample::of(b"{")
}

fn connect_errors() -> Vec<ConnectError> {
    let server: Arc<str> = "files".into();
    let version = |answered: Option<&str>, supported: &[&str]| ConnectError::Version {
        server: "files".into(),
        offered: Revision::LATEST_LEGACY,
        answered: answered.map(|version| Sample::of(version.as_bytes())),
        supported: supported.iter().map(|version| Sample::of(version.as_bytes())).collect(),
        refusal: (!supported.is_empty()).then(|| ErrorObject::new(-32602, "old")),
    };
    vec![
        ConnectError::Open {
            server: server.clone(),
            source: OpenError::new(io::Error::other("no such file")),
        },
        ConnectError::Params { server: server.clone(), source: broken_json() },
        ConnectError::TimedOut {
            server: server.clone(),
            limit: Duration::from_millis(1500),
            sent: true,
            heard: false,
            stderr_tail: String::new(),
        },
        ConnectError::Refused {
            server: server.clone(),
            method: "initialize",
            error: ErrorObject::new(-32000, "go away"),
        },
        version(Some("1999-01-01"), &[]),
        version(None, &[]),
        version(None, &["2026-07-28", "\u{1b}[2J"]),
        ConnectError::Answer {
            server: server.clone(),
            method: "initialize",
            source: broken_json(),
            sample: sample(),
        },
        ConnectError::Call { server: server.clone(), source: closed() },
        ConnectError::Call { server, source: CallError::NotConnected },
    ]
}

fn client_errors() -> Vec<ClientError> {
    let (server, method): (Arc<str>, Arc<str>) = ("files".into(), "tools/list".into());
    let call = |source| ClientError::Call { server: server.clone(), method: method.clone(), source };
    let pages = |source| ClientError::Pages { server: server.clone(), method: method.clone(), source };
    vec![
        call(CallError::Rpc(ErrorObject::new(-32601, "Method not found"))),
        call(timeout()),
        call(closed()),
        ClientError::Answer {
            server: server.clone(),
            method: method.clone(),
            source: broken_json(),
            sample: sample(),
        },
        ClientError::Params { server: server.clone(), method: method.clone(), source: broken_json() },
        ClientError::NotOffered { server: server.clone(), method: method.clone(), capability: "tools" },
        ClientError::NotInRevision {
            server: server.clone(),
            method: method.clone(),
            revision: Revision::V2026_07_28,
        },
        ClientError::NotAsTask {
            server: server.clone(),
            method: method.clone(),
            tool: Sample::of(b"\x1b[2J"),
        },
        ClientError::TaskCancelled { server: server.clone(), method: method.clone() },
        ClientError::TaskUnfinished {
            server: server.clone(),
            method: method.clone(),
            limit: Duration::from_secs(60),
        },
        pages(PagesError::RepeatedCursor { page: 3 }),
        pages(PagesError::TooManyPages { limit: 10 }),
        pages(PagesError::TooManyItems { limit: 10 }),
        pages(PagesError::TooManyBytes { limit: 10 }),
    ]
}

/// An error and its causes, a line each.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!("\n  because: {error}"));
        cause = error.source();
    }
    text
}

fn chains(errors: &[impl Error]) -> String {
    errors.iter().map(|error| chain(error) + "\n").collect()
}

#[test]
fn the_texts_of_connecting() {
    expect![[r#"
        cannot connect to server `files`
          because: no such file
        the params of `initialize` cannot be written
          because: invalid type: map, expected u8 at line 1 column 0
        Connection to MCP server "files" timed out after 1500ms
        MCP error -32000: go away
        server `files` answered with protocol version `1999-01-01`, we offered `2025-11-25`
        server `files` answered without a protocol version, we offered `2025-11-25`
        server `files` supports only protocol version `2026-07-28`, `\u{1b}[2J`, we offered `2025-11-25`
          because: MCP error -32602: old
        the answer of server `files` to `initialize` does not fit
          because: invalid type: map, expected u8 at line 1 column 0
        Transport closed
          because: writing to the server failed
          because: broken pipe
        Transport not connected
    "#]]
    .assert_eq(&chains(&connect_errors()));
}

#[test]
fn the_texts_of_calling() {
    expect![[r#"
        MCP error -32601: Method not found
        Request timeout after 30000ms
        Transport closed
          because: writing to the server failed
          because: broken pipe
        the answer to `tools/list` does not fit
          because: invalid type: map, expected u8 at line 1 column 0
        the params of `tools/list` cannot be written
          because: invalid type: map, expected u8 at line 1 column 0
        server `files` does not offer `tools`, which `tools/list` needs
        server `files` speaks `2026-07-28`, which has no `tools/list`
        tool `\u{1b}[2J` cannot be called as a task
        the task on server `files` was cancelled
        the task on server `files` was not done after 60000ms
        the listing by `tools/list` was broken off
          because: page 3 has a cursor that an earlier page had
        the listing by `tools/list` was broken off
          because: there are more than 10 pages
        the listing by `tools/list` was broken off
          because: there are more than 10 items
        the listing by `tools/list` was broken off
          because: the pages are longer than 10 bytes together
    "#]]
    .assert_eq(&chains(&client_errors()));
}

#[test]
fn no_message_repeats_that_of_its_cause() {
    let connecting = connect_errors().into_iter().map(|error| Box::new(error) as Box<dyn Error>);
    let calling = client_errors().into_iter().map(|error| Box::new(error) as Box<dyn Error>);
    for error in connecting.chain(calling) {
        let mut error: &dyn Error = &*error;
        while let Some(cause) = error.source() {
            assert!(!error.to_string().contains(&cause.to_string()), "{error} / {cause}");
            error = cause;
        }
    }
}

#[test]
fn every_error_names_its_server_and_its_method() {
    assert!(connect_errors().iter().all(|error| error.server() == "files"));
    assert!(client_errors().iter().all(|error| (error.server(), error.method()) == ("files", "tools/list")));
}

#[test]
fn the_error_below_is_within_reach() {
    let below: Vec<_> = client_errors().iter().map(|error| error.call_error().is_some()).collect();
    assert_eq!(below.iter().filter(|is_there| **is_there).count(), 3);
}
