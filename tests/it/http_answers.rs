//! Answers over HTTP: every form that they come in, and every form that is none.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_jsonrpc::{CallError, FailureKind, Malformed, NotifyOptions, Raw, Transport};
use mcp_tests::http::{config, connect, connect_to, connect_with, ready, request};
use mcp_tests::http_peer::HttpPeer;
use mcp_tests::{Recorder, within};
use mcp_transport_http::{HttpError, HttpTransport};
use serde_json::json;
use tokio::task::JoinHandle;

/// A request that goes on beside the test.
fn spawn(transport: &Arc<HttpTransport>, method: &'static str) -> JoinHandle<Result<Raw, CallError>> {
    let transport = transport.clone();
    tokio::spawn(async move { request(&transport, method).await })
}

#[tokio::test]
async fn json_and_events_both_answer_a_request() {
    let peer = HttpPeer::start(|exchange| async move {
        match exchange.rpc_method().as_deref() {
            Some("json") => {
                let answer = exchange.answer(r#"{"a":1}"#);
                exchange.respond_json(answer).await;
            }
            _ => {
                let answer = exchange.answer(r#"{"b":2}"#);
                let mut events = exchange.start_sse(&[]).await;
                events.event(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#).await;
                events.event(&answer).await;
                events.finish().await;
            }
        }
    });
    let (transport, recorder) = connect(&peer.url("/mcp"));
    assert_eq!(request(&transport, "json").await.unwrap().as_str(), r#"{"a":1}"#);
    assert_eq!(request(&transport, "events").await.unwrap().as_str(), r#"{"b":2}"#);
    assert_eq!(recorder.events(), ["notification notifications/x"]);
    within(transport.close()).await;
    assert_eq!(peer.connections(), 1);
    peer.wait_for_open(0).await;
}

/// Case 97, case 98, case 94: exactly the headers that must be there.
#[tokio::test]
async fn a_post_carries_exactly_what_it_must() {
    let peer = HttpPeer::start(|exchange| async move {
        let answer = exchange.answer("{}");
        exchange
            .respond("200 OK", &[("Content-Type", "application/json"), ("Mcp-Session-Id", "S1")], answer)
            .await;
    });
    let (transport, _) = connect(&peer.url("/mcp?key=1"));
    request(&transport, "initialize").await.unwrap();
    ready(&transport, "2025-06-18");
    request(&transport, "tools/list").await.unwrap();
    let seen = peer.requests();
    assert_eq!(seen[0].target, "/mcp?key=1");
    assert_eq!(seen[0].header("content-type"), Some("application/json"));
    assert_eq!(seen[0].header("accept"), Some("application/json, text/event-stream"));
    assert_eq!((seen[0].header("mcp-session-id"), seen[0].header("mcp-protocol-version")), (None, None));
    assert_eq!(seen[1].header("mcp-session-id"), Some("S1"));
    assert_eq!(seen[1].header("mcp-protocol-version"), Some("2025-06-18"));
}

/// Case 59, case 139.
#[tokio::test]
async fn an_answer_for_another_request_is_an_error_that_names_both() {
    let peer = HttpPeer::start(|exchange| async move {
        exchange.respond_json(r#"{"jsonrpc":"2.0","id":8,"result":{}}"#).await;
    });
    let (transport, recorder) = connect(&peer.url("/"));
    let error = request(&transport, "m").await.unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(HttpError::WrongId { .. })), "{error:?}");
    assert!(error.to_string().contains("request ID 8, not for request ID "), "{error}");
    assert_eq!(recorder.count("diagnostic response for unknown id 8"), 1);
}

/// Case 59.
#[tokio::test]
async fn on_a_stream_the_answer_of_another_request_is_passed_over() {
    let peer = HttpPeer::start(|exchange| async move {
        let answer = exchange.answer(r#"{"tag":9}"#);
        let mut events = exchange.start_sse(&[]).await;
        events.event(r#"{"jsonrpc":"2.0","id":8,"result":{"tag":8}}"#).await;
        events.event(&answer).await;
        events.finish().await;
    });
    let (transport, recorder) = connect(&peer.url("/"));
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":9}"#);
    assert_eq!(recorder.events(), ["diagnostic response for unknown id 8"]);
}

/// Case 131, case 93.
#[tokio::test]
async fn a_stream_that_ends_without_the_answer_fails_the_call_at_once() {
    let peer = HttpPeer::start(|exchange| async move {
        let resets = exchange.rpc_method().as_deref() == Some("reset");
        let mut events = exchange.start_sse(&[]).await;
        events.event(r#"{"jsonrpc":"2.0","method":"n"}"#).await;
        if resets { events.reset() } else { events.finish().await }
    });
    let (transport, _) = connect(&peer.url("/"));
    for method in ["end", "reset"] {
        let error = request(&transport, method).await.unwrap_err();
        assert!(matches!(error, CallError::NoResponse { .. }), "{error:?}");
        assert!(error.to_string().starts_with("No response received for request ID "));
        assert!(!error.is_safe_to_retry());
    }
    assert_eq!(peer.requests().len(), 2, "never a second POST");
}

/// Case 88.
#[tokio::test]
async fn any_2xx_is_success_for_a_notification() {
    type Form = (&'static str, &'static [(&'static str, &'static str)], &'static str);
    let forms: [Form; 7] = [
        ("202 Accepted", &[], ""),
        ("202 Accepted", &[("Content-Length", "0")], ""),
        ("202 Accepted", &[("Content-Length", "0"), ("Content-Type", "application/json")], ""),
        ("200 OK", &[("Content-Length", "0")], ""),
        ("200 OK", &[("Content-Type", "application/json")], "null"),
        ("200 OK", &[("Content-Type", "application/json")], "{}"),
        ("204 No Content", &[], ""),
    ];
    for (status, headers, body) in forms {
        let peer = HttpPeer::start(move |exchange| exchange.respond(status, headers, body));
        let (transport, _) = connect(&peer.url("/"));
        for _ in 0..2 {
            within(transport.notify("n", None, NotifyOptions::default())).await.unwrap();
        }
        within(transport.close()).await;
    }
}

#[tokio::test]
async fn a_failed_status_is_told_with_its_text_and_hints() {
    let peer = HttpPeer::start(|exchange| async move {
        let hints = [("WWW-Authenticate", r#"Bearer scope="s1""#), ("Mcp-Auth-Server", "https://auth.test")];
        exchange.respond("401 Unauthorized", &hints, "who are you?").await;
    });
    let (transport, _) = connect(&peer.url("/"));
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"HTTP 401: who are you? [WWW-Authenticate: Bearer scope="s1"; Mcp-Auth-Server: https://auth.test]"#
    );
    assert_eq!(error.failure_kind(), Some(FailureKind::Unauthorized));
    let status = error.downcast_ref::<HttpError>().and_then(HttpError::status).unwrap();
    assert_eq!(status.scope(), Some("s1"));
}

/// Case 65, D-02: nothing waits for the slow handler, and the reply is a POST of its own.
#[tokio::test]
async fn a_server_request_in_the_stream_of_a_call_is_answered_while_the_stream_is_open() {
    let kept = Arc::new(Mutex::new(None));
    let slow = kept.clone();
    let recorder = Recorder::answering(move |request, reply| match request.method {
        "ping" => reply.result(&json!({})),
        _ => *slow.lock().unwrap() = Some(reply),
    });
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let transport = connect_to(config(&peer.url("/")), recorder.clone());
    let call = spawn(&transport, "tools/call");
    let exchange = exchanges.take().await;
    let answer = exchange.answer(r#"{"tag":3}"#);
    let mut events = exchange.start_sse(&[]).await;
    events.event(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#).await;
    recorder.wait("request Number(1) roots/list").await;
    events.event(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#).await;
    let pong = exchanges.take().await;
    assert_eq!(pong.json(), json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
    pong.accepted().await;
    kept.lock().unwrap().take().unwrap().result(&json!({"roots": []}));
    let roots = exchanges.take().await;
    assert_eq!(roots.json(), json!({"jsonrpc": "2.0", "id": 1, "result": {"roots": []}}));
    assert_eq!(roots.header("content-type"), Some("application/json"));
    roots.accepted().await;
    assert!(!call.is_finished());
    events.event(&answer).await;
    events.finish().await;
    assert_eq!(within(call).await.unwrap().unwrap().as_str(), r#"{"tag":3}"#);
}

/// Case 90, D-12: no listener, so nothing to wait for, not even the end of the body.
#[tokio::test]
async fn a_request_that_is_only_accepted_fails_at_once_without_a_listener() {
    let forms: [(u16, &str); 5] = [
        (202, "202 Accepted\r\nContent-Length: 0"),
        (202, "202 Accepted\r\nContent-Length: 4\r\nContent-Type: application/json"),
        (202, "202 Accepted\r\nTransfer-Encoding: chunked"),
        (204, "204 No Content"),
        (200, "200 OK\r\nContent-Length: 0\r\nContent-Type: application/json"),
    ];
    for (expected, head) in forms {
        let peer = HttpPeer::start(move |mut exchange| async move {
            exchange.write(format!("HTTP/1.1 {head}\r\n\r\n")).await;
            exchange.hold();
        });
        let (transport, _) = connect(&peer.url("/"));
        let error = request(&transport, "m").await.unwrap_err();
        let found = error.downcast_ref();
        assert!(matches!(found, Some(HttpError::NoAnswer { status }) if *status == expected), "{error:?}");
        assert!(!error.is_safe_to_retry());
        within(transport.close()).await;
    }
}

/// Case 90.
#[tokio::test]
async fn a_request_that_is_only_accepted_waits_for_the_open_listener() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, _) = connect(&peer.url("/"));
    transport.listen();
    let mut listener = exchanges.take().await.start_sse(&[]).await;
    assert!(within(transport.listening()).await);
    let calls = [spawn(&transport, "one"), spawn(&transport, "two")];
    let mut answers = Vec::new();
    for _ in &calls {
        let exchange = exchanges.take().await;
        answers.push(exchange.answer("true"));
        exchange.accepted().await;
    }
    for answer in answers {
        listener.event(&answer).await;
    }
    for call in calls {
        assert_eq!(within(call).await.unwrap().unwrap().as_str(), "true");
    }

    let lost = spawn(&transport, "lost");
    exchanges.take().await.accepted().await;
    listener.finish().await;
    let error = within(lost).await.unwrap().unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(HttpError::NoAnswer { status: 202 })), "{error:?}");
}

/// Case 90, D-04.
#[tokio::test]
async fn an_answer_that_never_comes_on_the_listener_ends_at_the_deadline() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let mut config = config(&peer.url("/"));
    config.timeout = Duration::from_millis(50);
    let (transport, _) = connect_with(config);
    transport.listen();
    let _listener = exchanges.take().await.start_sse(&[]).await;
    assert!(within(transport.listening()).await);
    let call = spawn(&transport, "m");
    exchanges.take().await.accepted().await;
    assert_eq!(within(call).await.unwrap().unwrap_err().to_string(), "Request timeout after 50ms");
}

/// Case 93.
#[tokio::test]
async fn an_empty_stream_is_no_answer() {
    let heads = ["Content-Length: 0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"];
    for head in heads {
        let peer = HttpPeer::start(move |exchange| async move {
            let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{head}");
            exchange.respond_raw(answer).await;
        });
        let (transport, _) = connect(&peer.url("/"));
        let error = request(&transport, "m").await.unwrap_err();
        assert!(matches!(error, CallError::NoResponse { cause: None, .. }), "{error:?}");
    }
}

/// Case 93, D-04, S-71.
#[tokio::test]
async fn a_stream_without_a_byte_ends_at_the_deadline() {
    let peer = HttpPeer::start(|exchange| async move { exchange.start_sse(&[]).await.hold() });
    let mut config = config(&peer.url("/"));
    config.timeout = Duration::from_millis(50);
    let (transport, _) = connect_with(config);
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!(error.to_string(), "SSE response timeout after 50ms");
    peer.wait_for_open(0).await;
}

/// Case 95.
#[tokio::test]
async fn parameters_and_case_of_a_type_do_not_matter() {
    for kind in ["application/json;charset=utf-8", "Application/JSON ; x=y", "application/vnd.x+json"] {
        let peer = HttpPeer::start(move |exchange| async move {
            let answer = exchange.answer("1");
            exchange.respond("200 OK", &[("content-type", kind)], answer).await;
        });
        let (transport, _) = connect(&peer.url("/"));
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), "1", "{kind}");
    }
    for kind in ["text/event-stream; charset=UTF-8", "Text/Event-Stream"] {
        let peer = HttpPeer::start(move |exchange| async move {
            let answer = format!("data: {}\n\n", exchange.answer("1"));
            exchange.respond("200 OK", &[("CONTENT-TYPE", kind)], answer).await;
        });
        let (transport, _) = connect(&peer.url("/"));
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), "1", "{kind}");
    }
}

#[tokio::test]
async fn an_answer_of_another_type_is_an_error_that_names_it() {
    let kinds: [(&[(&str, &str)], &str); 3] = [
        (&[("Content-Type", "text/html\t; x")], r"text/html\t; x"),
        (&[("Content-Type", "application/octet-stream")], "application/octet-stream"),
        (&[], "no type"),
    ];
    for (headers, shown) in kinds {
        let peer = HttpPeer::start(move |exchange| exchange.respond("200 OK", headers, "<html></html>"));
        let (transport, _) = connect(&peer.url("/"));
        let error = request(&transport, "m").await.unwrap_err();
        let text = format!("the answer is of type {shown}, not `application/json` or `text/event-stream`");
        assert_eq!(error.to_string(), text);
        assert_eq!(error.failure_kind(), Some(FailureKind::MediaType));
        assert!(error.downcast_ref().and_then(HttpError::hint).is_some());
    }
}

/// Case 139, S-76.
#[tokio::test]
async fn errors_and_falsy_results_are_what_they_are_in_both_forms() {
    let error = r#""error":{"code":-32602,"message":"no","data":{"field":"x","list":[1,2]}}"#;
    let results = ["null", "false", "0", "\"\"", "[]", "{}"];
    for is_stream in [false, true] {
        let peer = HttpPeer::start(move |exchange| async move {
            let method = exchange.rpc_method().unwrap();
            let answer = match method.as_str() {
                "error" => format!(r#"{{"jsonrpc":"2.0","id":{},{error}}}"#, exchange.id().unwrap()),
                result => exchange.answer(result),
            };
            if !is_stream {
                return exchange.respond_json(answer).await;
            }
            let mut events = exchange.start_sse(&[]).await;
            events.event(&answer).await;
            events.finish().await;
        });
        let (transport, _) = connect(&peer.url("/"));
        for result in results {
            assert_eq!(request(&transport, result).await.unwrap().as_str(), result);
        }
        let error = request(&transport, "error").await.unwrap_err();
        assert_eq!(error.to_string(), "MCP error -32602: no");
        let data = error.as_rpc().and_then(|error| error.data.as_ref()).unwrap().to_string();
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&data).unwrap(),
            json!({"field": "x", "list": [1, 2]})
        );
        within(transport.close()).await;
        // A stream may still be read to its end when the next call begins.
        assert!(is_stream || peer.connections() == 1);
    }
}

/// Case 66: a batch is none of ours, but what is in it is taken, on either form.
#[tokio::test]
async fn a_batch_brings_the_answer_and_all_else_that_is_in_it() {
    for is_stream in [false, true] {
        let peer = HttpPeer::start(move |exchange| async move {
            if exchange.rpc_method().is_none() {
                return exchange.accepted().await;
            }
            let parts = [
                r#"{"jsonrpc":"2.0","method":"notifications/x"}"#,
                r#"{"jsonrpc":"2.0","id":7,"method":"what"}"#,
                r#"{"bad":1}"#,
                &exchange.answer("[1]"),
            ];
            let batch = format!("[{}]", parts.join(","));
            if !is_stream {
                return exchange.respond_json(batch).await;
            }
            let mut events = exchange.start_sse(&[]).await;
            events.event(&batch).await;
            events.finish().await;
        });
        let (transport, recorder) = connect(&peer.url("/"));
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), "[1]");
        let requests = peer.wait_for(|requests| requests.len() == 2).await;
        let reply = requests[1].json();
        assert_eq!((&reply["id"], &reply["error"]["code"]), (&json!(7), &json!(-32601)));
        let counts = ["notification notifications/x", "request Number(7) what", "diagnostic skipped"];
        assert_eq!(counts.map(|start| recorder.count(start)), [1, 1, 1], "{recorder:?}");
    }
}

#[tokio::test]
async fn one_body_may_answer_two_calls() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, _) = connect(&peer.url("/"));
    let calls = [spawn(&transport, "a"), spawn(&transport, "b")];
    // The first call finds out what the server speaks.
    let (first, answer) = {
        let exchange = exchanges.take().await;
        let answer = exchange.answer("1");
        (exchange.start_sse(&[]).await, answer)
    };
    let second = exchanges.take().await;
    let both = format!("[{answer},{}]", second.answer("1"));
    second.respond_json(both).await;
    for call in calls {
        assert_eq!(within(call).await.unwrap().unwrap().as_str(), "1");
    }
    drop(first);
}

