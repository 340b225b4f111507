//! Subscriptions of 2026-07-28 at the built-in server, over both transports.

use serde_json::{Value, json};

use crate::http_peer::Peer;
use crate::line_peer::{Lines, modern};

const ACK: &str = "notifications/subscriptions/acknowledged";
const TOOLS: &str = "notifications/tools/list_changed";
const UPDATED: &str = "notifications/resources/updated";

fn listen(id: impl Into<Value>, filter: &Value) -> Value {
    modern(id, "subscriptions/listen", json!({ "notifications": filter }))
}

fn subscription(message: &Value) -> &Value {
    let holder = message.get("params").unwrap_or(&message["result"]);
    &holder["_meta"]["io.modelcontextprotocol/subscriptionId"]
}

/// The methods of messages, and the subscriptions that they belong to.
fn order(messages: &[Value]) -> Vec<(Value, Value)> {
    messages.iter().map(|message| (message["method"].clone(), subscription(message).clone())).collect()
}

#[test]
fn the_first_of_a_subscription_tells_what_of_its_wishes_is_honoured() {
    let mut lines = Lines::start(&[]);
    let filter = json!({
        "toolsListChanged": true, "promptsListChanged": false, "taskIds": ["t"],
        "resourceSubscriptions": ["note://7", "demo://counter"]
    });
    lines.send(&listen("s", &filter).to_string());
    let first = lines.read();
    assert_eq!((&first["method"], subscription(&first)), (&json!(ACK), &json!("s")));
    let honoured = json!({ "toolsListChanged": true, "resourceSubscriptions": ["demo://counter"] });
    assert_eq!(first["params"]["notifications"], honoured);
}

#[test]
fn several_subscriptions_each_hear_what_they_asked_for() {
    let mut lines = Lines::start(&[]);
    lines.send(&listen(1, &json!({ "toolsListChanged": true })).to_string());
    lines.send(&listen("1", &json!({ "resourceSubscriptions": ["demo://counter"] })).to_string());
    let (first, second) = (lines.read(), lines.read());
    assert_eq!(order(&[first, second]), [(json!(ACK), json!(1)), (json!(ACK), json!("1"))]);
    let (before, _) = lines.ask(&modern(2, "tools/call", json!({ "name": "grow" })));
    assert_eq!(order(&before), [(json!(TOOLS), json!(1))]);
    let (before, _) = lines.ask(&modern(3, "tools/call", json!({ "name": "count" })));
    assert_eq!(order(&before), [(json!(UPDATED), json!("1"))]);
    assert_eq!(before[0]["params"]["uri"], "demo://counter");
    let (before, _) =
        lines.ask(&modern(4, "tools/call", json!({ "name": "grow", "arguments": { "kind": "prompt" } })));
    assert_eq!(before, Vec::<Value>::new(), "nobody asked for it");
}

#[test]
fn a_subscription_that_is_cancelled_hears_nothing_more_and_gets_no_answer() {
    let mut lines = Lines::start(&[]);
    lines.send(&listen("a", &json!({ "toolsListChanged": true })).to_string());
    lines.read();
    lines.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}"#);
    let (before, _) = lines.ask(&modern(1, "tools/call", json!({ "name": "grow" })));
    assert_eq!(before, Vec::<Value>::new());
    lines.send(&listen("a", &json!({})).to_string());
    assert_eq!(lines.read()["method"], ACK, "its id is free again");
}

#[test]
fn the_server_ends_subscriptions_with_their_results() {
    let mut lines = Lines::start(&[]);
    for id in ["a", "b"] {
        lines.send(&listen(id, &json!({ "toolsListChanged": true })).to_string());
        lines.read();
    }
    let (mut ended, _) = lines.ask(&modern(1, "tools/call", json!({ "name": "hang_up" })));
    lines.send(&listen("c", &json!({})).to_string());
    assert_eq!(lines.read()["method"], ACK);
    ended.extend(lines.end());
    ended.sort_by_key(|message| message["id"].to_string());
    for (message, id) in ended.iter().zip(["a", "b", "c"]) {
        assert_eq!((&message["id"], subscription(message)), (&json!(id), &json!(id)));
        assert_eq!(message["result"]["resultType"], "complete");
        assert_eq!(message["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mcp-demo");
    }
    assert_eq!(ended.len(), 3);
}

#[test]
fn a_wish_of_another_shape_or_an_id_in_use_is_refused() {
    let mut lines = Lines::start(&[]);
    for params in
        [json!({}), json!({ "notifications": [] }), json!({ "notifications": { "toolsListChanged": 1 } })]
    {
        assert_eq!(lines.modern("subscriptions/listen", params)["error"]["code"], -32602);
    }
    lines.send(&listen("a", &json!({})).to_string());
    lines.read();
    assert_eq!(lines.ask(&listen("a", &json!({}))).1["error"]["code"], -32603);
}

#[test]
fn there_is_room_for_so_many_subscriptions() {
    let mut lines = Lines::start(&[]);
    for id in 0..128 {
        lines.send(&listen(id, &json!({})).to_string());
        assert_eq!(lines.read()["method"], ACK);
    }
    assert_eq!(lines.ask(&listen(128, &json!({}))).1["error"]["code"], -32603);
}

#[test]
fn over_http_a_subscription_is_a_stream_of_its_own_and_ids_may_repeat() {
    let peer = Peer::start();
    let mut streams = [0, 1].map(|_| peer.modern(&listen(7, &json!({ "toolsListChanged": true })), &[]));
    for stream in &mut streams {
        assert_eq!(stream.event().unwrap()["method"], ACK);
    }
    peer.modern(&modern(1, "tools/call", json!({ "name": "grow" })), &[("Mcp-Name", "grow")]).json();
    for stream in &mut streams {
        let heard = stream.event().unwrap();
        assert_eq!((&heard["method"], subscription(&heard)), (&json!(TOOLS), &json!(7)));
    }
    let ended = peer
        .modern(&modern(2, "tools/call", json!({ "name": "hang_up" })), &[("Mcp-Name", "hang_up")])
        .json();
    assert_eq!(ended["result"]["content"][0]["text"], "Ended 2 subscriptions.");
    for mut stream in streams {
        let last = stream.event().unwrap();
        assert_eq!((&last["id"], &last["result"]["resultType"]), (&json!(7), &json!("complete")));
        assert_eq!(stream.event(), None);
    }
}

#[test]
fn over_http_a_stream_that_is_closed_is_a_subscription_that_is_over() {
    let peer = Peer::start();
    let mut streams: Vec<_> = (0..128).map(|id| peer.modern(&listen(id, &json!({})), &[])).collect();
    for stream in &mut streams {
        assert_eq!(stream.event().unwrap()["method"], ACK);
    }
    let one_more = || peer.modern(&listen("more", &json!({})), &[]);
    assert_eq!(one_more().json()["error"]["code"], -32603, "there is no room");
    drop(streams);
    // The server has yet to notice; had it no way to, this would go on and fail.
    let has_room = |_| one_more().header("content-type") == Some("text/event-stream");
    assert!((0..10_000).any(has_room));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_streams_politely() {
    let peer = Peer::start();
    let mut stream = peer.modern(&listen("s", &json!({})), &[]);
    assert_eq!(stream.event().unwrap()["method"], ACK);
    assert_eq!(peer.end("-TERM").0, Some(143));
    let last = stream.event().unwrap();
    assert_eq!((&last["id"], &last["result"]["resultType"]), (&json!("s"), &json!("complete")));
    assert_eq!(stream.event(), None);
}
