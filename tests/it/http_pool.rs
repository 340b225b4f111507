//! Connections: how many there are, when they are used again, and what becomes of the calls on them.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client::Client;
use mcp_jsonrpc::{FailureKind, NotifyOptions, Transport};
use mcp_tests::client;
use mcp_tests::http::{
    answer, config, connect, connect_to, connect_with, greeted, options, request, sent, until,
};
use mcp_tests::http_peer::{HttpPeer, Listen, McpBehaviour, PeerOptions};
use mcp_tests::{Recorder, within};
use mcp_transport_http::{DEFAULT_MAX_CONNECTIONS, HttpError};
use serde_json::json;

/// D-16: however many calls there are, connections are bounded; and each call gets its answer.
#[tokio::test]
async fn a_thousand_calls_share_a_bounded_number_of_connections() {
    for most in [Some(8), None] {
        let peer = HttpPeer::start(answer);
        let mut config = config(&peer.url("/"));
        config.max_connections = most.unwrap_or(config.max_connections);
        let (transport, _) = connect_with(config);
        let calls = (0..1000).map(|_| {
            let transport = transport.clone();
            tokio::spawn(async move { request(&transport, "m").await })
        });
        for call in calls.collect::<Vec<_>>() {
            assert_eq!(within(call).await.unwrap().unwrap().as_str(), "1");
        }
        let most = most.unwrap_or(DEFAULT_MAX_CONNECTIONS);
        assert!((2..=most).contains(&peer.connections()), "{} connections", peer.connections());
        assert_eq!(peer.requests().len(), 1000);
        within(transport.close()).await;
        peer.wait_for_open(0).await;
    }
}

/// Case 20, case 119: calls do not wait for each other, and the answer of each goes to it, in any order.
#[tokio::test]
async fn a_slow_call_does_not_hold_others_up() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, _) = connect(&peer.url("/"));
    greeted(&transport, &mut exchanges).await;
    let calls = (0..20).map(|_| {
        let transport = transport.clone();
        tokio::spawn(async move { request(&transport, "m").await.map(|answer| answer.as_str().to_owned()) })
    });
    let calls: Vec<_> = calls.collect();
    let mut waiting = Vec::new();
    for _ in 0..20 {
        waiting.push(exchanges.take().await);
    }
    let mut expected: Vec<_> = waiting.iter().map(|exchange| format!("\"{}\"", exchange.number)).collect();
    for exchange in waiting.into_iter().rev() {
        let answer = exchange.answer(&format!("\"{}\"", exchange.number));
        exchange.respond_json(answer).await;
    }
    let mut answers = Vec::new();
    for call in calls {
        answers.push(within(call).await.unwrap().unwrap());
    }
    answers.sort();
    expected.sort();
    assert_eq!(answers, expected);
}

/// Case 119: the first call alone finds out what the server speaks; those that waited for it do not wait
/// for each other then.
#[tokio::test]
async fn calls_that_waited_for_the_first_one_go_out_together() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, _) = connect(&peer.url("/"));
    let calls = (0..5).map(|_| {
        let transport = transport.clone();
        tokio::spawn(async move { request(&transport, "m").await })
    });
    let calls: Vec<_> = calls.collect();
    answer(exchanges.take().await).await;
    let mut waiting = Vec::new();
    for _ in 0..4 {
        waiting.push(exchanges.take().await);
    }
    for exchange in waiting {
        answer(exchange).await;
    }
    for call in calls {
        within(call).await.unwrap().unwrap();
    }
    assert_eq!(peer.requests().len(), 5);
}

/// Case 119: a cancel, a ping and a notification overtake calls that run, though these have taken all
/// connections that calls may have.
#[tokio::test]
async fn a_cancel_gets_out_while_calls_run() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let mut config = config(&peer.url("/"));
    config.max_connections = 2;
    let (transport, _) = connect_with(config);
    greeted(&transport, &mut exchanges).await;
    let mut slow = pin!(transport.request("slow", None, options(0)));
    let running = until(slow.as_mut(), exchanges.take()).await;
    let (ping, ()) = tokio::join!(request(&transport, "ping"), async {
        answer(exchanges.take().await).await;
    });
    ping.unwrap();
    {
        let mut dropped = pin!(transport.request("dropped", None, options(0)));
        let exchange = until(dropped.as_mut(), exchanges.take()).await;
        exchange.hold();
    }
    let cancel = exchanges.take().await;
    assert_eq!(cancel.rpc_method().as_deref(), Some("notifications/cancelled"));
    cancel.accepted().await;
    let mut notice = pin!(transport.notify("n", None, NotifyOptions::default()));
    until(notice.as_mut(), exchanges.take()).await.accepted().await;
    within(notice).await.unwrap();
    answer(running).await;
    within(slow).await.unwrap();
}

