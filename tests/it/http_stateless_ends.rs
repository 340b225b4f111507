//! Without a session (2026-07-28): how requests end that are not answered at once. Giving up, broken
//! streams, requests of the server, subscriptions.

use std::pin::pin;

use mcp_jsonrpc::{CallError, Cancel, Phase, RequestOptions, Transport};
use mcp_tests::http::{
    answer, config, connect_to, connect_with, options, request, sent, until, until_pending,
};
use mcp_tests::http_peer::{Exchanges, HttpPeer, SseWriter};
use mcp_tests::{Recorder, within};
use mcp_transport_http::{DEFAULT_MAX_STREAMS, HttpConfig, HttpTransport};

use crate::http_stateless::{VERSION, stateless};

const CANCELLED: &str = "notifications/cancelled";
const TOLD: &str = r#"{"jsonrpc":"2.0","method":"x/told"}"#;

/// C-263, C-265: a timeout, a cancel and a drop end the exchange, before its head and in its stream;
/// nothing is posted about it.
#[tokio::test]
async fn giving_up_ends_the_exchange_and_says_nothing() {
    for streams in [false, true] {
        for way in ["timeout", "cancel", "drop"] {
            let (peer, mut exchanges) = HttpPeer::by_hand();
            let (transport, recorder) = stateless(&peer.url("/"));
            let cancel = Cancel::new();
            let mut own = options(if way == "timeout" { 50 } else { 0 });
            own.cancel = Some(cancel.clone());
            let mut call = Box::pin(transport.request("long", None, own));
            let mut exchange = until(call.as_mut(), exchanges.take()).await;
            let gone: std::pin::Pin<Box<dyn Future<Output = ()>>> = if streams {
                let mut events = exchange.start_sse(&[]).await;
                assert!(events.event(TOLD).await);
                Box::pin(async move { events.client_closed().await })
            } else {
                Box::pin(async move { exchange.client_closed().await })
            };
            match way {
                "drop" => drop(call),
                "cancel" => {
                    cancel.cancel_with("enough");
                    assert_eq!(within(call).await.unwrap_err().to_string(), "enough");
                }
                _ => assert!(within(call).await.unwrap_err().is_timeout()),
            }
            within(gone).await;
            peer.wait_for_open(0).await;
            let (next, ()) = tokio::join!(request(&transport, "next"), async {
                answer(exchanges.take().await).await;
            });
            next.unwrap();
            within(transport.close()).await;
            assert_eq!(recorder.count("error "), 0, "{:?}", recorder.events());
            assert_eq!((peer.requests().len(), sent(&peer.requests(), CANCELLED)), (2, 0), "{way} {streams}");
        }
    }
}

/// A request that waits for a connection and is given up is not sent.
#[tokio::test]
async fn a_request_given_up_before_it_is_sent_is_not_sent() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let mut config = config(&peer.url("/"));
    config.max_connections = 1;
    let (transport, _) = connect_with(config);
    transport.enter(Phase::Stateless { version: VERSION });
    let mut first = pin!(transport.request("first", None, RequestOptions::default()));
    let exchange = until(first.as_mut(), exchanges.take()).await;
    let error = within(transport.request("second", None, options(30))).await.unwrap_err();
    assert!(error.is_timeout() && error.is_safe_to_retry());
    answer(exchange).await;
    within(first).await.unwrap();
    within(transport.close()).await;
    assert_eq!(peer.requests().len(), 1);
}

/// C-162: event ids and `retry` mean nothing: a stream that breaks is lost, and no GET asks for the rest.
#[tokio::test]
async fn a_stream_that_breaks_is_not_resumed() {
    let peer = HttpPeer::start(|exchange| async move {
        let resets = exchange.rpc_method().as_deref() == Some("reset");
        let mut events = exchange.start_sse(&[]).await;
        events.raw("retry: 50\n\n").await;
        events.event_with_id("e1", TOLD).await;
        if resets { events.close() } else { events.finish().await }
    });
    let (transport, recorder) = stateless(&peer.url("/"));
    for (number, method) in [(1, "end"), (2, "reset")] {
        let error = request(&transport, method).await.unwrap_err();
        assert!(matches!(error, CallError::NoResponse { .. }), "{error:?}");
        assert!(!error.is_safe_to_retry());
        recorder.wait_for(number, "notification x/told").await;
    }
    within(transport.close()).await;
    let methods: Vec<_> = peer.requests().into_iter().map(|request| request.method).collect();
    assert_eq!(methods, ["POST", "POST"]);
}

/// 5.6: a request of the server on a stream gets no answer, whatever a handler does with it; the call goes
/// on.
#[tokio::test]
async fn a_request_of_the_server_is_never_answered() {
    for withholds in [true, false] {
        let recorder =
            Recorder::answering(move |_, reply| if withholds { reply.withhold() } else { drop(reply) });
        let peer = HttpPeer::start(|exchange| async move {
            let answer = exchange.answer("1");
            let mut events = exchange.start_sse(&[]).await;
            events.raw(": comment\n\n").await;
            events.event(r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#).await;
            events.event(&answer).await;
            events.finish().await;
        });
        let transport = connect_to(config(&peer.url("/")), recorder.clone());
        transport.enter(Phase::Stateless { version: VERSION });
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), "1");
        within(transport.close()).await;
        assert_eq!((peer.requests().len(), recorder.count("request ")), (1, 1));
        let errors: Vec<_> =
            recorder.events().into_iter().filter(|event| event.starts_with("error")).collect();
        let expected = "error sending a reply failed: a server without a session gets no answers";
        assert_eq!(errors, if withholds { vec![] } else { vec![expected] });
    }
}

