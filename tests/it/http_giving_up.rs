//! Giving calls up over HTTP: deadlines, cancels, dropped futures.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::{CallOptions, Client, ConnectError};
use mcp_jsonrpc::{Cancel, IdFormat, NotifyOptions, RequestOptions, TimeoutPhase, Transport};
use mcp_tests::client;
use mcp_tests::http::{config, connect, connect_with, greeted, options, request, sent, until, until_pending};
use mcp_tests::http_peer::{Exchange, HttpPeer, McpBehaviour, Received, SseWriter};
use mcp_tests::within;
use mcp_transport_http::{DEFAULT_TIMEOUT, HttpConfig};
use serde_json::json;

const CANCELLED: &str = "notifications/cancelled";

const fn ms(number: u64) -> Duration {
    Duration::from_millis(number)
}

/// A peer that answers nothing but notifications, and `hello`.
fn silent() -> HttpPeer {
    HttpPeer::start(|exchange| async move {
        match (exchange.id(), exchange.rpc_method().as_deref()) {
            (Some(_), Some("hello")) => {
                let answer = exchange.answer("{}");
                exchange.respond_json(answer).await;
            }
            (Some(_), _) => exchange.hold(),
            (None, _) => exchange.accepted().await,
        }
    })
}

/// An MCP server that never answers a tool call.
fn silent_tools() -> HttpPeer {
    HttpPeer::mcp_after(McpBehaviour::new(), |exchange| async move {
        match exchange.rpc_method().as_deref() {
            Some("tools/call") => {
                exchange.hold();
                None
            }
            _ => Some(exchange),
        }
    })
}

fn cancels(requests: &[Received]) -> impl Iterator<Item = &Received> {
    requests.iter().filter(|request| request.rpc_method().as_deref() == Some(CANCELLED))
}

/// A socket on which connections are made and never spoken on.
async fn mute() -> (tokio::net::TcpListener, String) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    // A TLS handshake never gets further than its first message.
    let url = format!("https://{}/mcp", listener.local_addr().unwrap());
    (listener, url)
}

/// Writes comments until the client is gone.
async fn comments(mut events: SseWriter) {
    let mut beat = tokio::time::interval(ms(5));
    while events.raw(": still here\n\n").await {
        beat.tick().await;
    }
}

/// Case 72, D-04, S-67: the call's own limit, then that of the configuration, then 30 s.
#[tokio::test]
async fn a_timeout_of_the_call_wins_over_that_of_the_configuration() {
    let peer = silent();
    assert_eq!(HttpConfig::new(&peer.url("/")).unwrap().timeout, ms(30_000));
    assert_eq!(DEFAULT_TIMEOUT, ms(30_000));
    let mut config = config(&peer.url("/"));
    config.timeout = ms(70);
    let (transport, _) = connect_with(config);
    for (own, text) in [(Some(40), "40"), (None, "70"), (Some(120), "120")] {
        let mut options = RequestOptions::default();
        options.timeout = own.map(ms);
        let error = within(transport.request("never", None, options)).await.unwrap_err();
        assert!(error.is_timeout() && !error.is_safe_to_retry());
        assert_eq!(error.to_string(), format!("Request timeout after {text}ms"));
    }
    assert!(transport.is_connected());
    assert_eq!(transport.status().pending, 0);
    within(transport.close()).await;
    peer.wait_for_open(0).await;
}

/// Case 72: the same where a client passes it on.
#[tokio::test]
async fn the_timeouts_of_client_and_call_reach_the_transport() {
    let peer = silent_tools();
    let mut options = client::options();
    options.timeout = Some(ms(60));
    let client = client::connect_with(&config(&peer.url("/")), options).await;
    let error = within(client.call_tool("echo", &json!({}))).await.unwrap_err();
    assert_eq!(error.to_string(), "Request timeout after 60ms");
    let mut own = CallOptions::default();
    own.timeout = Some(ms(30));
    let error = within(client.call_tool_with("echo", &json!({}), own)).await.unwrap_err();
    assert_eq!(error.to_string(), "Request timeout after 30ms");
    within(client.ping()).await.unwrap();
    within(client.close()).await;
}

