//! Calls: what is sent, what comes back, and what fails one call only.

use std::time::Duration;

use mcp_client::{CallOptions, ClientError};
use mcp_types::{CallTool, CallToolParams, ListTools, ListToolsParams, NoParams, Notice, ToolListChanged};
use serde_json::{Value, json};

use crate::pair::{begun, connected, connected_as, init, options, settle, unread};

fn within(timeout: Duration) -> CallOptions {
    let mut options = CallOptions::default();
    options.timeout = Some(timeout);
    options
}

#[tokio::test(start_paused = true)]
async fn params_are_sent_as_written_and_absent_ones_are_left_out() {
    let (client, mut peer) = connected(options()).await;
    let ping = client.clone();
    let (call, request) = begun(&mut peer, async move { ping.ping().await }).await;
    assert!(request.get("params").is_none(), "{request}");
    peer.answer(&request, &json!({"_meta": {}, "more": 1}));
    call.await.unwrap().unwrap();

    let (call, request) = begun(&mut peer, async move {
        let mut params = ListToolsParams::default();
        params.cursor = Some("c".to_owned());
        client.call::<ListTools>(&params, CallOptions::default()).await
    })
    .await;
    assert_eq!(request["params"], json!({"cursor": "c"}));
    peer.answer(&request, &json!({"tools": []}));
    assert!(call.await.unwrap().unwrap().tools.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_notification_is_sent_without_an_id() {
    let (client, mut peer) = connected(options()).await;
    client.notify::<ToolListChanged>(&NoParams).await.unwrap();
    assert_eq!(peer.next().await, json!({"jsonrpc": "2.0", "method": ToolListChanged::NAME}));
}

// Case 161: -32601 is an answer like any other.
#[tokio::test(start_paused = true)]
async fn an_error_object_fails_its_call_and_the_connection_goes_on() {
    let (client, mut peer) = connected(options()).await;
    let caller = client.clone();
    let (call, request) =
        begun(&mut peer, async move { caller.request("x/unknown", None, CallOptions::default()).await })
            .await;
    peer.refuse(&request, &json!({"code": -32601, "message": "no such method", "data": [1]}));
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "MCP error -32601: no such method");
    assert_eq!((error.server(), error.method()), ("memory", "x/unknown"));
    let rpc = error.call_error().unwrap().as_rpc().unwrap();
    assert_eq!((rpc.code, rpc.data.as_ref().unwrap().get()), (-32601, "[1]"));
    assert!(client.is_connected());
}

// Case 161.
#[tokio::test(start_paused = true)]
async fn what_the_server_does_not_offer_is_not_asked_unless_the_option_is_off() {
    let bare = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "0"},
    });
    let (client, mut peer) = connected_as(options(), bare.clone()).await;
    let expected = "server `memory` does not offer `tools`, which `tools/list` needs";
    assert_eq!(client.list_tools().await.unwrap_err().to_string(), expected);
    let error = client.call_tool("x", &()).await.unwrap_err();
    assert!(matches!(error, ClientError::NotOffered { capability: "tools", .. }), "{error:?}");
    client.call::<CallTool>(&CallToolParams::new("x"), CallOptions::default()).await.unwrap_err();
    client.list_raw("prompts/list", "prompts", CallOptions::default()).await.unwrap_err();
    assert_eq!(unread(&mut peer), Vec::<Value>::new());

    let mut options = options();
    options.require_capabilities = false;
    let (client, mut peer) = connected_as(options, bare).await;
    let (call, request) = begun(&mut peer, async move { client.list_tools().await }).await;
    peer.answer(&request, &json!({"tools": []}));
    call.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_another_shape_fails_its_call_and_the_connection_goes_on() {
    let (client, mut peer) = connected(options()).await;
    let caller = client.clone();
    let (call, request) = begun(&mut peer, async move { caller.list_tools().await }).await;
    peer.answer(&request, &json!({"tools": {"a": 1}}));
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the answer to `tools/list` does not fit");
    let ClientError::Answer { sample, .. } = error else { panic!("{error:?}") };
    assert_eq!(sample.as_str(), r#"{"tools":{"a":1}}"#);

    let (call, request) = begun(&mut peer, async move { client.ping().await }).await;
    peer.answer(&request, &json!({}));
    call.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_timeout_is_that_of_the_call_then_of_the_client_then_of_the_transport() {
    let timed_out = |client: mcp_client::Client, options: CallOptions| async move {
        client.request("x", None, options).await.unwrap_err().to_string()
    };
    let (client, _peer) = connected(options()).await;
    assert_eq!(timed_out(client, CallOptions::default()).await, "Request timeout after 30000ms");

    let mut options = options();
    options.timeout = Some(Duration::from_secs(3));
    let (client, _peer) = connected(options).await;
    assert_eq!(timed_out(client.clone(), CallOptions::default()).await, "Request timeout after 3000ms");
    let second = within(Duration::from_secs(1));
    assert_eq!(timed_out(client.clone(), second).await, "Request timeout after 1000ms");

    let mut total = within(Duration::ZERO);
    total.max_total_timeout = Some(Duration::from_secs(7));
    assert_eq!(timed_out(client, total).await, "Request timeout after 7000ms");
}

// Case 75: zero is no limit, never "at once".
#[tokio::test(start_paused = true)]
async fn a_timeout_of_zero_is_none() {
    let (client, mut peer) = connected(options()).await;
    let caller = client.clone();
    let (call, request) =
        begun(&mut peer, async move { caller.request("x", None, within(Duration::ZERO)).await }).await;
    tokio::time::advance(Duration::from_secs(86_400)).await;
    settle().await;
    peer.answer(&request, &json!({"late": true}));
    assert_eq!(call.await.unwrap().unwrap().as_str(), r#"{"late":true}"#);
}

// Case 56.
#[tokio::test(start_paused = true)]
async fn a_late_answer_is_not_an_error() {
    let (client, mut peer) = connected(options()).await;
    let caller = client.clone();
    let (call, request) =
        begun(&mut peer, async move { caller.request("x", None, within(Duration::from_millis(50))).await })
            .await;
    call.await.unwrap().unwrap_err();
    peer.answer(&request, &json!({}));
    assert_eq!(peer.next().await["method"], "notifications/cancelled");

    let caller = client.clone();
    let (call, request) = begun(&mut peer, async move { caller.ping().await }).await;
    peer.answer(&request, &json!({}));
    call.await.unwrap().unwrap();
    assert_eq!((client.status().pending, client.status().counts.late), (0, 1));
}

// Case 60.
#[tokio::test(start_paused = true)]
async fn a_server_request_with_the_id_of_a_call_does_not_settle_it() {
    let (client, mut peer) = connected(options()).await;
    let (call, request) = begun(&mut peer, async move { client.ping().await }).await;
    let id = &request["id"];
    peer.send(json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string());
    assert_eq!(peer.next().await, json!({"jsonrpc": "2.0", "id": id, "result": {}}));
    settle().await;
    assert!(!call.is_finished());
    peer.answer(&request, &json!({}));
    call.await.unwrap().unwrap();
}

// Case 53.
#[tokio::test(start_paused = true)]
async fn an_error_that_names_no_request_fails_no_call_and_is_an_event() {
    let (client, mut peer) = connected(options()).await;
    let mut events = client.events();
    let (call, request) = begun(&mut peer, async move { client.ping().await }).await;
    for id in [r#""id":null,"#, ""] {
        peer.send(format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32700,"message":"x"}}}}"#));
        let event = format!("{:?}", events.next().await.unwrap());
        assert_eq!(
            event,
            r#"Fault("the server reported an error that names no request: MCP error -32700: x")"#
        );
    }
    peer.answer(&request, &json!({}));
    call.await.unwrap().unwrap();
}

