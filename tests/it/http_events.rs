//! Event streams that answer a request: every form that the grammar allows, and how a stream that
//! breaks off is resumed.

use std::time::Duration;

use mcp_jsonrpc::{CallError, Transport};
use mcp_tests::http::{config, connect, connect_with, request};
use mcp_tests::http_peer::{Exchange, Exchanges, HttpPeer, Received};
use mcp_tests::within;
use mcp_transport_http::{HttpConfig, HttpError};

/// What a test does with a stream, `RES` standing for the answer: the result, or none.
async fn result_of(stream: &[u8], chunk: usize) -> Option<String> {
    let bytes = stream.to_vec();
    let peer = HttpPeer::start(move |exchange| {
        let bytes = filled(&bytes, exchange.request());
        async move {
            let mut events = exchange.start_sse(&[]).await;
            for piece in bytes.chunks(chunk) {
                events.raw(piece).await;
            }
            events.finish().await;
        }
    });
    let (transport, recorder) = connect(&peer.url("/"));
    let result = match request(&transport, "m").await {
        Ok(result) => Some(result.as_str().to_owned()),
        Err(CallError::NoResponse { .. }) => None,
        Err(error) => panic!("{error:?}"),
    };
    assert!(recorder.events().is_empty(), "{recorder:?}");
    result
}

/// The stream, with the answer to `request` for `RES` and its id for `ID`.
fn filled(stream: &[u8], request: &Received) -> Vec<u8> {
    let with = |text: Vec<u8>, mark: &[u8], value: &str| match text
        .windows(mark.len())
        .position(|window| window == mark)
    {
        Some(at) => [&text[..at], value.as_bytes(), &text[at + mark.len()..]].concat(),
        None => text,
    };
    let id = request.id().unwrap();
    with(with(stream.to_vec(), b"RES", &request.answer("1")), b"ID", &id)
}

#[track_caller]
fn check(stream: &str, expected: Option<&str>) -> impl Future<Output = ()> {
    let place = std::panic::Location::caller();
    async move {
        for chunk in [usize::MAX, 1] {
            let result = result_of(stream.as_bytes(), chunk).await;
            assert_eq!(result.as_deref(), expected, "{place}: {stream:?} in pieces of {chunk}");
        }
    }
}

/// Case 123.
#[tokio::test]
async fn lines_end_by_lf_crlf_or_cr_wherever_they_are_cut() {
    check("event: message\r\ndata: RES\r\n\r\n", Some("1")).await;
    check("event: message\rdata: RES\r\r", Some("1")).await;
    check("event: message\ndata: RES\r\n\n", Some("1")).await;
}

/// Case 125.
#[tokio::test]
async fn characters_may_be_cut_between_chunks() {
    let result = "\"漢😀\"";
    let peer = HttpPeer::start(move |exchange| async move {
        let event = format!("data: {}\n\n", exchange.answer(result)).into_bytes();
        let cut = exchange.rpc_method().unwrap().parse::<usize>().unwrap();
        let at = event.iter().position(|byte| !byte.is_ascii()).unwrap() + cut;
        let mut events = exchange.start_sse(&[]).await;
        events.raw(&event[..at]).await;
        events.raw(&event[at..]).await;
        events.finish().await;
    });
    let (transport, _) = connect(&peer.url("/"));
    for cut in 0..=7 {
        assert_eq!(request(&transport, &cut.to_string()).await.unwrap().as_str(), result, "{cut}");
    }
}

/// Case 126.
#[tokio::test]
async fn fields_are_read_by_the_grammar() {
    check("data:RES\n\n", Some("1")).await;
    check("data:  RES\n\n", Some("1")).await;
    check("data\n\ndata: RES\n\n", Some("1")).await;
    check("foo: bar\ndatax: y\n data: z\nDATA: z\ndata: RES\n\n", Some("1")).await;
    check("datax: RES\n\n data: RES\n\n", None).await;
}

/// Case 127.
#[tokio::test]
async fn a_message_may_stand_on_several_data_lines() {
    check("data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":ID,\ndata: \"result\":{}}\n\n", Some("{}")).await;
}

