//! What is in arguments and results reaches the other side exactly.

use mcp_client::CallOptions;
use mcp_jsonrpc::CallError;
use mcp_types::{CallToolResult, ContentBlock};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::pair::{begun, connected, options};

/// Calls a tool that answers so.
async fn call_tool(result: &str) -> CallToolResult {
    let (client, mut peer) = connected(options()).await;
    let (call, request) = begun(&mut peer, async move { client.call_tool("t", &()).await }).await;
    assert_eq!(request["params"], json!({"name": "t"}));
    peer.send(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request["id"]));
    call.await.unwrap().unwrap()
}

// Case 164.
#[tokio::test(start_paused = true)]
async fn numbers_of_a_result_keep_every_digit() {
    let numbers = r#"{"a":9007199254740993,"b":18446744073709551615,"c":-0,"d":1e400,"e":0.1}"#;
    let result = call_tool(&format!(r#"{{"content":[],"structuredContent":{numbers}}}"#)).await;
    assert_eq!(result.structured_content.unwrap().get(), numbers);
}

// Case 164: on the way there.
#[tokio::test(start_paused = true)]
async fn numbers_of_arguments_keep_every_digit() {
    let numbers = r#"{"a":9007199254740993,"b":18446744073709551615,"c":-0,"e":0.1}"#;
    let (client, mut peer) = connected(options()).await;
    let arguments = RawValue::from_string(numbers.to_owned()).unwrap();
    let (call, request) = begun(&mut peer, async move { client.call_tool("t", &arguments).await }).await;
    let sent: Value = serde_json::from_str(numbers).unwrap();
    assert_eq!(request["params"]["arguments"], sent);
    assert_eq!(request["params"]["arguments"]["b"].as_u64(), Some(u64::MAX));
    peer.answer(&request, &json!({"content": []}));
    call.await.unwrap().unwrap();
}

// Case 164: as text, nothing is interpreted at all.
#[tokio::test(start_paused = true)]
async fn a_raw_answer_is_the_text_that_came() {
    let (client, mut peer) = connected(options()).await;
    let (call, request) =
        begun(&mut peer, async move { client.request("x", None, CallOptions::default()).await }).await;
    let text = r#"{ "z":1e400, "a":-0 }"#;
    peer.send(format!(r#"{{"jsonrpc":"2.0","result":{text},"id":{}}}"#, request["id"]));
    assert_eq!(call.await.unwrap().unwrap().as_str(), text);
}

// A long result is checked late, so the raw way must check it.
#[tokio::test(start_paused = true)]
async fn a_raw_answer_that_is_no_json_fails_its_call() {
    let (client, mut peer) = connected(options()).await;
    let caller = client.clone();
    let (call, request) =
        begun(&mut peer, async move { caller.request("x", None, CallOptions::default()).await }).await;
    let long = "a".repeat(1 << 20);
    peer.send(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"a":"{long}" "b"}}}}"#, request["id"]));
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(error.call_error(), Some(CallError::Malformed { .. })), "{error:?}");
    assert!(client.is_connected());
}

// And so must the typed way, with the error that a short result gets.
#[tokio::test(start_paused = true)]
async fn a_typed_answer_that_is_no_json_fails_its_call_whatever_its_length() {
    for length in [1, 1 << 20] {
        let (client, mut peer) = connected(options()).await;
        let caller = client.clone();
        let (call, request) = begun(&mut peer, async move { caller.call_tool("t", &()).await }).await;
        let text = "a".repeat(length);
        peer.send(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"a":"{text}" "b"}}}}"#, request["id"]));
        let error = call.await.unwrap().unwrap_err();
        assert!(matches!(error.call_error(), Some(CallError::Malformed { .. })), "{error:?}");
        assert!(client.is_connected());
    }
}

// Case 166.
#[tokio::test(start_paused = true)]
async fn results_of_every_shape_are_taken() {
    let both = call_tool(r#"{"content":[{"type":"text","text":"x"}],"structuredContent":{"x":1}}"#).await;
    assert!(both.content.len() == 1 && both.structured_content.is_some() && !both.is_error());
    let neither = call_tool("{}").await;
    assert!(neither.content.is_empty() && neither.structured_content.is_none());
    let unknown = call_tool(r#"{"content":[{"type":"x-new","a":{"b":[1]}}],"_meta":{"m":1},"more":2}"#).await;
    assert!(matches!(&unknown.content[0], ContentBlock::Unknown(block) if block.kind() == Some("x-new")));
    assert_eq!(unknown.extra.get("more").unwrap().get(), "2");
    assert_eq!(unknown.meta.unwrap().get("m").unwrap().get(), "1");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_failed_is_an_answer() {
    assert!(call_tool(r#"{"content":[],"isError":true}"#).await.is_error());
}
