//! Results that are kept for as long as the server says.

use std::time::Duration;

use mcp_client::{CallOptions, Client};
use mcp_jsonrpc::testing::MemoryPeer;
use serde_json::{Value, json};

use crate::modern_pair::connected;
use crate::pair::{begun, options, settle, unread};

fn tools(ttl: i64) -> Value {
    json!({"resultType": "complete", "tools": [], "ttlMs": ttl, "cacheScope": "public"})
}

/// Lists the tools, which the server is asked for.
async fn ask(client: &Client, peer: &mut MemoryPeer, answer: Value, options: CallOptions) {
    let client = client.clone();
    let (call, request) = begun(peer, async move { client.list_tools_with(options).await }).await;
    peer.answer(&request, &answer);
    call.await.unwrap().unwrap();
}

/// Lists the tools, which the server is not asked for.
async fn know(client: &Client, peer: &mut MemoryPeer) {
    client.list_tools().await.unwrap();
    assert_eq!(unread(peer), Vec::<Value>::new());
}

#[tokio::test(start_paused = true)]
async fn a_result_holds_as_long_as_the_server_says_and_no_longer() {
    let (client, mut peer) = connected(options()).await;
    ask(&client, &mut peer, tools(5000), CallOptions::default()).await;
    know(&client, &mut peer).await;
    tokio::time::advance(Duration::from_millis(4999)).await;
    know(&client, &mut peer).await;
    tokio::time::advance(Duration::from_millis(1)).await;
    ask(&client, &mut peer, tools(0), CallOptions::default()).await;
    ask(&client, &mut peer, tools(-5), CallOptions::default()).await;
    ask(&client, &mut peer, json!({"tools": []}), CallOptions::default()).await;
    ask(&client, &mut peer, tools(5000), CallOptions::default()).await;
    let mut fresh = CallOptions::default();
    fresh.is_fresh = true;
    ask(&client, &mut peer, tools(5000), fresh).await;
}

#[tokio::test(start_paused = true)]
async fn what_the_server_says_has_changed_is_asked_for_again() {
    let (client, mut peer) = connected(options()).await;
    ask(&client, &mut peer, tools(5000), CallOptions::default()).await;
    peer.notify("notifications/prompts/list_changed", &json!({}));
    know(&client, &mut peer).await;
    let mut events = client.events();
    peer.notify("notifications/tools/list_changed", &json!({}));
    // Who hears of the change finds nothing old any more.
    events.next().await.unwrap();
    ask(&client, &mut peer, tools(5000), CallOptions::default()).await;

    // One that was on its way when the change came is of before.
    let listing = client.clone();
    tokio::time::advance(Duration::from_secs(6)).await;
    let (call, request) = begun(&mut peer, async move { listing.list_tools().await }).await;
    peer.notify("notifications/tools/list_changed", &json!({}));
    peer.answer(&request, &tools(5000));
    call.await.unwrap().unwrap();
    ask(&client, &mut peer, tools(5000), CallOptions::default()).await;
}

#[tokio::test(start_paused = true)]
async fn keeping_results_can_be_turned_off() {
    let mut options = options();
    options.max_cached_results = 0;
    let (client, mut peer) = connected(options).await;
    ask(&client, &mut peer, tools(5000), CallOptions::default()).await;
    ask(&client, &mut peer, tools(5000), CallOptions::default()).await;
    settle().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_of_one_user_is_dropped_with_the_user() {
    let (client, mut peer) = connected(options()).await;
    let private = json!({"tools": [], "ttlMs": 5000, "cacheScope": "private"});
    ask(&client, &mut peer, private, CallOptions::default()).await;
    know(&client, &mut peer).await;
    client.user_changed();
    ask(&client, &mut peer, tools(5000), CallOptions::default()).await;
    client.user_changed();
    know(&client, &mut peer).await;
}