/// Case 72: the deadline covers connecting, and a call that was never sent is safe to repeat.
#[tokio::test]
async fn a_deadline_covers_a_connection_that_is_never_made() {
    let (_listener, url) = mute().await;
    let mut config = config(&url);
    config.timeout = ms(50);
    let (transport, _) = connect_with(config);
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!(error.to_string(), "Request timeout after 50ms");
    assert!(error.is_safe_to_retry());
    let error = within(transport.notify("n", None, NotifyOptions::default())).await.unwrap_err();
    assert_eq!(error.to_string(), "Notify timeout after 50ms");
    assert!(error.is_safe_to_retry());
    within(transport.close()).await;
}

/// Case 72: so it does the wait for a free connection.
#[tokio::test]
async fn a_deadline_covers_the_wait_for_a_free_connection() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let mut config = config(&peer.url("/"));
    config.max_connections = 1;
    let (transport, _) = connect_with(config);
    greeted(&transport, &mut exchanges).await;
    let mut first = pin!(transport.request("first", None, RequestOptions::default()));
    let exchange = until(first.as_mut(), exchanges.take()).await;
    let error = within(transport.request("second", None, options(30))).await.unwrap_err();
    assert_eq!(error.to_string(), "Request timeout after 30ms");
    assert!(error.is_safe_to_retry());
    let answer = exchange.answer("1");
    exchange.respond_json(answer).await;
    assert_eq!(within(first).await.unwrap().as_str(), "1");
    assert_eq!(peer.requests().len(), 2, "nothing of the second was sent");
}

