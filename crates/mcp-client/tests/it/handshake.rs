//! The order of the handshake, what may come before it is done, and what it agrees on.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{Client, ConnectError, Delegate};
use mcp_jsonrpc::testing::{MemoryConnect, MemoryPeer};
use mcp_jsonrpc::{CallError, Notification};
use mcp_types::Revision;
use serde_json::{Value, json};

use crate::pair::{begin_and_drop, connected, connected_as, init, options, settle, unread};
use crate::probe::ProbeConnect;

// S-04, case 70: a strict server ends the connection at anything else.
#[tokio::test(start_paused = true)]
async fn initialize_comes_first_then_initialized_once_then_the_rest() {
    let (connect, mut peers) = MemoryConnect::new();
    let strict = async {
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "it", "version": "1.2.3"},
        });
        assert_eq!((&request["method"], &request["params"]), (&json!("initialize"), &params));
        settle().await;
        assert_eq!(unread(&mut peer), Vec::<Value>::new(), "nothing before the answer");

        peer.answer(&request, &init("2025-11-25"));
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(peer.next().await, initialized);
        let ping = peer.next().await;
        assert_eq!(ping["method"], "ping");
        peer.answer(&ping, &json!({}));
        settle().await;
        assert_eq!(unread(&mut peer), Vec::<Value>::new());
    };
    let use_it = async {
        let client = Client::connect(&connect, options()).await.unwrap();
        client.ping().await.unwrap();
        client
    };
    let (client, ()) = tokio::join!(use_it, strict);
    assert!(client.is_connected());
}

