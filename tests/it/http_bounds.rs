//! Limits on what a server sends: none so small that a real answer is lost, none so large that a
//! server can fill the memory. All count decoded bytes.

mod gzip;

use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{CallError, FailureKind, NotifyOptions, Raw, Transport};
use mcp_tests::http::{config, connect, connect_with, request};
use mcp_tests::http_peer::{Exchange, HttpPeer, Received};
use mcp_tests::within;
use mcp_transport_http::{HttpConfig, HttpError, HttpTransport};
use tokio::task::JoinHandle;

use self::gzip::Gzip;

/// A limit that is soon reached.
const LIMIT: usize = 64 << 10;

/// More than two sockets hold between them: who wrote as much is being read from.
const SOCKETS: usize = 32 << 20;

/// What one read may bring beyond a limit.
const CHUNK: u64 = 1 << 20;

fn small(url: &str) -> HttpConfig {
    let mut config = config(url);
    config.max_message = LIMIT;
    config
}

/// A request that goes on beside the test.
fn spawn(transport: &Arc<HttpTransport>, method: &'static str) -> JoinHandle<Result<Raw, CallError>> {
    let transport = transport.clone();
    tokio::spawn(async move { request(&transport, method).await })
}

/// Answers with `start`, then with `piece` until the client closes the connection.
async fn flood(mut exchange: Exchange, start: &str, piece: &str) {
    let mut written = 0;
    exchange.write(start).await;
    while within(exchange.write(piece)).await {
        written += piece.len();
        assert!(written < SOCKETS, "it is read on and on");
    }
}

/// A peer that answers `good` well and all else by a flood.
fn flooding(start: &str, piece: String) -> HttpPeer {
    let (start, piece): (Arc<str>, Arc<str>) = (start.into(), piece.into());
    HttpPeer::start(move |exchange| {
        let (start, piece) = (start.clone(), piece.clone());
        async move {
            match exchange.rpc_method().as_deref() {
                Some("good") => {
                    let answer = exchange.answer("1");
                    exchange.respond_json(answer).await;
                }
                _ => flood(exchange, &start, &piece).await,
            }
        }
    })
}

/// One chunk of a body.
fn chunk(data: &str) -> String {
    format!("{:x}\r\n{data}\r\n", data.len())
}

/// Case 14: a body, as one chunk after the other or with a length that is not to be believed.
#[tokio::test]
async fn an_endless_json_body_fails_its_call_and_closes_the_connection() {
    let heads = [
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000000000\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n",
    ];
    for (number, head) in heads.into_iter().enumerate() {
        let text = "a".repeat(16 << 10);
        let peer = flooding(head, if number == 0 { chunk(&text) } else { text });
        let (transport, recorder) = connect_with(small(&peer.url("/")));
        let error = request(&transport, "m").await.unwrap_err();
        assert!(matches!(error, CallError::TooLarge { limit: LIMIT }), "{error:?}");
        assert_eq!(error.to_string(), "the answer is longer than the limit of 65536 bytes");
        let fault = "error a message is longer than the limit of 65536 bytes and was skipped";
        assert_eq!(recorder.events(), [fault]);
        peer.wait_for_open(0).await;
        assert!(transport.status().received < LIMIT as u64 + CHUNK);
        assert_eq!(request(&transport, "good").await.unwrap().as_str(), "1");
        assert_eq!(peer.faults(), [""; 0]);
    }
}

/// Case 14, case 138: what came before is delivered, and who else calls does not notice.
#[tokio::test]
async fn an_endless_event_fails_its_call_and_closes_the_connection() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    let head = head.to_owned() + &chunk("data: {\"jsonrpc\":\"2.0\",\"method\":\"before\"}\n\ndata: ");
    let lines = "a\ndata: ".repeat(2 << 10);
    for text in ["a".repeat(16 << 10), lines, "id: a\nevent: b\ndata: c\n".repeat(1 << 10)] {
        let peer = flooding(&head, chunk(&text));
        let (transport, recorder) = connect_with(small(&peer.url("/")));
        let error = request(&transport, "m").await.unwrap_err();
        assert!(matches!(error, CallError::TooLarge { limit: LIMIT }), "{error:?}");
        let fault = "error a message is longer than the limit of 65536 bytes and was skipped";
        assert_eq!(recorder.events(), ["notification before", fault]);
        peer.wait_for_open(0).await;
        assert!(transport.status().received < LIMIT as u64 + CHUNK);
        assert_eq!(request(&transport, "good").await.unwrap().as_str(), "1");
        assert_eq!(peer.faults(), [""; 0]);
    }
}

