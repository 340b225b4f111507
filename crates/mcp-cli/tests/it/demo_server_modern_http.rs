//! The built-in server in 2026-07-28 over HTTP: headers that repeat the request, and statuses.

use serde_json::{Value, json};

use crate::http_peer::{INITIALIZE, Peer, Response};
use crate::line_peer::{modern, modern_with};

const VERSION: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");
const CALL: (&str, &str) = ("Mcp-Method", "tools/call");

fn call(tool: &str, arguments: Value) -> Value {
    modern(1, "tools/call", json!({ "name": tool, "arguments": arguments }))
}

/// The status, and the code of the error.
fn refused(response: Response) -> (u16, Option<i64>) {
    (response.status, response.json()["error"]["code"].as_i64())
}

#[test]
fn a_request_needs_no_session_and_gets_none() {
    let peer = Peer::start();
    let answer = peer.modern(&modern("a", "server/discover", json!({})), &[]);
    assert_eq!((answer.status, answer.header("mcp-session-id")), (200, None));
    assert_eq!(answer.json()["result"]["resultType"], "complete");
    let stray = [("Mcp-Session-Id", "0123"), ("Mcp-Name", "echo")];
    let answer = peer.modern(&call("echo", json!({ "text": "x" })), &stray);
    assert_eq!(answer.json()["result"]["content"][0]["text"], "x");
}

#[test]
fn headers_that_are_missing_or_say_something_else_are_32020() {
    let peer = Peer::start();
    let request = call("echo", json!({ "text": "x" }));
    let name = ("Mcp-Name", "echo");
    assert_eq!(peer.post(&request, &[VERSION, CALL, name]).status, 200);
    for headers in [
        &[][..],
        &[CALL, name],
        &[("MCP-Protocol-Version", "2025-11-25"), CALL, name],
        &[VERSION, name],
        &[VERSION, ("Mcp-Method", "tools/Call"), name],
        &[VERSION, CALL],
        &[VERSION, CALL, ("Mcp-Name", "add")],
        &[VERSION, CALL, name, name],
        &[VERSION, CALL, ("Mcp-Name", "=?base64?!?=")],
    ] {
        assert_eq!(refused(peer.post(&request, headers)), (400, Some(-32020)), "{headers:?}");
    }
    assert_eq!(peer.post(&request, &[VERSION, CALL, ("mcp-name", "=?base64?ZWNobw==?=")]).status, 200);
}

#[test]
fn the_name_of_a_read_is_its_uri_and_that_of_a_prompt_its_name() {
    let peer = Peer::start();
    let read = modern(1, "resources/read", json!({ "uri": "demo://greeting/de/Ada%20L" }));
    let uri = ("Mcp-Name", "demo://greeting/de/Ada%20L");
    assert_eq!(peer.modern(&read, &[uri]).json()["result"]["contents"][0]["text"], "Guten Tag, Ada L!");
    assert_eq!(refused(peer.modern(&read, &[("Mcp-Name", "demo://greeting/de/Ada L")])), (400, Some(-32020)));
    let get = modern(1, "prompts/get", json!({ "name": "illustrate" }));
    assert_eq!(refused(peer.modern(&get, &[])), (400, Some(-32020)));
    assert_eq!(peer.modern(&get, &[("Mcp-Name", "illustrate")]).status, 200);
}

#[test]
fn marked_arguments_are_repeated_in_headers_in_base64_where_need_be() {
    let peer = Peer::start();
    let arguments = json!({ "region": "Zürich", "priority": -7, "dryRun": false, "target": { "zone": "a b" }, "note": "n" });
    let name = ("Mcp-Name", "route");
    let said = [
        ("Mcp-Param-Region", "=?base64?WsO8cmljaA==?="),
        ("Mcp-Param-Priority", "-7"),
        ("Mcp-Param-Dry-Run", "false"),
        ("Mcp-Param-Zone", "a b"),
    ];
    let request = call("route", arguments);
    let answer = peer.modern(&request, &[&said[..], &[name]].concat()).json();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("Zürich") && text.contains("-7"), "{text}");
    for at in 0..said.len() {
        let mut fewer = [&said[..], &[name]].concat();
        fewer.remove(at);
        assert_eq!(refused(peer.modern(&request, &fewer)), (400, Some(-32020)), "{fewer:?}");
        let mut wrong = [&said[..], &[name]].concat();
        wrong[at].1 = "8";
        assert_eq!(refused(peer.modern(&request, &wrong)), (400, Some(-32020)), "{wrong:?}");
    }
    let short = call("route", json!({ "region": "eu", "priority": null }));
    assert_eq!(peer.modern(&short, &[name, ("Mcp-Param-Region", "eu")]).status, 200);
}

