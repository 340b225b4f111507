//! The transport in memory does what a real one does: its tests are those of `Exchange`.

use std::sync::Mutex;

use serde_json::json;
use serde_json::value::to_raw_value;

use super::*;
use crate::error::TimeoutPhase;
use crate::handler::{Ignore, Notification, Reply, Request};
use crate::options::{Cancel, GaveUp, KeepAlive, Notice};

fn pair(timeout: u64) -> (Arc<MemoryTransport>, MemoryPeer) {
    MemoryTransport::pair(Arc::new(Ignore), Duration::from_millis(timeout), IdFormat::Text)
}

/// Options with the cancel notice that a client would give.
fn telling() -> RequestOptions {
    RequestOptions {
        cancel_notice: Some(|id, why| Notice {
            method: "cancelled",
            params: to_raw_value(&json!({"id": id, "why": why.to_string()})).ok(),
        }),
        ..RequestOptions::default()
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_is_answered_or_refused() {
    let (transport, mut peer) = pair(1000);
    let server = async {
        let request = peer.next().await;
        assert_eq!((&request["method"], &request["params"]), (&json!("m"), &json!([1])));
        peer.answer(&request, &json!({"ok": true}));
        let request = peer.next().await;
        peer.refuse(&request, &json!({"code": -32601, "message": "no"}));
    };
    let client = async {
        let params = to_raw_value(&[1]).unwrap();
        let result = transport.request("m", Some(params), RequestOptions::default()).await.unwrap();
        assert_eq!(result.as_str(), r#"{"ok":true}"#);
        let error = transport.request("n", None, RequestOptions::default()).await.unwrap_err();
        assert_eq!(error.to_string(), "MCP error -32601: no");
    };
    tokio::join!(client, server);
    assert_eq!(transport.status().pending, 0);
}

#[tokio::test(start_paused = true)]
async fn answers_find_their_calls_in_any_order() {
    let (transport, mut peer) = pair(1000);
    let server = async {
        let (first, second) = (peer.next().await, peer.next().await);
        peer.answer(&second, &second["method"]);
        peer.answer(&first, &first["method"]);
    };
    let call = |method| transport.request(method, None, RequestOptions::default());
    let (a, b, ()) = tokio::join!(call("a"), call("b"), server);
    assert_eq!((a.unwrap().as_str(), b.unwrap().as_str()), (r#""a""#, r#""b""#));
}

/// Case 56.
#[tokio::test(start_paused = true)]
async fn a_timeout_tells_the_peer_and_a_late_answer_is_ignored() {
    let (transport, mut peer) = pair(50);
    let error = transport.request("m", None, telling()).await.unwrap_err();
    assert_eq!(error.to_string(), "Request timeout after 50ms");
    assert!(!error.is_safe_to_retry());
    let (request, notice) = (peer.next().await, peer.next().await);
    assert_eq!(notice["params"], json!({"id": request["id"], "why": "timed out after 50ms"}));
    assert!(notice.get("id").is_none());
    peer.answer(&request, &json!(1));
    assert_eq!((transport.status().counts.late, transport.status().pending), (1, 0));
    assert!(transport.is_connected());
}

#[tokio::test(start_paused = true)]
async fn a_timeout_of_the_call_comes_before_that_of_the_transport() {
    let (transport, _peer) = pair(50);
    let options = RequestOptions { timeout: Some(Duration::from_millis(7)), ..RequestOptions::default() };
    let error = transport.request("m", None, options).await.unwrap_err();
    assert!(matches!(
        error,
        CallError::Timeout { phase: TimeoutPhase::Request, total: false, sent: true, .. }
    ));
    assert_eq!(error.to_string(), "Request timeout after 7ms");
}

#[tokio::test(start_paused = true)]
async fn signs_of_life_prolong_a_call_up_to_its_total_limit() {
    let (transport, _peer) = pair(50);
    let keep_alive = KeepAlive::new();
    let options = RequestOptions {
        keep_alive: Some(keep_alive.clone()),
        max_total_timeout: Some(Duration::from_millis(300)),
        ..RequestOptions::default()
    };
    let touch = async {
        loop {
            TokioClock.sleep_until(TokioClock.now() + Duration::from_millis(20)).await;
            keep_alive.touch();
        }
    };
    tokio::select! {
        done = transport.request("m", None, options) => {
            assert!(matches!(done, Err(CallError::Timeout { total: true, .. })), "{done:?}");
        }
        () = touch => unreachable!("it goes on for ever"),
    }
}

/// Case 80.
#[tokio::test(start_paused = true)]
async fn dropping_ten_thousand_requests_leaves_nothing_and_tells_the_peer() {
    let (transport, mut peer) = pair(0);
    for _ in 0..10_000 {
        let soon =
            tokio::time::timeout_at(tokio::time::Instant::now(), transport.request("m", None, telling()));
        assert!(soon.await.is_err());
        let request = peer.next().await;
        assert_eq!(peer.next().await["params"], json!({"id": request["id"], "why": "no longer needed"}));
    }
    let status = transport.status();
    assert_eq!((status.pending, status.counts.abandoned), (0, 10_000));
    assert!(peer.try_next().is_none());
}

/// Case 80: what was never polled was never written.
#[tokio::test(start_paused = true)]
async fn a_request_dropped_before_it_was_written_sends_nothing() {
    let (transport, mut peer) = pair(0);
    drop(transport.request("m", None, telling()));
    assert!(peer.try_next().is_none());
    assert_eq!(transport.status().pending, 0);
}

/// Case 81.
#[tokio::test(start_paused = true)]
async fn a_cancel_before_sending_writes_nothing_and_after_sending_settles_at_once() {
    let (transport, mut peer) = pair(0);
    let cancel = Cancel::new();
    let with = |cancel: &Cancel| RequestOptions { cancel: Some(cancel.clone()), ..telling() };
    let server = async {
        let request = peer.next().await;
        cancel.cancel_with("enough");
        cancel.cancel();
        (request, peer.next().await)
    };
    let (error, (request, notice)) = tokio::join!(transport.request("m", None, with(&cancel)), server);
    assert_eq!(error.unwrap_err().to_string(), "enough");
    assert_eq!(notice["params"], json!({"id": request["id"], "why": "enough"}));

    let error = transport.request("m", None, with(&cancel)).await.unwrap_err();
    assert!(error.is_cancelled() && error.is_safe_to_retry());
    assert!(peer.try_next().is_none());
    assert_eq!(transport.status().pending, 0);
}

/// Case 81: a result already delivered wins, and the peer hears of no cancel.
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_there_wins_over_the_cancel() {
    let (transport, mut peer) = pair(0);
    let cancel = Cancel::new();
    let options = RequestOptions { cancel: Some(cancel.clone()), ..telling() };
    let server = async {
        let request = peer.next().await;
        peer.answer(&request, &json!("done"));
        cancel.cancel();
    };
    let (result, ()) = tokio::join!(transport.request("m", None, options), server);
    assert_eq!(result.unwrap().as_str(), r#""done""#);
    assert!(peer.try_next().is_none());
}

#[tokio::test(start_paused = true)]
async fn without_a_notice_the_peer_hears_nothing() {
    let (transport, mut peer) = pair(50);
    assert!(transport.request("m", None, RequestOptions::default()).await.unwrap_err().is_timeout());
    peer.next().await;
    assert!(peer.try_next().is_none());
}

// Invariant 7: all calls are settled before `on_close`, which comes once.
#[tokio::test(start_paused = true)]
async fn the_end_of_the_stream_settles_all_calls_and_is_told_once() {
    #[derive(Default)]
    struct Closed(Mutex<Vec<String>>);
    impl Handler for Closed {
        fn on_close(&self, reason: &CloseReason) {
            self.0.lock().unwrap().push(reason.to_string());
        }
    }
    let closed = Arc::new(Closed::default());
    let (transport, mut peer) = MemoryTransport::pair(closed.clone(), Duration::ZERO, IdFormat::Number);
    let server = async {
        peer.next().await;
        peer.next().await;
        peer.end();
        peer.end();
    };
    let call = || transport.request("m", None, telling());
    let (a, b, ()) = tokio::join!(call(), call(), server);
    for error in [a.unwrap_err(), b.unwrap_err()] {
        assert_eq!(error.to_string(), "Transport closed");
        assert!(matches!(error, CallError::Closed { sent: true, .. }));
    }
    transport.close().await;
    assert_eq!(*closed.0.lock().unwrap(), ["the server ended its output"]);
    assert!(!transport.is_connected());
    let error = transport.request("m", None, telling()).await.unwrap_err();
    assert!(error.is_closed() && error.is_safe_to_retry());
    assert!(transport.notify("n", None, NotifyOptions::default()).await.unwrap_err().is_closed());
    assert!(peer.try_next().is_none());
}

#[tokio::test(start_paused = true)]
async fn the_peer_hears_notifications_and_replies_and_the_handler_what_the_peer_sends() {
    #[derive(Default)]
    struct Notes(Mutex<Vec<String>>);
    impl Handler for Notes {
        fn on_notification(&self, notification: &Notification<'_>) {
            self.0.lock().unwrap().push(notification.method.to_owned());
        }
        fn on_request(&self, _: &Request<'_>, reply: Reply) {
            reply.result(&json!({}));
        }
    }
    let notes = Arc::new(Notes::default());
    let (transport, mut peer) = MemoryTransport::pair(notes.clone(), Duration::ZERO, IdFormat::Text);
    transport.notify("n", None, NotifyOptions::default()).await.unwrap();
    assert_eq!(peer.next().await, json!({"jsonrpc": "2.0", "method": "n"}));
    peer.notify("note", &json!({}));
    peer.send(r#"{"jsonrpc":"2.0","id":"k","method":"ping"}"#);
    assert_eq!(*notes.0.lock().unwrap(), ["note"]);
    assert_eq!(peer.try_next(), Some(json!({"jsonrpc": "2.0", "id": "k", "result": {}})));
}

#[tokio::test(start_paused = true)]
async fn a_connector_hands_out_the_other_end_of_each_connection() {
    let (connect, mut peers) = MemoryConnect::new();
    let a = connect.connect(Arc::new(Ignore)).await.unwrap();
    let b = connect.connect(Arc::new(Ignore)).await.unwrap();
    let (peer_a, _peer_b) = (peers.recv().await.unwrap(), peers.recv().await.unwrap());
    peer_a.end();
    assert_eq!((a.is_connected(), b.is_connected()), (false, true));
    drop(peers);
    assert!(connect.connect(Arc::new(Ignore)).await.is_err());
}

#[test]
fn why_a_call_was_given_up_reads_well() {
    assert_eq!(GaveUp::Cancelled(None).to_string(), "cancelled by the caller");
    assert_eq!(GaveUp::Timeout(Duration::from_secs(1)).to_string(), "timed out after 1000ms");
}
