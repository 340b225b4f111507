//! HTTP+SSE, the older transport: its stream, its endpoint, and the way from one transport to the other.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::{Client, ConnectError};
use mcp_jsonrpc::{CallError, CloseCause, FailureKind, NotifyOptions, Transport};
use mcp_tests::http::{config, connect, connect_with, options, request, sent, until};
use mcp_tests::http_peer::{Exchange, Exchanges, HttpPeer, McpBehaviour, Received, SseWriter};
use mcp_tests::{Recorder, client, within};
use mcp_transport_http::{HttpConfig, HttpError, HttpTransport, Wire};
use serde_json::json;
use tokio::sync::Mutex;

/// A server of the older transport at `/gw/sse`, which names `endpoint`; answers what `answer` gives.
fn legacy(endpoint: &'static str) -> HttpPeer {
    let stream: Arc<Mutex<Option<SseWriter>>> = Arc::default();
    HttpPeer::start(move |exchange| {
        let stream = stream.clone();
        async move { serve(exchange, endpoint, &stream).await }
    })
}

async fn serve(exchange: Exchange, endpoint: &str, stream: &Mutex<Option<SseWriter>>) {
    match (exchange.method.as_str(), exchange.path()) {
        ("GET", "/gw/sse") => {
            let mut events = exchange.start_sse(&[]).await;
            events.event_of_type("endpoint", endpoint).await;
            *stream.lock().await = Some(events);
        }
        ("POST", "/gw/sse") => exchange.respond("405 Method Not Allowed", &[], "no POST here").await,
        ("POST", _) => {
            let answer = answer(&exchange);
            let stops = exchange.rpc_method().as_deref() == Some("stop");
            let mut stream = stream.lock().await;
            if let (Some(answer), Some(events)) = (answer, stream.as_mut()) {
                events.event(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#).await;
                events.event(&answer).await;
            }
            // The text says nothing.
            exchange.respond("202 Accepted", &[], "Accepted").await;
            if stops {
                *stream = None;
            }
        }
        _ => exchange.respond("404 Not Found", &[], "").await,
    }
}

fn answer(request: &Received) -> Option<String> {
    request.id()?;
    let result = match request.rpc_method()?.as_str() {
        "initialize" => json!({ "protocolVersion": "2024-11-05", "capabilities": { "tools": {} },
            "serverInfo": { "name": "old", "version": "1" } }),
        "tools/call" => json!({ "content": [{ "type": "text", "text": "done" }] }),
        "stop" => return None,
        _ => json!({}),
    };
    Some(request.answer(&result.to_string()))
}

fn old(url: &str) -> HttpConfig {
    let mut config = config(url);
    config.wire = Wire::Sse;
    config
}

fn lines(peer: &HttpPeer) -> Vec<String> {
    peer.requests().iter().map(|request| format!("{} {}", request.method, request.target)).collect()
}

/// S-17, D-17, C-165, C-167: type `sse`, from the handshake to the end.
#[tokio::test]
async fn a_whole_session_over_the_older_transport() {
    let peer = legacy("/messages?sid=1");
    let client = client::connect(&old(&peer.url("/gw/sse?k=1"))).await;
    within(client.call_tool("echo", &json!({}))).await.unwrap();
    assert!(within(client.listening()).await, "the one stream brings all");
    within(client.close()).await;
    // The peer keeps its end of the stream.
    peer.wait_for_open(1).await;
    let post = "POST /messages?sid=1";
    assert_eq!(lines(&peer), ["GET /gw/sse?k=1", post, post, post]);
    let requests = peer.requests();
    assert_eq!(requests[0].header("accept"), Some("text/event-stream"));
    assert_eq!(requests[1].header("content-type"), Some("application/json"));
    assert!(requests.iter().all(|request| request.header("mcp-session-id").is_none()));
}

/// D-17: a POST that is answered 400, 404 or 405 leads to the older transport.
#[tokio::test]
async fn the_older_transport_is_found_by_itself() {
    for status in ["400 Bad Request", "404 Not Found", "405 Method Not Allowed"] {
        let stream: Arc<Mutex<Option<SseWriter>>> = Arc::default();
        let peer = HttpPeer::start(move |exchange| {
            let stream = stream.clone();
            async move {
                if exchange.method == "POST" && exchange.path() == "/gw/sse" {
                    return exchange.respond(status, &[], "").await;
                }
                serve(exchange, "/m", &stream).await;
            }
        });
        let client = client::connect(&config(&peer.url("/gw/sse"))).await;
        within(client.call_tool("echo", &json!({}))).await.unwrap();
        within(client.close()).await;
        assert_eq!(lines(&peer), ["POST /gw/sse", "GET /gw/sse", "POST /m", "POST /m", "POST /m"]);
        assert_eq!(sent(&peer.requests(), "initialize"), 2, "the first was refused");
    }
}

/// D-17: type `sse`, and the server speaks the newer one.
#[tokio::test]
async fn the_newer_transport_is_found_by_itself() {
    let peer = HttpPeer::mcp(McpBehaviour::new().with_session("S1"));
    let client = client::connect(&old(&peer.url("/mcp"))).await;
    within(client.call_tool("echo", &json!({ "text": "x" }))).await.unwrap();
    within(client.close()).await;
    assert_eq!(lines(&peer), ["GET /mcp", "POST /mcp", "POST /mcp", "POST /mcp", "DELETE /mcp"]);
}

/// Plays the server up to the endpoint event, which `data` is.
async fn opened(exchanges: &mut Exchanges, data: &str) -> SseWriter {
    let mut events = exchanges.take().await.start_sse(&[]).await;
    events.event_of_type("endpoint", data).await;
    events
}

/// Case 141, C-166: the endpoint may come late, and with spaces around it; nothing is sent before.
#[tokio::test]
async fn the_endpoint_event_is_awaited() {
    for data in ["/messages?sid=1  ", " /messages?sid=1"] {
        let (peer, mut exchanges) = HttpPeer::by_hand();
        let (transport, _) = connect_with(old(&peer.url("/sse")));
        let mut call = pin!(request(&transport, "m"));
        let mut events = until(call.as_mut(), exchanges.take()).await.start_sse(&[]).await;
        let mut notice = pin!(transport.notify("n", None, NotifyOptions::default()));
        until(call.as_mut(), async {
            let mut beat = tokio::time::interval(Duration::from_millis(20));
            for _ in 0..4 {
                events.raw(": not yet\n\n").await;
                tokio::select! { _ = beat.tick() => {}, _ = &mut notice => panic!("it waits, too") }
            }
        })
        .await;
        assert_eq!(peer.requests().len(), 1);
        let server = async {
            events.raw(format!("event: endpoint\ndata: {data}\n\n")).await;
            for _ in 0..2 {
                let exchange = exchanges.take().await;
                assert_eq!((exchange.method.as_str(), exchange.target.as_str()), ("POST", "/messages?sid=1"));
                if exchange.id().is_some() {
                    events.event(&exchange.answer("1")).await;
                }
                exchange.accepted().await;
            }
        };
        let (answer, told, ()) = tokio::join!(call, within(notice), server);
        assert_eq!(answer.unwrap().as_str(), "1");
        told.unwrap();
    }
}

/// Case 141: the deadline covers an endpoint that never comes; nothing was sent then.
#[tokio::test]
async fn an_endpoint_that_never_comes_ends_at_the_deadline() {
    let peer = HttpPeer::start(|exchange| async move { exchange.start_sse(&[]).await.hold() });
    let (transport, _) = connect_with(old(&peer.url("/sse")));
    let error = within(transport.request("m", None, options(50))).await.unwrap_err();
    assert_eq!(error.to_string(), "Request timeout after 50ms");
    assert!(error.is_safe_to_retry());
    let mut short = NotifyOptions::default();
    short.timeout = Some(Duration::from_millis(50));
    let error = within(transport.notify("n", None, short)).await.unwrap_err();
    assert_eq!(error.to_string(), "Notify timeout after 50ms");
    let mut limited = client::options();
    limited.initialize_timeout = Some(Duration::from_millis(50));
    let error = within(Client::connect(&old(&peer.url("/sse")), limited)).await.unwrap_err();
    assert!(matches!(error, ConnectError::TimedOut { .. }), "{error:?}");
    assert!(peer.requests().iter().all(|request| request.method == "GET"));
    within(transport.close()).await;
    peer.wait_for_open(0).await;
}

/// Case 141: a stream that begins with something else, or ends, is none of the older transport.
#[tokio::test]
async fn a_stream_without_an_endpoint_is_an_error() {
    for first in ["data: {}\n\n", "event: message\ndata: /m\n\n", ": x\n\n", "event: endpoint\ndata:"] {
        let peer = HttpPeer::start(move |exchange| async move {
            if exchange.method == "POST" {
                return exchange.respond("405 Method Not Allowed", &[], "").await;
            }
            let mut events = exchange.start_sse(&[]).await;
            events.raw(first).await;
            events.finish().await;
        });
        let (transport, _) = connect(&peer.url("/"));
        let error = request(&transport, "m").await.unwrap_err();
        let Some(HttpError::Neither { second, .. }) = error.downcast_ref() else { panic!("{error:?}") };
        assert!(matches!(second.downcast_ref(), Some(HttpError::NoEndpoint)), "{second:?}");
    }
}

/// Case 142: resolved as a reference against the address of the stream.
#[tokio::test]
async fn the_endpoint_is_resolved_as_a_reference() {
    for (endpoint, target) in [
        ("/messages?s=1", "/messages?s=1"),
        ("messages?s=1", "/gw/messages?s=1"),
        ("?s=1", "/gw/sse?s=1"),
        ("http://{host}/m", "/m"),
        ("//{host}/m", "/m"),
        ("HTTP://{host}", "/"),
        ("../up", "/up"),
    ] {
        let (peer, mut exchanges) = HttpPeer::by_hand();
        let endpoint = endpoint.replace("{host}", &peer.address().to_string());
        let (transport, _) = connect_with(old(&peer.url("/gw/sse?k=1")));
        let (answer, ()) = tokio::join!(request(&transport, "m"), async {
            let mut events = opened(&mut exchanges, &endpoint).await;
            let exchange = exchanges.take().await;
            assert_eq!(exchange.target, target, "{endpoint}");
            events.event(&exchange.answer("1")).await;
            exchange.accepted().await;
            events.hold();
        });
        answer.unwrap();
    }
}

/// Case 142, C-168: one of another origin is refused, and nothing is sent there.
#[tokio::test]
async fn an_endpoint_of_another_origin_is_refused() {
    let other = HttpPeer::mcp(McpBehaviour::new());
    let theirs = other.address().port();
    for endpoint in [
        format!("http://127.0.0.1:{theirs}/m?k=1"),
        format!("//127.0.0.1:{theirs}/m"),
        "http://localhost:{port}/m".to_owned(),
        "https://127.0.0.1:{port}/m".to_owned(),
    ] {
        let peer = HttpPeer::start(move |exchange| {
            let own = exchange.header("host").and_then(|host| host.rsplit(':').next()).unwrap_or_default();
            let endpoint = endpoint.replace("{port}", own);
            async move {
                if exchange.method == "POST" {
                    return exchange.respond("405 Method Not Allowed", &[], "").await;
                }
                let mut events = exchange.start_sse(&[]).await;
                events.event_of_type("endpoint", &endpoint).await;
                events.hold();
            }
        });
        let (transport, _) = connect(&peer.url("/sse"));
        let error = request(&transport, "m").await.unwrap_err();
        let Some(HttpError::Neither { second, .. }) = error.downcast_ref() else { panic!("{error:?}") };
        assert!(matches!(second.downcast_ref(), Some(HttpError::EndpointOrigin { .. })), "{second:?}");
        assert_eq!(lines(&peer), ["POST /sse", "GET /sse"]);
    }
    assert_eq!(other.connections(), 0);
}

/// Case 122: what is no sign of the older transport is the error, and no GET hides it.
#[tokio::test]
async fn only_400_404_and_405_lead_to_the_older_transport() {
    for (line, status) in [
        ("401 Unauthorized", 401),
        ("403 Forbidden", 403),
        ("500 Oh", 500),
        ("502 Bad Gateway", 502),
        ("429 Slow", 429),
    ] {
        let peer = HttpPeer::start(move |exchange| exchange.respond(line, &[], "why"));
        let error = within(Client::connect(&config(&peer.url("/mcp")), client::options())).await.unwrap_err();
        assert_eq!(error.to_string(), format!("HTTP {status}: why"));
        assert_eq!(lines(&peer), ["POST /mcp"]);
    }
    let peer = HttpPeer::start(|exchange| async move { exchange.hold() });
    let (transport, _) = connect(&peer.url("/mcp"));
    within(transport.request("m", None, options(50))).await.unwrap_err();
    assert_eq!(lines(&peer), ["POST /mcp"]);
    let peer = HttpPeer::start(|exchange| async move { exchange.reset() });
    let (transport, _) = connect(&peer.url("/mcp"));
    assert_eq!(request(&transport, "m").await.unwrap_err().failure_kind(), Some(FailureKind::Reset));
    assert_eq!(lines(&peer), ["POST /mcp"]);
}

/// Case 122: a server that understood the message is asked no further, whatever the status.
#[tokio::test]
async fn an_error_object_in_a_400_does_not_lead_to_the_older_transport() {
    let peer = HttpPeer::start(|exchange| async move {
        let error = exchange.error(-32600, "what?");
        exchange.respond("400 Bad Request", &[("Content-Type", "application/json")], error).await;
    });
    let (transport, _) = connect(&peer.url("/mcp"));
    assert_eq!(request(&transport, "m").await.unwrap_err().to_string(), "MCP error -32600: what?");
    assert_eq!(lines(&peer), ["POST /mcp"]);
}

/// Case 122, D-17: both failures are told, the first one first, from whichever side it began.
#[tokio::test]
async fn where_neither_transport_works_both_errors_are_told() {
    let peer = HttpPeer::start(|exchange| async move {
        match exchange.method.as_str() {
            "POST" => exchange.respond("405 Method Not Allowed", &[], "no POST").await,
            _ => exchange.respond("401 Unauthorized", &[("WWW-Authenticate", "Bearer")], "no GET").await,
        }
    });
    let post = "HTTP 405: no POST";
    let get = "HTTP 401: no GET [WWW-Authenticate: Bearer]";
    for (wire, first, second, kind) in [
        (Wire::Streamable, post, get, FailureKind::Status(405)),
        (Wire::Sse, get, post, FailureKind::Unauthorized),
    ] {
        let mut config = config(&peer.url("/mcp"));
        config.wire = wire;
        let error = within(Client::connect(&config, client::options())).await.unwrap_err();
        assert_eq!(error.to_string(), format!("{first} (and as the other HTTP transport: {second})"));
        let ConnectError::Call { source, .. } = error else { panic!("{error:?}") };
        assert_eq!(source.failure_kind(), Some(kind));
    }
    assert_eq!(peer.requests().len(), 4);
}

/// D-07, S-53: the end of the stream is the end of the connection, told once.
#[tokio::test]
async fn the_end_of_the_stream_is_the_end_of_the_connection() {
    for resets in [false, true] {
        let (peer, mut exchanges) = HttpPeer::by_hand();
        let (transport, recorder) = connect_with(old(&peer.url("/sse")));
        let server = async {
            let events = opened(&mut exchanges, "/m").await;
            exchanges.take().await.accepted().await;
            if resets { events.reset() } else { events.finish().await }
        };
        let (failed, ()) = tokio::join!(request(&transport, "m"), server);
        let failed = failed.unwrap_err();
        assert_eq!((failed.to_string().as_str(), failed.is_safe_to_retry()), ("Transport closed", false));
        let cause = &failed.close_reason().unwrap().cause;
        match resets {
            false => assert!(matches!(cause, CloseCause::EndOfStream), "{cause:?}"),
            true => assert!(matches!(cause, CloseCause::Read(_)), "{cause:?}"),
        }
        recorder.wait("close ").await;
        assert!(!transport.is_connected());
        let later = request(&transport, "m").await.unwrap_err();
        assert_eq!((later.to_string().as_str(), later.is_safe_to_retry()), ("Transport closed", true));
        let told = within(transport.notify("n", None, NotifyOptions::default())).await.unwrap_err();
        assert!(told.is_closed());
        within(transport.close()).await;
        within(transport.close()).await;
        assert_eq!(recorder.count("close "), 1);
        assert_eq!(peer.requests().len(), 2);
        peer.wait_for_open(0).await;
    }
}

/// D-09: a close ends the stream, fails what waits on it, and is told once.
#[tokio::test]
async fn close_ends_the_stream() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, recorder) = connect_with(old(&peer.url("/sse")));
    let mut call = pin!(request(&transport, "m"));
    let mut events = until(call.as_mut(), async {
        let events = opened(&mut exchanges, "/m").await;
        exchanges.take().await.accepted().await;
        events
    })
    .await;
    let (failed, ()) = tokio::join!(call, within(transport.close()));
    assert_eq!(failed.unwrap_err().to_string(), "Transport closed");
    within(events.client_closed()).await;
    assert_eq!(recorder.events(), ["close the client closed the connection"]);
    assert!(peer.requests().iter().all(|request| request.method != "DELETE"));
    drop(events);
    peer.wait_for_open(0).await;
}

