//! The session: how it is kept, how it is lost, how it ends.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mcp_client::{Client, ClientError, ConnectError};
use mcp_jsonrpc::{CallError, FailureKind, NotifyOptions, RequestOptions, Transport};
use mcp_tests::client;
use mcp_tests::http::{config, connect, connect_with, ready, request, sent, until};
use mcp_tests::http_peer::{Exchange, HttpPeer, McpBehaviour, Received};
use mcp_tests::within;
use mcp_transport_http::HttpError;
use serde_json::json;

const JSON: (&str, &str) = ("Content-Type", "application/json");

/// An answer that gives a session.
async fn give(exchange: Exchange, session: &str) {
    let answer = exchange.answer("{}");
    exchange.respond("200 OK", &[JSON, ("Mcp-Session-Id", session)], answer).await;
}

/// A server which knows every session that it gave, until it is told to forget it.
fn forgetful() -> (HttpPeer, Arc<AtomicBool>) {
    let is_lost = Arc::new(AtomicBool::new(false));
    let lost = is_lost.clone();
    let peer = HttpPeer::mcp_after(McpBehaviour::new().with_session("S1"), move |exchange| {
        let lost = lost.load(Ordering::SeqCst) && exchange.header("mcp-session-id").is_some();
        async move {
            if lost {
                exchange.respond("404 Not Found", &[], "no such session").await;
                return None;
            }
            Some(exchange)
        }
    });
    (peer, is_lost)
}

fn headers(request: &Received) -> (Option<&str>, Option<&str>) {
    (request.header("mcp-session-id"), request.header("mcp-protocol-version"))
}

/// Case 84, D-18: the call fails with an error that says so and may be repeated, and connecting again
/// begins without the old session and version.
#[tokio::test]
async fn a_lost_session_is_told_apart_and_a_new_connection_begins_clean() {
    let (peer, is_lost) = forgetful();
    let config = config(&peer.url("/mcp"));
    let client = client::connect(&config).await;
    within(client.call_tool("echo", &json!({}))).await.unwrap();
    is_lost.store(true, Ordering::SeqCst);
    let error = within(client.call_tool("echo", &json!({}))).await.unwrap_err();
    let ClientError::Call { source, .. } = error else { panic!("{error:?}") };
    assert_eq!(source.failure_kind(), Some(FailureKind::SessionLost));
    assert!(source.is_safe_to_retry());
    assert_eq!(source.to_string(), "HTTP 404: no such session");
    let http: &HttpError = source.downcast_ref().unwrap();
    assert_eq!(http.hint(), Some("the server ended the session; connect again"));
    assert!(client.is_connected());
    within(client.close()).await;
    let before = peer.requests().len();
    assert!(peer.requests().iter().all(|request| request.method != "DELETE"), "there is none to end");

    is_lost.store(false, Ordering::SeqCst);
    let client = client::connect(&config).await;
    within(client.ping()).await.unwrap();
    let seen = &peer.requests()[before..];
    assert_eq!((seen[0].rpc_method().as_deref(), headers(&seen[0])), (Some("initialize"), (None, None)));
    assert_eq!(headers(&seen[1]).0, Some("S1"));
    within(client.close()).await;
}

/// Case 84: on the same connection, id and version are forgotten, and nothing is sent again by itself.
#[tokio::test]
async fn a_lost_session_is_forgotten_with_what_was_agreed_in_it() {
    let (peer, is_lost) = forgetful();
    let (transport, recorder) = connect(&peer.url("/"));
    request(&transport, "initialize").await.unwrap();
    ready(&transport, "2025-06-18");
    request(&transport, "ping").await.unwrap();
    is_lost.store(true, Ordering::SeqCst);
    let error = request(&transport, "ping").await.unwrap_err();
    assert_eq!(error.failure_kind(), Some(FailureKind::SessionLost));
    request(&transport, "initialize").await.unwrap();
    let seen = peer.requests();
    assert_eq!(seen.len(), 4);
    assert_eq!(headers(&seen[2]), (Some("S1"), Some("2025-06-18")));
    assert_eq!(headers(&seen[3]), (None, None));
    assert!(transport.is_connected());
    // The new session is kept, and its end may be told by a notification as well (D-08).
    let error = within(transport.notify("n", None, NotifyOptions::default())).await.unwrap_err();
    assert_eq!(error.failure_kind(), Some(FailureKind::SessionLost));
    within(transport.close()).await;
    assert_eq!(peer.requests().len(), 5, "no session is left to end");
    assert_eq!(recorder.count("error "), 0);
}

