//! What the server says by itself, where it takes a request to hear it.

use std::time::Duration;

use mcp_client::{Client, ClientError, Event, EventStream, ListenError};
use mcp_jsonrpc::testing::MemoryPeer;
use serde_json::{Value, json};

use crate::modern_pair::connected_to;
use crate::pair::{options, settle, unread};
use crate::probe::ProbeConnect;

fn offers() -> Value {
    json!({"tools": {"listChanged": true}, "prompts": {}, "resources": {"listChanged": true, "subscribe": true}})
}

fn named(id: &Value) -> Value {
    json!({"io.modelcontextprotocol/subscriptionId": id})
}

fn acknowledge(peer: &MemoryPeer, request: &Value) {
    let params = json!({"notifications": request["params"]["notifications"], "_meta": named(&request["id"])});
    peer.notify("notifications/subscriptions/acknowledged", &params);
}

fn changed(peer: &MemoryPeer, what: &str, id: &Value) {
    peer.notify(&format!("notifications/{what}/list_changed"), &json!({"_meta": named(id)}));
}

/// A client that listens, and the request by which it does.
async fn listening() -> (Client, MemoryPeer, EventStream, Value) {
    let (client, mut peer) = connected_to(options(), offers()).await;
    let events = client.events();
    let request = peer.next().await;
    acknowledge(&peer, &request);
    assert!(client.listening().await);
    (client, peer, events, request)
}

