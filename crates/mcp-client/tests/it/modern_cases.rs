//! Field cases that were first met with a handshake, once more without one (2026-07-28).

use std::time::Duration;

use mcp_client::{
    CallOptions, Client, ClientError, ClientOptions, ConnectError, Event, PagesError, Protocol,
};
use mcp_jsonrpc::CallError;
use mcp_jsonrpc::testing::{MemoryConnect, MemoryPeer};
use mcp_types::{CallToolResult, ContentBlock, Revision};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::modern_pair::{connected, connected_to, discovered, said};
use crate::pair::{begun, init, options, settle, unread};
use crate::probe::ProbeConnect;

const VERSION: Protocol = Protocol::Only(Revision::V2026_07_28);

fn speaking(protocol: Protocol) -> ClientOptions {
    let mut options = options();
    options.protocol = protocol;
    options
}

/// Connects to a server that does with its first request what `serve` says.
async fn opened(
    protocol: Protocol,
    serve: fn(&MemoryPeer, &Value),
) -> (Result<Client, ConnectError>, MemoryPeer) {
    let (connect, mut peers) = MemoryConnect::new();
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        assert_eq!(request["method"], "server/discover");
        serve(&peer, &request);
        peer
    };
    tokio::join!(Client::connect(&connect, speaking(protocol)), serve)
}

/// Calls a tool that answers so.
async fn call_tool(result: &str) -> CallToolResult {
    let (client, mut peer) = connected(options()).await;
    let (call, request) = begun(&mut peer, async move { client.call_tool("t", &()).await }).await;
    peer.send(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request["id"]));
    call.await.unwrap().unwrap()
}