/// Case 128.
#[tokio::test]
async fn events_without_data_carry_no_message() {
    check("id: 1\ndata:\n\nid: 2\ndata: RES\n\n", Some("1")).await;
    check("id: 3\n\nretry: 10\n\ndata\n\n: x\n\ndata: RES\n\n", Some("1")).await;
}

/// Case 129.
#[tokio::test]
async fn only_events_of_the_type_message_carry_one() {
    let stream =
        ": ping\n\n:\nevent: ping\ndata: 2025-01-01\n\nevent: keepalive\ndata: {}\n\nevent: x\ndata: RES\n\n";
    check(&format!("{stream}data: RES\n\n").replacen("RES", "{}", 1), Some("1")).await;
    check("event: message\ndata: RES\n\n", Some("1")).await;
    check("event:\ndata: RES\n\n", Some("1")).await;
    check("event: Message\ndata: RES\n\n", None).await;
}

/// Case 135.
#[tokio::test]
async fn one_mark_at_the_start_is_no_part_of_the_stream() {
    check("\u{feff}data: RES\n\n", Some("1")).await;
    check("\u{feff}\u{feff}data: RES\n\n", None).await;
    check("\n\u{feff}data: RES\n\n", None).await;
}

/// Case 137, case 131: what no blank line ends is discarded, however the stream ends.
#[tokio::test]
async fn an_event_without_its_blank_line_is_discarded() {
    for stream in ["data: RES\n", "data: RES", "data: RES\r", "data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"res"] {
        check(stream, None).await;
        for resets in [false, true] {
            let peer = HttpPeer::start(move |exchange| async move {
                let bytes = filled(stream.as_bytes(), exchange.request());
                let mut events = exchange.start_sse_until_close(&[]).await;
                events.raw(&bytes).await;
                if resets { events.reset() } else { events.close() }
            });
            let (transport, _) = connect(&peer.url("/"));
            let error = request(&transport, "m").await.unwrap_err();
            assert!(matches!(error, CallError::NoResponse { .. }), "{error:?}");
        }
    }
}

/// A configuration that resumes without much ado.
fn eager(url: &str) -> HttpConfig {
    let mut config = config(url);
    config.resume.delay = Duration::from_millis(1);
    config.resume.min_delay = Duration::from_millis(1);
    config
}

/// Answers with a stream of these events, which ends after them.
async fn stream(exchange: Exchange, text: &str) {
    let mut events = exchange.start_sse(&[]).await;
    events.raw(text).await;
    events.finish().await;
}

/// The next exchange, which must ask for the stream from `id` on.
#[track_caller]
fn resumed<'a>(exchanges: &'a mut Exchanges, id: &'a str) -> impl Future<Output = Exchange> + use<'a> {
    let place = std::panic::Location::caller();
    async move {
        let exchange = exchanges.take().await;
        let seen = (exchange.method.as_str(), exchange.header("last-event-id"));
        assert_eq!(seen, ("GET", Some(id)), "{place}");
        exchange
    }
}

fn methods(peer: &HttpPeer) -> Vec<String> {
    peer.requests().into_iter().map(|request| request.method).collect()
}

