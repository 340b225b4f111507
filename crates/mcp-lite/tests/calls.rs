//! Calls over real connections, to a peer that follows a script.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use mcp_lite::{CallOptions, Envelope, LiteError, call_mcp, call_mcp_with};
use mcp_transport_http::Headers;
use mcp_transport_http::connector::ProxyPolicy;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"tag":1}}"#;
const OTHER: &str = r#"{"jsonrpc":"2.0","id":8,"result":{"tag":8}}"#;
const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
/// A test that hangs fails after this.
const LIMIT: Duration = Duration::from_secs(30);

/// What the peer does after its response.
#[derive(Clone, Copy, PartialEq)]
enum Then {
    Close,
    /// Keeps the connection open until the client closes it.
    Wait,
}

/// A peer for one request; its URL, and the request that it got.
async fn peer(response: String, then: Then) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp?key=SECRET-3", listener.local_addr().unwrap());
    let task = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let request = read_request(&mut stream).await;
        stream.write_all(response.as_bytes()).await.unwrap();
        if then == Then::Wait {
            // The end, or a reset: either way the client is gone.
            drop(stream.read(&mut [0]).await);
        }
        request
    });
    (url, task)
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    loop {
        let text = String::from_utf8(request.clone()).unwrap();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            if body.len() == length.parse::<usize>().unwrap() {
                return text;
            }
        }
        let mut chunk = [0; 4096];
        let length = stream.read(&mut chunk).await.unwrap();
        assert!(length > 0, "the request ended early: {text}");
        request.extend_from_slice(&chunk[..length]);
    }
}