/// Case 14, case 108.
#[tokio::test]
async fn an_endless_error_body_is_read_up_to_a_limit() {
    for kind in ["text/html", "application/json", "text/event-stream"] {
        let head = format!("HTTP/1.1 500 Oops\r\nContent-Type: {kind}\r\nContent-Length: 1000000000\r\n\r\n");
        let peer = flooding(&head, "<p>\u{1b}[31m".repeat(1 << 10));
        let (transport, _) = connect(&peer.url("/"));
        let error = request(&transport, "m").await.unwrap_err();
        assert_eq!(error.failure_kind(), Some(FailureKind::Status(500)));
        let text = error.to_string();
        assert!(text.starts_with(r"HTTP 500: <p>\u{1b}[31m<p>") && text.ends_with('…'), "{text}");
        assert!(text.len() < 8 << 10 && !text.contains('\u{1b}'), "{}", text.len());
        peer.wait_for_open(0).await;
        assert!(transport.status().received < LIMIT as u64 + CHUNK);
        assert_eq!(request(&transport, "good").await.unwrap().as_str(), "1");
        assert_eq!(peer.faults(), [""; 0]);
    }
}

/// Case 14.
#[tokio::test]
async fn an_endless_head_fails_its_call_and_closes_the_connection() {
    for piece in ["a".repeat(16 << 10), "x: y\r\n".repeat(1 << 10)] {
        let peer = flooding("HTTP/1.1 200 OK\r\nX: ", piece);
        let (transport, _) = connect(&peer.url("/"));
        let error = request(&transport, "m").await.unwrap_err();
        assert!(matches!(error.downcast_ref(), Some(HttpError::Head(_))), "{error:?}");
        assert_eq!(error.failure_kind(), Some(FailureKind::Protocol));
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains("too large"), "{cause}");
        peer.wait_for_open(0).await;
        assert_eq!(request(&transport, "good").await.unwrap().as_str(), "1");
        assert_eq!(peer.faults(), [""; 0]);
    }
}

/// The limit is the configured one, from both sides.
#[tokio::test]
async fn a_head_may_be_as_long_as_its_limit() {
    let peer = HttpPeer::start(|exchange| async move {
        let length: usize = exchange.rpc_method().unwrap().parse().unwrap();
        let (answer, long) = (exchange.answer("1"), "a".repeat(length));
        exchange.respond("200 OK", &[("X", &long), ("Content-Type", "application/json")], answer).await;
    });
    let mut config = config(&peer.url("/"));
    config.max_head = 100 << 10;
    let (transport, _) = connect_with(config);
    request(&transport, "90000").await.unwrap();
    let error = request(&transport, "150000").await.unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(HttpError::Head(_))), "{error:?}");
    request(&transport, "90000").await.unwrap();
}

/// Answers with a text of as many bytes as the method says, in either form.
async fn answer_of_length(exchange: Exchange) {
    let method = exchange.rpc_method().unwrap();
    let (form, length) = method.split_once(' ').unwrap();
    let answer = exchange.answer(&format!("\"{}\"", "a".repeat(length.parse().unwrap())));
    match form {
        "json" => exchange.respond_json(answer).await,
        _ => {
            let mut events = exchange.start_sse(&[]).await;
            events.event(&answer).await;
            events.finish().await;
        }
    }
}

/// Case 15, case 138.
#[tokio::test]
async fn long_answers_are_delivered_by_default() {
    let peer = HttpPeer::start(answer_of_length);
    let (transport, recorder) = connect(&peer.url("/"));
    for length in [65_535, 65_536, 65_537, 70 << 10, 1_258_291, 12 << 20] {
        for form in ["json", "events"] {
            let result = request(&transport, &format!("{form} {length}")).await.unwrap();
            let text = result.as_str().trim_matches('"');
            assert_eq!((result.as_str().len(), text.len()), (length + 2, length));
            assert!(text.bytes().all(|byte| byte == b'a'));
        }
    }
    assert_eq!(recorder.events(), [""; 0]);
}

/// Case 138.
#[tokio::test]
async fn an_event_may_have_ten_thousand_lines() {
    let peer = HttpPeer::start(|exchange| async move {
        let text = "a".repeat(1200);
        let answer = exchange.answer(&format!("[{}1]", format!("\"{text}\",\n").repeat(10_000)));
        let mut events = exchange.start_sse(&[]).await;
        events.event(&answer).await;
        events.finish().await;
    });
    let (transport, _) = connect(&peer.url("/"));
    let result = request(&transport, "m").await.unwrap();
    assert_eq!(result.parse::<Vec<serde_json::Value>>().unwrap().len(), 10_001);
}

