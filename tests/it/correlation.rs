//! Which answer belongs to which call, over a real pipe.

use std::sync::{Arc, Mutex};

use mcp_jsonrpc::{CallError, IdFormat, RequestOptions, Transport};
use mcp_tests::{Recorder, Scripted, raw, request, within};
use mcp_transport_stdio::StdioTransport;
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// Calls `method` with `params`, and expects them back.
async fn echoes(transport: Arc<StdioTransport>, method: &'static str, params: Value) {
    let answer = within(transport.request(method, raw(&params), RequestOptions::default())).await.unwrap();
    assert!(answer.parse::<Value>().unwrap() == params, "another call's answer");
}

/// Case 20, S-21, S-23.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_in_reverse_order_reach_their_callers() {
    // Invariant 7: every call begun is settled exactly once.
    let (transport, _) = Scripted::new("reverse 20\neof").without_deadlines().connect().await;
    let calls: JoinSet<_> = (1..=20).map(|n| echoes(transport.clone(), "m", json!({ "n": n }))).collect();
    calls.join_all().await;
    let status = transport.status();
    assert_eq!((status.pending, status.counts.begun, status.counts.settled), (0, 20, 20));
    transport.close().await;
}

/// Case 19, C-102: each frame on the wire is one contiguous line.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_frames_never_interleave() {
    let (transport, _) = Scripted::new("serve").without_deadlines().connect().await;
    let text = "x".repeat(20 * 1024);
    let mut calls: JoinSet<_> =
        (1..=50).map(|n| echoes(transport.clone(), "echo", json!({ "n": n, "text": text }))).collect();
    for _ in 0..10 {
        let transport = transport.clone();
        calls.spawn(async move {
            let params = raw(&json!({ "text": "y".repeat(5000) }));
            within(transport.notify("n", params, Default::default())).await.unwrap();
            let mut options = RequestOptions::default();
            options.timeout = Some(std::time::Duration::from_millis(1));
            options.cancel_notice = Some(|id, why| mcp_jsonrpc::Notice {
                method: "notifications/cancelled",
                params: raw(&json!({ "requestId": id, "reason": why.to_string() })),
            });
            assert!(within(transport.request("never", None, options)).await.unwrap_err().is_timeout());
        });
    }
    calls.join_all().await;
    let counts: Value = request(&transport, "counts").await.unwrap().parse().unwrap();
    assert_eq!(
        (&counts["bad"], &counts["methods"]["echo"], &counts["methods"]["n"]),
        (&0.into(), &50.into(), &10.into())
    );
    // A call that was not yet written when it was given up is never sent, nor is its notice.
    assert_eq!(counts["methods"].get("never"), counts["methods"].get("notifications/cancelled"));
    transport.close().await;
}

