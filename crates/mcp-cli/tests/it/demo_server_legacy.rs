//! What the built-in server has beside tools, in sessions.

use serde_json::{Value, json};

use crate::http_peer::Peer;
use crate::line_peer::Lines;

const ALL: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn call(tool: &str, arguments: Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

#[test]
fn each_revision_is_told_the_capabilities_that_it_has_a_name_for() {
    for revision in ALL {
        let hello = Lines::start(&[]).greet(revision);
        assert_eq!(hello["protocolVersion"], revision);
        let capabilities = &hello["capabilities"];
        assert_eq!(capabilities["resources"], json!({ "subscribe": true, "listChanged": true }));
        for name in ["tools", "prompts"] {
            assert_eq!(capabilities[name], json!({ "listChanged": true }));
        }
        assert_eq!(capabilities["logging"], json!({}));
        assert_eq!(capabilities.get("completions").is_some(), revision != "2024-11-05", "{revision}");
    }
}

#[test]
fn resources_are_listed_and_read_as_texts_and_blobs() {
    let mut lines = Lines::ready("2025-11-25");
    let list = lines.legacy("resources/list", &json!({}));
    for resource in list["result"]["resources"].as_array().unwrap() {
        let read = lines.legacy("resources/read", &json!({ "uri": resource["uri"] }));
        let contents = &read["result"]["contents"][0];
        assert_eq!((&contents["uri"], &contents["mimeType"]), (&resource["uri"], &resource["mimeType"]));
        assert_ne!(contents.get("text").is_some(), contents.get("blob").is_some());
    }
    let read = lines.legacy("resources/read", &json!({ "uri": "demo://dot" }));
    assert!(read["result"]["contents"][0]["blob"].as_str().unwrap().starts_with("iVBOR"));
    let templates = lines.legacy("resources/templates/list", &json!({}));
    assert_eq!(templates["result"]["resourceTemplates"][1]["uriTemplate"], "demo://number/{n}");
    let read = lines.legacy("resources/read", &json!({ "uri": "demo://number/12" }));
    assert_eq!(read["result"]["contents"][0]["text"], "12 squared is 144.");
}

#[test]
fn a_resource_that_is_not_there_is_32002_with_its_uri() {
    let mut lines = Lines::ready("2025-11-25");
    for method in ["resources/read", "resources/subscribe"] {
        let error = lines.legacy(method, &json!({ "uri": "demo://nope" }))["error"].clone();
        assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(-32002), &json!("demo://nope")));
        assert_eq!(lines.legacy(method, &json!({ "uri": 1 }))["error"]["code"], -32602);
    }
}

#[test]
fn only_a_resource_that_was_subscribed_to_is_told_of_and_only_until_unsubscribed() {
    let mut lines = Lines::ready("2025-11-25");
    let uri = json!({ "uri": "demo://counter" });
    let counted = |lines: &mut Lines, id: &str| {
        let request =
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call("count", json!({})) });
        let (before, _) = lines.ask(&request);
        before.into_iter().filter(|message| message["method"] != "notifications/message").collect::<Vec<_>>()
    };
    assert_eq!(counted(&mut lines, "a"), Vec::<Value>::new());
    assert_eq!(lines.legacy("resources/subscribe", &uri)["result"], json!({}));
    assert_eq!(lines.legacy("resources/subscribe", &uri)["result"], json!({}), "twice is once");
    let updated = json!({ "jsonrpc": "2.0", "method": "notifications/resources/updated", "params": uri });
    assert_eq!(counted(&mut lines, "b"), [updated]);
    assert_eq!(lines.legacy("resources/read", &uri)["result"]["contents"][0]["text"], "2");
    assert_eq!(lines.legacy("resources/unsubscribe", &uri)["result"], json!({}));
    assert_eq!(counted(&mut lines, "c"), Vec::<Value>::new());
}