#[tokio::test]
async fn a_body_without_a_response_is_an_error_that_says_so() {
    let bodies = [
        (r#"{"jsonrpc":"2.0","method":"n"}"#, "no request"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "no request"),
        (
            r#"[{"jsonrpc":"2.0","id":8,"result":1},{"jsonrpc":"2.0","id":"x","result":1}]"#,
            r#"request ID 8, "x""#,
        ),
    ];
    for (body, named) in bodies {
        let peer = HttpPeer::start(move |exchange| async move {
            match exchange.rpc_method() {
                Some(_) => exchange.respond_json(body).await,
                None => exchange.accepted().await,
            }
        });
        let (transport, _) = connect(&peer.url("/"));
        let error = request(&transport, "m").await.unwrap_err();
        assert!(error.to_string().starts_with(&format!("the answer is for {named}, not for ")), "{error}");
    }
}

/// S-77, S-86, S-111: bad bytes fail the call that they answer, and nothing else.
#[tokio::test]
async fn a_body_that_is_no_message_is_an_error_of_its_call_alone() {
    let bodies: [&[u8]; 6] = [
        b"",
        b"{\"jsonrpc\":",
        b"<html>",
        b"{}",
        b"[]",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}",
    ];
    for (number, body) in bodies.into_iter().enumerate() {
        for is_stream in [false, true] {
            let peer = HttpPeer::start(move |exchange| async move {
                if exchange.rpc_method().as_deref() == Some("good") {
                    let answer = exchange.answer("1");
                    return exchange.respond_json(answer).await;
                }
                if is_stream {
                    let mut events = exchange.start_sse(&[]).await;
                    events.raw([b"data:", body, b"\n\n"].concat()).await;
                    return events.finish().await;
                }
                let size = format!("{:x}\r\n", body.len());
                let chunk =
                    if body.is_empty() { Vec::new() } else { [size.as_bytes(), body, b"\r\n"].concat() };
                let head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
                exchange.respond_raw([&head[..], &chunk, b"0\r\n\r\n"].concat()).await;
            });
            let (transport, _) = connect(&peer.url("/"));
            let error = request(&transport, "bad").await.unwrap_err();
            match (number, is_stream) {
                // An event without data only carries an id.
                (0, true) => assert!(matches!(error, CallError::NoResponse { .. }), "{error:?}"),
                (5, _) => {
                    assert!(
                        matches!(error, CallError::Malformed { problem: Malformed::Utf8, .. }),
                        "{error:?}"
                    );
                }
                _ => assert!(matches!(error, CallError::Malformed { .. }), "{number} {error:?}"),
            }
            assert_eq!(request(&transport, "good").await.unwrap().as_str(), "1");
            within(transport.close()).await;
            assert!(is_stream || peer.connections() == 1, "{number}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_goes_on_after_the_answer_is_closed_in_the_end() {
    let peer = HttpPeer::start(|exchange| async move {
        let answer = exchange.answer("1");
        let mut events = exchange.start_sse(&[]).await;
        events.event(&answer).await;
        events.event(r#"{"jsonrpc":"2.0","method":"late"}"#).await;
        events.hold();
    });
    let mut config = config(&peer.url("/"));
    config.drain = Duration::from_millis(20);
    config.max_connections = 1;
    let (transport, recorder) = connect_with(config);
    for number in 1..=3 {
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), "1");
        recorder.wait_for(number, "notification late").await;
    }
    peer.wait_for_open(0).await;
    assert_eq!(transport.status().pending, 0);
}