async fn method(events: &mut EventStream) -> String {
    match events.next().await {
        Some(Event::Notification(notification)) => notification.method.to_string(),
        other => format!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn the_lists_that_the_server_can_tell_of_are_asked_for_in_one_request() {
    let (client, mut peer) = connected_to(options(), offers()).await;
    let request = peer.next().await;
    assert_eq!(request["method"], "subscriptions/listen");
    let filter = json!({"toolsListChanged": true, "resourcesListChanged": true});
    assert_eq!(request["params"]["notifications"], filter);
    assert!(request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].is_string());
    acknowledge(&peer, &request);
    assert!(client.listening().await);
    // It has no timeout.
    tokio::time::advance(Duration::from_secs(100_000)).await;
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_can_tell_of_nothing_is_not_asked() {
    let (client, mut peer) =
        connected_to(options(), json!({"tools": {}, "resources": {"subscribe": true}})).await;
    assert!(!client.listening().await);
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

#[tokio::test(start_paused = true)]
async fn what_is_of_no_subscription_that_there_is_is_not_heard() {
    let (_client, peer, mut events, request) = listening().await;
    for stray in [json!("x"), json!(7), json!(-1)] {
        changed(&peer, "tools", &stray);
    }
    peer.notify("notifications/subscriptions/acknowledged", &json!({"notifications": {}}));
    changed(&peer, "resources", &request["id"]);
    peer.notify("notifications/message", &json!({"level": "info", "data": "x"}));
    assert_eq!(method(&mut events).await, "notifications/resources/list_changed");
    assert_eq!(method(&mut events).await, "notifications/message");
}

// Both polite ends, and the abrupt one; transports, 5.8.
#[tokio::test(start_paused = true)]
async fn a_subscription_that_ends_is_asked_for_again_and_that_is_told() {
    let ends: [fn(&MemoryPeer, &Value); 3] = [
        |peer, request| {
            peer.answer(request, &json!({"resultType": "complete", "_meta": named(&request["id"])}))
        },
        |peer, request| peer.notify("notifications/cancelled", &json!({"requestId": request["id"]})),
        |peer, request| peer.refuse(request, &json!({"code": -32603, "message": "overloaded"})),
    ];
    for end in ends {
        let (client, mut peer, mut events, request) = listening().await;
        end(&peer, &request);
        let again = loop {
            // What was given up may be told to the server, which is harmless.
            let message = peer.next().await;
            if message["method"] == "subscriptions/listen" {
                break message;
            }
            assert_eq!(message["method"], "notifications/cancelled");
        };
        assert_ne!(again["id"], request["id"]);
        // Late news of the old one.
        changed(&peer, "tools", &request["id"]);
        acknowledge(&peer, &again);
        assert_eq!(method(&mut events).await, "Some(Interrupted)");
        assert_eq!(method(&mut events).await, "Some(ListeningAgain)");
        assert!(client.listening().await);
        changed(&peer, "tools", &again["id"]);
        assert_eq!(method(&mut events).await, "notifications/tools/list_changed");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_final_and_told() {
    let (client, mut peer) = connected_to(options(), offers()).await;
    let mut events = client.events();
    let request = peer.next().await;
    peer.refuse(&request, &json!({"code": -32601, "message": "Method not found"}));
    assert!(!client.listening().await);
    let Some(Event::Fault(text)) = events.next().await else { panic!() };
    assert_eq!(&*text, "the server does not tell of changes: MCP error -32601: Method not found");
    tokio::time::advance(Duration::from_secs(1000)).await;
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
    assert!(client.is_connected());
}

#[tokio::test(start_paused = true)]
async fn an_acknowledgement_that_does_not_come_is_waited_for_so_long() {
    let mut options = options();
    options.timeout = Some(Duration::from_secs(5));
    let (client, mut peer) = connected_to(options, offers()).await;
    let request = peer.next().await;
    // Another's acknowledgement is none.
    peer.notify(
        "notifications/subscriptions/acknowledged",
        &json!({"notifications": {}, "_meta": named(&json!("other"))}),
    );
    let cancelled = peer.next().await;
    assert_eq!(
        (&cancelled["method"], &cancelled["params"]["requestId"]),
        (&json!("notifications/cancelled"), &request["id"])
    );
    let again = peer.next().await;
    acknowledge(&peer, &again);
    settle().await;
    assert!(client.listening().await);
}

// No task of ours keeps a connection that nobody has any more.
#[tokio::test(start_paused = true)]
async fn a_client_that_is_dropped_ends_its_connection_at_once() {
    let (connect, mut peers, log) = ProbeConnect::new();
    let mut options = options();
    options.protocol = mcp_client::Protocol::Discover;
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        peer.answer(&request, &crate::modern_pair::discovered(&offers()));
        let request = peer.next().await;
        acknowledge(&peer, &request);
        peer
    };
    let (client, _peer) = tokio::join!(Client::connect(&connect, options), serve);
    let client = client.unwrap();
    assert!(client.listening().await);
    drop(client);
    assert_eq!(log.lines().last().unwrap(), "abandon");
    settle().await;
    assert_eq!(log.lines().last().unwrap(), "drop");
}

// Transports, 5.8: one subscription for all that is wanted, without a gap between the last and the next.
#[tokio::test(start_paused = true)]
async fn a_resource_is_watched_by_the_next_subscription_and_the_last_one_ends_after_it() {
    let (client, mut peer, mut events, first) = listening().await;
    let subscribing = client.clone();
    let call = tokio::spawn(async move { subscribing.subscribe("note://7").await });
    let second = peer.next().await;
    assert_eq!(second["method"], "subscriptions/listen");
    let filter = json!({"toolsListChanged": true, "resourcesListChanged": true, "resourceSubscriptions": ["note://7"]});
    assert_eq!(second["params"]["notifications"], filter);
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new(), "the first one still runs");
    changed(&peer, "tools", &first["id"]);
    assert_eq!(method(&mut events).await, "notifications/tools/list_changed");
    acknowledge(&peer, &second);
    call.await.unwrap().unwrap();
    let cancelled = peer.next().await;
    assert_eq!(cancelled["params"]["requestId"], first["id"]);

    peer.notify(
        "notifications/resources/updated",
        &json!({"uri": "note://7/a", "_meta": named(&second["id"])}),
    );
    assert_eq!(method(&mut events).await, "notifications/resources/updated");

    let leaving = client.clone();
    let call = tokio::spawn(async move { leaving.unsubscribe("note://7").await });
    let third = peer.next().await;
    assert_eq!(third["params"]["notifications"].get("resourceSubscriptions"), None);
    acknowledge(&peer, &third);
    call.await.unwrap().unwrap();
    assert_eq!(peer.next().await["params"]["requestId"], second["id"]);
}

#[tokio::test(start_paused = true)]
async fn a_resource_that_the_server_leaves_out_is_not_watched_and_the_rest_is() {
    let (client, mut peer, _, _) = listening().await;
    let subscribing = client.clone();
    let call = tokio::spawn(async move { subscribing.subscribe("note://7").await });
    let request = peer.next().await;
    peer.notify(
        "notifications/subscriptions/acknowledged",
        &json!({"notifications": {"toolsListChanged": true}, "_meta": named(&request["id"])}),
    );
    let error = call.await.unwrap().unwrap_err();
    let ClientError::Listen { source: ListenError::NotHonoured, .. } = error else { panic!("{error:?}") };
    assert!(client.is_connected());
}

#[tokio::test(start_paused = true)]
async fn subscriptions_are_counted() {
    let mut options = options();
    options.max_subscriptions = 1;
    let (client, mut peer) = connected_to(options, json!({"resources": {"subscribe": true}})).await;
    let subscribing = client.clone();
    let call = tokio::spawn(async move { subscribing.subscribe("a:1").await });
    let request = peer.next().await;
    acknowledge(&peer, &request);
    call.await.unwrap().unwrap();
    client.subscribe("a:1").await.unwrap();
    let error = client.subscribe("a:2").await.unwrap_err();
    assert!(
        matches!(error, ClientError::Listen { source: ListenError::TooMany { limit: 1 }, .. }),
        "{error:?}"
    );

    // With nothing wanted any more there is no subscription.
    client.unsubscribe("a:1").await.unwrap();
    assert_eq!(peer.next().await["params"]["requestId"], request["id"]);
}

#[tokio::test(start_paused = true)]
async fn the_level_of_the_connection_is_that_of_each_call() {
    let (client, mut peer) = connected_to(options(), json!({"tools": {}})).await;
    client.set_log_level(mcp_types::LoggingLevel::Error).await.unwrap();
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
    let call = tokio::spawn(async move { client.call_tool("t", &()).await });
    let request = peer.next().await;
    assert_eq!(request["params"]["_meta"]["io.modelcontextprotocol/logLevel"], "error");
    peer.answer(&request, &crate::modern_pair::said(""));
    call.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_close_is_no_fault_of_the_subscription() {
    let (client, _peer, mut events, _) = listening().await;
    client.close().await;
    settle().await;
    assert!(matches!(events.next().await, Some(Event::Closed(_))));
    assert!(!client.listening().await);
    let error = client.subscribe("a:1").await.unwrap_err();
    assert!(matches!(error, ClientError::Listen { source: ListenError::Gone, .. }), "{error:?}");
}
