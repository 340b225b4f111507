//! The built-in server in 2026-07-28, line by line: what each request says, and what each result has.

use serde_json::{Value, json};

use crate::line_peer::{INITIALIZE, Lines, modern};

const ALL: [&str; 5] = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const INFO: &str = "io.modelcontextprotocol/serverInfo";

#[track_caller]
fn check_complete(answer: &Value) {
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    assert_eq!(answer["result"]["_meta"][INFO]["name"], "mcp-demo", "{answer}");
}

#[test]
fn discover_tells_versions_capabilities_and_how_long_that_holds() {
    for (args, versions) in [(&[][..], &ALL[..]), (&["--era", "modern"], &ALL[..1])] {
        let answer = Lines::start(args).modern("server/discover", json!({}));
        check_complete(&answer);
        let result = &answer["result"];
        assert_eq!(result["supportedVersions"], json!(versions));
        assert_eq!(result["capabilities"]["completions"], json!({}));
        assert!(result["instructions"].is_string() && result["ttlMs"].as_u64() > Some(0));
        assert_eq!(result["cacheScope"], "public");
    }
}

#[test]
fn lists_and_reads_say_how_long_they_hold_and_other_results_do_not() {
    let mut lines = Lines::start(&[]);
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        let answer = lines.modern(method, json!({}));
        check_complete(&answer);
        assert!(answer["result"]["ttlMs"].is_u64() && answer["result"]["cacheScope"] == "public", "{answer}");
    }
    let read = lines.modern("resources/read", json!({ "uri": "demo://counter" }));
    check_complete(&read);
    assert_eq!(read["result"]["ttlMs"], 0, "it may change at any time");
    let argument = json!({ "name": "tone", "value": "f" });
    for (method, params) in [
        ("tools/call", json!({ "name": "echo", "arguments": { "text": "x" } })),
        ("prompts/get", json!({ "name": "illustrate" })),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": "greet" }, "argument": argument }),
        ),
    ] {
        let answer = lines.modern(method, params);
        check_complete(&answer);
        assert_eq!((answer["result"].get("ttlMs"), answer["result"].get("cacheScope")), (None, None));
    }
}

#[test]
fn a_request_without_what_each_must_say_is_32602() {
    let mut lines = Lines::start(&["--era", "modern"]);
    for damage in [
        |request: &mut Value| request["params"] = json!({}),
        |request: &mut Value| request["params"]["_meta"] = json!([]),
        |request: &mut Value| {
            request["params"]["_meta"] = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" })
        },
        |request: &mut Value| {
            request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(1)
        },
        |request: &mut Value| request["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("loud"),
    ] {
        let mut request = modern(1, "tools/list", json!({}));
        damage(&mut request);
        assert_eq!(lines.ask(&request).1["error"]["code"], -32602, "{request}");
    }
    let bare = json!({ "jsonrpc": "2.0", "id": 2, "method": "server/discover" });
    assert_eq!(Lines::start(&[]).ask(&bare).1["error"]["code"], -32602, "no session has that method");
}

#[test]
fn an_unknown_version_is_32022_with_those_that_are_known() {
    let mut lines = Lines::start(&[]);
    for requested in ["2027-01-01", "2025-11-25", ""] {
        let mut request = modern("v", "tools/list", json!({}));
        request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = requested.into();
        let error = lines.ask(&request).1["error"].clone();
        assert_eq!(
            (&error["code"], &error["data"]),
            (&json!(-32022), &json!({ "supported": ALL, "requested": requested }))
        );
    }
}

#[test]
fn methods_that_were_removed_are_32601() {
    let mut lines = Lines::start(&[]);
    for method in [
        "ping",
        "initialize",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/get",
        "nope",
    ] {
        let answer = lines.modern(method, json!({ "uri": "demo://counter", "level": "info" }));
        assert_eq!(answer["error"]["code"], -32601, "{method}");
    }
}

#[test]
fn a_resource_that_is_not_there_is_32602_with_its_uri() {
    let error = Lines::start(&[]).modern("resources/read", json!({ "uri": "demo://nope" }))["error"].clone();
    assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(-32602), &json!("demo://nope")));
}

#[test]
fn log_messages_come_only_for_a_request_that_wants_them() {
    let mut lines = Lines::start(&[]);
    let mut logged = |level: Option<&str>| {
        let mut request = modern("l", "tools/call", json!({ "name": "fail" }));
        if let Some(level) = level {
            request["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = level.into();
        }
        lines.ask(&request).0.len()
    };
    assert_eq!([Some("debug"), Some("warning"), Some("error"), None].map(&mut logged), [2, 1, 0, 0]);
}

#[test]
fn progress_comes_before_the_answer() {
    let mut lines = Lines::start(&[]);
    let params =
        json!({ "name": "sleep", "arguments": { "ms": 1, "steps": 2 }, "_meta": { "progressToken": "p" } });
    let (before, answer) = lines.ask(&modern(1, "tools/call", params));
    check_complete(&answer);
    let progress: Vec<&Value> = before.iter().map(|message| &message["params"]["progress"]).collect();
    assert_eq!(progress, [1, 2]);
    assert!(before.iter().all(|message| message["params"]["progressToken"] == "p"), "{before:?}");
}

#[test]
fn a_call_that_is_cancelled_is_not_answered() {
    let mut lines = Lines::start(&["--era", "modern"]);
    lines.send(
        &modern("long", "tools/call", json!({ "name": "sleep", "arguments": { "ms": 3_600_000 } }))
            .to_string(),
    );
    lines.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long"}}"#);
    check_complete(&lines.modern("tools/list", json!({})));
    assert_eq!(lines.end(), Vec::<Value>::new());
}

#[test]
fn both_eras_are_served_at_once() {
    let mut lines = Lines::start(&[]);
    check_complete(&lines.modern("tools/list", json!({})));
    assert_eq!(lines.greet("2025-11-25")["protocolVersion"], "2025-11-25");
    lines.until("notifications/message");
    check_complete(&lines.modern("tools/list", json!({})));
    let list = lines.legacy("tools/list", &json!({}));
    assert_eq!((list["result"].get("resultType"), list["result"].get("_meta")), (None, None));
    // What one era changes, the other sees.
    lines.modern("tools/call", json!({ "name": "count" }));
    let read = lines.legacy("resources/read", &json!({ "uri": "demo://counter" }));
    assert_eq!(read["result"]["contents"][0]["text"], "1");
}

#[test]
fn a_server_without_sessions_refuses_initialize_and_goes_on() {
    let mut lines = Lines::start(&["--era", "modern"]);
    lines.send(INITIALIZE);
    let error = lines.read()["error"].clone();
    let data = json!({ "supported": ["2026-07-28"], "requested": "2025-11-25" });
    assert_eq!((&error["code"], &error["data"]), (&json!(-32022), &data));
    assert_eq!(lines.legacy("tools/list", &json!({}))["error"]["code"], -32602);
    check_complete(&lines.modern("tools/list", json!({})));
}

#[test]
fn a_server_with_sessions_only_knows_nothing_of_discover() {
    let mut lines = Lines::start(&["--era", "legacy"]);
    assert_eq!(lines.modern("server/discover", json!({}))["error"]["code"], -32601);
    assert_eq!(lines.modern("tools/list", json!({}))["error"]["code"], -32600);
    assert_eq!(lines.greet("2025-11-25")["protocolVersion"], "2025-11-25");
    lines.until("notifications/message");
    assert_eq!(lines.modern("tools/list", json!({}))["result"].get("resultType"), None);
}