/// Case 65: a reply to the server gets out while a call has the only connection, which waits for it.
#[tokio::test]
async fn a_reply_gets_out_while_all_connections_are_taken() {
    let recorder = Recorder::answering(|_, reply| reply.result(&json!({ "roots": [] })));
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let mut config = config(&peer.url("/"));
    config.max_connections = 1;
    let transport = connect_to(config, recorder.clone());
    let server = async {
        let call = exchanges.take().await;
        let answer = call.answer("1");
        let mut events = call.start_sse(&[]).await;
        for id in 0..10 {
            events.event(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"roots/list"}}"#)).await;
        }
        let mut ids = Vec::new();
        for _ in 0..10 {
            let reply = exchanges.take().await;
            assert_eq!(reply.json()["result"], json!({ "roots": [] }));
            ids.push(reply.json()["id"].as_u64().unwrap());
            reply.accepted().await;
        }
        ids.sort_unstable();
        assert!(ids.into_iter().eq(0..10), "each is answered once");
        events.event(&answer).await;
        events.finish().await;
    };
    let (answer, ()) = tokio::join!(request(&transport, "m"), server);
    assert_eq!(answer.unwrap().as_str(), "1");
    assert_eq!(recorder.count("error "), 0);
    assert!(peer.connections() <= 1 + 4, "the control lane is bounded, too");
}

/// A connection is used again only after the body on it was read to its end.
#[tokio::test]
async fn a_connection_is_used_again_after_the_end_of_its_body() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, recorder) = connect(&peer.url("/"));
    let mut events = {
        let mut call = pin!(request(&transport, "events"));
        let exchange = until(call.as_mut(), exchanges.take()).await;
        let answer = exchange.answer("1");
        let mut events = exchange.start_sse(&[]).await;
        events.event(&answer).await;
        call.await.unwrap();
        events
    };
    let (second, ()) = tokio::join!(request(&transport, "m"), async {
        let exchange = exchanges.take().await;
        assert_eq!(exchange.connection, 1, "the stream is still open");
        answer(exchange).await;
    });
    second.unwrap();
    // What comes after the answer is still delivered.
    events.event(r#"{"jsonrpc":"2.0","method":"notifications/late"}"#).await;
    events.finish().await;
    recorder.wait("notification notifications/late").await;
    for _ in 0..3 {
        let (later, connection) = tokio::join!(request(&transport, "m"), async {
            let exchange = exchanges.take().await;
            let connection = exchange.connection;
            answer(exchange).await;
            connection
        });
        later.unwrap();
        assert!(connection < 2);
    }
    assert_eq!(peer.connections(), 2);
}

/// A body that is not read to its end costs its connection, and no more than that.
#[tokio::test]
async fn a_body_that_is_not_read_to_its_end_costs_its_connection() {
    let peer = HttpPeer::start(|exchange| async move {
        match exchange.rpc_method().as_deref() {
            Some("big-error") => exchange.respond("500 Oh", &[], vec![b'x'; 1 << 20]).await,
            Some("small-error") => exchange.respond("500 Oh", &[], "x").await,
            _ => answer(exchange).await,
        }
    });
    let (transport, _) = connect(&peer.url("/"));
    request(&transport, "m").await.unwrap();
    request(&transport, "small-error").await.unwrap_err();
    request(&transport, "m").await.unwrap();
    assert_eq!(peer.connections(), 1);
    request(&transport, "big-error").await.unwrap_err();
    request(&transport, "m").await.unwrap();
    assert_eq!(peer.connections(), 2);
    peer.wait_for_open(1).await;
}

/// Lets a closed socket be noticed, as any pause between calls does.
async fn a_pause() {
    let mut beat = tokio::time::interval(Duration::from_millis(10));
    for _ in 0..2 {
        beat.tick().await;
    }
}

/// Case 104: a server that closes idle connections without a word costs no call.
#[tokio::test]
async fn idle_connections_that_the_server_closed_cost_no_call() {
    let peer = HttpPeer::start(answer);
    let (transport, _) = connect(&peer.url("/"));
    for number in 1..=20 {
        request(&transport, "m").await.unwrap();
        peer.close_connections();
        peer.wait_for_open(0).await;
        a_pause().await;
        assert_eq!((peer.connections(), peer.requests().len()), (number, number));
    }
}