/// Case 108: a POST that fails, fails its call alone.
#[tokio::test]
async fn a_refused_message_fails_its_call_alone() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, _) = connect_with(old(&peer.url("/sse")));
    let server = async {
        let mut events = opened(&mut exchanges, "/m").await;
        exchanges.take().await.respond("500 Oh", &[], "oh").await;
        let exchange = exchanges.take().await;
        // The answer is there before the POST is answered.
        events.event(&exchange.answer("1")).await;
        exchange.hold();
        exchanges.take().await.respond("404 Not Found", &[], "").await;
        events
    };
    let calls = async {
        let first = request(&transport, "m").await.unwrap_err();
        let second = request(&transport, "m").await.unwrap();
        let third = request(&transport, "m").await.unwrap_err();
        (first, second, third)
    };
    let ((first, second, third), _events) = tokio::join!(calls, server);
    assert_eq!((first.to_string().as_str(), second.as_str()), ("HTTP 500: oh", "1"));
    assert_eq!(third.failure_kind(), Some(FailureKind::Status(404)), "no session, no loss of one");
    assert!(transport.is_connected());
}

/// Case 62, case 65, S-29: the one stream brings notifications and requests, and replies go to the
/// endpoint while a call waits.
#[tokio::test]
async fn requests_of_the_server_are_answered_at_the_endpoint() {
    let recorder = Recorder::answering(|_, reply| reply.result(&json!({ "a": 1 })));
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let mut config = old(&peer.url("/sse"));
    config.max_connections = 1;
    let transport = Arc::new(HttpTransport::new(config, recorder.clone()));
    transport.connect().unwrap();
    let server = async {
        let mut events = opened(&mut exchanges, "/m").await;
        let call = exchanges.take().await;
        events.event(r#"{"jsonrpc":"2.0","id":"q","method":"roots/list"}"#).await;
        let reply = exchanges.take().await;
        assert_eq!((reply.target.as_str(), reply.id()), ("/m", Some("\"q\"".to_owned())));
        assert_eq!(reply.json()["result"], json!({ "a": 1 }));
        reply.accepted().await;
        events.event(&call.answer("1")).await;
        call.accepted().await;
        events.hold();
    };
    let (answer, ()) = tokio::join!(request(&transport, "m"), server);
    answer.unwrap();
    assert_eq!(recorder.count("request "), 1);
}

/// Case 72, S-71: an answer that does not come on the one stream ends at the deadline; the server hears
/// of it.
#[tokio::test]
async fn a_call_that_waits_on_the_stream_has_its_deadline() {
    let peer = HttpPeer::start(|exchange| async move {
        match exchange.method.as_str() {
            "GET" => {
                let mut events = exchange.start_sse(&[]).await;
                events.event_of_type("endpoint", "/m").await;
                events.hold();
            }
            _ => exchange.accepted().await,
        }
    });
    let (transport, _) = connect_with(old(&peer.url("/sse")));
    let error: CallError = within(transport.request("m", None, options(60))).await.unwrap_err();
    assert_eq!(error.to_string(), "SSE response timeout after 60ms");
    peer.wait_for(|requests| sent(requests, "notifications/cancelled") == 1).await;
    within(transport.close()).await;
}

/// D-17: calls that begin at the same time open one stream.
#[tokio::test]
async fn calls_at_the_same_time_open_one_stream() {
    let peer = legacy("/m");
    for config in [old(&peer.url("/gw/sse")), config(&peer.url("/gw/sse"))] {
        let before = peer.requests().len();
        let (transport, _) = connect_with(config);
        let (a, b, c) =
            tokio::join!(request(&transport, "a"), request(&transport, "b"), request(&transport, "c"));
        for answer in [a, b, c] {
            answer.unwrap();
        }
        let gets = peer.requests()[before..].iter().filter(|request| request.method == "GET").count();
        assert_eq!(gets, 1);
        within(transport.close()).await;
    }
}

/// Invariant 7: a handler that panics ends the connection, and every call is settled.
#[tokio::test]
async fn a_handler_that_panics_ends_the_connection() {
    let recorder = Recorder::answering(|_, _| panic!("on purpose"));
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let transport = Arc::new(HttpTransport::new(old(&peer.url("/sse")), recorder.clone()));
    transport.connect().unwrap();
    let server = async {
        let mut events = opened(&mut exchanges, "/m").await;
        exchanges.take().await.accepted().await;
        events.event(r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#).await;
        events.client_closed().await;
    };
    let (failed, ()) = tokio::join!(request(&transport, "m"), within(server));
    let error = failed.unwrap_err();
    assert!(matches!(error.close_reason().unwrap().cause, CloseCause::Panicked), "{error:?}");
    within(transport.close()).await;
    assert_eq!(recorder.count("close "), 1);
}