fn json(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// An event stream without a known length.
fn events(messages: &[&str]) -> String {
    let body: String = messages.iter().map(|message| format!("data: {message}\n\n")).collect();
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{body}")
}

fn options() -> CallOptions {
    let mut options = CallOptions::default();
    options.connector.proxy = ProxyPolicy::None;
    options
}

async fn call_with(options: &CallOptions, response: String, then: Then) -> Result<Envelope, LiteError> {
    let (url, peer) = peer(response, then).await;
    let call = call_mcp_with(options, &url, "tools/list", None::<&()>);
    let outcome = tokio::time::timeout(LIMIT, call).await.expect("the call hangs");
    tokio::time::timeout(LIMIT, peer).await.expect("the connection stays open").unwrap();
    outcome
}

async fn call(response: String, then: Then) -> Result<Envelope, LiteError> {
    call_with(&options(), response, then).await
}

#[track_caller]
fn message(outcome: Result<Envelope, LiteError>) -> String {
    outcome.expect_err("the call fails").to_string()
}

#[tokio::test]
async fn one_post_carries_the_request() {
    let (url, peer) = peer(json(ANSWER), Then::Close).await;
    let mut options = options();
    options.headers =
        Headers::new([("Authorization", "Bearer SECRET-1"), ("Accept", "x/y"), ("X-A", "b")]).unwrap();
    let params = serde_json::json!({ "name": "search" });
    let envelope = call_mcp_with(&options, &url, "tools/call", Some(&params)).await.unwrap();
    assert_eq!(envelope.as_str(), ANSWER);
    assert_eq!(envelope.result().unwrap().get(), r#"{"tag":1}"#);

    let request = peer.await.unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert_eq!(body, r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search"}}"#);
    let mut lines: Vec<_> = head.lines().filter(|line| !line.starts_with("host: 127.0.0.1:")).collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "POST /mcp?key=SECRET-3 HTTP/1.1",
            "accept: application/json, text/event-stream",
            "authorization: Bearer SECRET-1",
            "content-length: 73",
            "content-type: application/json",
            "x-a: b",
        ]
    );
}

#[tokio::test]
async fn credentials_in_the_address_are_sent_unless_others_are_configured() {
    let configured = Headers::new([("Authorization", "Bearer x")]).unwrap();
    for (headers, expected) in [(Headers::default(), "Basic dTpw"), (configured, "Bearer x")] {
        let (url, peer) = peer(json(ANSWER), Then::Close).await;
        let mut options = options();
        options.headers = headers;
        let url = url.replace("http://", "http://u:p@");
        call_mcp_with(&options, &url, "ping", None::<&()>).await.unwrap();
        let request = peer.await.unwrap();
        assert!(request.contains(&format!("\r\nauthorization: {expected}\r\n")), "{request}");
        assert!(!request.contains("u:p@"));
    }
}

#[tokio::test]
async fn the_short_form_uses_the_default_options() {
    let (url, peer) = peer(json(ANSWER), Then::Close).await;
    assert_eq!(call_mcp(&url, "ping", None::<&()>).await.unwrap().id(), Some(1.into()));
    peer.await.unwrap();
}

// Field case 140. Field case 59.
#[tokio::test]
async fn a_stream_is_read_up_to_the_answer_and_no_further() {
    let outcome = call(events(&[NOTE, PING, OTHER, ANSWER]), Then::Wait).await;
    assert_eq!(outcome.unwrap().as_str(), ANSWER);
}

// Field case 139.
#[tokio::test]
async fn an_error_in_the_answer_is_returned_raw() {
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m","data":{"a":1}}}"#;
    for response in [json(error), events(&[error])] {
        let envelope = call(response, Then::Close).await.unwrap();
        assert_eq!(envelope.as_str(), error);
        assert_eq!(envelope.error().unwrap().to_string(), "MCP error -32602: m");
    }
}

#[tokio::test]
async fn without_the_answer_the_response_cannot_be_parsed() {
    for response in [
        events(&[NOTE, OTHER]),
        events(&[]),
        json(OTHER),
        json("<html>"),
        "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".to_owned(),
        "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
    ] {
        assert_eq!(message(call(response, Then::Close).await), "Failed to parse MCP response");
    }
}

#[tokio::test]
async fn a_status_that_is_no_success_is_the_error_and_the_body_a_detail() {
    for (line, expected) in [
        ("401 Unauthorized", "401 Unauthorized"),
        ("404 Nobody Home", "404 Nobody Home"),
        ("503", "503 Service Unavailable"),
        ("307 Temporary Redirect\r\nlocation: /other", "307 Temporary Redirect"),
    ] {
        let body = "SECRET-1 is wrong";
        let response = format!("HTTP/1.1 {line}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let mut options = options();
        options.headers = Headers::new([("Authorization", "Bearer SECRET-1")]).unwrap();
        let error = call_with(&options, response, Then::Close).await.unwrap_err();
        assert_eq!(error.to_string(), format!("MCP request failed: {expected}"));
        assert!(!format!("{error:?}").contains("SECRET"));
        let LiteError::Status(failure) = error else { panic!("a status") };
        assert_eq!(failure.body, "*** is wrong");
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_not_read_on() {
    let mut options = options();
    options.max_body = 100;
    let outcome = call_with(&options, events(&[&NOTE.repeat(10)]), Then::Wait).await;
    assert_eq!(message(outcome), "the MCP response is larger than 100 bytes");
}

#[tokio::test]
async fn a_server_that_does_not_answer_runs_into_the_time_limit() {
    let mut options = options();
    options.timeout = Some(Duration::from_millis(250));
    for response in [String::new(), events(&[NOTE]), "HTTP/1.1 500 No\r\n\r\nx".to_owned()] {
        let outcome = call_with(&options, response, Then::Wait).await;
        assert_eq!(message(outcome), "Request timeout after 250ms");
    }
}

#[tokio::test]
async fn a_connection_that_breaks_is_an_error_of_its_own() {
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{".to_owned();
    for response in [String::new(), "SSH-2.0-x\r\n".to_owned(), cut] {
        let error = call(response, Then::Close).await.unwrap_err();
        assert!(matches!(error, LiteError::Broken(_)), "{error:?}");
    }
}

#[tokio::test]
async fn nobody_there_and_no_address_are_told_apart() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://u:SECRET-1@{}/?key=SECRET-2", listener.local_addr().unwrap());
    drop(listener);
    let error = call_mcp(&url, "ping", None::<&()>).await.unwrap_err();
    assert!(matches!(error, LiteError::Connect(_)));
    assert!(!format!("{error} {error:?}").contains("SECRET"));

    let error = call_mcp("ftp://u:SECRET-1@a.test", "ping", None::<&()>).await.unwrap_err();
    assert!(matches!(error, LiteError::Url(_)));
    assert!(!format!("{error} {error:?}").contains("SECRET"));
}

#[tokio::test]
async fn params_that_are_no_json_are_refused_before_anything_is_sent() {
    let bad = std::collections::BTreeMap::from([((1, 2), 3)]);
    let error = call_mcp("http://a.test/", "ping", Some(&bad)).await.unwrap_err();
    assert!(matches!(error, LiteError::Params(_)));
}

#[tokio::test]
async fn a_dropped_call_closes_its_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let call = tokio::spawn(async move { call_mcp_with(&options(), &url, "ping", None::<&()>).await });
    let (mut stream, _) = listener.accept().await.unwrap();
    read_request(&mut stream).await;
    stream.write_all(events(&[NOTE]).as_bytes()).await.unwrap();
    call.abort();
    let end = tokio::time::timeout(LIMIT, stream.read(&mut [0])).await.expect("the connection stays open");
    assert!(matches!(end, Ok(0) | Err(_)));
}

#[test]
fn calls_can_move_between_threads() {
    fn check<T: Send>(_: T) {}
    check(call_mcp("", "", None::<&serde_json::Value>));
    check(call_mcp("", "", Some(serde_json::value::RawValue::NULL)));
}