/// Case 132: over all the wire forms of a break, the answer comes by GET, and nothing is sent twice.
#[tokio::test]
async fn a_stream_that_breaks_off_is_resumed_by_get_from_its_last_id() {
    for way in ["end", "close", "reset"] {
        let (peer, mut exchanges) = HttpPeer::by_hand();
        let (transport, recorder) = connect(&peer.url("/mcp?k=v"));
        let play = async {
            let exchange = exchanges.take().await;
            let answer = exchange.answer(r#"{"tag":1}"#);
            let mut events = exchange.start_sse(&[("Mcp-Session-Id", "S1")]).await;
            events.raw("id: e1\nretry: 50\ndata:\n\n").await;
            events.event(r#"{"jsonrpc":"2.0","method":"before"}"#).await;
            recorder.wait("notification before").await;
            match way {
                "end" => events.finish().await,
                "close" => events.close(),
                _ => events.reset(),
            }
            let exchange = exchanges.take().await;
            assert_eq!((exchange.method.as_str(), exchange.target.as_str()), ("GET", "/mcp?k=v"));
            assert_eq!(exchange.header("last-event-id"), Some("e1"));
            assert_eq!(exchange.header("mcp-session-id"), Some("S1"));
            assert_eq!(exchange.header("accept"), Some("text/event-stream"));
            assert!(exchange.body.is_empty());
            let mut events = exchange.start_sse(&[]).await;
            events.event(r#"{"jsonrpc":"2.0","method":"after"}"#).await;
            events.event_with_id("e2", &answer).await;
            events.finish().await;
        };
        let (result, ()) = tokio::join!(request(&transport, "m"), play);
        assert_eq!(result.unwrap().as_str(), r#"{"tag":1}"#);
        assert_eq!(recorder.events(), ["notification before", "notification after"]);
        assert_eq!(peer.requests().len(), 2);
    }
}

/// Case 132, case 128, case 137: each break goes on from where the last one was, and an event that was
/// not ended does not count.
#[tokio::test]
async fn several_breaks_in_a_row_each_go_on_from_the_last_id() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, recorder) = connect_with(eager(&peer.url("/")));
    let play = async {
        let exchange = exchanges.take().await;
        let answer = exchange.answer("1");
        stream(exchange, "id: e1\ndata:\n\n").await;
        stream(resumed(&mut exchanges, "e1").await, ": nothing new\n\nid: e2\n\n").await;
        let notice = "data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\nid: e3\ndata: cut";
        stream(resumed(&mut exchanges, "e2").await, notice).await;
        stream(resumed(&mut exchanges, "e2").await, &format!("data: {answer}\n\n")).await;
    };
    let (result, ()) = tokio::join!(request(&transport, "m"), play);
    assert_eq!(result.unwrap().as_str(), "1");
    assert_eq!(recorder.events(), ["notification n"]);
}

/// Case 131, case 132.
#[tokio::test]
async fn an_id_that_was_taken_back_is_not_resumed_from() {
    let peer = HttpPeer::start(|exchange| stream(exchange, "id: e1\ndata:\n\nid:\ndata:\n\n"));
    let (transport, _) = connect_with(eager(&peer.url("/")));
    let error = request(&transport, "m").await.unwrap_err();
    assert!(matches!(error, CallError::NoResponse { cause: None, .. }), "{error:?}");
    assert_eq!(peer.requests().len(), 1);
}

/// Case 132: a server that does not resume is believed at once.
#[tokio::test]
async fn a_refused_resumption_fails_the_call_at_once() {
    for (status, code) in [("400 Bad Request", 400), ("405 Method Not Allowed", 405), ("200 OK", 200)] {
        let peer = HttpPeer::start(move |exchange| async move {
            match exchange.method.as_str() {
                "POST" => stream(exchange, "id: e1\ndata:\n\n").await,
                _ => exchange.respond(status, &[("Content-Type", "application/json")], "{}").await,
            }
        });
        let (transport, _) = connect_with(eager(&peer.url("/")));
        let error = request(&transport, "m").await.unwrap_err();
        assert_eq!(status_behind(&error).unwrap().status, code);
        assert!(error.to_string().starts_with("No response received for request ID "));
        assert!(!error.is_safe_to_retry());
        assert_eq!(methods(&peer), ["POST", "GET"]);
    }
}

/// Case 105, D-18: the session is gone, but the server may have run the request, so that it must not
/// look as if it could be sent again.
#[tokio::test]
async fn a_session_that_is_lost_while_resuming_does_not_make_the_call_safe_to_retry() {
    let peer = HttpPeer::start(|exchange| async move {
        match (exchange.method.as_str(), exchange.header("mcp-session-id")) {
            ("POST", None) if exchange.rpc_method().as_deref() == Some("initialize") => {
                let answer = exchange.answer("{}");
                let headers = [("Content-Type", "application/json"), ("Mcp-Session-Id", "S1")];
                exchange.respond("200 OK", &headers, answer).await;
            }
            ("POST", Some("S1")) => stream(exchange, "id: e1\ndata:\n\n").await,
            ("GET", Some("S1")) => exchange.respond("404 Not Found", &[], "").await,
            _ => {
                let answer = exchange.answer("2");
                exchange.respond_json(answer).await;
            }
        }
    });
    let (transport, _) = connect_with(eager(&peer.url("/")));
    request(&transport, "initialize").await.unwrap();
    let error = request(&transport, "m").await.unwrap_err();
    assert!(matches!(error, CallError::NoResponse { .. }) && !error.is_safe_to_retry(), "{error:?}");
    assert!(status_behind(&error).unwrap().is_session_lost);
    // It is forgotten all the same.
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), "2");
}