/// Case 51, D-15: it does not match, but the call does not hang either.
#[tokio::test]
async fn an_integer_id_that_comes_back_as_a_string_fails_its_call_at_once() {
    let script = "recv\nsend {\"jsonrpc\":\"2.0\",\"id\":\"$1\",\"result\":{}}\nrecv\nsend RES(2)\neof";
    let peer = Scripted::new(script).without_deadlines().with(|config| config.ids = IdFormat::Number);
    let (transport, seen) = peer.connect().await;
    let error = request(&transport, "m").await.unwrap_err();
    let CallError::Malformed { problem, .. } = &error else { panic!("{error:?}") };
    assert!(problem.to_string().contains(r#"response for unknown id "1""#), "{problem}");
    assert_eq!(seen.events(), [r#"diagnostic response for unknown id "1""#]);
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":2}"#);
    transport.close().await;
}

/// D-15: the same integer written as a float is the same id.
#[tokio::test]
async fn an_integral_float_matches_the_integer() {
    let script = "recv\nsend {\"jsonrpc\":\"2.0\",\"id\":$1.0,\"result\":7}\neof";
    let peer = Scripted::new(script).without_deadlines().with(|config| config.ids = IdFormat::Number);
    let (transport, seen) = peer.connect().await;
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), "7");
    assert!(seen.events().is_empty());
    transport.close().await;
}

/// Case 53, D-03.
#[tokio::test]
async fn an_error_without_an_id_is_reported_and_fails_no_call() {
    let error = r#""error":{"code":-32700,"message":"x"}"#;
    let script = format!(
        "recv\nsend {{\"jsonrpc\":\"2.0\",\"id\":null,{error}}}\nsend {{\"jsonrpc\":\"2.0\",{error}}}\n\
         send RES(1)\neof"
    );
    let (transport, seen) = Scripted::new(&script).without_deadlines().connect().await;
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":1}"#);
    let text = "error the server reported an error that names no request: MCP error -32700: x";
    assert_eq!(seen.events(), [text, text]);
    transport.close().await;
}

/// Cases 55 and 60, C-009: whatever id the server uses, it gets that back.
#[tokio::test]
async fn a_request_of_the_server_is_answered_with_its_own_id() {
    // Invariant 8: every server request is answered exactly once.
    let ids = ["0", r#""""#, r#""k1""#, "-1", "9007199254740993", r#""0""#, r#""a\u0000\"é""#];
    let asks: String =
        ids.iter().map(|id| format!("send REQ({id},x/y)\nrecv answer\nsend NOTE(got,$line)\n")).collect();
    let seen = Recorder::answering(|_, reply| reply.result(&json!({ "ok": true })));
    let script = format!("{asks}eof");
    let transport = Scripted::new(&script).without_deadlines().connect_to(seen.clone()).await;
    seen.wait_for(ids.len(), "notification").await;
    let got: Vec<_> = seen.events().into_iter().filter(|event| event.starts_with("notification")).collect();
    let expected: Vec<_> = ids
        .iter()
        .map(|id| format!(r#"notification got {{"jsonrpc":"2.0","id":{id},"result":{{"ok":true}}}}"#))
        .collect();
    assert_eq!(got, expected);
    transport.close().await;
}

/// Case 60, D-02.
#[tokio::test]
async fn a_request_of_the_server_with_the_id_of_a_waiting_call_settles_nothing() {
    for ids in [IdFormat::Text, IdFormat::Number] {
        let script = "recv\nsend REQ($1,x/ping)\nrecv answer\nsend NOTE(got,$line)\nsend RES(1)\neof";
        let peer = Scripted::new(script).without_deadlines().with(|config| config.ids = ids);
        let seen = Recorder::answering(|_, reply| reply.result(&json!({})));
        let transport = peer.connect_to(seen.clone()).await;
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":1}"#);
        assert_eq!(seen.events().len(), 2, "{:?}", seen.events());
        assert!(seen.events()[1].ends_with(r#","result":{}}"#), "{:?}", seen.events());
        transport.close().await;
    }
}

/// Case 56, D-06.
#[tokio::test]
async fn a_late_answer_disturbs_nothing() {
    let (transport, seen) = Scripted::new("serve").connect().await;
    let mut options = RequestOptions::default();
    options.timeout = Some(std::time::Duration::from_millis(20));
    let error = within(transport.request("late", None, options)).await.unwrap_err();
    assert_eq!(error.to_string(), "Request timeout after 20ms");
    // The peer answers in order: once this is here, the late one was too.
    echoes(transport.clone(), "echo", json!([1])).await;
    let status = transport.status();
    assert_eq!((status.counts.late, status.pending, status.connected), (1, 0, true));
    assert_eq!(seen.events().len(), 1);
    assert!(seen.events()[0].starts_with("diagnostic late response for id"), "{:?}", seen.events());
    transport.close().await;
}

/// Case 58, S-25.
#[tokio::test]
async fn a_second_or_unknown_answer_settles_no_other_call() {
    for ids in [IdFormat::Text, IdFormat::Number] {
        let script = "recv\nsend RES(1)\nsend RES(1)\nsend ERR(1,-1)\nsend RES(0)\nsend RES(99)\n\
                      send {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":1}\nrecv\nsend RES(2)\neof";
        let peer = Scripted::new(script).without_deadlines().with(|config| config.ids = ids);
        let (transport, seen) = peer.connect().await;
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":1}"#);
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":2}"#);
        let counts = transport.status().counts;
        assert_eq!((counts.settled, counts.duplicate, counts.unmatched), (2, 2, 3));
        assert_eq!((seen.count("diagnostic "), seen.events().len()), (5, 5), "{:?}", seen.events());
        transport.close().await;
    }
}

/// Case 61, S-18, S-19.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_id_is_used_twice() {
    for ids in [IdFormat::Text, IdFormat::Number] {
        let peer = Scripted::new("serve").without_deadlines().with(|config| config.ids = ids);
        let (transport, _) = peer.connect().await;
        // Two handles to one connection.
        let handles = [transport.clone(), transport.clone()];
        let calls: JoinSet<_> =
            (0..1000).map(|n| echoes(handles[n % 2].clone(), "echo", json!([n]))).collect();
        calls.join_all().await;
        let counts: Value = request(&transport, "counts").await.unwrap().parse().unwrap();
        assert_eq!((&counts["requests"], &counts["distinct"]), (&1001.into(), &1001.into()));
        transport.close().await;
    }
}

/// Case 61: text ids of two connections to one program differ as well.
#[tokio::test]
async fn text_ids_have_a_random_part_and_a_time() {
    let script = "recv\nsend {\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":$line}\neof";
    let mut ids = Vec::new();
    for _ in 0..2 {
        let (transport, _) = Scripted::new(script).connect().await;
        let line: Value = request(&transport, "m").await.unwrap().parse().unwrap();
        ids.push(line["id"].as_str().unwrap().to_owned());
        transport.close().await;
    }
    let parts: Vec<Vec<_>> = ids.iter().map(|id| id.split('-').collect()).collect();
    assert!(parts[0].len() == 3 && parts[0][0] != parts[1][0], "{ids:?}");
}

/// Case 64, C-017: nobody handles it, so it is refused; a notification gets no answer.
#[tokio::test]
async fn requests_that_nobody_handles_are_refused_and_notifications_are_not() {
    let script = "send NOTE(x/unknown)\nsend REQ(5,sampling/createMessage)\nrecv\nsend NOTE(got,$line)\n\
                  send REQ(\"e\",elicitation/create)\nrecv\nsend NOTE(got,$line)\nrecv\nsend RES(1)\neof";
    let (transport, seen) = Scripted::new(script).without_deadlines().connect().await;
    seen.wait_for(2, "notification got").await;
    request(&transport, "m").await.unwrap();
    let got: Vec<_> = seen.events().into_iter().filter(|event| event.contains("got")).collect();
    for (event, id) in got.iter().zip(["5", r#""e""#]) {
        let start = format!(r#"notification got {{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"#);
        assert!(event.starts_with(&start), "{event}");
    }
    transport.close().await;
}

/// Invariant 8, also for a handler that forgets.
#[tokio::test]
async fn a_request_that_its_handler_drops_is_answered_all_the_same() {
    let script = "send REQ(1,x)\nrecv\nsend NOTE(got,$line)\neof";
    let seen = Recorder::answering(|_, reply| drop(reply));
    let transport = Scripted::new(script).connect_to(seen.clone()).await;
    let got = seen.wait("notification").await;
    assert!(got.contains(r#""id":1,"error":{"code":-32603,"#), "{got}");
    transport.close().await;
}

/// Case 65: the reader goes on while a reply takes its time, and the call it belongs to waits.
#[tokio::test]
async fn a_slow_reply_during_a_call_holds_up_nothing() {
    let script = "recv\nsend REQ(1,roots/list)\nsend REQ(\"p\",quick)\nrecv answer\nsend NOTE(first,$line)\n\
                  recv answer\nsend NOTE(second,$line)\nsend RES(1)\neof";
    let held = Arc::new(Mutex::new(None));
    let keep = held.clone();
    let seen = Recorder::answering(move |request, reply| match request.method {
        "quick" => reply.result(&json!({})),
        _ => *keep.lock().unwrap() = Some(reply),
    });
    let transport = Scripted::new(script).without_deadlines().connect_to(seen.clone()).await;
    let (answer, ()) = tokio::join!(request(&transport, "m"), async {
        assert!(seen.wait("notification first").await.contains(r#""id":"p","#));
        held.lock().unwrap().take().unwrap().result(&json!({ "roots": [] }));
    });
    assert_eq!(answer.unwrap().as_str(), r#"{"tag":1}"#);
    assert!(seen.events().last().unwrap().contains(r#""id":1,"result":{"roots":[]}"#));
    transport.close().await;
}

/// Case 66, on the transport, which knows no version; `handshake.rs` negotiates.
#[tokio::test]
async fn answers_in_a_batch_are_taken_one_by_one() {
    let script = "recv\nrecv\nsend [RES(2),NOTE(n,1),RES(1)]\nrecv\nsend []\nsend [RES(3),17]\nrecv\n\
                  send [17,NOTE(n,2),{},RES(4)]\neof";
    let (transport, seen) = Scripted::new(script).without_deadlines().connect().await;
    let (one, two) = tokio::join!(request(&transport, "a"), request(&transport, "b"));
    assert_eq!((one.unwrap().as_str(), two.unwrap().as_str()), (r#"{"tag":1}"#, r#"{"tag":2}"#));
    assert_eq!(request(&transport, "c").await.unwrap().as_str(), r#"{"tag":3}"#);
    assert_eq!(request(&transport, "d").await.unwrap().as_str(), r#"{"tag":4}"#);
    // The answer is there before the rest of its batch was looked at.
    seen.wait_for(4, "diagnostic ").await;
    seen.wait("notification n 2").await;
    assert_eq!(seen.count("notification n"), 2);
    transport.close().await;
}
