//! What holds for the crate as a whole.

use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Waker};

use mcp_jsonrpc::testing::{MemoryConnect, MemoryPeer};
use serde_json::json;

use crate::{CallOptions, Client, ClientOptions, Delegate};

/// Invariant 5: this crate names no transport and runs no clock.
///
/// What is no dependency cannot be named, and without tokio's `time` there is nothing to wait with;
/// `clippy.toml` bans the rest.
#[test]
fn no_transport_and_no_clock_is_a_dependency() {
    let manifest = include_str!("../Cargo.toml");
    let normal = manifest.split("\n[").find(|table| table.starts_with("dependencies]")).unwrap();
    assert!(!normal.contains("mcp-transport") && !normal.contains("hyper"), "{normal}");
    let tokio = normal.lines().find(|line| line.starts_with("tokio ")).unwrap();
    assert_eq!(tokio, r#"tokio = { workspace = true, features = ["rt", "sync"] }"#);
}

async fn connected(options: ClientOptions) -> (Client, MemoryPeer) {
    let (connect, mut peers) = MemoryConnect::new();
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        peer.answer(
            &request,
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "s", "version": "1"},
            }),
        );
        peer.next().await;
        peer
    };
    let (client, peer) = tokio::join!(Client::connect(&connect, options), serve);
    (client.unwrap(), peer)
}

fn watched() -> CallOptions {
    CallOptions {
        progress: Some(Arc::new(|_| {})),
        progress_extends_timeout: Some(true),
        ..CallOptions::default()
    }
}

// Case 80.
#[tokio::test(start_paused = true)]
async fn ten_thousand_dropped_calls_leave_nothing_behind() {
    let (client, mut peer) = connected(ClientOptions::new("t", "0")).await;
    let mut context = Context::from_waker(Waker::noop());
    for round in 0..10_000 {
        // Else the runtime makes even a free channel wait, to let other tasks run.
        tokio::task::yield_now().await;
        let arguments = json!({"n": round});
        let mut call = Box::pin(client.call_tool_with("t", &arguments, watched()));
        assert!(call.as_mut().poll(&mut context).is_pending());
        assert_eq!(client.inner.router.progress.len(), 1);
        drop(call);
        let (request, notice) = (peer.next().await, peer.next().await);
        assert_eq!(notice["params"]["requestId"], request["id"]);
    }
    assert_eq!(client.status().pending, 0);
    assert_eq!(client.inner.router.progress.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_ends_in_any_way_leaves_no_progress_behind() {
    let (client, mut peer) = connected(ClientOptions::new("t", "0")).await;
    let entries = || client.inner.router.progress.len();
    client.call_tool_with("t", &"no object", watched()).await.unwrap_err();
    assert_eq!(entries(), 0, "not sent");

    let timed_out = client.request("x", None, watched()).await.unwrap_err();
    assert!(timed_out.call_error().unwrap().is_timeout());
    assert_eq!(entries(), 0, "timed out");
    for method in ["x", "notifications/cancelled"] {
        assert_eq!(peer.next().await["method"], method);
    }

    let answered = tokio::join!(client.request("x", None, watched()), async {
        let request = peer.next().await;
        peer.answer(&request, &json!({}));
    });
    answered.0.unwrap();
    assert_eq!(entries(), 0, "answered");

    let ended = tokio::join!(client.request("x", None, watched()), async {
        peer.next().await;
        peer.end();
    });
    ended.0.unwrap_err();
    assert_eq!(entries(), 0, "closed");
}

struct Quiet;

impl Delegate for Quiet {}

#[test]
fn options_show_no_secrets() {
    let mut options = ClientOptions::new("t", "0");
    options.delegate = Some(Arc::new(Quiet));
    options.capabilities.experimental = Some(serde_json::from_str(r#"{"x":"SECRET-1"}"#).unwrap());
    let shown = format!("{options:?} {:?}", watched());
    assert!(shown.contains("has_delegate: true") && shown.contains("has_progress: true"), "{shown}");
    assert!(!shown.contains("SECRET-1"), "{shown}");
}

#[test]
fn handles_and_futures_can_go_to_other_tasks() {
    fn is_send<T: Send>(_: &T) {}
    fn is_shared<T: Clone + Send + Sync + 'static>() {}
    is_shared::<Client>();
    let _ = |client: Client, connect: MemoryConnect, options: ClientOptions| {
        is_send(&Client::connect(&connect, options));
        is_send(&client.call::<mcp_types::ListTools>(&mcp_types::ListToolsParams::default(), watched()));
        is_send(&client.call_tool("t", &json!({})));
        is_send(&client.list_raw("x/list", "x", watched()));
        let mut events = client.events();
        is_send(&events.next());
    };
}
