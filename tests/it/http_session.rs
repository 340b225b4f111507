//! The session and the transport that has it: how they begin, how they are kept and lost, how they end.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mcp_client::{Client, ClientError, ConnectError};
use mcp_jsonrpc::{CallError, CloseCause, FailureKind, NotifyOptions, RequestOptions, Transport};
use mcp_tests::http::{answer, config, connect, connect_with, greeted, ready, request, sent, until};
use mcp_tests::http_peer::{Exchange, HttpPeer, McpBehaviour, Received, SseWriter};
use mcp_tests::{Recorder, client, within};
use mcp_transport_http::{ConnectError as OpenError, HttpConfig, HttpError, HttpTransport, Wire};
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

/// D-09: a transport that is dropped cuts all its connections, fails nothing twice, and says so once.
#[tokio::test]
async fn a_dropped_transport_cuts_its_connections() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, recorder) = connect(&peer.url("/"));
    greeted(&transport, &mut exchanges).await;
    transport.listen();
    let listener = exchanges.take().await.start_sse(&[]).await;
    assert!(within(transport.listening()).await);
    {
        let mut call = pin!(transport.request("m", None, RequestOptions::default()));
        let exchange = until(call.as_mut(), exchanges.take()).await;
        exchange.hold();
    }
    drop(transport);
    listener.hold();
    peer.wait_for_open(0).await;
    assert_eq!(recorder.events(), ["close the client dropped the connection"]);
    assert!(peer.requests().iter().all(|request| request.method != "DELETE"));
}

/// D-09: close is idempotent, also at the same time, and is told once.
#[tokio::test]
async fn a_second_close_waits_for_the_first() {
    let peer = HttpPeer::mcp(McpBehaviour::new().with_session("S1"));
    let (transport, recorder) = connect(&peer.url("/"));
    request(&transport, "initialize").await.unwrap();
    assert!(transport.is_connected());
    within(async { tokio::join!(transport.close(), transport.close(), transport.close()) }).await;
    within(transport.close()).await;
    assert!(!transport.is_connected() && !transport.status().connected);
    drop(transport);
    peer.wait_for_open(0).await;
    assert_eq!(recorder.events(), ["close the client closed the connection"]);
    assert_eq!(peer.requests().iter().filter(|request| request.method == "DELETE").count(), 1);
}

/// D-09: whoever asked for a close and went away, does not stop it.
#[tokio::test]
async fn a_close_that_is_dropped_goes_on() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, recorder) = connect(&peer.url("/"));
    let (begun, ()) = tokio::join!(request(&transport, "initialize"), async {
        let exchange = exchanges.take().await;
        let headers = [("Content-Type", "application/json"), ("Mcp-Session-Id", "S1")];
        let answer = exchange.answer("{}");
        exchange.respond("200 OK", &headers, answer).await;
    });
    begun.unwrap();
    let delete = {
        let mut closing = pin!(transport.close());
        until(closing.as_mut(), exchanges.take()).await
    };
    drop(transport);
    delete.respond("200 OK", &[], "").await;
    recorder.wait("close ").await;
    peer.wait_for_open(0).await;
    assert_eq!(recorder.events(), ["close the client closed the connection"]);
}

/// D-07, S-55, S-60: connecting opens nothing; what was closed, or connected, is not connected again.
#[tokio::test]
async fn a_transport_is_connected_once() {
    let peer = HttpPeer::start(answer);
    let recorder = Recorder::new();
    let transport = HttpTransport::new(config(&peer.url("/")), recorder.clone());
    assert!(!transport.is_connected());
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!((error.to_string().as_str(), error.is_safe_to_retry()), ("Transport not connected", true));
    assert!(matches!(
        within(transport.notify("n", None, NotifyOptions::default())).await,
        Err(CallError::NotConnected)
    ));
    transport.listen();
    assert!(!within(transport.listening()).await);
    transport.connect().unwrap();
    assert!(matches!(transport.connect(), Err(OpenError::Again)));
    assert!(transport.is_connected());
    assert_eq!(peer.connections(), 0);
    request(&transport, "m").await.unwrap();
    within(transport.close()).await;
    assert!(matches!(transport.connect(), Err(OpenError::Again)));

    let closed = HttpTransport::new(config(&peer.url("/")), recorder.clone());
    within(closed.close()).await;
    assert!(matches!(closed.connect(), Err(OpenError::Again)));
    drop(closed);
    assert_eq!(recorder.count("close "), 1, "what was never open is not closed");
}

