//! Addresses to open: those of failed calls, and what is told when one is done.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_client::{Client, ElicitationHandler, Event, EventStream, Refusal, UrlAnswer, UrlRequest};
use mcp_jsonrpc::testing::MemoryPeer;
use mcp_types::{ElicitationCapability, Extra};
use serde_json::{Value, json};

use crate::pair::{begun, connected, options, settle, try_once};

/// Agrees, unless the message says no.
struct User;

#[async_trait]
impl ElicitationHandler for User {
    fn capability(&self) -> ElicitationCapability {
        let mut capability = ElicitationCapability::default();
        capability.url = Some(Extra::new());
        capability
    }

    async fn url(&self, request: UrlRequest) -> Result<UrlAnswer, Refusal> {
        match request.elicitation.message.as_str() {
            "no" => Ok(UrlAnswer::Decline),
            _ => Ok(UrlAnswer::Accept),
        }
    }
}

async fn with_user() -> (Client, MemoryPeer) {
    let mut options = options();
    options.elicitation = Some(Arc::new(User));
    connected(options).await
}

fn url(id: &str, message: &str) -> Value {
    let url = format!("https://example.com/{id}?key=k");
    json!({"mode": "url", "message": message, "url": url, "elicitationId": id})
}

async fn ask(peer: &mut MemoryPeer, id: &str, message: &str) -> Value {
    peer.send(
        json!({"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": url(id, message)})
            .to_string(),
    );
    peer.next().await["result"].take()
}

/// What the listener is told by now: the ids that are done, and which methods came.
async fn told(events: &mut EventStream) -> Vec<String> {
    settle().await;
    let mut told = Vec::new();
    while let Some(Some(event)) = try_once(events.next()).await {
        match event {
            Event::ElicitationComplete(id) => told.push(format!("done {id}")),
            Event::Notification(notification) => told.push(notification.method.to_string()),
            other => told.push(format!("{other:?}")),
        }
    }
    told
}

fn complete(peer: &MemoryPeer, params: &Value) {
    peer.notify("notifications/elicitation/complete", params);
}

const METHOD: &str = "notifications/elicitation/complete";

// C-349, C-350.
#[tokio::test(start_paused = true)]
async fn only_an_address_that_was_agreed_to_is_told_to_be_done_and_only_once() {
    let (client, mut peer) = with_user().await;
    let mut events = client.events();
    assert_eq!(ask(&mut peer, "a", "yes").await, json!({"action": "accept"}));
    assert_eq!(ask(&mut peer, "b", "no").await, json!({"action": "decline"}));
    for id in ["b", "c", "a", "a"] {
        complete(&peer, &json!({"elicitationId": id}));
    }
    assert_eq!(told(&mut events).await, [METHOD, METHOD, METHOD, "done a", METHOD]);
}

#[tokio::test(start_paused = true)]
async fn a_completion_that_names_nothing_is_ignored() {
    let (client, mut peer) = with_user().await;
    let mut events = client.events();
    ask(&mut peer, "1", "yes").await;
    for params in [json!({}), json!({"elicitationId": 1}), json!({"elicitationId": null}), json!(["1"])] {
        complete(&peer, &params);
    }
    assert_eq!(told(&mut events).await, [METHOD; 4]);
    assert!(client.is_connected());
}

fn refuse(peer: &MemoryPeer, request: &Value, error: &Value) {
    peer.send(json!({"jsonrpc": "2.0", "id": request["id"], "error": error}).to_string());
}

// C-353.
#[tokio::test(start_paused = true)]
async fn a_call_that_needs_an_address_opened_says_which_and_its_completion_is_told() {
    let (client, mut peer) = connected(options()).await;
    let mut events = client.events();
    let caller = client.clone();
    let (call, request) = begun(&mut peer, async move { caller.call_tool("t", &json!({})).await }).await;
    let unsound = json!({"mode": "url", "message": "m", "url": "javascript:x", "elicitationId": "y"});
    let data = json!({"elicitations": [url("x", "please"), unsound]});
    refuse(&peer, &request, &json!({"code": -32042, "message": "Open this first", "data": data}));
    let error = call.await.unwrap().unwrap_err();
    let urls = error.url_elicitations().unwrap();
    assert_eq!(urls.len(), 1);
    assert_eq!((urls[0].id.as_deref(), urls[0].message.as_str()), (Some("x"), "please"));
    assert_eq!((urls[0].url.as_str(), urls[0].host()), ("https://example.com/x?key=k", "example.com"));
    assert!(!format!("{urls:?}").contains("key=k"));

    complete(&peer, &json!({"elicitationId": "x"}));
    complete(&peer, &json!({"elicitationId": "y"}));
    assert_eq!(told(&mut events).await, [METHOD, "done x", METHOD]);
}

#[tokio::test(start_paused = true)]
async fn other_errors_need_no_address_and_unreadable_data_names_none() {
    let (client, mut peer) = connected(options()).await;
    for (code, data, expected) in [
        (-32602, json!({"elicitations": [url("x", "m")]}), None),
        (-32042, json!({"elicitations": 7}), Some(0)),
        (-32042, Value::Null, Some(0)),
    ] {
        let caller = client.clone();
        let (call, request) = begun(&mut peer, async move { caller.call_tool("t", &json!({})).await }).await;
        refuse(&peer, &request, &json!({"code": code, "message": "m", "data": data}));
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(error.url_elicitations().map(|urls| urls.len()), expected);
    }
}