/// Case 134: on the stream of a call.
#[tokio::test]
async fn resumptions_that_bring_nothing_come_to_an_end() {
    for retry in ["", "retry: 0\n", "retry: abc\n"] {
        let peer = HttpPeer::start(move |exchange| async move {
            match exchange.method.as_str() {
                "POST" => stream(exchange, &format!("id: e1\n{retry}data:\n\n")).await,
                _ => stream(exchange, ": nothing\n\n").await,
            }
        });
        let mut config = eager(&peer.url("/"));
        config.resume.max_attempts = 3;
        let (transport, _) = connect_with(config);
        let error = request(&transport, "m").await.unwrap_err();
        assert!(matches!(error, CallError::NoResponse { .. }), "{error:?}");
        assert_eq!(methods(&peer), ["POST", "GET", "GET", "GET"]);
    }
}

/// Case 132, case 134: a server that is down for a moment is asked again, within bounds.
#[tokio::test]
async fn a_resumption_that_fails_is_tried_again() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let mut config = eager(&peer.url("/"));
    config.resume.max_attempts = 3;
    let (transport, _) = connect_with(config);
    let play = async {
        let exchange = exchanges.take().await;
        let answer = exchange.answer("1");
        stream(exchange, "id: e1\nretry: 1\ndata:\n\n").await;
        resumed(&mut exchanges, "e1").await.respond("503 Service Unavailable", &[], "").await;
        resumed(&mut exchanges, "e1").await.reset();
        // What came in between counts: the tries begin anew.
        stream(resumed(&mut exchanges, "e1").await, "id: e2\ndata:\n\n").await;
        resumed(&mut exchanges, "e2").await.close();
        stream(resumed(&mut exchanges, "e2").await, &format!("data: {answer}\n\n")).await;
    };
    let (result, ()) = tokio::join!(request(&transport, "m"), play);
    assert_eq!(result.unwrap().as_str(), "1");
}

/// Case 132, D-04: the deadline of the call bounds it all, and the server's delay is no way around.
#[tokio::test]
async fn the_deadline_of_the_call_holds_while_it_waits_to_resume() {
    let peer = HttpPeer::start(|exchange| stream(exchange, "id: e1\nretry: 99999999999\ndata:\n\n"));
    let mut config = eager(&peer.url("/"));
    config.timeout = Duration::from_millis(50);
    let (transport, _) = connect_with(config);
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!(error.to_string(), "SSE response timeout after 50ms");
    assert_eq!(transport.status().pending, 0);
    within(transport.close()).await;
}

#[tokio::test]
async fn streams_are_not_resumed_where_that_is_off() {
    let peer = HttpPeer::start(|exchange| stream(exchange, "id: e1\ndata:\n\n"));
    let mut config = eager(&peer.url("/"));
    config.resume.max_attempts = 0;
    let (transport, _) = connect_with(config);
    let error = request(&transport, "m").await.unwrap_err();
    assert!(matches!(error, CallError::NoResponse { .. }), "{error:?}");
    assert_eq!(peer.requests().len(), 1);
}

/// The failed status that ended a stream.
fn status_behind(error: &CallError) -> Option<&mcp_transport_http::StatusError> {
    let cause = std::error::Error::source(error)?;
    cause.downcast_ref::<HttpError>()?.status()
}
