//! What a server spoke is kept, and tried first the next time.

use std::sync::Arc;

use mcp_jsonrpc::testing::{MemoryConnect, MemoryPeer};
use mcp_manager::{Manager, ServerSpec};
use mcp_types::Revision;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::fake::options;

/// What the next client asks first, with its other end.
async fn asked(peers: &mut mpsc::Receiver<MemoryPeer>) -> (MemoryPeer, Value) {
    let mut peer = peers.recv().await.unwrap();
    let request = peer.next().await;
    (peer, request)
}

/// Goes on as a server of 2026-07-28 without tools.
async fn be_modern(peer: &mut MemoryPeer, mut request: Value) {
    if request["method"] == "initialize" {
        peer.refuse(&request, &json!({"code": -32601, "message": "Method not found"}));
        request = peer.next().await;
    }
    assert_eq!(request["method"], "server/discover");
    let modern = json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {}});
    peer.answer(&request, &modern);
}

/// Goes on as a server that has gone back to 2025-11-25.
async fn be_old(peer: &mut MemoryPeer, mut request: Value) {
    if request["method"] == "server/discover" {
        peer.refuse(&request, &json!({"code": -32601, "message": "Method not found"}));
        request = peer.next().await;
    }
    assert_eq!(request["method"], "initialize");
    let server = json!({"name": "s", "version": "1"});
    let old = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": server});
    peer.answer(&request, &old);
}

// C-098, D-19.
#[tokio::test(start_paused = true)]
async fn what_a_server_spoke_is_tried_first_the_next_time_and_may_have_changed() {
    let (connect, mut peers) = MemoryConnect::new();
    let connect = Arc::new(connect);
    let spec = || ServerSpec::new("s", connect.clone());
    let serve = async {
        let (mut peer, request) = asked(&mut peers).await;
        let first = request["method"].clone();
        be_modern(&mut peer, request).await;
        (peer, first)
    };
    let ((manager, _), (peer, first)) = tokio::join!(Manager::start([spec()], options()), serve);
    assert_eq!(first, "initialize");
    assert_eq!(manager.ready("s").await.unwrap().agreed().version, Revision::V2026_07_28);

    // Each time the server ends, and somebody connects it again.
    peer.end();
    let mut last = Vec::new();
    for is_modern in [true, false, false] {
        manager.disconnect("s").await.unwrap();
        let serve = async {
            let (mut peer, request) = asked(&mut peers).await;
            let first = request["method"].clone();
            if is_modern {
                be_modern(&mut peer, request).await;
            } else {
                be_old(&mut peer, request).await;
            }
            (peer, first)
        };
        let (client, (peer, first)) = tokio::join!(manager.connect_to_server(spec()), serve);
        assert_eq!(client.unwrap().agreed().version.is_modern(), is_modern);
        last.push((first, peer));
    }
    let firsts: Vec<_> = last.iter().map(|(first, _)| first.as_str().unwrap()).collect();
    assert_eq!(firsts, ["server/discover", "server/discover", "initialize"]);
    manager.shutdown().await;
}
