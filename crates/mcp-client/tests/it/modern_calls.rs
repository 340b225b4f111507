//! Calls without a handshake: what they say of themselves, and what their results may be.

use std::time::Duration;

use mcp_client::{CallOptions, Client, ClientError, ConnectError, Event, Protocol};
use mcp_jsonrpc::CallError;
use mcp_jsonrpc::testing::MemoryConnect;
use mcp_types::{LoggingLevel, NoParams, Revision};
use serde_json::{Value, json};

use crate::modern_pair::{connected, discovered, said};
use crate::pair::{begun, init, options, settle, unread};
use crate::probe::ProbeConnect;

fn meta(request: &Value) -> &Value {
    &request["params"]["_meta"]
}

// C-069, C-070, C-071.
#[tokio::test(start_paused = true)]
async fn every_request_says_its_version_its_client_and_its_capabilities() {
    let (client, mut peer) = connected(options()).await;
    assert_eq!(client.agreed().version, Revision::V2026_07_28);
    assert_eq!(client.agreed().server_info.as_ref().unwrap().name, "peer");
    let stamp = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "it", "version": "1.2.3"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let calling = client.clone();
    let (call, request) =
        begun(&mut peer, async move { calling.call_tool("add", &json!({"a": 1})).await }).await;
    let params = json!({"_meta": stamp, "name": "add", "arguments": {"a": 1}});
    assert_eq!((&request["method"], &request["params"]), (&json!("tools/call"), &params));
    peer.answer(&request, &said("2"));
    assert_eq!(call.await.unwrap().unwrap().content[0].as_text(), Some("2"));

    let listing = client.clone();
    let (call, request) = begun(&mut peer, async move { listing.list_tools().await }).await;
    assert_eq!(meta(&request), &stamp);
    peer.answer(&request, &json!({"tools": [], "nextCursor": "2"}));
    let next = peer.next().await;
    assert_eq!((meta(&next), &next["params"]["cursor"]), (&stamp, &json!("2")));
    peer.answer(&next, &json!({"tools": []}));
    assert!(call.await.unwrap().unwrap().is_empty());
}