#[test]
fn some_errors_have_a_status_and_the_others_are_answers() {
    let peer = Peer::start();
    let check = |request: &Value, headers: &[(&str, &str)], expected: (u16, i64)| {
        assert_eq!(refused(peer.modern(request, headers)), (expected.0, Some(expected.1)), "{request}");
    };
    for method in ["nope", "ping", "initialize", "logging/setLevel", "resources/subscribe"] {
        check(&modern(1, method, json!({})), &[], (404, -32601));
    }
    check(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }), &[], (400, -32602));
    let mut bare = modern(1, "tools/list", json!({}));
    bare["params"]["_meta"].as_object_mut().unwrap().remove("io.modelcontextprotocol/clientCapabilities");
    check(&bare, &[], (400, -32602));
    check(&call("ask", json!({})), &[("Mcp-Name", "ask")], (400, -32021));
    check(&call("nope", json!({})), &[("Mcp-Name", "nope")], (200, -32602));
    let read = modern(1, "resources/read", json!({ "uri": "x:y" }));
    check(&read, &[("Mcp-Name", "x:y")], (200, -32602));
    let mut next = modern(1, "tools/list", json!({}));
    next["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2027-01-01".into();
    let headers = [("MCP-Protocol-Version", "2027-01-01"), ("Mcp-Method", "tools/list")];
    assert_eq!(refused(peer.post(&next, &headers)), (400, Some(-32022)));
}

#[test]
fn a_call_that_asks_is_answered_with_json() {
    let peer = Peer::start();
    let params = json!({ "name": "ask" });
    let answer =
        peer.modern(&modern_with(1, "tools/call", params, json!({ "roots": {} })), &[("Mcp-Name", "ask")]);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["result"]["resultType"], "input_required");
}

#[test]
fn what_is_said_before_the_answer_makes_a_stream_of_it() {
    let peer = Peer::start();
    let mut request = call("sleep", json!({ "ms": 1, "steps": 1 }));
    request["params"]["_meta"]["progressToken"] = "p".into();
    request["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = "info".into();
    let messages = peer.modern(&request, &[("Mcp-Name", "sleep")]).events();
    let order: Vec<&Value> =
        messages.iter().map(|message| message.get("method").unwrap_or(&message["id"])).collect();
    assert_eq!(order, [&json!("notifications/message"), &json!("notifications/progress"), &json!(1)]);
}

#[test]
fn a_stream_that_is_closed_cancels_its_call() {
    let peer = Peer::start();
    let mut request = call("sleep", json!({ "ms": 3_600_000 }));
    request["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = "info".into();
    let long = || peer.modern(&request, &[("Mcp-Name", "sleep")]);
    // Two at a time until more have run than there is room for at once.
    for _ in 0..200 {
        let mut streams = [long(), long()];
        for stream in &mut streams {
            assert_eq!(stream.event().unwrap()["method"], "notifications/message");
        }
    }
}

#[test]
fn there_is_no_stream_and_no_end_of_a_session_where_there_is_none() {
    for era in ["both", "modern"] {
        let peer = Peer::of(era);
        for method in ["GET", "DELETE"] {
            for headers in [&[("Accept", "text/event-stream")][..], &[VERSION, ("Mcp-Session-Id", "0123")]] {
                let response = peer.send(method, "/mcp", headers, "");
                assert_eq!(
                    (response.status, response.header("allow")),
                    (405, Some("POST")),
                    "{era} {method}"
                );
            }
        }
    }
}

#[test]
fn both_eras_are_served_at_one_address() {
    let peer = Peer::start();
    let session = peer.session();
    peer.modern(&call("count", json!({})), &[("Mcp-Name", "count")]).json();
    let read = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"demo://counter"}}"#;
    assert_eq!(session.post(read).json()["result"]["contents"][0]["text"], "1");
}

#[test]
fn a_server_without_sessions_refuses_initialize_and_answers() {
    let peer = Peer::of("modern");
    let hello: Value = serde_json::from_str(INITIALIZE).unwrap();
    for headers in [&[][..], &[("MCP-Protocol-Version", "2025-11-25")]] {
        let response = peer.post(&hello, headers);
        assert_eq!((response.status, response.header("mcp-session-id")), (400, None));
        let error = response.json()["error"].clone();
        let data = json!({ "supported": ["2026-07-28"], "requested": "2025-11-25" });
        assert_eq!((&error["code"], &error["data"]), (&json!(-32022), &data));
    }
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    assert_eq!(refused(peer.post(&list, &[])), (400, Some(-32602)));
    assert_eq!(peer.post(&json!([list]), &[]).status, 400);
    assert_eq!(peer.post(&json!({ "jsonrpc": "2.0", "method": "x/y" }), &[]).status, 202);
    assert_eq!(peer.post(&json!({ "jsonrpc": "2.0", "id": 1, "result": {} }), &[]).status, 400);
}

#[test]
fn a_server_with_sessions_only_knows_neither_the_header_nor_the_methods() {
    let peer = Peer::of("legacy");
    let discover = modern(1, "server/discover", json!({}));
    assert_eq!(refused(peer.modern(&discover, &[])), (400, Some(-32000)));
    assert_eq!(refused(peer.post(&discover, &[])), (400, Some(-32600)), "it is no initialize");
    assert_eq!(peer.send("GET", "/mcp", &[("Accept", "text/event-stream")], "").status, 400);
    let session = peer.session();
    assert_eq!(session.post(&discover.to_string()).json()["error"]["code"], -32601);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_calls_that_run() {
    let peer = Peer::start();
    let mut request = call("sleep", json!({ "ms": 3_600_000 }));
    request["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = "info".into();
    let mut stream = peer.modern(&request, &[("Mcp-Name", "sleep")]);
    assert!(stream.event().is_some());
    assert_eq!(peer.end("-TERM"), (Some(143), String::new()));
    assert_eq!(stream.event().unwrap()["result"]["isError"], true);
    assert_eq!(stream.event(), None);
}
