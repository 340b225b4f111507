//! A client and the server it talks to.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use mcp_client::{Client, ClientOptions};
use mcp_jsonrpc::testing::{MemoryConnect, MemoryPeer};
use serde_json::{Value, json};

pub(crate) fn options() -> ClientOptions {
    ClientOptions::new("it", "1.2.3")
}

/// The result of `initialize` of a server that has tools.
pub(crate) fn init(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {"listChanged": true}},
        "serverInfo": {"name": "peer", "version": "0.1"},
        "instructions": "be kind",
    })
}

/// A client after the handshake, and the server's end.
pub(crate) async fn connected(options: ClientOptions) -> (Client, MemoryPeer) {
    connected_as(options, init("2025-11-25")).await
}

/// The same, with a server that answers `initialize` so.
pub(crate) async fn connected_as(options: ClientOptions, answer: Value) -> (Client, MemoryPeer) {
    let (connect, mut peers) = MemoryConnect::new();
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        peer.answer(&request, &answer);
        assert_eq!(peer.next().await["method"], "notifications/initialized");
        peer
    };
    let (client, peer) = tokio::join!(Client::connect(&connect, options), serve);
    (client.unwrap(), peer)
}

/// Lets `future` begin, up to its first pending point, and drops it there.
pub(crate) fn begin_and_drop<T>(future: impl Future<Output = T>) {
    let mut context = Context::from_waker(Waker::noop());
    assert!(pin!(future).poll(&mut context).is_pending(), "it should have had to wait");
}

/// What `future` comes to, if it does not have to wait.
pub(crate) async fn try_once<T>(future: impl Future<Output = T>) -> Option<T> {
    // Else the runtime makes even a free channel wait, to let other tasks run.
    tokio::task::yield_now().await;
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => None,
    }
}

/// Lets all other tasks run until they wait.
pub(crate) async fn settle() {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

/// Every message that the client has sent and the server has not read.
pub(crate) fn unread(peer: &mut MemoryPeer) -> Vec<Value> {
    std::iter::from_fn(|| peer.try_next()).collect()
}

/// Begins `call` and waits until its request has arrived.
///
/// The call goes on in a task, as a caller of its own would.
pub(crate) async fn begun<T: Send + 'static>(
    peer: &mut MemoryPeer,
    call: impl Future<Output = T> + Send + 'static,
) -> (tokio::task::JoinHandle<T>, Value) {
    let call = tokio::spawn(call);
    let request = peer.next().await;
    (call, request)
}