/// Case 138: of all that is no data nothing is held.
#[tokio::test]
async fn comments_and_unknown_fields_do_not_count() {
    let peer = HttpPeer::start(|exchange| async move {
        let answer = exchange.answer(&format!("\"{}\"", "a".repeat(LIMIT - 100)));
        let noise =
            [": ", "x: ", "foo\n", ""].map(|start| format!("{start}{}\n", "b".repeat(2 * LIMIT))).concat();
        let mut events = exchange.start_sse(&[]).await;
        events.raw(format!("{noise}data: ")).await;
        events.raw(format!("{answer}\n{noise}\n")).await;
        events.finish().await;
    });
    let (transport, recorder) = connect_with(small(&peer.url("/")));
    assert_eq!(request(&transport, "m").await.unwrap().as_str().len(), LIMIT - 98);
    assert_eq!(recorder.events(), [""; 0]);
}

/// Case 138: over the limit by one byte, and exactly at it.
#[tokio::test]
async fn the_limit_is_exact_in_both_forms() {
    for form in ["json", "events"] {
        let peer = HttpPeer::start(answer_of_length);
        let (transport, _) = connect_with(small(&peer.url("/")));
        // What stands around the text is as long as the id makes it.
        request(&transport, &format!("{form} 1")).await.unwrap();
        let around = {
            let first: &Received = &peer.requests()[0];
            first.answer("\"\"").len()
        };
        let fits = LIMIT - around;
        assert_eq!(request(&transport, &format!("{form} {fits}")).await.unwrap().as_str().len(), fits + 2);
        let error = request(&transport, &format!("{form} {}", fits + 1)).await.unwrap_err();
        assert!(matches!(error, CallError::TooLarge { limit: LIMIT }), "{error:?}");
    }
}

/// Case 138: other calls go on, whichever comes first.
#[tokio::test]
async fn an_overlarge_event_harms_its_own_call_only() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, _) = connect_with(small(&peer.url("/")));
    let (one, two) = (spawn(&transport, "one"), spawn(&transport, "two"));
    let first = exchanges.take().await;
    let answer = first.answer("1");
    let mut first = first.start_sse(&[]).await;
    let second = exchanges.take().await;
    let large = second.answer(&format!("\"{}\"", "a".repeat(LIMIT)));
    let mut second = second.start_sse(&[]).await;
    second.event(&large).await;
    let (good, bad) = match first_is_one(&peer) {
        true => (one, two),
        false => (two, one),
    };
    let error = within(bad).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::TooLarge { limit: LIMIT }), "{error:?}");
    within(second.client_closed()).await;
    first.event(&answer).await;
    assert_eq!(within(good).await.unwrap().unwrap().as_str(), "1");
}

fn first_is_one(peer: &HttpPeer) -> bool {
    peer.requests()[0].rpc_method().as_deref() == Some("one")
}

/// Case 138: on a stream of all calls, the id says whose it is, and the next event is read.
#[tokio::test]
async fn an_overlarge_answer_on_the_listener_fails_the_call_that_it_names() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, recorder) = connect_with(small(&peer.url("/")));
    transport.listen();
    let mut listener = exchanges.take().await.start_sse(&[]).await;
    assert!(within(transport.listening()).await);
    let call = spawn(&transport, "m");
    let exchange = exchanges.take().await;
    let large = exchange.answer(&format!("\"{}\"", "a".repeat(LIMIT)));
    exchange.accepted().await;
    listener.event(&large).await;
    let error = within(call).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::TooLarge { limit: LIMIT }), "{error:?}");
    listener.event(r#"{"jsonrpc":"2.0","method":"next"}"#).await;
    recorder.wait("notification next").await;
}

const GZIP: (&str, &str) = ("Content-Encoding", "gzip");

/// Case 113.
#[tokio::test]
async fn a_gzip_body_is_decoded_and_nothing_else_is_offered() {
    let peer = HttpPeer::start(|exchange| async move {
        let body = Gzip::new().text(exchange.answer("\"ä\"").as_bytes()).finish();
        exchange.respond("200 OK", &[("Content-Type", "application/json"), GZIP], body).await;
    });
    let (transport, _) = connect(&peer.url("/"));
    for _ in 0..2 {
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), "\"ä\"");
    }
    assert_eq!(peer.requests()[0].headers_named("accept-encoding").collect::<Vec<_>>(), ["gzip"]);
    assert_eq!(peer.connections(), 1);
}