#[test]
fn connecting_without_a_runtime_is_an_error() {
    let transport = HttpTransport::new(HttpConfig::new("http://127.0.0.1:9/").unwrap(), Recorder::new());
    assert!(matches!(transport.connect(), Err(OpenError::NoRuntime)));
    // It may be connected where there is one.
    let runtime = runtime();
    runtime.block_on(async { transport.connect() }).unwrap();
    runtime.block_on(within(transport.close()));
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// A transport may outlive the runtime that it was made on: what is tried then fails, and a close ends.
#[test]
fn a_transport_outlives_its_runtime() {
    let own = runtime();
    let other = runtime();
    for wire in [Wire::Streamable, Wire::Sse] {
        let peer = other.block_on(async { lasting() });
        let mut config = config(&peer.url("/"));
        config.wire = wire;
        let short_lived = runtime();
        let recorder = Recorder::new();
        let transport = Arc::new(HttpTransport::new(config, recorder.clone()));
        short_lived.block_on(async {
            transport.connect().unwrap();
            request(&transport, "hello").await.unwrap();
        });
        let in_flight = own.spawn({
            let transport = transport.clone();
            async move { transport.request("silent", None, RequestOptions::default()).await }
        });
        other.block_on(async {
            peer.wait_for(|requests| sent(requests, "silent") == 1).await;
        });
        short_lived.shutdown_background();
        let error = own.block_on(within(in_flight)).unwrap().unwrap_err();
        assert!(!error.is_safe_to_retry(), "{error:?}");
        own.block_on(async {
            request(&transport, "hello").await.unwrap_err();
            within(transport.notify("n", None, NotifyOptions::default())).await.unwrap_err();
            transport.listen();
            within(transport.listening()).await;
            within(transport.close()).await;
            within(transport.close()).await;
        });
        assert_eq!(recorder.count("close "), 1, "{wire:?}: {:?}", recorder.events());
        assert!(!transport.is_connected());
        assert_eq!(transport.status().pending, 0);
        drop(transport);
        // The peer keeps its end of the older transport's stream.
        other.block_on(peer.wait_for_open(usize::from(wire == Wire::Sse)));
        assert_eq!(recorder.count("close "), 1);
    }
}

/// A server of both transports at the same place: GET opens the older one's stream.
fn lasting() -> HttpPeer {
    let stream: Arc<tokio::sync::Mutex<Option<SseWriter>>> = Arc::default();
    HttpPeer::start(move |exchange| {
        let stream = stream.clone();
        async move {
            match (exchange.method.as_str(), exchange.path()) {
                ("GET", _) => {
                    let mut events = exchange.start_sse(&[]).await;
                    events.event_of_type("endpoint", "/old").await;
                    *stream.lock().await = Some(events);
                }
                (_, "/old") => {
                    if exchange.rpc_method().as_deref() == Some("hello")
                        && let Some(events) = stream.lock().await.as_mut()
                    {
                        events.event(&exchange.answer("1")).await;
                    }
                    exchange.accepted().await;
                }
                _ if exchange.rpc_method().as_deref() == Some("hello") => answer(exchange).await,
                _ => exchange.hold(),
            }
        }
    })
}

/// A transport that is dropped after its runtime says that it is closed, once.
#[test]
fn a_transport_that_is_dropped_after_its_runtime_says_so() {
    let short_lived = runtime();
    let recorder = Recorder::new();
    let transport = HttpTransport::new(config("http://127.0.0.1:9/"), recorder.clone());
    short_lived.block_on(async { transport.connect() }).unwrap();
    drop(short_lived);
    drop(transport);
    assert_eq!(recorder.events(), ["close the client dropped the connection"]);
}

/// Invariant 7 over HTTP: why a call failed is there with its error.
#[tokio::test]
async fn a_call_that_a_close_fails_tells_why() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, _) = connect(&peer.url("/"));
    let mut call = pin!(transport.request("m", None, RequestOptions::default()));
    let exchange = until(call.as_mut(), exchanges.take()).await;
    let (failed, ()) = tokio::join!(within(call), within(transport.close()));
    let error = failed.unwrap_err();
    assert!(matches!(error.close_reason().unwrap().cause, CloseCause::Requested));
    assert!(!error.is_safe_to_retry() && error.is_closed());
    drop(exchange);
    peer.wait_for_open(0).await;
}
