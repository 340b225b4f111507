//! Each public async function, dropped where it first waits, leaves nothing behind.

use mcp_client::{CallOptions, Client};
use mcp_types::{ListTools, ListToolsParams, NoParams, Notice, ToolListChanged};
use serde_json::json;

use crate::pair::{begin_and_drop, begun, connected, options, settle, try_once, unread};

#[tokio::test(start_paused = true)]
async fn every_call_that_is_dropped_leaves_nothing_behind() {
    let (client, mut peer) = connected(options()).await;
    let default = CallOptions::default;
    begin_and_drop(client.call::<ListTools>(&ListToolsParams::default(), default()));
    begin_and_drop(client.request("x/y", None, default()));
    begin_and_drop(client.ping());
    begin_and_drop(client.list_tools());
    begin_and_drop(client.list_tools_with(default()));
    begin_and_drop(client.list_raw("tools/list", "tools", default()));
    begin_and_drop(client.call_tool("t", &()));
    begin_and_drop(client.call_tool_with("t", &(), default()));
    assert_eq!(client.status().pending, 0);
    for _ in 0..8 {
        let request = peer.next().await;
        let notice = peer.next().await;
        assert_eq!(notice["params"]["requestId"], request["id"]);
    }
    works(&client, &mut peer).await;
}

#[tokio::test(start_paused = true)]
async fn a_listing_dropped_at_its_second_page_leaves_nothing_behind() {
    let (client, mut peer) = connected(options()).await;
    let caller = client.clone();
    let (call, first) = begun(&mut peer, async move { caller.list_tools().await }).await;
    peer.answer(&first, &json!({"tools": [], "nextCursor": "2"}));
    let second = peer.next().await;
    call.abort();
    settle().await;
    assert_eq!(peer.next().await["params"]["requestId"], second["id"]);
    assert_eq!(client.status().pending, 0);
    works(&client, &mut peer).await;
}

#[tokio::test(start_paused = true)]
async fn a_dropped_wait_for_an_event_loses_none() {
    let (client, peer) = connected(options()).await;
    let mut events = client.events();
    begin_and_drop(events.next());
    peer.notify("notifications/tools/list_changed", &json!({}));
    let event = format!("{:?}", events.next().await.unwrap());
    assert!(event.contains("notifications/tools/list_changed"), "{event}");
}

// Case 80: what was not yet written is not written any more, and nobody is told.
#[tokio::test(start_paused = true)]
async fn what_is_dropped_before_it_was_written_sends_nothing() {
    let (client, mut peer) = connected(options()).await;
    let mut written = 0;
    // The server reads nothing, until there is no room for more.
    while try_once(client.notify::<ToolListChanged>(&NoParams)).await.is_some() {
        written += 1;
    }
    begin_and_drop(client.notify::<ToolListChanged>(&NoParams));
    begin_and_drop(client.ping());
    let messages = unread(&mut peer);
    assert_eq!(messages.len(), written);
    assert!(messages.iter().all(|message| message["method"] == ToolListChanged::NAME));
    works(&client, &mut peer).await;
}

#[tokio::test(start_paused = true)]
async fn closing_again_does_nothing() {
    let (client, _peer) = connected(options()).await;
    drop(client.close());
    assert!(client.is_connected());
    client.close().await;
    client.close().await;
    assert!(!client.is_connected());
}

async fn works(client: &Client, peer: &mut mcp_jsonrpc::testing::MemoryPeer) {
    let client = client.clone();
    let (call, request) = begun(peer, async move { client.ping().await }).await;
    assert_eq!(request["method"], "ping");
    peer.answer(&request, &json!({}));
    call.await.unwrap().unwrap();
}