#[test]
fn what_grows_is_announced_listed_and_there() {
    let mut lines = Lines::ready("2025-11-25");
    for (kind, member, id) in
        [("tool", "tools", "t"), ("resource", "resources", "r"), ("prompt", "prompts", "p")]
    {
        let params = call("grow", json!({ "kind": kind }));
        let (before, _) =
            lines.ask(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
        let changed = format!("notifications/{member}/list_changed");
        assert_eq!(before.iter().filter(|message| message["method"] == changed).count(), 1, "{before:?}");
        let list = lines.legacy(&format!("{member}/list"), &json!({}));
        assert_eq!(list["result"][member].as_array().unwrap().last().unwrap()["name"], "grown_1");
    }
    let used = lines.legacy("tools/call", &call("grown_1", json!({})));
    assert_eq!(used["result"]["content"][0]["text"], "This is grown_1.");
    assert_eq!(lines.legacy("tools/call", &call("grown_2", json!({})))["error"]["code"], -32602);
    let read = lines.legacy("resources/read", &json!({ "uri": "demo://grown/1" }));
    assert!(read["result"]["contents"][0]["text"].is_string());
    assert!(lines.legacy("prompts/get", &json!({ "name": "grown_1" }))["result"]["messages"].is_array());
}

#[test]
fn growing_has_an_end() {
    let mut lines = Lines::ready("2025-11-25");
    for _ in 0..64 {
        assert_eq!(lines.legacy("tools/call", &call("grow", json!({})))["result"].get("isError"), None);
    }
    assert_eq!(lines.legacy("tools/call", &call("grow", json!({})))["result"]["isError"], true);
}

#[test]
fn prompts_take_texts_and_want_those_that_are_required() {
    let mut lines = Lines::ready("2025-11-25");
    let got = lines.legacy("prompts/get", &json!({ "name": "greet", "arguments": { "who": "Ada" } }));
    assert_eq!(got["result"]["messages"][0]["content"]["text"], "Greet Ada in a friendly tone.");
    let got = lines.legacy("prompts/get", &json!({ "name": "illustrate" }));
    let kinds: Vec<&Value> =
        got["result"]["messages"].as_array().unwrap().iter().map(|it| &it["content"]["type"]).collect();
    assert_eq!(kinds, ["image", "text", "resource"]);
    for wrong in [
        json!({}),
        json!({ "name": "nope" }),
        json!({ "name": "greet" }),
        json!({ "name": "greet", "arguments": { "who": 5 } }),
        json!({ "name": "greet", "arguments": [] }),
    ] {
        assert_eq!(lines.legacy("prompts/get", &wrong)["error"]["code"], -32602, "{wrong}");
    }
}

#[test]
fn completions_depend_on_what_is_chosen_already() {
    let mut lines = Lines::ready("2025-06-18");
    let mut complete = |reference: Value, name: &str, context: Value| {
        let params = json!({ "ref": reference, "argument": { "name": name, "value": "" }, "context": { "arguments": context } });
        lines.legacy("completion/complete", &params)["result"]["completion"].clone()
    };
    let prompt = json!({ "type": "ref/prompt", "name": "review" });
    assert_eq!(
        complete(prompt, "framework", json!({ "language": "rust" }))["values"],
        json!(["axum", "rocket", "tokio"])
    );
    let template = json!({ "type": "ref/resource", "uri": "demo://number/{n}" });
    let numbers = complete(template, "n", json!({}));
    assert_eq!((&numbers["total"], &numbers["hasMore"]), (&json!(250), &json!(true)));
}

#[test]
fn log_messages_are_those_of_the_level_that_was_set_and_above() {
    let mut lines = Lines::ready("2025-11-25");
    for (level, expected) in [("debug", 2), ("info", 2), ("notice", 1), ("warning", 1), ("error", 0)] {
        assert_eq!(lines.legacy("logging/setLevel", &json!({ "level": level }))["result"], json!({}));
        let params = call("fail", json!({}));
        let (before, _) =
            lines.ask(&json!({ "jsonrpc": "2.0", "id": level, "method": "tools/call", "params": params }));
        assert_eq!(before.len(), expected, "{level}: {before:?}");
    }
    assert_eq!(lines.legacy("logging/setLevel", &json!({ "level": "loud" }))["error"]["code"], -32602);
}

#[test]
fn contents_are_of_the_kinds_that_the_revision_has() {
    for (revision, kinds) in ALL.into_iter().zip([3, 4, 5, 5]) {
        let media = Lines::ready(revision).legacy("tools/call", &call("media", json!({})));
        assert_eq!(media["result"]["content"].as_array().unwrap().len(), kinds, "{revision}");
    }
}

const BATCH: &str = r#"[{"jsonrpc":"2.0","id":"a","method":"ping"},17,{"jsonrpc":"2.0","method":"x/y"},{"jsonrpc":"2.0","id":"i","method":"initialize","params":{}},{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}]"#;

/// The answers to `BATCH`, by id.
#[track_caller]
fn check_batch(mut answers: Vec<Value>) {
    answers.sort_by_key(|answer| answer["id"].to_string());
    let codes: Vec<&Value> = answers.iter().map(|answer| &answer["error"]["code"]).collect();
    assert_eq!(codes, [&Value::Null, &Value::Null, &json!(-32602), &json!(-32600)], "{answers:?}");
    assert_eq!(answers[1]["result"]["content"][0]["text"], "x");
}

#[test]
fn a_batch_is_taken_from_a_client_of_the_one_revision_that_has_them() {
    for revision in ALL {
        let mut lines = Lines::ready(revision);
        lines.until("notifications/message");
        lines.send(BATCH);
        let answers =
            lines.end().into_iter().filter(|message| message.get("method").is_none()).collect::<Vec<_>>();
        if revision == "2025-03-26" {
            check_batch(answers);
        } else {
            assert_eq!((answers.len(), &answers[0]["error"]["code"]), (1, &json!(-32600)), "{revision}");
        }
    }
}

#[test]
fn a_batch_by_post_is_answered_on_a_stream_or_only_accepted() {
    let peer = Peer::start();
    let session = peer.session_of("2025-03-26");
    session.silence();
    check_batch(session.post(BATCH).events());
    let notices = r#"[{"jsonrpc":"2.0","method":"x/y"},{"jsonrpc":"2.0","method":"x/z"}]"#;
    assert_eq!(session.post(notices).status, 202);
    assert_eq!(peer.session_of("2025-06-18").post(BATCH).status, 400);
}

#[test]
fn changes_come_on_the_listener_stream_of_each_session() {
    let peer = Peer::start();
    let (one, other) = (peer.session(), peer.session());
    let subscribe =
        r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"demo://counter"}}"#;
    assert_eq!(other.post(subscribe).json()["result"], json!({}));
    for (id, tool) in [(2, "count"), (3, "grow")] {
        let call =
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call(tool, json!({})) });
        one.post(&call.to_string()).events();
    }
    let heard = |session: &crate::http_peer::Session<'_>, count: usize| {
        let mut stream = session.listen();
        (0..count).map(|_| stream.event().unwrap()["method"].clone()).collect::<Vec<_>>()
    };
    let (hello, changed) = ("notifications/message", "notifications/tools/list_changed");
    assert_eq!(heard(&one, 2), [hello, changed]);
    assert_eq!(heard(&other, 3), [hello, "notifications/resources/updated", changed]);
}
