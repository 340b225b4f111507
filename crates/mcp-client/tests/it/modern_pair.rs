//! A client and a server that have no handshake.

use mcp_client::{Client, ClientOptions, Protocol};
use mcp_jsonrpc::testing::{MemoryConnect, MemoryPeer};
use serde_json::{Value, json};

/// What a server of 2026-07-28 says it is.
pub(crate) fn discovered(capabilities: &Value) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2025-11-25", "2026-07-28"],
        "capabilities": capabilities,
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "peer", "version": "0.1"}},
    })
}

/// A client that asked `server/discover` first, and the server's end.
pub(crate) async fn connected(options: ClientOptions) -> (Client, MemoryPeer) {
    connected_to(options, json!({"tools": {}, "resources": {}, "prompts": {}})).await
}

/// The same, with a server that can do so much.
pub(crate) async fn connected_to(mut options: ClientOptions, capabilities: Value) -> (Client, MemoryPeer) {
    options.protocol = Protocol::Discover;
    let (connect, mut peers) = MemoryConnect::new();
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        assert_eq!(request["method"], "server/discover");
        peer.answer(&request, &discovered(&capabilities));
        peer
    };
    let (client, peer) = tokio::join!(Client::connect(&connect, options), serve);
    (client.unwrap(), peer)
}

/// A complete tool result that says `text`.
pub(crate) fn said(text: &str) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": text}]})
}
