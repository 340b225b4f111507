//! The listener stream: what becomes of it never harms the calls. And what is left after a close: nothing.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_jsonrpc::{RequestOptions, Transport};
use mcp_tests::http::{config, connect, connect_to, connect_with, request, until};
use mcp_tests::http_peer::{Exchange, HttpPeer, McpBehaviour, Received};
use mcp_tests::{Recorder, client, within};
use mcp_transport_http::HttpConfig;

const LOST: &str = "error listening for the server's own messages failed: ";

/// An MCP server whose GETs are answered by `answer`, which gets their number from 0.
fn with_listener<F, R>(answer: F) -> HttpPeer
where
    F: Fn(Exchange, usize) -> R + Send + Sync + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    let (answer, count) = (Arc::new(answer), AtomicUsize::new(0));
    HttpPeer::mcp_after(McpBehaviour::new().with_session("S1"), move |exchange| {
        let number = (exchange.method == "GET").then(|| count.fetch_add(1, Ordering::SeqCst));
        let answer = answer.clone();
        async move {
            match number {
                Some(number) => {
                    answer(exchange, number).await;
                    None
                }
                None => Some(exchange),
            }
        }
    })
}

fn gets(requests: &[Received]) -> Vec<&Received> {
    requests.iter().filter(|request| request.method == "GET").collect()
}

/// Streams come back fast, so that tests need not wait.
fn resuming(url: &str) -> HttpConfig {
    let mut config = config(url);
    config.resume_listener = true;
    config.resume.max_attempts = 3;
    config.resume.delay = Duration::from_millis(1);
    config.resume.min_delay = Duration::from_millis(1);
    config.resume.max_delay = Duration::from_millis(20);
    config
}

/// Time enough for a stream to come back that should not.
async fn a_while() {
    let mut beat = tokio::time::interval(Duration::from_millis(30));
    for _ in 0..4 {
        beat.tick().await;
    }
}

/// Case 91, S-84: 405 says that there is none, and that is all.
#[tokio::test]
async fn a_405_is_silent() {
    let peer = with_listener(|exchange, _| exchange.respond("405 Method Not Allowed", &[], "no"));
    let (transport, recorder) = connect_with(resuming(&peer.url("/")));
    request(&transport, "initialize").await.unwrap();
    transport.listen();
    assert!(!within(transport.listening()).await);
    transport.listen();
    assert!(!within(transport.listening()).await);
    request(&transport, "ping").await.unwrap();
    within(transport.close()).await;
    assert_eq!(recorder.events(), ["close the client closed the connection"]);
    assert_eq!(gets(&peer.requests()).len(), 1, "no second try");
}

/// Case 91, D-12, S-87: any other refusal is reported once, and calls go on.
#[tokio::test]
async fn other_refusals_are_reported_once() {
    let refusals = [
        ("404 Not Found", "HTTP 404: no"),
        ("400 Bad Request", "HTTP 400: no"),
        ("501 Not Implemented", "HTTP 501: no"),
        ("503 Busy", "HTTP 503: no"),
        ("200 OK", "the answer is of type no type, not `application/json` or `text/event-stream`"),
    ];
    for (status, text) in refusals {
        let peer = with_listener(move |exchange, _| exchange.respond(status, &[], "no"));
        let (transport, recorder) = connect_with(resuming(&peer.url("/")));
        transport.listen();
        assert_eq!(recorder.wait("error ").await, format!("{LOST}{text}"));
        assert!(!within(transport.listening()).await);
        request(&transport, "initialize").await.unwrap();
        assert!(transport.is_connected());
        within(transport.close()).await;
        assert_eq!(recorder.count("error "), 1);
        assert_eq!(gets(&peer.requests()).len(), 1);
    }
}

