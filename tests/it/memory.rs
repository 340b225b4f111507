//! What is kept stays flat, whatever servers and callers do. Counts are checked, never time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mcp_jsonrpc::{CallError, GaveUp, Handler, Notice, Notification, RequestId, RequestOptions, Transport};
use mcp_tests::{Scripted, processes, raw, request, within};
use mcp_transport_stdio::StdioTransport;
use serde_json::{Value, json};
use tokio::task::JoinSet;

fn notice(id: &RequestId, why: &GaveUp) -> Notice {
    let params = raw(&json!({ "requestId": id, "reason": why.to_string() }));
    Notice { method: "notifications/cancelled", params }
}

fn with_notice(timeout: Duration) -> RequestOptions {
    let mut options = RequestOptions::default();
    options.timeout = Some(timeout);
    options.cancel_notice = Some(notice);
    options
}

/// `number` callers make `each` calls, one after the other.
async fn callers<F: Future<Output = ()> + Send + 'static>(
    transport: &Arc<StdioTransport>,
    number: usize,
    each: usize,
    call: fn(Arc<StdioTransport>) -> F,
) {
    let calls: JoinSet<_> = (0..number)
        .map(|_| {
            let transport = transport.clone();
            async move {
                for _ in 0..each {
                    call(transport.clone()).await;
                }
            }
        })
        .collect();
    calls.join_all().await;
}

/// Section 7 of the main job.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_table_of_calls_is_empty_after_100_000_calls() {
    // Invariant 7: every call begun is settled exactly once.
    let (transport, seen) = Scripted::new("serve").without_deadlines().connect().await;
    callers(&transport, 50, 2_000, |transport| async move {
        transport.request("ping", None, RequestOptions::default()).await.unwrap();
    })
    .await;
    let status = transport.status();
    assert_eq!((status.pending, status.counts.begun, status.counts.settled), (0, 100_000, 100_000));
    assert!(seen.events().is_empty());
    let counts: Value = request(&transport, "counts").await.unwrap().parse().unwrap();
    assert_eq!((&counts["requests"], &counts["distinct"]), (&100_001.into(), &100_001.into()));
    transport.close().await;
}

/// Case 80, section 7.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_table_of_calls_is_empty_after_10_000_dropped_futures() {
    let (transport, _) = Scripted::new("serve").connect().await;
    callers(&transport, 50, 200, |transport| async move {
        let before = transport.status().counts.begun;
        let call = transport.request("never", None, with_notice(Duration::ZERO));
        tokio::select! {
            biased;
            _ = call => panic!("it is never answered"),
            // A few turns, so that some are written and some are not.
            () = async { for _ in 0..before % 4 { tokio::task::yield_now().await } } => {}
        }
    })
    .await;
    let status = transport.status();
    assert_eq!((status.pending, status.counts.begun, status.counts.abandoned), (0, 10_000, 10_000));
    let counts: Value = request(&transport, "counts").await.unwrap().parse().unwrap();
    assert_eq!(counts["bad"], 0);
    assert_eq!(counts["methods"]["never"], counts["cancelled"], "each that was sent was cancelled");
    transport.close().await;
}

/// Section 7.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_table_of_calls_is_empty_after_10_000_timeouts() {
    let (transport, _) = Scripted::new("serve").connect().await;
    callers(&transport, 500, 20, |transport| async move {
        let error =
            transport.request("never", None, with_notice(Duration::from_millis(5))).await.unwrap_err();
        assert!(error.is_timeout());
    })
    .await;
    let status = transport.status();
    assert_eq!((status.pending, status.counts.begun, status.counts.abandoned), (0, 10_000, 10_000));
    let counts: Value = request(&transport, "counts").await.unwrap().parse().unwrap();
    assert_eq!(counts["methods"]["never"], counts["cancelled"]);
    transport.close().await;
}