// Case 66: a list of answers is as harmless as ever, and none is sent.
#[tokio::test(start_paused = true)]
async fn answers_in_an_array_are_taken_without_a_handshake_too() {
    let (client, mut peer) = connected(options()).await;
    let mut calls = Vec::new();
    for _ in 0..2 {
        let client = client.clone();
        calls.push(begun(&mut peer, async move { client.call_tool("t", &()).await }).await);
    }
    let answer = |request: &Value| json!({"jsonrpc": "2.0", "id": request["id"], "result": said("x")});
    peer.send("[]");
    peer.send(json!([answer(&calls[1].1), 17, "x", answer(&calls[0].1)]).to_string());
    for (call, _) in calls {
        call.await.unwrap().unwrap();
    }
    assert!(client.is_connected());
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

// Case 66: the discovery itself, among other things.
#[tokio::test(start_paused = true)]
async fn a_discovery_in_an_array_is_an_answer() {
    for protocol in [VERSION, Protocol::Discover] {
        let (client, mut peer) = opened(protocol, |peer, request| {
            let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": discovered(&json!({}))});
            let news = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
            peer.send(json!([null, news, answer]).to_string());
        })
        .await;
        assert_eq!(client.unwrap().agreed().version, Revision::V2026_07_28);
        assert_eq!(unread(&mut peer), Vec::<Value>::new());
    }
}

// Case 69. A request of the server is not answered in this revision (C-016).
#[tokio::test(start_paused = true)]
async fn what_comes_before_the_discovery_does_no_harm() {
    let (client, mut peer) = opened(Protocol::Discover, |peer, request| {
        peer.notify("notifications/message", &json!({"level": "info", "data": "hello"}));
        peer.send(r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#);
        peer.notify("notifications/tools/list_changed", &json!({}));
        peer.notify("notifications/cancelled", &json!({"requestId": request["id"]}));
        peer.notify("notifications/subscriptions/acknowledged", &json!({}));
        peer.send("no JSON");
        peer.answer(request, &discovered(&json!({"tools": {}})));
    })
    .await;
    let client = client.unwrap();
    assert_eq!(client.agreed().version, Revision::V2026_07_28);
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

// Case 70: there is nothing to be told, and the first request may follow at once.
#[tokio::test(start_paused = true)]
async fn nothing_is_sent_between_the_discovery_and_the_first_call() {
    let (connect, mut peers, log) = ProbeConnect::new();
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        peer.answer(&request, &discovered(&json!({"tools": {}})));
        peer
    };
    let (client, mut peer) = tokio::join!(Client::connect(&connect, speaking(VERSION)), serve);
    let client = client.unwrap();
    let (call, request) = begun(&mut peer, async move { client.call_tool("t", &()).await }).await;
    assert_eq!(request["method"], "tools/call");
    peer.answer(&request, &said(""));
    call.await.unwrap().unwrap();
    let told: Vec<_> = log.lines().into_iter().filter(|line| line.starts_with("notify")).collect();
    assert_eq!(told, Vec::<String>::new());
}

// Case 71.
#[tokio::test(start_paused = true)]
async fn a_discovery_without_a_version_of_ours_ends_the_connection_with_both_named() {
    for protocol in [VERSION, Protocol::Discover] {
        let (client, mut peer) = opened(protocol, |peer, request| {
            let mut answer = discovered(&json!({}));
            answer["supportedVersions"] = json!(["2031-01-01", "1999-01-01"]);
            peer.answer(request, &answer);
        })
        .await;
        let text = client.unwrap_err().to_string();
        assert!(text.contains("2026-07-28") && text.contains("2031-01-01"), "{text}");
        assert_eq!(unread(&mut peer), Vec::<Value>::new());
    }
    let (client, _peer) = opened(VERSION, |peer, request| {
        let data = json!({"supported": ["1999-01-01"], "requested": "2026-07-28"});
        peer.refuse(request, &json!({"code": -32022, "message": "no", "data": data}));
    })
    .await;
    let text = client.unwrap_err().to_string();
    assert!(text.contains("2026-07-28") && text.contains("1999-01-01"), "{text}");
}

// Case 71: who says nothing of versions has not understood; where the era is fixed, that is the error.
#[tokio::test(start_paused = true)]
async fn a_discovery_that_names_no_versions_is_none() {
    let nameless: fn(&MemoryPeer, &Value) =
        |peer, request| peer.answer(request, &json!({"capabilities": {}}));
    let (client, _peer) = opened(VERSION, nameless).await;
    let error = client.unwrap_err();
    assert!(matches!(error, ConnectError::Answer { method: "server/discover", .. }), "{error:?}");

    let (connect, mut peers) = MemoryConnect::new();
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        nameless(&peer, &request);
        let request = peer.next().await;
        assert_eq!(request["method"], "initialize");
        peer.answer(&request, &init("2025-03-26"));
        peer
    };
    let (client, _peer) = tokio::join!(Client::connect(&connect, speaking(Protocol::Discover)), serve);
    assert_eq!(client.unwrap().agreed().version, Revision::V2025_03_26);
}

// Case 78.
#[tokio::test(start_paused = true)]
async fn a_discovery_is_never_cancelled_and_its_timeout_closes() {
    let (connect, mut peers, log) = ProbeConnect::new();
    let mut options = speaking(VERSION);
    options.initialize_timeout = Some(Duration::from_millis(100));
    let error = Client::connect(&connect, options).await.unwrap_err();
    assert!(matches!(error, ConnectError::TimedOut { .. }), "{error:?}");
    let sent = unread(&mut peers.recv().await.unwrap());
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(log.lines()[1..], ["request server/discover", "close", "drop"]);
}

// Case 150.
#[tokio::test(start_paused = true)]
async fn a_list_without_an_end_is_an_error_also_when_its_pages_are_kept() {
    let (client, mut peer) = connected(options()).await;
    let page =
        |next: &str| json!({"resultType": "complete", "tools": [], "nextCursor": next, "ttlMs": 60_000});
    let listing = client.clone();
    let (call, request) = begun(&mut peer, async move { listing.list_tools().await }).await;
    peer.answer(&request, &page("c1"));
    for (cursor, next) in [("c1", "c2"), ("c2", "c1")] {
        let request = peer.next().await;
        assert_eq!(request["params"]["cursor"], cursor);
        peer.answer(&request, &page(next));
    }
    let is_repeated = |error: &ClientError| {
        matches!(error, ClientError::Pages { source: PagesError::RepeatedCursor { page: 3 }, .. })
    };
    assert!(is_repeated(&call.await.unwrap().unwrap_err()));
    // From what was kept it has no end either.
    assert!(is_repeated(&client.list_tools().await.unwrap_err()));
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

// Case 161.
#[tokio::test(start_paused = true)]
async fn what_a_discovery_does_not_offer_is_not_asked_for_and_a_refusal_is_an_answer() {
    let (client, mut peer) = connected_to(options(), json!({"tools": {}})).await;
    client.list_prompts().await.unwrap_err();
    client.list_resources().await.unwrap_err();
    assert_eq!(unread(&mut peer), Vec::<Value>::new());

    let mut freely = options();
    freely.require_capabilities = false;
    let (client, mut peer) = connected_to(freely, json!({"tools": {}})).await;
    let mut events = client.events();
    let listing = client.clone();
    let (call, request) = begun(&mut peer, async move { listing.list_prompts().await }).await;
    peer.refuse(&request, &json!({"code": -32601, "message": "Method not found"}));
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(error.call_error(), Some(CallError::Rpc(error)) if error.code == -32601), "{error:?}");
    assert!(client.is_connected());
    peer.notify("notifications/message", &json!({"level": "info", "data": "still here"}));
    assert!(matches!(events.next().await, Some(Event::Notification(_))));
}

// Case 164: metadata goes in front of the params, and the rest keeps its text.
#[tokio::test(start_paused = true)]
async fn numbers_keep_every_digit_both_ways_without_a_handshake() {
    let numbers = r#"{"a":9007199254740993,"b":18446744073709551615,"c":-0,"d":1e400,"e":0.1}"#;
    let result =
        call_tool(&format!(r#"{{"resultType":"complete","content":[],"structuredContent":{numbers}}}"#))
            .await;
    assert_eq!(result.structured_content.unwrap().get(), numbers);

    let sent = r#"{"a":9007199254740993,"b":18446744073709551615,"c":-0,"e":0.1}"#;
    let (client, mut peer) = connected(options()).await;
    for own in ["", r#""_meta":{"com.example/n":18446744073709551615},"#] {
        let params = RawValue::from_string(format!(r#"{{{own}"name":"t","arguments":{sent}}}"#)).unwrap();
        let client = client.clone();
        let calling = async move { client.request("tools/call", Some(params), CallOptions::default()).await };
        let (call, request) = begun(&mut peer, calling).await;
        assert_eq!(request["params"]["arguments"], serde_json::from_str::<Value>(sent).unwrap());
        assert_eq!(request["params"]["arguments"]["b"].as_u64(), Some(u64::MAX));
        if !own.is_empty() {
            assert_eq!(request["params"]["_meta"]["com.example/n"].as_u64(), Some(u64::MAX));
        }
        peer.answer(&request, &said(""));
        call.await.unwrap().unwrap();
    }
}

// Case 166, with the type of the result before, behind and nowhere.
#[tokio::test(start_paused = true)]
async fn results_of_every_shape_are_taken_without_a_handshake() {
    for (before, behind) in
        [(r#""resultType":"complete","#, ""), ("", r#","resultType":"complete""#), ("", "")]
    {
        let of = |members: &str| format!("{{{before}{members}{behind}}}");
        let both = call_tool(&of(r#""content":[{"type":"text","text":"x"}],"structuredContent":[1]"#)).await;
        assert!(both.content.len() == 1 && both.structured_content.is_some() && !both.is_error());
        let neither = call_tool(&of(r#""_meta":{}"#)).await;
        assert!(neither.content.is_empty() && neither.structured_content.is_none());
        let unknown =
            call_tool(&of(r#""content":[{"type":"x-new","a":{"b":[1]}}],"_meta":{"m":1},"more":2"#)).await;
        assert!(matches!(&unknown.content[0], ContentBlock::Unknown(block) if block.kind() == Some("x-new")));
        assert_eq!(unknown.extra.get("more").unwrap().get(), "2");
        assert_eq!(unknown.meta.unwrap().get("m").unwrap().get(), "1");
    }
    assert!(call_tool("{}").await.content.is_empty());
}