/// Case 84, case 87: a refusal of the old session that comes late does not harm the new one.
#[tokio::test]
async fn a_late_refusal_of_an_old_session_leaves_the_new_one() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, _) = connect(&peer.url("/"));
    let begin = || async {
        tokio::join!(request(&transport, "initialize"), async {}).0.unwrap();
    };
    let mut first = pin!(begin());
    give(until(first.as_mut(), exchanges.take()).await, "S1").await;
    within(first).await;
    let mut late = pin!(transport.request("late", None, RequestOptions::default()));
    let refused = until(late.as_mut(), exchanges.take()).await;
    let mut second = pin!(begin());
    give(until(second.as_mut(), exchanges.take()).await, "S2").await;
    within(second).await;
    refused.respond("404 Not Found", &[], "").await;
    let error = within(late).await.unwrap_err();
    assert_eq!(error.failure_kind(), Some(FailureKind::SessionLost));
    let mut next = pin!(transport.request("next", None, RequestOptions::default()));
    let exchange = until(next.as_mut(), exchanges.take()).await;
    assert_eq!(exchange.header("mcp-session-id"), Some("S2"));
}

/// Case 87: each of the calls that share a lost session settles.
#[tokio::test]
async fn all_calls_of_a_lost_session_settle() {
    let (peer, is_lost) = forgetful();
    let (transport, _) = connect(&peer.url("/"));
    request(&transport, "initialize").await.unwrap();
    is_lost.store(true, Ordering::SeqCst);
    let calls = (0..10).map(|_| {
        let transport = transport.clone();
        tokio::spawn(async move { request(&transport, "ping").await })
    });
    for call in calls.collect::<Vec<_>>() {
        let error = call.await.unwrap().unwrap_err();
        assert!(matches!(error.failure_kind(), Some(FailureKind::SessionLost | FailureKind::Status(400))));
    }
    assert_eq!((transport.status().pending, sent(&peer.requests(), "initialize")), (0, 1));
}

/// Case 84: the server's own word for a method that it lacks is no lost session.
#[tokio::test]
async fn a_404_for_an_unknown_method_is_the_servers_error() {
    let peer = HttpPeer::mcp_after(McpBehaviour::new().with_session("S1"), |exchange| async move {
        if exchange.rpc_method().as_deref() != Some("no/such") {
            return Some(exchange);
        }
        let error = exchange.error(-32601, "Method not found");
        exchange.respond("404 Not Found", &[JSON], error).await;
        None
    });
    let (transport, _) = connect(&peer.url("/"));
    request(&transport, "initialize").await.unwrap();
    let error = request(&transport, "no/such").await.unwrap_err();
    assert_eq!(error.to_string(), "MCP error -32601: Method not found");
}

/// Case 86: without a session, 404 is a plain status. One try of the older transport, and that is all.
#[tokio::test]
async fn a_404_without_a_session_is_a_plain_status() {
    let peer = HttpPeer::start(|exchange| exchange.respond("404 Not Found", &[], "nothing here"));
    let error = within(Client::connect(&config(&peer.url("/mcp")), client::options())).await.unwrap_err();
    let ConnectError::Call { source, .. } = error else { panic!("{error:?}") };
    assert_eq!(source.failure_kind(), Some(FailureKind::Status(404)));
    assert!(!source.is_safe_to_retry());
    assert!(source.to_string().starts_with("HTTP 404: nothing here"), "{source}");
    let methods: Vec<_> = peer.requests().into_iter().map(|request| request.method).collect();
    assert_eq!(methods, ["POST", "GET"]);
}

/// Case 86: a server that forgets each session at once does not send the client in circles.
#[tokio::test]
async fn a_session_that_is_lost_at_once_fails_the_handshake_once() {
    let peer = HttpPeer::start(|exchange| async move {
        if exchange.header("mcp-session-id").is_some() {
            return exchange.respond("404 Not Found", &[], "").await;
        }
        let result = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "serverInfo": { "name": "x", "version": "1" } });
        let answer = exchange.answer(&result.to_string());
        exchange.respond("200 OK", &[JSON, ("Mcp-Session-Id", "S1")], answer).await;
    });
    let error = within(Client::connect(&config(&peer.url("/mcp")), client::options())).await.unwrap_err();
    let ConnectError::Call { source, .. } = error else { panic!("{error:?}") };
    assert_eq!(source.failure_kind(), Some(FailureKind::SessionLost));
    assert_eq!(peer.requests().len(), 2);
}