// Case 66: harmless under every revision.
#[tokio::test(start_paused = true)]
async fn answers_in_an_array_are_taken_and_bad_members_harm_only_themselves() {
    for version in ["2025-03-26", "2025-11-25"] {
        let (client, mut peer) = connected_as(options(), init(version)).await;
        let caller = client.clone();
        let (first, one) = begun(&mut peer, async move { caller.ping().await }).await;
        let caller = client.clone();
        let (second, two) = begun(&mut peer, async move { caller.ping().await }).await;
        let answer = |request: &Value| json!({"jsonrpc": "2.0", "id": request["id"], "result": {}});
        peer.send("[]");
        peer.send(json!([answer(&one), 17, answer(&two)]).to_string());
        first.await.unwrap().unwrap();
        second.await.unwrap().unwrap();
        assert!(client.is_connected());
    }
}

#[tokio::test(start_paused = true)]
async fn a_closed_connection_fails_calls_in_flight_and_later_ones() {
    let (client, mut peer) = connected(options()).await;
    let caller = client.clone();
    let (call, _) = begun(&mut peer, async move { caller.ping().await }).await;
    peer.end();
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "Transport closed");
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "the server ended its output");
    assert_eq!(client.ping().await.unwrap_err().to_string(), "Transport closed");
    assert!(!client.is_connected() && !client.status().connected);
    client.close().await;
}