/// Case 104: so do many at once.
#[tokio::test]
async fn many_stale_connections_cost_no_call() {
    let peer = HttpPeer::start(answer);
    let (transport, _) = connect(&peer.url("/"));
    for _ in 0..2 {
        let calls = (0..30).map(|_| {
            let transport = transport.clone();
            tokio::spawn(async move { request(&transport, "m").await })
        });
        for call in calls.collect::<Vec<_>>() {
            within(call).await.unwrap().unwrap();
        }
        peer.close_connections();
        peer.wait_for_open(0).await;
        a_pause().await;
    }
    assert_eq!(peer.requests().len(), 60);
}

/// Case 104: a server that says when it gives idle connections up is not asked on one that is about to go.
#[tokio::test]
async fn the_servers_own_limit_on_idle_connections_is_heeded() {
    for (value, connections) in [("timeout=1", 5), ("max=9, timeout=0", 5), ("timeout=60", 1), ("max=5", 1)] {
        let peer = HttpPeer::start(move |exchange| async move {
            let answer = exchange.answer("1");
            let headers = [("Content-Type", "application/json"), ("Keep-Alive", value)];
            exchange.respond("200 OK", &headers, answer).await;
        });
        let (transport, _) = connect(&peer.url("/"));
        for _ in 0..5 {
            request(&transport, "m").await.unwrap();
        }
        assert_eq!(peer.connections(), connections, "{value}");
    }
}

/// Case 104: nor is one used again that the server says it closes, nor one that was idle for too long.
#[tokio::test]
async fn a_connection_that_ends_with_its_answer_is_not_used_again() {
    let peer = HttpPeer::start(|exchange| async move {
        let answer = exchange.answer("1");
        let headers = [("Content-Type", "application/json"), ("Connection", "close")];
        exchange.respond("200 OK", &headers, answer).await;
    });
    let (transport, _) = connect(&peer.url("/"));
    for _ in 0..5 {
        request(&transport, "m").await.unwrap();
    }
    assert_eq!(peer.connections(), 5);
    let peer = HttpPeer::start(answer);
    let mut config = config(&peer.url("/"));
    config.idle_timeout = Duration::ZERO;
    let (transport, _) = connect_with(config);
    for _ in 0..3 {
        request(&transport, "m").await.unwrap();
    }
    assert_eq!(peer.connections(), 3);
}

/// Case 104, case 105: bytes were written and no answer came: an error, and no second try.
#[tokio::test]
async fn a_request_that_was_written_is_never_repeated() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, _) = connect(&peer.url("/"));
    greeted(&transport, &mut exchanges).await;
    for resets in [true, false] {
        let (failed, connection) = tokio::join!(request(&transport, "m"), async {
            let exchange = exchanges.take().await;
            let connection = exchange.connection;
            if resets {
                exchange.reset()
            } else {
                exchange.close()
            }
            connection
        });
        let error = failed.unwrap_err();
        assert_eq!(error.failure_kind(), Some(FailureKind::Reset), "{error:?}");
        assert!(!error.is_safe_to_retry());
        assert_eq!(
            connection,
            usize::from(!resets),
            "the first on a used connection, the second on a new one"
        );
    }
    assert!(exchanges.is_empty());
    assert_eq!(peer.requests().len(), 3);
}