/// Case 86: -32601 with 404 from a server without sessions.
#[tokio::test]
async fn a_404_with_an_error_object_is_that_error() {
    let peer = HttpPeer::start(|exchange| async move {
        let error = exchange.error(-32601, "Method not found");
        exchange.respond("404 Not Found", &[JSON], error).await;
    });
    let (transport, _) = connect(&peer.url("/"));
    let error = request(&transport, "initialize").await.unwrap_err();
    assert_eq!(error.to_string(), "MCP error -32601: Method not found");
    assert_eq!(peer.requests().len(), 1);
}

/// Case 102, S-66: whatever becomes of DELETE, close succeeds, once.
#[tokio::test]
async fn close_succeeds_whatever_becomes_of_delete() {
    for status in ["200 OK", "204 No Content", "405 Method Not Allowed", "404 Not Found", "500 Oh", ""] {
        let peer = HttpPeer::start(move |exchange| async move {
            match (exchange.method.as_str(), status) {
                ("DELETE", "") => exchange.hold(),
                ("DELETE", status) => exchange.respond(status, &[], "").await,
                _ => give(exchange, "S1").await,
            }
        });
        let mut config = config(&peer.url("/mcp?k=1"));
        config.close_timeout = Duration::from_millis(50);
        let (transport, recorder) = connect_with(config);
        request(&transport, "initialize").await.unwrap();
        within(transport.close()).await;
        within(transport.close()).await;
        assert_eq!(recorder.events(), ["close the client closed the connection"], "{status}");
        peer.wait_for_open(0).await;
        let last = peer.requests().pop().unwrap();
        assert_eq!((last.method.as_str(), last.target.as_str()), ("DELETE", "/mcp?k=1"));
        assert_eq!((last.header("mcp-session-id"), peer.requests().len()), (Some("S1"), 2));
    }
}

/// Case 102: a server that is gone, or that resets, does not hold a close up either.
#[tokio::test]
async fn close_succeeds_where_the_server_is_gone() {
    let peer = HttpPeer::start(|exchange| async move {
        match exchange.method.as_str() {
            "DELETE" => exchange.reset(),
            _ => give(exchange, "S1").await,
        }
    });
    let (reset, _) = connect(&peer.url("/"));
    request(&reset, "initialize").await.unwrap();
    let (gone, recorder) = connect(&peer.url("/"));
    request(&gone, "initialize").await.unwrap();
    within(reset.close()).await;
    peer.stop_listening().await;
    peer.close_connections();
    peer.wait_for_open(0).await;
    within(gone.close()).await;
    assert_eq!(recorder.events(), ["close the client closed the connection"]);
}

/// Case 102: without a session there is nothing to end.
#[tokio::test]
async fn close_without_a_session_sends_nothing() {
    let peer = HttpPeer::mcp(McpBehaviour::new());
    let (transport, _) = connect(&peer.url("/"));
    within(transport.close()).await;
    let (transport, _) = connect(&peer.url("/"));
    request(&transport, "ping").await.unwrap();
    within(transport.close()).await;
    assert_eq!(peer.requests().len(), 1);
}

/// S-64, S-65: the id comes with any answer to a POST, and goes with all that follows.
#[tokio::test]
async fn a_session_is_kept_from_any_post_and_renewed() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, _) = connect(&peer.url("/"));
    for (gives, expects) in [("S1", None), ("S1", Some("S1")), ("S2", Some("S1")), ("S2", Some("S2"))] {
        let mut call = pin!(transport.request("m", None, RequestOptions::default()));
        let exchange = until(call.as_mut(), exchanges.take()).await;
        assert_eq!(exchange.header("mcp-session-id"), expects);
        assert_eq!(exchange.headers_named("mcp-session-id").count(), usize::from(expects.is_some()));
        give(exchange, gives).await;
        within(call).await.unwrap();
    }
    let closed: CallError = {
        within(async {
            tokio::join!(transport.close(), async {
                exchanges.take().await.respond("200 OK", &[], "").await;
            })
        })
        .await;
        request(&transport, "m").await.unwrap_err()
    };
    assert_eq!(closed.to_string(), "Transport closed");
    assert_eq!(peer.requests().len(), 5);
}