/// Case 91: a GET that is never answered holds nothing up.
#[tokio::test]
async fn a_silent_listener_holds_nothing_up() {
    let peer = with_listener(|exchange, _| async move { exchange.hold() });
    let mut options = client::options();
    options.listen = true;
    let client = client::connect_with(&config(&peer.url("/")), options).await;
    peer.wait_for(|requests| !gets(requests).is_empty()).await;
    within(client.list_tools()).await.unwrap();
    within(client.close()).await;
    assert!(!within(client.listening()).await);
    peer.wait_for_open(0).await;
    assert_eq!(gets(&peer.requests()).len(), 1);
}

/// S-83: nobody listens unless asked to.
#[tokio::test]
async fn no_listener_is_opened_unless_asked_for() {
    let peer = with_listener(|exchange, _| async move { exchange.hold() });
    let client = client::connect(&config(&peer.url("/"))).await;
    within(client.ping()).await.unwrap();
    assert!(!within(client.listening()).await);
    within(client.close()).await;
    assert!(gets(&peer.requests()).is_empty());
}

/// S-82: messages on the listener are delivered in order, and requests of the server answered.
#[tokio::test]
async fn a_listener_brings_notifications_and_requests() {
    let peer = with_listener(|exchange, _| async move {
        let mut events = exchange.start_sse(&[]).await;
        events.raw(": hello\n\nevent: ping\ndata: x\n\n").await;
        events.event(r#"{"jsonrpc":"2.0","method":"notifications/a"}"#).await;
        events.event("no json").await;
        events.event(r#"{"jsonrpc":"2.0","id":"q","method":"unknown"}"#).await;
        events.event(r#"{"jsonrpc":"2.0","method":"notifications/b"}"#).await;
        events.hold();
    });
    let (transport, recorder) = connect(&peer.url("/"));
    request(&transport, "initialize").await.unwrap();
    transport.listen();
    recorder.wait("notification notifications/b").await;
    let seen: Vec<_> =
        recorder.events().into_iter().filter(|event| !event.starts_with("diagnostic")).collect();
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert_eq!(
        (seen[0].as_str(), seen[2].as_str()),
        ("notification notifications/a", "notification notifications/b")
    );
    let requests = peer
        .wait_for(|requests| requests.last().is_some_and(|it| it.id().is_some_and(|id| id == "\"q\"")))
        .await;
    assert!(requests.last().unwrap().text().contains("-32601"));
    assert!(transport.is_connected());
}

/// S-88, D-12: a lost listener is reported, and stays down unless asked to come back.
#[tokio::test]
async fn a_lost_listener_is_reported_once_and_stays_down() {
    for resets in [false, true] {
        let peer = with_listener(move |exchange, _| async move {
            let mut events = exchange.start_sse(&[]).await;
            events.event_with_id("7", r#"{"jsonrpc":"2.0","method":"notifications/a"}"#).await;
            if resets { events.reset() } else { events.finish().await }
        });
        let (transport, recorder) = connect(&peer.url("/"));
        transport.listen();
        let told = recorder.wait(LOST).await;
        let expected =
            if resets { "the connection to the server broke" } else { "the server ended the stream" };
        assert_eq!(told, format!("{LOST}{expected}"));
        assert!(!within(transport.listening()).await);
        request(&transport, "initialize").await.unwrap();
        a_while().await;
        assert_eq!((recorder.count("error "), gets(&peer.requests()).len()), (1, 1));
        assert!(transport.is_connected());
        within(transport.close()).await;
    }
}

/// A handler that panics ends the listener, and nobody waits for it any more.
#[tokio::test]
async fn a_handler_that_panics_ends_the_listener() {
    let recorder = Recorder::answering(|_, _| panic!("on purpose"));
    let peer = with_listener(|exchange, _| async move {
        let mut events = exchange.start_sse(&[]).await;
        events.event(r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#).await;
        events.client_closed().await;
    });
    let transport = connect_to(config(&peer.url("/")), recorder.clone());
    request(&transport, "initialize").await.unwrap();
    transport.listen();
    recorder.wait("request ").await;
    within(async {
        while transport.listening().await {
            tokio::task::yield_now().await;
        }
    })
    .await;
    request(&transport, "ping").await.unwrap();
    within(transport.close()).await;
}

/// Case 134: a server that ends each stream at once, in peace, is asked a bounded number of times,
/// whatever delay it names.
#[tokio::test]
async fn a_listener_that_is_ended_at_once_each_time_is_given_up() {
    for said in [": x\n\n", "retry: 0\n\n", "retry: 99999999999\n\n", "retry: abc\n\n", "id: 1\n\n"] {
        let peer = with_listener(move |exchange, _| async move {
            let mut events = exchange.start_sse(&[]).await;
            events.raw(said).await;
            events.finish().await;
        });
        let (transport, recorder) = connect_with(resuming(&peer.url("/")));
        request(&transport, "initialize").await.unwrap();
        transport.listen();
        assert_eq!(recorder.wait(LOST).await, format!("{LOST}the server ended the stream"));
        assert!(!within(transport.listening()).await);
        assert_eq!(gets(&peer.requests()).len(), 4, "{said}");
        assert!(transport.is_connected());
        request(&transport, "ping").await.unwrap();
        within(transport.close()).await;
        assert_eq!(recorder.count("error "), 1);
    }
}

/// Case 134: so is one that refuses to be reached again.
#[tokio::test]
async fn a_listener_that_cannot_come_back_is_given_up() {
    let peer = with_listener(|exchange, number| async move {
        match number {
            0 => exchange.start_sse(&[]).await.finish().await,
            1 => exchange.reset(),
            _ => exchange.respond("503 Busy", &[], "").await,
        }
    });
    let (transport, recorder) = connect_with(resuming(&peer.url("/")));
    transport.listen();
    recorder.wait(LOST).await;
    assert!(!within(transport.listening()).await);
    assert_eq!((gets(&peer.requests()).len(), recorder.count("error ")), (4, 1));
    request(&transport, "initialize").await.unwrap();
}

/// Case 178, C-170: cut, refused twice, and back: nobody notices but the listener.
#[tokio::test]
async fn a_listener_comes_back_while_calls_go_on() {
    let peer = with_listener(|exchange, number| async move {
        match number {
            1 | 2 => exchange.respond("400 Bad Request", &[], "one is open already").await,
            _ => {
                let mut events = exchange.start_sse(&[]).await;
                let notice = format!(r#"{{"jsonrpc":"2.0","method":"notifications/{number}"}}"#);
                events.event_with_id(&format!("e{number}"), &notice).await;
                if number == 0 { events.reset() } else { events.hold() }
            }
        }
    });
    let (transport, recorder) = connect_with(resuming(&peer.url("/")));
    request(&transport, "initialize").await.unwrap();
    transport.listen();
    let calls = async {
        loop {
            request(&transport, "ping").await.unwrap();
            assert!(transport.is_connected());
        }
    };
    tokio::select! {
        _ = recorder.wait("notification notifications/3") => {}
        () = calls => {}
    }
    assert!(within(transport.listening()).await);
    assert_eq!(recorder.events(), ["notification notifications/0", "notification notifications/3"]);
    let requests = peer.requests();
    let ids: Vec<_> = gets(&requests).into_iter().map(|get| get.header("last-event-id")).collect();
    assert_eq!(ids, [None, Some("e0"), Some("e0"), Some("e0")]);
    assert!(requests[1..].iter().all(|request| request.header("mcp-session-id") == Some("S1")));
    within(transport.close()).await;
}

/// Case 134, case 154: a stream that brings something begins to count anew.
#[tokio::test]
async fn a_listener_that_brings_something_goes_on_for_ever() {
    let peer = with_listener(|exchange, number| async move {
        let mut events = exchange.start_sse(&[]).await;
        events.event(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/{number}"}}"#)).await;
        events.finish().await;
    });
    let (transport, recorder) = connect_with(resuming(&peer.url("/")));
    transport.listen();
    recorder.wait("notification notifications/12").await;
    assert_eq!(recorder.count("error "), 0);
    within(transport.close()).await;
}

/// Case 120: closed while the listener waits to come back, it does not come back.
#[tokio::test]
async fn nothing_comes_after_a_close_while_the_listener_waits() {
    let peer = with_listener(|exchange, _| async move {
        let mut events = exchange.start_sse(&[]).await;
        events.event(r#"{"jsonrpc":"2.0","method":"notifications/a"}"#).await;
        events.finish().await;
    });
    let mut config = resuming(&peer.url("/"));
    config.resume.min_delay = Duration::from_millis(40);
    let (transport, recorder) = connect_with(config);
    request(&transport, "initialize").await.unwrap();
    transport.listen();
    recorder.wait("notification ").await;
    within(transport.close()).await;
    peer.wait_for_open(0).await;
    let (requests, connections) = (peer.requests().len(), peer.connections());
    transport.listen();
    assert_eq!(request(&transport, "m").await.unwrap_err().to_string(), "Transport closed");
    a_while().await;
    assert_eq!((peer.requests().len(), peer.connections()), (requests, connections));
    assert_eq!(recorder.count("close "), 1);
    assert_eq!(recorder.count("error "), 0);
}

/// Case 120, S-41: closed while a stream brings an answer, or waits to be resumed: the calls fail.
#[tokio::test]
async fn nothing_comes_after_a_close_while_a_call_is_open() {
    for ends in [false, true] {
        let (peer, mut exchanges) = HttpPeer::by_hand();
        let mut config = config(&peer.url("/"));
        (config.resume.min_delay, config.resume.delay) =
            (Duration::from_millis(40), Duration::from_millis(40));
        let (transport, recorder) = connect_with(config);
        let mut call = pin!(transport.request("m", None, RequestOptions::default()));
        let mut events = until(call.as_mut(), exchanges.take()).await.start_sse(&[]).await;
        events.event_with_id("e1", r#"{"jsonrpc":"2.0","method":"notifications/a"}"#).await;
        until(call.as_mut(), recorder.wait("notification ")).await;
        let open = if ends {
            events.finish().await;
            // It is read to its end now.
            tokio::select! {
                biased;
                _ = &mut call => panic!("it has no answer"),
                () = tokio::task::yield_now() => {}
            }
            None
        } else {
            Some(events)
        };
        let (closed, answer) = tokio::join!(within(transport.close()), within(call));
        let () = closed;
        let error = answer.unwrap_err();
        assert_eq!((error.to_string().as_str(), error.is_safe_to_retry()), ("Transport closed", false));
        if let Some(mut events) = open {
            within(events.client_closed()).await;
        }
        peer.wait_for_open(0).await;
        let (requests, connections) = (peer.requests().len(), peer.connections());
        a_while().await;
        assert_eq!((peer.requests().len(), peer.connections()), (requests, connections));
        assert_eq!(recorder.count("close "), 1);
    }
}

/// Case 120: a close in the middle of everything: calls, notifications, a listener, replies.
#[tokio::test]
async fn a_close_in_the_middle_of_everything_leaves_nothing() {
    let peer = with_listener(|exchange, _| async move {
        let mut events = exchange.start_sse(&[]).await;
        let mut number = 0;
        while events.event(&format!(r#"{{"jsonrpc":"2.0","id":{number},"method":"x"}}"#)).await {
            number += 1;
            tokio::task::yield_now().await;
        }
    });
    let (transport, recorder) = connect(&peer.url("/"));
    request(&transport, "initialize").await.unwrap();
    transport.listen();
    let calls = (0..20).map(|_| {
        let transport = transport.clone();
        tokio::spawn(async move {
            loop {
                if let Err(error) = request(&transport, "ping").await {
                    return error;
                }
            }
        })
    });
    let calls: Vec<_> = calls.collect();
    recorder.wait_for(20, "request ").await;
    within(transport.close()).await;
    for call in calls {
        assert_eq!(within(call).await.unwrap().to_string(), "Transport closed");
    }
    assert_eq!(transport.status().pending, 0);
    peer.wait_for_open(0).await;
    let connections = peer.connections();
    a_while().await;
    assert_eq!(peer.connections(), connections);
    assert_eq!(recorder.events().last().unwrap(), "close the client closed the connection");
}
