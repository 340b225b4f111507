//! Giving calls up: what the server is told (D-05), and that the call settles.

use std::time::Duration;

use mcp_client::{CallOptions, Client, ClientError};
use mcp_jsonrpc::testing::MemoryPeer;
use mcp_jsonrpc::{Cancel, Raw};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::pair::{begin_and_drop, begun, connected, options, settle, unread};

type Call = JoinHandle<Result<Raw, ClientError>>;

/// Begins `x/work`, with a signal that gives it up.
async fn working(client: &Client, peer: &mut MemoryPeer) -> (Call, Value, Cancel) {
    let cancel = Cancel::new();
    let mut options = CallOptions::default();
    options.cancel = Some(cancel.clone());
    let client = client.clone();
    let (call, request) = begun(peer, async move { client.request("x/work", None, options).await }).await;
    (call, request, cancel)
}

fn cancelled(request: &Value, reason: &str) -> Value {
    let params = json!({"requestId": request["id"], "reason": reason});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
}

// Case 79.
#[tokio::test(start_paused = true)]
async fn a_call_that_timed_out_is_cancelled_once_and_never_sent_again() {
    let (client, mut peer) = connected(options()).await;
    let (call, request, _) = working(&client, &mut peer).await;
    let error = call.await.unwrap().unwrap_err();
    assert!(error.call_error().unwrap().is_timeout(), "{error:?}");
    settle().await;
    assert_eq!(unread(&mut peer), [cancelled(&request, "timed out after 30000ms")]);
}

// Case 81.
#[tokio::test(start_paused = true)]
async fn a_cancel_settles_at_once_with_the_reason_of_the_caller() {
    let (client, mut peer) = connected(options()).await;
    let (call, request, cancel) = working(&client, &mut peer).await;
    cancel.cancel_with("the user left");
    cancel.cancel_with("again");
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the user left");
    assert!(error.call_error().unwrap().is_cancelled());
    assert_eq!(unread(&mut peer), [cancelled(&request, "the user left")]);
    assert_eq!(client.status().pending, 0);
}

// Case 81.
#[tokio::test(start_paused = true)]
async fn a_signal_given_before_sends_nothing() {
    let (client, mut peer) = connected(options()).await;
    let mut options = CallOptions::default();
    options.cancel = Some(Cancel::new());
    options.cancel.as_ref().unwrap().cancel();
    let error = client.list_tools_with(options).await.unwrap_err();
    assert_eq!(error.to_string(), "Request cancelled");
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

// Case 81: a result already delivered wins.
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_there_wins_over_the_signal() {
    let (client, mut peer) = connected(options()).await;
    let (call, request, cancel) = working(&client, &mut peer).await;
    peer.answer(&request, &json!({"done": true}));
    cancel.cancel();
    assert_eq!(call.await.unwrap().unwrap().as_str(), r#"{"done":true}"#);
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

// Case 80.
#[tokio::test(start_paused = true)]
async fn a_dropped_call_is_cancelled() {
    let (client, mut peer) = connected(options()).await;
    begin_and_drop(client.call_tool("slow", &json!({"secret": "SECRET-1"})));
    let request = peer.next().await;
    assert_eq!(request["method"], "tools/call");
    assert_eq!(unread(&mut peer), [cancelled(&request, "no longer needed")]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_told_when_the_option_is_off() {
    let mut options = options();
    options.send_cancelled = false;
    options.timeout = Some(Duration::from_secs(1));
    let (client, mut peer) = connected(options).await;
    let (call, _, _) = working(&client, &mut peer).await;
    call.await.unwrap().unwrap_err();
    begin_and_drop(client.ping());
    peer.next().await;
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

// Case 78, for who asks for it by hand.
#[tokio::test(start_paused = true)]
async fn initialize_is_not_cancelled_on_any_way() {
    let (client, mut peer) = connected(options()).await;
    peer.let_nonsense_pass();
    begin_and_drop(client.request("initialize", None, CallOptions::default()));
    peer.next().await;
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}