/// D-16: callers of a server that does not read wait, up to their deadlines, and nothing grows.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_does_not_read_slows_its_callers_only() {
    // Invariant 10: nothing is held without a bound.
    let peer = Scripted::new("hang").with(|config| config.max_queue = 64 * 1024);
    let (transport, seen) = peer.connect().await;
    let text = "x".repeat(16 * 1024);
    let calls: JoinSet<_> = (0..200)
        .map(|n| {
            let (transport, params) = (transport.clone(), raw(&json!({ "text": text })));
            async move {
                let limit = with_notice(Duration::from_millis(200 + n % 7));
                within(transport.request("m", params, limit)).await.unwrap_err()
            }
        })
        .collect();
    let errors = calls.join_all().await;
    assert!(errors.iter().all(CallError::is_timeout));
    // What the pipe and the queue hold, and no more, ever left its caller.
    let sent = errors.iter().filter(|error| !error.is_safe_to_retry()).count();
    assert!(sent <= 9, "{sent} of 16 KiB each went into a queue and a pipe of 64 KiB each");
    assert_eq!(transport.status().pending, 0);
    assert!(transport.is_connected() && seen.events().is_empty(), "{:?}", seen.events());
    drop(transport);
}

/// D-16: a server that asks and asks, but does not read the answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_that_a_server_does_not_read_are_bounded_and_reported() {
    // Invariant 10: nothing that comes from a peer is held without a bound.
    let script = "repeat 20000 send REQ($count,x/y)\nsend NOTE(end)\nhang";
    let peer = Scripted::new(script).with(|config| config.max_queue = 64 * 1024);
    let (transport, seen) = peer.connect().await;
    seen.wait("notification end").await;
    assert_eq!(seen.count("request "), 20_000, "the reader is never held up");
    let dropped = seen.events().into_iter().filter(|event| event.contains("were dropped")).count();
    assert!((10..=16).contains(&dropped), "reported at the first and then ever more rarely: {dropped}");
    assert!(transport.is_connected());
    drop(transport);
}

/// D-06, D-16: a flood of notifications, bad lines and answers to nothing passes through.
#[tokio::test]
async fn a_flood_of_anything_leaves_nothing_behind() {
    #[derive(Default)]
    struct Counts(AtomicU64, AtomicU64);
    impl Handler for Counts {
        fn on_notification(&self, _: &Notification<'_>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        fn on_diagnostic(&self, _: &mcp_jsonrpc::Diagnostic) {
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }
    let script =
        "recv\nrepeat 20000 raw NOTE(n,[$count])<0a>noise<0a>RES(0)<0a>[RES(99)]<0a>\nsend RES(1)\neof";
    let handler = Arc::new(Counts::default());
    let transport = Scripted::new(script).without_deadlines().connect_to(handler.clone()).await;
    request(&transport, "m").await.unwrap();
    let status = transport.status();
    assert_eq!((handler.0.load(Ordering::Relaxed), handler.1.load(Ordering::Relaxed)), (20_000, 60_000));
    assert_eq!((status.pending, status.counts.malformed, status.counts.unmatched), (0, 20_000, 40_000));
    transport.close().await;
}

/// Case 14: what an endless line costs is the limit, not the line.
#[test]
fn an_endless_line_costs_no_more_memory_than_the_limit() {
    // In a process of its own, since the peak of a process is that of all its tests.
    if mcp_tests::alone("memory::an_endless_line_costs_no_more_memory_than_the_limit") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let script = "recv\nsend RES(1)\nrecv\nrepeat 400 raw <61*1000000>\nraw <0a>\nsend RES(2)\neof";
        let peer = Scripted::new(script).without_deadlines().with(|config| config.max_line = 8 << 20);
        let (transport, seen) = peer.connect().await;
        request(&transport, "m").await.unwrap();
        let before = processes::peak_memory(std::process::id()).unwrap();
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":2}"#);
        let grown = processes::peak_memory(std::process::id()).unwrap() - before;
        assert_eq!(seen.count("error a message is longer"), 1);
        assert!(grown < 24 << 20, "400 MB came, and took {grown} bytes of memory");
        transport.close().await;
    });
}
