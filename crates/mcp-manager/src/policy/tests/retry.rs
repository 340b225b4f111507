//! Which requests without effects are sent again, and when.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use mcp_jsonrpc::{CallError, CloseCause, Connect, ErrorObject, FailureKind, Ignore, RequestOptions};
use mcp_transport_http::HttpConfig;

use super::failures::{closed, failed, no_response, status, timeout};
use crate::policy::{RetryLimits, RetryPlan, is_lasting};

/// The waits before each retry of a request that fails in the same way each time, by luck with the
/// shortest waits.
fn waits(error: &CallError) -> Vec<u128> {
    let mut plan = RetryPlan::new(RetryLimits::default());
    std::iter::from_fn(|| plan.next(error, 0)).map(|wait| wait.as_millis()).take(10).collect()
}

/// The error of a call that meets a real server with this answer.
async fn met(head: &'static str) -> CallError {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        // The body is the end of what comes, and ends with a brace.
        while !request.ends_with(b"}") {
            let mut bytes = [0; 4096];
            let n = stream.read(&mut bytes).unwrap();
            assert_ne!(n, 0);
            request.extend_from_slice(&bytes[..n]);
        }
        stream.write_all(head.as_bytes()).unwrap();
    });
    let transport = HttpConfig::new(&url).unwrap().connect(Arc::new(Ignore)).await.unwrap();
    let error = transport.request("initialize", None, RequestOptions::default()).await.unwrap_err();
    server.join().unwrap();
    transport.close().await;
    error
}

#[test]
fn what_passes_is_retried_three_times_with_growing_waits() {
    let passing = [
        status(429),
        status(502),
        status(503),
        status(504),
        failed(FailureKind::Refused, false),
        failed(FailureKind::Unreachable, false),
        failed(FailureKind::Reset, true),
        no_response(),
    ];
    for error in &passing {
        assert_eq!(waits(error), [400, 800, 1600], "{error}");
        assert!(!is_lasting(error), "{error}");
    }
}

#[test]
fn what_asks_for_a_change_is_not_retried() {
    let lasting = [
        status(400),
        status(403),
        status(404),
        status(405),
        failed(FailureKind::Unauthorized, true),
        failed(FailureKind::Tls, false),
        failed(FailureKind::Redirect, true),
        failed(FailureKind::MediaType, true),
    ];
    for error in &lasting {
        assert!(waits(error).is_empty() && is_lasting(error), "{error}");
    }
}

#[test]
fn what_is_answered_given_up_or_needs_a_new_connection_is_not_retried_here() {
    let others = [
        CallError::Rpc(ErrorObject::internal("no")),
        CallError::NotConnected,
        CallError::Cancelled { reason: None, sent: false },
        timeout(true),
        timeout(false),
        closed(CloseCause::Exited, true),
        status(500),
        failed(FailureKind::SessionLost, true),
        failed(FailureKind::Resolve, false),
    ];
    for error in &others {
        assert!(waits(error).is_empty() && !is_lasting(error), "{error}");
    }
}

#[test]
fn no_retries_are_none() {
    assert_eq!(RetryPlan::new(RetryLimits::none()).next(&status(503), 0), None);
}

#[tokio::test]
async fn a_server_that_asks_for_time_gets_it() {
    let error = met("HTTP/1.1 503 Down\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n").await;
    assert_eq!(waits(&error), [7000, 7000, 7000]);
    let error = met("HTTP/1.1 429 Slower\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n").await;
    assert_eq!(waits(&error), [1000, 1000, 1600]);
}

#[tokio::test]
async fn a_server_that_asks_for_too_much_time_is_left_alone() {
    let error = met("HTTP/1.1 503 Down\r\nRetry-After: 31\r\nContent-Length: 0\r\n\r\n").await;
    assert!(waits(&error).is_empty());
}