#[tokio::test(start_paused = true)]
async fn the_transport_hears_each_phase_at_its_time() {
    let (connect, mut peers, log) = ProbeConnect::new();
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        peer.answer(&request, &init("2025-06-18"));
        peer
    };
    let (client, _peer) = tokio::join!(Client::connect(&connect, options()), serve);
    assert_eq!(client.unwrap().server(), "probe");
    assert_eq!(
        log.lines(),
        [
            "request initialize",
            "Negotiated { version: \"2025-06-18\" }",
            "notify notifications/initialized",
            "Ready",
            "drop",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn what_was_agreed_on_is_kept() {
    let mut options = options();
    options.server = Some("files".to_owned());
    let (client, _peer) = connected(options).await;
    let agreed = client.agreed();
    assert_eq!(agreed.version, Revision::V2025_11_25);
    assert_eq!(agreed.server_info.as_ref().unwrap().name, "peer");
    assert_eq!(agreed.instructions.as_deref(), Some("be kind"));
    assert_eq!(agreed.capabilities.tools.as_ref().unwrap().list_changed, Some(true));
    assert_eq!(client.server(), "files");
    assert_eq!(
        format!("{client:?}"),
        r#"Client { server: "files", version: V2025_11_25, is_connected: true, .. }"#
    );
}

// Case 71.
#[tokio::test(start_paused = true)]
async fn every_older_revision_that_we_know_is_accepted() {
    for revision in Revision::ALL.into_iter().filter(|revision| !revision.is_modern()) {
        let (client, _peer) = connected_as(options(), init(revision.as_str())).await;
        assert_eq!(client.agreed().version, revision);
    }
}

/// Hears notifications.
#[derive(Default)]
struct Ears(Mutex<Vec<String>>);

impl Delegate for Ears {
    fn on_notification(&self, notification: &Notification<'_>) {
        self.0.lock().unwrap().push(notification.method.to_owned());
    }
}

// Cases 69 and 62.
#[tokio::test(start_paused = true)]
async fn notifications_and_pings_before_the_answer_are_handled() {
    let ears = Arc::new(Ears::default());
    let mut options = options();
    options.delegate = Some(ears.clone());
    let (connect, mut peers) = MemoryConnect::new();
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        peer.notify("notifications/message", &json!({"level": "info", "data": "starting"}));
        peer.send(r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#);
        peer.notify("notifications/tools/list_changed", &json!({}));
        assert_eq!(peer.next().await, json!({"jsonrpc": "2.0", "id": 9, "result": {}}));

        peer.answer(&request, &init("2025-11-25"));
        peer.send(r#"{"jsonrpc":"2.0","id":"k1","method":"ping"}"#);
        assert_eq!(peer.next().await, json!({"jsonrpc": "2.0", "id": "k1", "result": {}}));
        assert_eq!(peer.next().await["method"], "notifications/initialized");
    };
    let (client, ()) = tokio::join!(Client::connect(&connect, options), serve);
    client.unwrap();
    assert_eq!(*ears.0.lock().unwrap(), ["notifications/message", "notifications/tools/list_changed"]);
}

/// Connects to a server that never answers.
async fn silent(received: u64) -> (ConnectError, Vec<Value>, Vec<String>) {
    let (mut connect, mut peers, log) = ProbeConnect::new();
    connect.received = received;
    let mut options = options();
    options.server = Some("slow".to_owned());
    options.initialize_timeout = Some(Duration::from_millis(100));
    let (client, mut peer) =
        tokio::join!(Client::connect(&connect, options), async { peers.recv().await.unwrap() });
    (client.unwrap_err(), unread(&mut peer), log.lines())
}

// Cases 78 and 46.
#[tokio::test(start_paused = true)]
async fn initialize_is_never_cancelled_and_its_timeout_closes() {
    let (error, sent, log) = silent(0).await;
    assert_eq!(error.to_string(), "Connection to MCP server \"slow\" timed out after 100ms");
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(log, ["request initialize", "close", "drop"]);
}

// Case 46: a server that still downloads itself, and one that hangs.
#[tokio::test(start_paused = true)]
async fn a_timeout_says_whether_anything_was_heard() {
    let (error, ..) = silent(0).await;
    assert_eq!(error.hint(), Some("still starting, no output yet"));
    let (error, ..) = silent(17).await;
    assert_eq!(error.hint(), Some("it sent something, but not the answer"));
    let ConnectError::TimedOut { stderr_tail, .. } = error else { panic!("{error:?}") };
    assert_eq!(stderr_tail, "last words");
}

// Case 46.
#[tokio::test(start_paused = true)]
async fn connecting_again_works_after_a_failure_and_shakes_hands_again() {
    let (connect, mut peers) = MemoryConnect::new();
    let mut options = options();
    options.initialize_timeout = Some(Duration::from_secs(1));
    Client::connect(&connect, options.clone()).await.unwrap_err();
    peers.recv().await.unwrap();

    options.initialize_timeout = Some(Duration::from_secs(10));
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        tokio::time::advance(Duration::from_secs(3)).await;
        peer.answer(&request, &init("2025-11-25"));
        assert_eq!(peer.next().await["method"], "notifications/initialized");
        peer
    };
    let (client, mut peer): (_, MemoryPeer) = tokio::join!(Client::connect(&connect, options), serve);
    client.unwrap();
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

// Case 81: also connecting can be given up.
#[tokio::test(start_paused = true)]
async fn a_dropped_connect_drops_the_transport_and_sends_no_cancel() {
    let (connect, mut peers, log) = ProbeConnect::new();
    begin_and_drop(Client::connect(&connect, options()));
    let mut peer = peers.recv().await.unwrap();
    assert_eq!(log.lines(), ["request initialize", "drop"]);
    let sent = unread(&mut peer);
    assert!(sent.iter().all(|message| message["method"] == "initialize"), "{sent:?}");
}

// Case 31.
#[tokio::test(start_paused = true)]
async fn a_server_that_ends_after_its_answer_fails_the_connect() {
    let (connect, mut peers, log) = ProbeConnect::new();
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        peer.answer(&request, &init("2025-11-25"));
        peer.end();
    };
    let (client, ()) = tokio::join!(Client::connect(&connect, options()), serve);
    let error = client.unwrap_err();
    assert_eq!(error.to_string(), "Transport closed");
    assert!(matches!(error, ConnectError::Call { source: CallError::Closed { .. }, .. }), "{error:?}");
    assert!(!log.lines().contains(&"Ready".to_owned()), "{:?}", log.lines());
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_does_not_open_is_the_cause() {
    let (connect, peers) = MemoryConnect::new();
    drop(peers);
    let error = Client::connect(&connect, options()).await.unwrap_err();
    assert_eq!(error.to_string(), "cannot connect to server `memory`");
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "nobody takes the peer");
}