fn bounded(peer: &HttpPeer, connections: usize, streams: usize) -> HttpConfig {
    let mut config = config(&peer.url("/"));
    config.max_connections = connections;
    config.max_streams = streams;
    config
}

type Subscription<'a> = std::pin::Pin<Box<dyn Future<Output = ()> + 'a>>;

/// A subscription that is acknowledged, and the server's end of it.
async fn subscribe<'a>(
    transport: &'a HttpTransport,
    recorder: &Recorder,
    exchanges: &mut Exchanges,
) -> (Subscription<'a>, SseWriter) {
    let so_far = recorder.count("notification x/told");
    let mut call: Subscription<'a> = Box::pin(async move {
        let ended = transport.request("x/listen", None, options(0)).await;
        panic!("the subscription ended: {ended:?}");
    });
    let exchange = until(call.as_mut(), exchanges.take()).await;
    let mut events = exchange.start_sse(&[]).await;
    assert!(events.event(TOLD).await);
    until(call.as_mut(), recorder.wait_for(so_far + 1, "notification x/told")).await;
    (call, events)
}

/// D-16: streams that go on do not hold up calls, up to a limit of their own; each event is delivered as it
/// comes, and dropping the call ends its stream.
#[tokio::test]
async fn subscriptions_leave_their_places_to_calls() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, recorder) = connect_with(bounded(&peer, 1, 3));
    transport.enter(Phase::Stateless { version: VERSION });
    let mut subscriptions = Vec::new();
    for _ in 0..3 {
        subscriptions.push(subscribe(&transport, &recorder, &mut exchanges).await);
        let (called, ()) = tokio::join!(request(&transport, "call"), async {
            answer(exchanges.take().await).await;
        });
        called.unwrap();
    }
    let (call, events) = &mut subscriptions[1];
    for number in 4..6 {
        assert!(events.event(TOLD).await);
        until(call.as_mut(), recorder.wait_for(number, "notification x/told")).await;
    }
    for (call, mut events) in subscriptions {
        drop(call);
        within(events.client_closed()).await;
    }
    until_pending(&transport, 0).await;
    within(transport.close()).await;
    peer.wait_for_open(0).await;
    assert_eq!(sent(&peer.requests(), CANCELLED), 0);
}

/// D-16: beyond that limit streams count as calls, until one of the others ends.
#[tokio::test]
async fn streams_beyond_their_limit_count_as_calls() {
    assert_eq!(HttpConfig::new("http://a.test/").unwrap().max_streams, DEFAULT_MAX_STREAMS);
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, recorder) = connect_with(bounded(&peer, 1, 1));
    transport.enter(Phase::Stateless { version: VERSION });
    let (first, mut first_events) = subscribe(&transport, &recorder, &mut exchanges).await;
    let (mut second, mut second_events) = subscribe(&transport, &recorder, &mut exchanges).await;
    let error = within(transport.request("call", None, options(30))).await.unwrap_err();
    assert!(error.is_timeout() && error.is_safe_to_retry(), "{error:?}");
    drop(first);
    within(first_events.client_closed()).await;
    // With its next event, the second one takes the place that is free now.
    assert!(second_events.event(TOLD).await);
    until(second.as_mut(), recorder.wait_for(3, "notification x/told")).await;
    let (called, ()) = tokio::join!(request(&transport, "call"), async {
        answer(exchanges.take().await).await;
    });
    called.unwrap();
    assert_eq!(sent(&peer.requests(), "call"), 1);
}

/// D-16: a stream that brings its answer and nothing else keeps its place, and so do streams of a session.
#[tokio::test]
async fn streams_that_do_not_go_on_are_calls() {
    for (phase, told) in [
        (Phase::Stateless { version: VERSION }, ": comment\n\nid: 1\ndata:\n\n".to_owned()),
        (Phase::Negotiated { version: "2025-11-25" }, format!("data: {TOLD}\n\n")),
    ] {
        let (peer, mut exchanges) = HttpPeer::by_hand();
        let (transport, _) = connect_with(bounded(&peer, 1, 1));
        let (greeted, ()) = tokio::join!(request(&transport, "hello"), async {
            answer(exchanges.take().await).await;
        });
        greeted.unwrap();
        transport.enter(phase);
        let mut first = pin!(transport.request("first", None, RequestOptions::default()));
        let exchange = until(first.as_mut(), exchanges.take()).await;
        let reply = exchange.answer("1");
        let mut events = exchange.start_sse(&[]).await;
        assert!(events.raw(told).await);
        let mut second = pin!(transport.request("second", None, options(50)));
        let waited = within(async {
            tokio::select! {
                biased;
                _ = first.as_mut() => panic!("it is not answered yet"),
                done = second.as_mut() => done,
            }
        })
        .await;
        assert!(waited.unwrap_err().is_safe_to_retry(), "{phase:?}");
        events.event(&reply).await;
        events.finish().await;
        assert_eq!(within(first).await.unwrap().as_str(), "1");
        assert_eq!(peer.requests().len(), 2);
    }
}