// C-075: there is no `ping` any more.
#[tokio::test(start_paused = true)]
async fn a_ping_is_a_discovery() {
    let (client, mut peer) = connected(options()).await;
    let (call, request) = begun(&mut peer, async move { client.ping().await }).await;
    assert_eq!(request["method"], "server/discover");
    peer.answer(&request, &discovered(&json!({})));
    call.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn progress_and_log_messages_are_asked_for_by_call() {
    let (client, mut peer) = connected(options()).await;
    let mut call_options = CallOptions::default();
    call_options.progress = Some(std::sync::Arc::new(|_| {}));
    call_options.log_level = Some(LoggingLevel::Warning);
    let (call, request) =
        begun(&mut peer, async move { client.call_tool_with("t", &(), call_options).await }).await;
    assert!(meta(&request)["progressToken"].is_i64());
    assert_eq!(meta(&request)["io.modelcontextprotocol/logLevel"], "warning");
    peer.answer(&request, &said(""));
    call.await.unwrap().unwrap();
}

// C-037, C-038.
#[tokio::test(start_paused = true)]
async fn a_result_of_an_unknown_type_is_invalid_and_one_without_is_complete() {
    let (client, mut peer) = connected(options()).await;
    for (kind, is_fine) in [
        (json!(null), true),
        (json!("complete"), true),
        (json!("task"), false),
        (json!("else"), false),
        (json!("Complete"), false),
        (json!(7), false),
    ] {
        let mut result = said("x");
        match &kind {
            Value::Null => drop(result.as_object_mut().unwrap().remove("resultType")),
            kind => result["resultType"] = kind.clone(),
        }
        let client = client.clone();
        let (call, request) = begun(&mut peer, async move { client.call_tool("t", &()).await }).await;
        peer.answer(&request, &result);
        match call.await.unwrap() {
            Ok(_) => assert!(is_fine, "{kind}"),
            Err(ClientError::ResultType { method, .. }) if !is_fine => assert_eq!(&*method, "tools/call"),
            Err(error) => panic!("{kind}: {error:?}"),
        }
        settle().await;
        assert_eq!(unread(&mut peer), Vec::<Value>::new(), "nothing is repeated");
    }
}

// C-085.
#[tokio::test(start_paused = true)]
async fn a_refused_version_that_is_supported_is_asked_with_once_more() {
    let (client, mut peer) = connected(options()).await;
    let refusal = |supported: &[&str]| json!({"code": -32022, "message": "no", "data": {"supported": supported, "requested": "2026-07-28"}});
    let calling = client.clone();
    let (call, first) = begun(&mut peer, async move { calling.call_tool("t", &()).await }).await;
    peer.refuse(&first, &refusal(&["2026-07-28"]));
    let second = peer.next().await;
    assert_ne!(first["id"], second["id"]);
    assert_eq!(first["params"], second["params"]);
    peer.refuse(&second, &refusal(&["2026-07-28"]));
    let Err(ClientError::Call { source: CallError::Rpc(error), .. }) = call.await.unwrap() else { panic!() };
    assert_eq!(error.code, -32022);

    let (call, request) = begun(&mut peer, async move { client.call_tool("t", &()).await }).await;
    peer.refuse(&request, &refusal(&["2025-11-25"]));
    call.await.unwrap().unwrap_err();
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

// C-016.
#[tokio::test(start_paused = true)]
async fn a_request_of_the_server_is_told_and_never_answered() {
    let (client, mut peer) = connected(options()).await;
    let mut events = client.events();
    for (id, method) in ["ping", "roots/list", "sampling/createMessage", "x/y"].iter().enumerate() {
        peer.send(json!({"jsonrpc": "2.0", "id": id, "method": method}).to_string());
        let Some(Event::Diagnostic(text)) = events.next().await else { panic!() };
        assert!(text.contains(method), "{text}");
    }
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

#[tokio::test(start_paused = true)]
async fn changed_roots_are_not_told_where_there_is_no_such_notification() {
    let (client, mut peer) = connected(options()).await;
    client.roots_changed().await.unwrap();
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
    assert!(client.call::<mcp_types::Discover>(&NoParams, gone()).await.is_err());
}

fn gone() -> CallOptions {
    let mut options = CallOptions::default();
    options.timeout = Some(Duration::from_millis(1));
    options
}

// Cases 78 and 71, D-19: a server that knows no `initialize`, found the default way.
#[tokio::test(start_paused = true)]
async fn by_default_a_modern_server_is_found_after_it_refused_initialize() {
    let (connect, mut peers, log) = ProbeConnect::new();
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        assert_eq!(request["method"], "initialize");
        let data = json!({"supported": ["2026-07-28"], "requested": "2025-11-25"});
        peer.refuse(&request, &json!({"code": -32022, "message": "no", "data": data}));
        let request = peer.next().await;
        peer.answer(&request, &discovered(&json!({})));
        peer
    };
    let (client, _peer) = tokio::join!(Client::connect(&connect, options()), serve);
    assert_eq!(client.unwrap().agreed().version, Revision::V2026_07_28);
    assert_eq!(
        log.lines()[..3],
        ["request initialize", "Stateless { version: \"2026-07-28\" }", "request server/discover"]
    );
}

// Transports, 6.3; cases 46 and 70.
#[tokio::test(start_paused = true)]
async fn a_silent_probe_is_followed_by_the_handshake_and_its_late_answer_is_dropped() {
    let (connect, mut peers, log) = ProbeConnect::new();
    let mut options = options();
    options.protocol = Protocol::Discover;
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let probe = peer.next().await;
        let request = peer.next().await;
        assert_eq!(request["method"], "initialize");
        assert_eq!(request["params"].get("_meta"), None, "a plain request of the older kind");
        peer.answer(&probe, &discovered(&json!({})));
        peer.answer(&request, &init("2025-06-18"));
        assert_eq!(peer.next().await["method"], "notifications/initialized");
        peer.send(r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#);
        assert_eq!(peer.next().await, json!({"jsonrpc": "2.0", "id": 9, "result": {}}));
        peer
    };
    let (client, _peer) = tokio::join!(Client::connect(&connect, options), serve);
    assert_eq!(client.unwrap().agreed().version, Revision::V2025_06_18);
    assert_eq!(
        log.lines()[..5],
        [
            "Stateless { version: \"2026-07-28\" }",
            "request server/discover",
            "Initial",
            "request initialize",
            "Negotiated { version: \"2025-06-18\" }"
        ]
    );
}

// Transports, 6.3: servers that end at anything but `initialize`.
#[tokio::test(start_paused = true)]
async fn a_server_that_ends_at_the_probe_is_connected_again() {
    let (connect, mut peers) = MemoryConnect::new();
    let mut options = options();
    options.protocol = Protocol::Discover;
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        peer.next().await;
        peer.end();
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        assert_eq!(request["method"], "initialize");
        peer.answer(&request, &init("2024-11-05"));
        peer
    };
    let (client, _peer) = tokio::join!(Client::connect(&connect, options), serve);
    let client = client.unwrap();
    assert_eq!(client.agreed().version, Revision::V2024_11_05);
    assert!(client.is_connected());
    drop(client.events());
}

#[tokio::test(start_paused = true)]
async fn a_fixed_modern_version_is_never_left() {
    let (connect, mut peers) = MemoryConnect::new();
    let mut options = options();
    options.protocol = Protocol::Only(Revision::V2026_07_28);
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        peer.refuse(&request, &json!({"code": -32601, "message": "Method not found"}));
        peer
    };
    let (client, mut peer) = tokio::join!(Client::connect(&connect, options), serve);
    let error = client.unwrap_err();
    assert!(matches!(error, ConnectError::Refused { method: "server/discover", .. }), "{error:?}");
    assert_eq!(error.hint(), Some("it may speak only revisions of the protocol before 2026-07-28"));
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}