#[tokio::test]
async fn gzip_is_not_offered_where_it_is_off() {
    let peer = HttpPeer::start(|exchange| async move {
        let answer = exchange.answer("1");
        exchange.respond_json(answer).await;
    });
    let mut config = config(&peer.url("/"));
    config.gzip = false;
    let (transport, _) = connect_with(config);
    request(&transport, "m").await.unwrap();
    assert_eq!(peer.requests()[0].header("accept-encoding"), None);
}

/// Case 113: an event that the server has flushed does not wait for the next one.
#[tokio::test]
async fn gzip_events_are_delivered_as_they_are_flushed() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, recorder) = connect(&peer.url("/"));
    let call = spawn(&transport, "m");
    let exchange = exchanges.take().await;
    let answer = exchange.answer("1");
    let mut events = exchange.start_sse(&[GZIP]).await;
    let mut gzip = Gzip::new();
    for number in 1..=3 {
        gzip = gzip.text(b"data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n").flush();
        events.raw(gzip.take()).await;
        recorder.wait_for(number, "notification n").await;
    }
    gzip = gzip.text(format!("data: {answer}\n\n").as_bytes()).flush();
    events.raw(gzip.take()).await;
    assert_eq!(within(call).await.unwrap().unwrap().as_str(), "1");
    events.raw(gzip.finish()).await;
    events.finish().await;
}

/// Case 113.
#[tokio::test]
async fn an_encoding_that_was_not_offered_is_a_clear_error() {
    for kind in ["application/json", "text/event-stream"] {
        let peer = HttpPeer::start(move |exchange| async move {
            let headers = [("Content-Type", kind), ("Content-Encoding", "br")];
            exchange.respond("200 OK", &headers, [0x8b, 0, 0xff]).await;
        });
        let (transport, _) = connect(&peer.url("/"));
        let error = request(&transport, "m").await.unwrap_err();
        assert!(matches!(error.downcast_ref(), Some(HttpError::ContentEncoding(_))), "{error:?}");
        assert_eq!(error.to_string(), "the answer's encoding br was not offered");
    }
}

/// Case 113, case 108, case 88: the status says enough where the body is not needed.
#[tokio::test]
async fn an_encoding_that_was_not_offered_hides_no_status() {
    let peer = HttpPeer::start(|exchange| async move {
        let status = if exchange.id().is_some() { "502 Bad Gateway" } else { "202 Accepted" };
        exchange
            .respond(status, &[("Content-Type", "text/html"), ("Content-Encoding", "br")], [0x8b, 0])
            .await;
    });
    let (transport, _) = connect(&peer.url("/"));
    within(transport.notify("n", None, NotifyOptions::default())).await.unwrap();
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!(error.to_string(), "HTTP 502: Bad Gateway");
}

/// Case 113.
#[tokio::test]
async fn damaged_gzip_is_an_error() {
    let peer = HttpPeer::start(|exchange| async move {
        let good = Gzip::new().text(exchange.answer("1").as_bytes()).finish();
        let body = match exchange.rpc_method().as_deref() {
            Some("plain") => exchange.answer("1").into_bytes(),
            Some("cut") => good[..good.len() - 9].to_vec(),
            _ => [&good[..20], &[0xff, 0xff], &good[22..]].concat(),
        };
        exchange.respond("200 OK", &[("Content-Type", "application/json"), GZIP], body).await;
    });
    let (transport, _) = connect(&peer.url("/"));
    for method in ["plain", "cut", "damaged"] {
        let error = request(&transport, method).await.unwrap_err();
        assert!(matches!(error.downcast_ref(), Some(HttpError::Gunzip(_))), "{method} {error:?}");
        assert_eq!(error.to_string(), "the answer cannot be decompressed");
    }
}

/// Case 113, case 14: a few KiB that stand for many MiB.
#[tokio::test]
async fn the_limit_counts_decoded_bytes() {
    for kind in ["application/json", "text/event-stream", "text/html"] {
        let peer = HttpPeer::start(move |exchange| async move {
            let status = if kind == "text/html" { "500 Oops" } else { "200 OK" };
            let bomb = Gzip::new().text(b"data: ").run(b'a', 4 << 20).finish();
            assert!(bomb.len() < LIMIT / 2);
            exchange.respond(status, &[("Content-Type", kind), GZIP], bomb).await;
        });
        let mut config = small(&peer.url("/"));
        config.drain = Duration::from_millis(20);
        let (transport, _) = connect_with(config);
        let error = request(&transport, "m").await.unwrap_err();
        if kind == "text/html" {
            assert!(error.to_string().starts_with("HTTP 500: data: aaa"), "{error}");
        } else {
            assert!(matches!(error, CallError::TooLarge { limit: LIMIT }), "{error:?}");
        }
    }
}