/// Answers up to a point, and no further.
async fn stops(exchange: Exchange) {
    let json = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n";
    let head: &[&str] = match exchange.rpc_method().as_deref() {
        Some("head") => &[],
        Some("half-head") => &["HTTP/1.1 200 OK\r\nContent-Type: appl"],
        Some("body") => &[json],
        Some("half-body") => &[json, r#"{"jsonrpc":"2.0","id":"#],
        Some("error-body") => &["HTTP/1.1 500 Oh\r\nContent-Length: 1000\r\n\r\nhalf"],
        Some("redirect") => &["HTTP/1.1 307 There\r\nLocation: /x\r\nContent-Length: 1000\r\n\r\n"],
        Some("events") => return exchange.start_sse(&[]).await.hold(),
        Some("half-event") => {
            let mut events = exchange.start_sse(&[]).await;
            events.raw("data: {\"jsonrpc\":").await;
            return events.hold();
        }
        _ => return comments(exchange.start_sse(&[]).await).await,
    };
    let mut exchange = exchange;
    for part in head {
        exchange.write(part).await;
    }
    exchange.hold();
}

/// Case 72, S-70, S-71: head, body, stream; the text says what was waited for. Comments that keep a
/// connection alive do not keep the call alive.
#[tokio::test]
async fn a_deadline_covers_head_body_and_stream() {
    let peer = HttpPeer::start(stops);
    let (transport, _) = connect(&peer.url("/"));
    for (method, text) in [
        ("head", "Request"),
        ("half-head", "Request"),
        ("body", "Request"),
        ("half-body", "Request"),
        ("error-body", "Request"),
        ("redirect", "Request"),
        ("events", "SSE response"),
        ("half-event", "SSE response"),
        ("comments", "SSE response"),
    ] {
        let error = within(transport.request(method, None, options(50))).await.unwrap_err();
        assert_eq!(error.to_string(), format!("{text} timeout after 50ms"), "{method}");
        assert!(!error.is_safe_to_retry(), "{method}");
    }
    let status = transport.status();
    assert_eq!((status.pending, status.counts.abandoned), (0, 9));
    within(transport.close()).await;
    peer.wait_for_open(0).await;
}

/// Case 72, S-72, D-08.
#[tokio::test]
async fn a_deadline_covers_a_notification() {
    let peer = HttpPeer::start(stops);
    let (transport, _) = connect(&peer.url("/"));
    for method in ["head", "half-head", "error-body", "redirect"] {
        let mut options = NotifyOptions::default();
        options.timeout = Some(ms(50));
        let error = within(transport.notify(method, None, options)).await.unwrap_err();
        assert_eq!(error.to_string(), "Notify timeout after 50ms", "{method}");
        assert!(!error.is_safe_to_retry());
    }
    within(transport.close()).await;
    peer.wait_for_open(0).await;
}

/// Case 72: the deadline goes on while a broken stream waits to be resumed.
#[tokio::test]
async fn a_deadline_covers_the_resumption_of_a_stream() {
    let peer = HttpPeer::start(|exchange| async move {
        if exchange.method == "GET" {
            return exchange.hold();
        }
        let retry = if exchange.rpc_method().as_deref() == Some("late") { 20_000 } else { 1 };
        let mut events = exchange.start_sse(&[]).await;
        events.raw(format!("id: e1\nretry: {retry}\ndata:\n\n")).await;
        events.finish().await;
    });
    let (transport, _) = connect(&peer.url("/"));
    for method in ["late", "soon"] {
        let error = within(transport.request(method, None, options(150))).await.unwrap_err();
        assert_eq!(error.to_string(), "SSE response timeout after 150ms", "{method}");
    }
    assert_eq!(peer.requests().iter().filter(|request| request.method == "GET").count(), 1);
}

/// Answers a tool call with progress for `token`, so many times, then with its result.
async fn progressing(exchange: Exchange, token: Option<u64>, every: Duration, times: usize) {
    let own = exchange.json()["params"]["_meta"]["progressToken"].clone();
    let token = token.map_or(own, Into::into);
    let answer = exchange.answer(r#"{"content":[]}"#);
    let mut events = exchange.start_sse(&[]).await;
    let mut beat = tokio::time::interval(every);
    for progress in 0..times {
        beat.tick().await;
        let params = json!({ "progressToken": token, "progress": progress });
        let notice = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
        if !events.event(&notice.to_string()).await {
            return;
        }
    }
    events.event(&answer).await;
    events.finish().await;
}

fn with_progress(token: Option<u64>, every: u64, times: usize) -> HttpPeer {
    HttpPeer::mcp_after(McpBehaviour::new(), move |exchange| async move {
        if exchange.rpc_method().as_deref() != Some("tools/call") {
            return Some(exchange);
        }
        progressing(exchange, token, ms(every), times).await;
        None
    })
}

fn extended(timeout: u64, total: u64) -> CallOptions {
    let mut options = CallOptions::default();
    options.timeout = Some(ms(timeout));
    options.max_total_timeout = Some(ms(total));
    options.progress_extends_timeout = Some(true);
    options
}

/// Case 73: a token is sent though nobody hears the progress, and each event restarts the timeout.
#[tokio::test]
async fn progress_keeps_a_call_alive_beyond_its_timeout() {
    let peer = with_progress(None, 100, 12);
    let client = client::connect(&config(&peer.url("/"))).await;
    within(client.call_tool_with("slow", &json!({}), extended(1000, 0))).await.unwrap();
    within(client.close()).await;
}

/// Case 74: the total limit holds, whatever progress comes.
#[tokio::test]
async fn progress_without_end_ends_at_the_total_limit() {
    let peer = with_progress(None, 20, usize::MAX);
    let client = client::connect(&config(&peer.url("/"))).await;
    let error = within(client.call_tool_with("slow", &json!({}), extended(10_000, 200))).await.unwrap_err();
    assert_eq!(error.to_string(), "SSE response timeout after 200ms");
    let requests = peer.wait_for(|requests| sent(requests, CANCELLED) > 0).await;
    assert_eq!((sent(&requests, "tools/call"), sent(&requests, CANCELLED)), (1, 1));
}

/// Case 74: the token of another call extends nothing.
#[tokio::test]
async fn progress_of_another_call_does_not_extend_the_timeout() {
    let peer = with_progress(Some(999), 10, usize::MAX);
    let client = client::connect(&config(&peer.url("/"))).await;
    let error = within(client.call_tool_with("slow", &json!({}), extended(100, 0))).await.unwrap_err();
    assert_eq!(error.to_string(), "SSE response timeout after 100ms");
}

/// Case 75, D-04: zero is none, and never "at once".
#[tokio::test]
async fn a_timeout_of_zero_is_none() {
    let peer = HttpPeer::start(|exchange| async move {
        let mut beat = tokio::time::interval(ms(40));
        beat.tick().await;
        beat.tick().await;
        if exchange.id().is_none() {
            return exchange.accepted().await;
        }
        let answer = exchange.answer("1");
        exchange.respond_json(answer).await;
    });
    let mut config = config(&peer.url("/"));
    (config.timeout, config.max_total_timeout) = (Duration::ZERO, Duration::ZERO);
    let (transport, _) = connect_with(config);
    for timeout in [None, Some(Duration::ZERO)] {
        let mut options = RequestOptions::default();
        (options.timeout, options.max_total_timeout) = (timeout, timeout);
        within(transport.request("late", None, options)).await.unwrap();
        let mut options = NotifyOptions::default();
        options.timeout = timeout;
        within(transport.notify("late", None, options)).await.unwrap();
    }
}

/// Case 78, C-253: a handshake that runs out of time sends no cancel, and leaves nothing open.
#[tokio::test]
async fn an_initialize_that_times_out_is_not_cancelled() {
    for answers_with_events in [false, true] {
        let peer = HttpPeer::start(move |exchange| async move {
            if answers_with_events { comments(exchange.start_sse(&[]).await).await } else { exchange.hold() }
        });
        let mut options = client::options();
        options.initialize_timeout = Some(ms(80));
        let error = within(Client::connect(&config(&peer.url("/")), options)).await.unwrap_err();
        assert!(matches!(error, ConnectError::TimedOut { limit, .. } if limit == ms(80)), "{error:?}");
        peer.wait_for_open(0).await;
        let requests = peer.requests();
        assert_eq!((requests.len(), sent(&requests, "initialize")), (1, 1));
    }
}

/// Case 78, case 81: nor is one whose caller went away.
#[tokio::test]
async fn an_initialize_that_is_dropped_is_not_cancelled() {
    let peer = silent();
    let config = config(&peer.url("/"));
    {
        let mut connecting = pin!(Client::connect(&config, client::options()));
        until(connecting.as_mut(), peer.wait_for(|requests| !requests.is_empty())).await;
    }
    peer.wait_for_open(0).await;
    assert_eq!(peer.requests().len(), 1);
}

/// Case 79, case 105, C-055: one execution, one cancel on a POST of its own, with the id as it was
/// written and a reason.
#[tokio::test]
async fn a_call_that_timed_out_is_cancelled_once_and_never_sent_again() {
    for ids in [IdFormat::Text, IdFormat::Number] {
        let peer = silent_tools();
        let mut config = config(&peer.url("/"));
        config.ids = ids;
        let client = client::connect(&config).await;
        let mut limited = CallOptions::default();
        limited.timeout = Some(ms(50));
        let error = within(client.call_tool_with("echo", &json!({}), limited)).await.unwrap_err();
        assert_eq!(error.to_string(), "Request timeout after 50ms");
        let requests = peer.wait_for(|requests| sent(requests, CANCELLED) > 0).await;
        within(client.ping()).await.unwrap();
        within(client.close()).await;
        assert_eq!((sent(&peer.requests(), "tools/call"), sent(&peer.requests(), CANCELLED)), (1, 1));
        let call = requests.iter().find(|request| request.rpc_method().as_deref() == Some("tools/call"));
        let (call, cancel) = (call.unwrap(), cancels(&requests).next().unwrap());
        assert_ne!(call.connection, cancel.connection);
        assert_eq!(cancel.json()["params"]["requestId"], call.json()["id"]);
        assert_eq!(call.json()["id"].is_string(), ids == IdFormat::Text);
        assert_eq!(cancel.json()["params"]["reason"], "timed out after 50ms");
        assert_eq!(cancel.id(), None);
    }
}

/// Case 80: a thousand futures dropped in flight leave nothing, and the server hears of each.
#[tokio::test]
async fn a_thousand_dropped_calls_are_cancelled_and_forgotten() {
    const ROUNDS: usize = 20;
    const CALLS: usize = 50;
    let peer = silent();
    let mut config = config(&peer.url("/"));
    config.max_connections = CALLS;
    let (transport, recorder) = connect_with(config);
    request(&transport, "hello").await.unwrap();
    for round in 1..=ROUNDS {
        let calls = (0..CALLS).map(|_| {
            let transport = transport.clone();
            tokio::spawn(async move { transport.request("never", None, options(0)).await })
        });
        let calls: Vec<_> = calls.collect();
        peer.wait_for(|requests| sent(requests, "never") == round * CALLS).await;
        for call in calls {
            call.abort();
            assert!(call.await.unwrap_err().is_cancelled());
        }
        assert_eq!(transport.status().pending, 0);
        peer.wait_for(|requests| sent(requests, CANCELLED) == round * CALLS).await;
    }
    let requests = peer.requests();
    let ids = |method: &str, id: fn(&Received) -> String| -> BTreeSet<_> {
        requests.iter().filter(|request| request.rpc_method().as_deref() == Some(method)).map(id).collect()
    };
    let called = ids("never", |request| request.json()["id"].to_string());
    assert_eq!(called.len(), ROUNDS * CALLS);
    assert_eq!(called, ids(CANCELLED, |request| request.json()["params"]["requestId"].to_string()));
    assert_eq!(transport.status().counts.abandoned, 1000);
    within(transport.close()).await;
    peer.wait_for_open(0).await;
    assert_eq!(recorder.events(), ["close the client closed the connection"]);
}

/// Case 80: dropped while it waits for a connection or makes one, a call is never heard of.
#[tokio::test]
async fn a_call_dropped_before_it_was_written_sends_nothing() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let mut config = config(&peer.url("/"));
    config.max_connections = 1;
    let (transport, _) = connect_with(config);
    let drop_some = || async {
        for _ in 0..100 {
            let call = pin!(transport.request("dropped", None, options(0)));
            tokio::select! {
                biased;
                _ = call => panic!("it cannot be done yet"),
                () = std::future::ready(()) => {}
            }
        }
    };
    drop_some().await;
    greeted(&transport, &mut exchanges).await;
    let mut first = pin!(transport.request("first", None, options(0)));
    let exchange = until(first.as_mut(), exchanges.take()).await;
    drop_some().await;
    assert_eq!(transport.status().pending, 1);
    let answer = exchange.answer("1");
    exchange.respond_json(answer).await;
    within(first).await.unwrap();
    within(transport.close()).await;
    let requests = peer.requests();
    assert_eq!((requests.len(), sent(&requests, "dropped")), (2, 0));
}

fn cancelled_by(cancel: &Cancel) -> RequestOptions {
    let mut options = options(0);
    options.cancel = Some(cancel.clone());
    options
}

/// Case 81, D-05: a signal that was given before writes nothing.
#[tokio::test]
async fn an_abort_before_the_send_writes_nothing() {
    let peer = silent();
    let (transport, _) = connect(&peer.url("/"));
    let cancel = Cancel::new();
    cancel.cancel_with("not today");
    let error = within(transport.request("m", None, cancelled_by(&cancel))).await.unwrap_err();
    assert_eq!((error.to_string().as_str(), error.is_safe_to_retry()), ("not today", true));
    let mut notify = NotifyOptions::default();
    notify.cancel = Some(cancel);
    let error = within(transport.notify("n", None, notify)).await.unwrap_err();
    assert!(error.is_cancelled() && error.is_safe_to_retry());
    assert_eq!(transport.status().pending, 0);
    within(transport.close()).await;
    assert_eq!(peer.connections(), 0);
}

/// Case 81, S-114: after the send, twice, in each phase: it settles at once with the caller's reason.
#[tokio::test]
async fn an_abort_settles_at_once_whenever_it_comes() {
    let peer = HttpPeer::start(|exchange| async move {
        match exchange.id() {
            Some(_) => stops(exchange).await,
            None => exchange.accepted().await,
        }
    });
    let (transport, _) = connect(&peer.url("/"));
    for (number, method) in ["head", "half-body", "events", "comments"].into_iter().enumerate() {
        let cancel = Cancel::new();
        let mut call = pin!(transport.request(method, None, cancelled_by(&cancel)));
        until(call.as_mut(), peer.wait_for(|requests| sent(requests, method) == 1)).await;
        cancel.cancel_with("enough");
        cancel.cancel_with("again");
        let error = within(call).await.unwrap_err();
        assert_eq!((error.to_string().as_str(), error.is_safe_to_retry()), ("enough", false));
        assert_eq!(transport.status().pending, 0);
        let requests = peer.wait_for(|requests| sent(requests, CANCELLED) == number + 1).await;
        assert_eq!(cancels(&requests).last().unwrap().json()["params"]["reason"], "enough");
    }
    // A notification, too; it has no id that could be cancelled.
    let cancel = Cancel::new();
    let mut notify = NotifyOptions::default();
    notify.cancel = Some(cancel.clone());
    let quiet = HttpPeer::start(|exchange| async move { exchange.hold() });
    let (transport, _) = connect(&quiet.url("/"));
    let mut call = pin!(transport.notify("n", None, notify));
    until(call.as_mut(), quiet.wait_for(|requests| requests.len() == 1)).await;
    cancel.cancel_with("enough");
    assert_eq!(within(call).await.unwrap_err().to_string(), "enough");
}

/// Case 81: while the connection is being made.
#[tokio::test]
async fn an_abort_settles_a_call_that_is_still_connecting() {
    let (listener, url) = mute().await;
    let (transport, _) = connect(&url);
    let cancel = Cancel::new();
    let mut call = pin!(transport.request("m", None, cancelled_by(&cancel)));
    let _socket = until(call.as_mut(), listener.accept()).await.unwrap();
    cancel.cancel();
    let error = within(call).await.unwrap_err();
    assert_eq!((error.to_string().as_str(), error.is_safe_to_retry()), ("Request cancelled", true));
    within(transport.close()).await;
}

/// Case 81: an answer that is there already wins over a signal that comes after it.
#[tokio::test]
async fn an_answer_that_was_delivered_wins_over_an_abort() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, _) = connect(&peer.url("/"));
    transport.listen();
    let mut listener = exchanges.take().await.start_sse(&[]).await;
    assert!(within(transport.listening()).await);
    let cancel = Cancel::new();
    let mut call = pin!(transport.request("m", None, cancelled_by(&cancel)));
    let exchange = until(call.as_mut(), exchanges.take()).await;
    // The answer comes elsewhere, and is delivered though nobody polls the call.
    listener.event(&exchange.answer("7")).await;
    until_pending(&transport, 0).await;
    cancel.cancel();
    assert_eq!(within(call).await.unwrap().as_str(), "7");
    within(transport.close()).await;
    assert_eq!(sent(&peer.requests(), CANCELLED), 0);
}