/// Case 105: whatever is lost of the answer, the server runs the call once.
#[tokio::test]
async fn a_lost_answer_never_runs_a_call_twice() {
    for way in 0..6 {
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = runs.clone();
        let peer = HttpPeer::mcp_after(McpBehaviour::new(), move |mut exchange| {
            let runs = counted.clone();
            async move {
                if exchange.rpc_method().as_deref() != Some("tools/call") {
                    return Some(exchange);
                }
                runs.fetch_add(1, Ordering::SeqCst);
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{";
                match way {
                    0 => exchange.close(),
                    1 => exchange.reset(),
                    2 => exchange.respond("502 Bad Gateway", &[], "").await,
                    3 => {
                        exchange.write(head).await;
                        exchange.reset();
                    }
                    4 => exchange.start_sse(&[]).await.reset(),
                    _ => {
                        let mut events = exchange.start_sse(&[]).await;
                        events.event_with_id("1", "{}").await;
                        events.close();
                    }
                }
                None
            }
        });
        let mut config = config(&peer.url("/"));
        config.resume.delay = Duration::from_millis(1);
        config.resume.min_delay = Duration::from_millis(1);
        let client = client::connect(&config).await;
        let error = within(client.call_tool("add", &json!({}))).await.unwrap_err();
        let mcp_client::ClientError::Call { source, .. } = error else { panic!("{error:?}") };
        assert!(!source.is_safe_to_retry(), "{source:?}");
        within(client.ping()).await.unwrap();
        within(client.close()).await;
        assert_eq!((runs.load(Ordering::SeqCst), sent(&peer.requests(), "tools/call")), (1, 1), "{way}");
    }
}

/// Case 106: a short outage is told as what it is, is not permanent, and is not retried here.
#[tokio::test]
async fn an_outage_is_typed_and_not_permanent() {
    let statuses = ["502 Bad Gateway", "503 Service Unavailable", "400 Bad Request", "401 Unauthorized"];
    let count = AtomicUsize::new(0);
    let peer = HttpPeer::start(move |exchange| {
        let number = if exchange.method == "POST" { count.fetch_add(1, Ordering::SeqCst) } else { 0 };
        async move {
            match (exchange.method.as_str(), statuses.get(number)) {
                ("POST", None) => answer(exchange).await,
                ("POST", Some(&status)) => exchange.respond(status, &[("Retry-After", "7")], "").await,
                _ => exchange.respond("405 Method Not Allowed", &[], "").await,
            }
        }
    });
    let (transport, _) = connect(&peer.url("/"));
    for kind in [
        FailureKind::Status(502),
        FailureKind::Status(503),
        FailureKind::Status(400),
        FailureKind::Unauthorized,
    ] {
        let error = request(&transport, "initialize").await.unwrap_err();
        assert_eq!(error.failure_kind(), Some(kind));
        if let Some(status) = error.downcast_ref::<HttpError>().and_then(HttpError::status) {
            assert_eq!(status.retry_after, Some(Duration::from_secs(7)));
        }
    }
    request(&transport, "initialize").await.unwrap();
    assert_eq!(sent(&peer.requests(), "initialize"), 5);
}

/// Case 106: nor is a server that is not there yet.
#[tokio::test]
async fn a_refused_connection_is_typed_and_not_permanent() {
    let gone = HttpPeer::start(answer);
    let address = gone.address();
    gone.stop_listening().await;
    let url = format!("http://{address}/mcp");
    let (transport, _) = connect(&url);
    let error = request(&transport, "initialize").await.unwrap_err();
    assert_eq!(error.failure_kind(), Some(FailureKind::Refused));
    assert!(error.is_safe_to_retry());
    assert_eq!(error.to_string(), format!("connection to {address} refused"));
    let error = within(transport.notify("n", None, NotifyOptions::default())).await.unwrap_err();
    assert_eq!(error.failure_kind(), Some(FailureKind::Refused));
    let error = within(Client::connect(&config(&url), client::options())).await.unwrap_err();
    assert_eq!(error.to_string(), format!("connection to {address} refused"));
    let back = HttpPeer::start_with(PeerOptions::on(Listen::At(address)), answer);
    request(&transport, "initialize").await.unwrap();
    assert_eq!(back.requests().len(), 1);
}

/// A session over a Unix socket.
#[cfg(unix)]
#[tokio::test]
async fn a_server_on_a_unix_socket_is_reached() {
    let folder = mcp_tests::Folder::new();
    let path = folder.path("socket");
    let url = format!("http+unix://{}/mcp?k=1", path.display().to_string().replace('/', "%2F"));
    let error = within(Client::connect(&config(&url), client::options())).await.unwrap_err();
    assert!(error.to_string().starts_with("cannot connect to the socket `"), "{error}");
    let behaviour = McpBehaviour::new().with_session("S1").with_sse();
    let options = PeerOptions::on(Listen::Unix(path));
    let peer = HttpPeer::start_with(options, behaviour.after(|exchange| async move { Some(exchange) }));
    let client = client::connect(&config(&url)).await;
    within(client.call_tool("echo", &json!({ "text": "x" }))).await.unwrap();
    within(client.close()).await;
    peer.wait_for_open(0).await;
    let requests = peer.requests();
    assert_eq!(requests.last().unwrap().method, "DELETE");
    assert!(requests.iter().all(|it| it.header("host") == Some("localhost") && it.target == "/mcp?k=1"));
}
