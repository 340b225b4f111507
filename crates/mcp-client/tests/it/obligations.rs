//! Rules of the protocol that have no better place: the end of calls without a handshake, pages that
//! are kept, and resources that are not there.

use std::time::Duration;

use mcp_client::{Client, ClientError};
use mcp_jsonrpc::testing::MemoryPeer;
use serde_json::{Value, json};

use crate::methods::able;
use crate::modern_pair::{connected, said};
use crate::pair::{begun, connected_as, options, settle, unread};

// C-263, C-264
#[tokio::test(start_paused = true)]
async fn without_a_handshake_a_call_given_up_is_cancelled_by_its_id() {
    let (client, mut peer) = connected(options()).await;
    let (call, request) = begun(&mut peer, async move { client.call_tool("slow", &()).await }).await;
    call.abort();
    let cancelled = peer.next().await;
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

// C-266
#[tokio::test(start_paused = true)]
async fn a_cancel_by_the_server_ends_no_call() {
    let (client, mut peer) = connected(options()).await;
    let (call, request) = begun(&mut peer, async move { client.call_tool("slow", &()).await }).await;
    for id in [request["id"].clone(), json!(7), json!(null)] {
        peer.notify("notifications/cancelled", &json!({"requestId": id, "reason": "no"}));
    }
    settle().await;
    assert!(!call.is_finished());
    peer.answer(&request, &said("done"));
    assert_eq!(call.await.unwrap().unwrap().content[0].as_text(), Some("done"));
}

// C-211, C-212
#[tokio::test(start_paused = true)]
async fn a_resource_that_is_not_there_is_told_by_either_code() {
    let (client, mut peer) = connected_as(options(), able("2025-11-25")).await;
    for (error, is_not_found) in [
        (json!({"code": -32002, "message": "?"}), true),
        (json!({"code": -32602, "message": "?", "data": {"uri": "a:1"}}), true),
        (json!({"code": -32602, "message": "?", "data": {"uri": 1}}), false),
        (json!({"code": -32602, "message": "?", "data": ["uri"]}), false),
        (json!({"code": -32602, "message": "?"}), false),
        (json!({"code": -32603, "message": "?", "data": {"uri": "a:1"}}), false),
    ] {
        let reading = client.clone();
        let (call, request) = begun(&mut peer, async move { reading.read_resource("a:1").await }).await;
        peer.refuse(&request, &error);
        assert_eq!(call.await.unwrap().unwrap_err().is_resource_not_found(), is_not_found, "{error}");
    }
    // Of another method the codes say something else.
    let (call, request) = begun(&mut peer, async move { client.list_resources().await }).await;
    peer.refuse(&request, &json!({"code": -32002, "message": "?"}));
    assert!(!call.await.unwrap().unwrap_err().is_resource_not_found());
}

/// Answers the next request, which has to be for this page of the resources.
async fn page(peer: &mut MemoryPeer, cursor: Option<&str>, next: Option<&str>, ttl: u64) {
    let request = peer.next().await;
    assert_eq!(request["params"].get("cursor").and_then(Value::as_str), cursor);
    let item = json!({"uri": format!("a:{}", cursor.unwrap_or("0")), "name": "n"});
    let mut answer = json!({"resultType": "complete", "resources": [item], "ttlMs": ttl});
    if let Some(next) = next {
        answer["nextCursor"] = json!(next);
    }
    peer.answer(&request, &answer);
}

fn listing(client: &Client) -> tokio::task::JoinHandle<Result<usize, ClientError>> {
    let client = client.clone();
    tokio::spawn(async move { client.list_resources().await.map(|all| all.len()) })
}

async fn read(client: &Client, peer: &mut MemoryPeer, uri: &'static str) {
    let reading = client.clone();
    let (call, request) = begun(peer, async move { reading.read_resource(uri).await }).await;
    assert_eq!(request["params"]["uri"], uri);
    peer.answer(&request, &json!({"contents": [], "ttlMs": 60_000}));
    call.await.unwrap().unwrap();
}

// C-418, C-432, C-584
#[tokio::test(start_paused = true)]
async fn pages_and_resources_are_kept_each_for_itself() {
    let (client, mut peer) = connected(options()).await;
    let call = listing(&client);
    page(&mut peer, None, Some("x"), 60_000).await;
    page(&mut peer, Some("x"), None, 1000).await;
    assert_eq!(call.await.unwrap().unwrap(), 2);

    // Only the second one is over, and is fetched by its cursor.
    tokio::time::advance(Duration::from_secs(2)).await;
    let call = listing(&client);
    page(&mut peer, Some("x"), None, 1000).await;
    assert_eq!(call.await.unwrap().unwrap(), 2);

    read(&client, &mut peer, "a:1").await;
    read(&client, &mut peer, "a:2").await;
    client.read_resource("a:1").await.unwrap();
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

// C-434
#[tokio::test(start_paused = true)]
async fn a_cursor_that_has_become_invalid_begins_the_list_again_once() {
    let (client, mut peer) = connected(options()).await;
    let refusal = json!({"code": -32602, "message": "no such cursor"});
    let call = listing(&client);
    page(&mut peer, None, Some("old"), 60_000).await;
    page(&mut peer, Some("old"), None, 0).await;
    call.await.unwrap().unwrap();

    let call = listing(&client);
    let request = peer.next().await;
    assert_eq!(request["params"]["cursor"], "old");
    peer.refuse(&request, &refusal);
    page(&mut peer, None, Some("new"), 60_000).await;
    page(&mut peer, Some("new"), None, 0).await;
    assert_eq!(call.await.unwrap().unwrap(), 2);

    // A server that refuses whatever it gave is not asked for ever, and the next list begins anew.
    let call = listing(&client);
    let request = peer.next().await;
    assert_eq!(request["params"]["cursor"], "new");
    peer.refuse(&request, &refusal);
    page(&mut peer, None, Some("newer"), 60_000).await;
    let request = peer.next().await;
    peer.refuse(&request, &refusal);
    assert_eq!(call.await.unwrap().unwrap_err().to_string(), "MCP error -32602: no such cursor");
    let call = listing(&client);
    page(&mut peer, None, None, 0).await;
    assert_eq!(call.await.unwrap().unwrap(), 1);
}