/// D-06: an answer that comes after its call was given up is ignored and counted.
#[tokio::test]
async fn a_late_answer_is_ignored_and_counted() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, recorder) = connect(&peer.url("/"));
    transport.listen();
    let mut listener = exchanges.take().await.start_sse(&[]).await;
    assert!(within(transport.listening()).await);
    let mut call = Box::pin(transport.request("m", None, RequestOptions::default()));
    let exchange = until(call.as_mut(), exchanges.take()).await;
    drop(call);
    listener.event(&exchange.answer("7")).await;
    recorder.wait("diagnostic ").await;
    assert_eq!((transport.status().pending, transport.status().counts.late), (0, 1));
    assert_eq!(recorder.count("error "), 0);
}

/// D-04: the phase and the limit are there as data.
#[tokio::test]
async fn a_timeout_tells_its_phase_and_limit() {
    let peer = HttpPeer::start(stops);
    let mut config = config(&peer.url("/"));
    config.max_total_timeout = ms(30);
    let (transport, _) = connect_with(config);
    let transport: Arc<dyn Transport> = transport;
    let error = within(transport.request("events", None, options(5000))).await.unwrap_err();
    let mcp_jsonrpc::CallError::Timeout { phase, limit, total, sent } = error else {
        panic!("{error:?}");
    };
    assert_eq!((phase, limit, total, sent), (TimeoutPhase::SseResponse, ms(30), true, true));
}
