//! What a server asks a client, and how it is answered.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_client::{Delegate, Event, ServerRequest};
use mcp_jsonrpc::{ErrorObject, Notification};
use mcp_tests::{Folder, Scripted, client, within};
use serde_json::value::RawValue;
use tokio::sync::mpsc;

/// A delegate that answers `roots/list` when it is told to, and notes what it gives up.
struct Asked {
    asked: mpsc::UnboundedSender<String>,
    go: tokio::sync::Notify,
}

/// Says that an answer was given up.
struct GivenUp(mpsc::UnboundedSender<String>);

impl Drop for GivenUp {
    fn drop(&mut self) {
        self.0.send("given up".to_owned()).unwrap_or_default();
    }
}

#[async_trait]
impl Delegate for Asked {
    async fn on_request(&self, request: ServerRequest) -> Result<Box<RawValue>, ErrorObject> {
        self.asked.send(request.method.clone()).unwrap();
        let given_up = GivenUp(self.asked.clone());
        self.go.notified().await;
        std::mem::forget(given_up);
        Ok(RawValue::from_string(r#"{"roots":[]}"#.to_owned()).unwrap())
    }
}

fn asked() -> (Arc<Asked>, mpsc::UnboundedReceiver<String>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    (Arc::new(Asked { asked: sender, go: tokio::sync::Notify::new() }), receiver)
}

/// Cases 62 and 65: a slow delegate holds up neither pings nor the call it belongs to.
#[tokio::test]
async fn a_request_of_the_server_during_a_call_is_answered_while_the_call_waits() {
    let script = "handshake\nrecv tools/call\nsend REQ(1,roots/list)\nsend REQ(\"k1\",ping)\nrecv answer\n\
                  send NOTE(x/first,$line)\nrecv answer\nsend NOTE(x/second,$line)\n\
                  send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[]}}\neof";
    let peer = Scripted::new(script).without_deadlines();
    let (delegate, mut requests) = asked();
    let mut options = client::options();
    options.delegate = Some(delegate.clone());
    let client = client::connect_with(&peer.config, options).await;
    let mut events = client.events();
    let (result, ()) = tokio::join!(within(client.call_tool("m", &())), async {
        assert_eq!(within(requests.recv()).await.unwrap(), "roots/list");
        assert_eq!(notification(&mut events, "x/first").await, r#"{"jsonrpc":"2.0","id":"k1","result":{}}"#);
        delegate.go.notify_one();
    });
    result.unwrap();
    let second = notification(&mut events, "x/second").await;
    assert_eq!(second, r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#);
    client.close().await;
}

/// The params of the next notification with this method.
async fn notification(events: &mut mcp_client::EventStream, method: &str) -> String {
    loop {
        match within(events.next()).await.expect("more events") {
            Event::Notification(found) if &*found.method == method => {
                return found.params.map(|params| params.as_str().to_owned()).unwrap_or_default();
            }
            _ => {}
        }
    }
}

/// Case 55: the id 0 is an id like any other, also in a cancel; what is cancelled gets no answer.
#[tokio::test]
async fn the_server_can_cancel_its_request_with_id_zero() {
    let folder = Folder::new();
    let script = format!(
        "handshake\nlog {}\nsend REQ(0,roots/list)\nrecv tools/call\n\
         send NOTE(notifications/cancelled,{{\"requestId\":0}})\n\
         send {{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"content\":[]}}}}\nserve",
        folder.text("log")
    );
    let peer = Scripted::new(&script).without_deadlines();
    let (delegate, mut requests) = asked();
    let mut options = client::options();
    options.delegate = Some(delegate);
    let client = client::connect_with(&peer.config, options).await;
    assert_eq!(within(requests.recv()).await.unwrap(), "roots/list");
    within(client.call_tool("m", &())).await.unwrap();
    assert_eq!(within(requests.recv()).await.unwrap(), "given up");
    within(client.ping()).await.unwrap();
    client.close().await;
    let log = std::fs::read_to_string(folder.path("log")).unwrap();
    assert!(!log.contains("\"id\":0"), "{log}");
}

/// Case 64, C-017: without a delegate each is refused, and pings are answered all the same.
#[tokio::test]
async fn requests_of_the_server_without_a_delegate_are_refused() {
    let folder = Folder::new();
    let script = format!(
        "handshake\nlog {}\nrecv ping\nsend REQ(5,sampling/createMessage,{{}})\n\
         send REQ(\"e\",elicitation/create,{{}})\nsend REQ(6,x/unknown)\nsend NOTE(x/unknown)\n\
         send REQ(\"\",ping)\nrepeat 4 recv answer\n\
         send {{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{}}}}\neof",
        folder.text("log")
    );
    let peer = Scripted::new(&script).without_deadlines();
    let client = client::connect(&peer.config).await;
    within(client.ping()).await.unwrap();
    client.close().await;
    let log = std::fs::read_to_string(folder.path("log")).unwrap();
    for id in ["5", "\"e\"", "6"] {
        assert!(log.contains(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"#)), "{log}");
    }
    assert!(log.contains(r#"{"jsonrpc":"2.0","id":"","result":{}}"#), "{log}");
    assert_eq!(log.lines().count(), 5, "{log}");
}

/// Tells the test what the server says by itself, from the first byte on.
struct Heard(mpsc::UnboundedSender<String>);

impl Delegate for Heard {
    fn on_notification(&self, notification: &Notification<'_>) {
        let params = notification.params.map(RawValue::get).unwrap_or_default();
        self.0.send(format!("{} {params}", notification.method)).unwrap_or_default();
    }
}

/// Case 62: while nothing else goes on.
#[tokio::test]
async fn a_ping_is_answered_while_idle() {
    let script = "handshake\nsend REQ(\"k1\",ping)\nrecv\nsend NOTE(x/got,$line)\n\
                  send REQ(7,ping,{\"_meta\":{}})\nrecv\nsend NOTE(x/got,$line)\neof";
    let (sender, mut heard) = mpsc::unbounded_channel();
    let mut options = client::options();
    options.delegate = Some(Arc::new(Heard(sender)));
    let client = client::connect_with(&Scripted::new(script).config, options).await;
    for id in ["\"k1\"", "7"] {
        let got = within(heard.recv()).await.unwrap();
        assert_eq!(got, format!(r#"x/got {{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
    client.close().await;
}
