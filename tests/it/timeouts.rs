//! Deadlines and giving up, on the transport, over real pipes.

use std::time::Duration;

use mcp_jsonrpc::{Cancel, GaveUp, KeepAlive, Notice, NotifyOptions, RequestId, RequestOptions, Transport};
use mcp_tests::{Scripted, raw, request, within};
use mcp_transport_stdio::StdioTransport;
use serde_json::{Value, json};

/// As `mcp-client` has it: what tells the server that a call was given up.
fn notice(id: &RequestId, why: &GaveUp) -> Notice {
    let params = raw(&json!({ "requestId": id, "reason": why.to_string() }));
    Notice { method: "notifications/cancelled", params }
}

fn options(timeout: u64) -> RequestOptions {
    let mut options = RequestOptions::default();
    options.timeout = Some(Duration::from_millis(timeout));
    options.cancel_notice = Some(notice);
    options
}

async fn counts(transport: &StdioTransport) -> Value {
    request(transport, "counts").await.unwrap().parse().unwrap()
}

/// Waits until so many calls are in flight.
async fn until_pending(transport: &StdioTransport, number: usize) {
    within(async {
        while transport.status().pending != number {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// Case 72, D-04: the call's own limit, then that of the configuration.
#[tokio::test]
async fn a_timeout_of_the_call_wins_over_that_of_the_configuration() {
    let peer = Scripted::new("serve").with(|config| config.timeout = Duration::from_millis(70));
    let (transport, _) = peer.connect().await;
    for (own, text) in [(Some(40), "40"), (None, "70"), (Some(120), "120")] {
        let mut options = RequestOptions::default();
        options.timeout = own.map(Duration::from_millis);
        let error = within(transport.request("never", None, options)).await.unwrap_err();
        assert!(error.is_timeout() && !error.is_safe_to_retry());
        assert_eq!(error.to_string(), format!("Request timeout after {text}ms"));
    }
    assert!(transport.is_connected());
    transport.close().await;
}

/// Case 72: the deadline covers sending, also of a notification; nothing half-sent harms the next.
#[tokio::test]
async fn a_deadline_covers_sending_to_a_server_that_does_not_read() {
    let (transport, _) = Scripted::new("recv\nsend RES(1)\nhang").connect().await;
    request(&transport, "m").await.unwrap();
    // More than any pipe holds: its writing never ends.
    let big = json!({ "text": "x".repeat(8 * 1024 * 1024) });
    let error = within(transport.request("m", raw(&big), options(30))).await.unwrap_err();
    assert_eq!(error.to_string(), "Request timeout after 30ms");
    assert!(!error.is_safe_to_retry(), "some of it was written");
    let mut short = NotifyOptions::default();
    short.timeout = Some(Duration::from_millis(30));
    let error = within(transport.notify("n", raw(&big), short)).await.unwrap_err();
    assert_eq!(error.to_string(), "Notify timeout after 30ms");
    assert!(error.is_safe_to_retry(), "none of it was written");
    let error = within(transport.request("m", None, options(30))).await.unwrap_err();
    assert!(error.is_timeout() && error.is_safe_to_retry());
    assert_eq!((transport.status().pending, transport.is_connected()), (0, true));
    drop(transport);
}

/// Case 75, D-04: zero is none.
#[tokio::test]
async fn a_timeout_of_zero_is_none() {
    let peer = Scripted::new("serve").with(|config| config.timeout = Duration::ZERO);
    let (transport, _) = peer.connect().await;
    for timeout in [None, Some(Duration::ZERO)] {
        let mut options = RequestOptions::default();
        (options.timeout, options.max_total_timeout) = (timeout, Some(Duration::ZERO));
        within(transport.request("late", raw(&json!([1])), options)).await.unwrap();
    }
    transport.close().await;
}

/// Case 73: whoever sees progress keeps the call alive beyond its timeout.
#[tokio::test]
async fn a_touched_call_outlives_its_timeout() {
    let script = "recv\nrepeat 12 sleep 100\nsend RES(1)\neof";
    let (transport, _) = Scripted::new(script).connect().await;
    let alive = KeepAlive::new();
    let mut options = options(1000);
    options.keep_alive = Some(alive.clone());
    let touching = async {
        let mut beat = tokio::time::interval(Duration::from_millis(50));
        loop {
            beat.tick().await;
            alive.touch();
        }
    };
    let answer = tokio::select! {
        answer = within(transport.request("m", None, options)) => answer,
        () = touching => unreachable!(),
    };
    assert_eq!(answer.unwrap().as_str(), r#"{"tag":1}"#);
    transport.close().await;
}

/// Case 74: the total limit holds, whatever keeps the call alive.
#[tokio::test]
async fn the_total_limit_holds_however_often_a_call_is_touched() {
    let (transport, _) = Scripted::new("serve").connect().await;
    let alive = KeepAlive::new();
    let mut options = options(10_000);
    options.max_total_timeout = Some(Duration::from_millis(100));
    options.keep_alive = Some(alive.clone());
    let touching = async {
        loop {
            alive.touch();
            tokio::task::yield_now().await;
        }
    };
    let error = tokio::select! {
        answer = within(transport.request("never", None, options)) => answer.unwrap_err(),
        () = touching => unreachable!(),
    };
    assert_eq!(error.to_string(), "Request timeout after 100ms");
    transport.close().await;
}

/// Case 79, C-055: one execution, one notice, with the id of the same type and a reason.
#[tokio::test]
async fn a_call_that_timed_out_is_cancelled_once_and_never_sent_again() {
    for ids in [mcp_jsonrpc::IdFormat::Text, mcp_jsonrpc::IdFormat::Number] {
        let peer = Scripted::new("serve").with(|config| config.ids = ids);
        let (transport, _) = peer.connect().await;
        assert!(within(transport.request("never", None, options(20))).await.unwrap_err().is_timeout());
        let counts = counts(&transport).await;
        assert_eq!(counts["methods"]["never"], 1);
        assert_eq!((&counts["cancelled"], counts["cancels"].as_array().unwrap().len()), (&1.into(), 1));
        let id = &counts["cancels"][0]["requestId"];
        assert!(if ids == mcp_jsonrpc::IdFormat::Text { id.is_string() } else { id == 1 }, "{id}");
        assert_eq!(counts["cancels"][0]["reason"], "timed out after 20ms");
        transport.close().await;
    }
}

/// Case 80.
#[tokio::test]
async fn a_dropped_call_is_cancelled_and_forgotten() {
    let (transport, _) = Scripted::new("serve").connect().await;
    let calling = {
        let transport = transport.clone();
        tokio::spawn(async move { transport.request("never", None, options(0)).await })
    };
    until_pending(&transport, 1).await;
    calling.abort();
    assert!(calling.await.unwrap_err().is_cancelled());
    assert_eq!(transport.status().pending, 0);
    let counts = counts(&transport).await;
    assert_eq!((&counts["methods"]["never"], &counts["cancelled"]), (&1.into(), &1.into()));
    assert_eq!(counts["cancels"][0]["reason"], "no longer needed");
    transport.close().await;
}

/// Case 80: dropped before a byte of it was written, the server never hears of it.
#[tokio::test]
async fn a_call_dropped_before_it_was_written_sends_nothing() {
    // The first request fills the pipe; the others wait behind it until the peer begins to read.
    let folder = mcp_tests::Folder::new();
    let script = format!("recv\nsend RES(1)\nsleep 200\nlog {}\nserve", folder.text("log"));
    let (transport, _) = Scripted::new(&script).connect().await;
    request(&transport, "m").await.unwrap();
    let big = json!({ "text": "x".repeat(1024 * 1024) });
    let (first, ()) =
        tokio::join!(within(transport.request("echo", raw(&big), RequestOptions::default())), async {
            until_pending(&transport, 1).await;
            for _ in 0..10 {
                let call = transport.request("dropped", None, options(0));
                tokio::select! {
                    biased;
                    _ = call => panic!("it cannot be done yet"),
                    () = std::future::ready(()) => {}
                }
            }
            assert_eq!(transport.status().pending, 1);
        });
    first.unwrap();
    let counts = counts(&transport).await;
    assert_eq!(counts["methods"], json!({ "echo": 1, "counts": 1 }));
    let log = std::fs::read_to_string(folder.path("log")).unwrap();
    assert!(!log.contains("dropped") && !log.contains("cancelled"));
    transport.close().await;
}

/// Case 81: each abort settles at once, and nothing stays behind.
#[tokio::test]
async fn an_abort_settles_at_once_whenever_it_comes() {
    let (transport, _) = Scripted::new("serve").connect().await;
    let with = |cancel: &Cancel| {
        let mut options = options(0);
        options.cancel = Some(cancel.clone());
        options
    };
    // Before it is sent: nothing is written.
    let cancel = Cancel::new();
    cancel.cancel();
    cancel.cancel_with("the first signal counts");
    let error = within(transport.request("never", None, with(&cancel))).await.unwrap_err();
    assert_eq!((error.to_string().as_str(), error.is_safe_to_retry()), ("Request cancelled", true));
    let mut notify = NotifyOptions::default();
    notify.cancel = Some(cancel.clone());
    assert!(within(transport.notify("n", None, notify)).await.unwrap_err().is_cancelled());

    // Before it is written, if it can be.
    let cancel = Cancel::new();
    let (result, ()) = tokio::join!(within(transport.request("never", None, with(&cancel))), async {
        until_pending(&transport, 1).await;
        cancel.cancel_with("enough");
    });
    assert_eq!(result.unwrap_err().to_string(), "enough");
    let counts = counts(&transport).await;
    assert_eq!(counts["methods"].get("never"), counts["methods"].get("notifications/cancelled"));
    assert_eq!((transport.status().pending, transport.status().counts.abandoned), (0, 2));
    transport.close().await;

    // Right after it was sent, and twice.
    let script = "recv\nsend NOTE(got)\nrecv\nsend NOTE(then,$line)\nrecv\nsend RES(2)\neof";
    let (transport, seen) = Scripted::new(script).connect().await;
    let cancel = Cancel::new();
    let (result, ()) = tokio::join!(within(transport.request("m", None, with(&cancel))), async {
        seen.wait("notification got").await;
        cancel.cancel_with("enough");
        cancel.cancel_with("again");
    });
    assert_eq!(result.unwrap_err().to_string(), "enough");
    assert!(seen.wait("notification then").await.contains(r#""reason":"enough""#));
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":2}"#);
    transport.close().await;
}

/// Case 81: an answer that is there already wins over a signal that comes after it.
#[tokio::test]
async fn an_answer_that_was_delivered_wins_over_an_abort() {
    let (transport, _) = Scripted::new("serve").connect().await;
    let cancel = Cancel::new();
    let mut options = options(0);
    options.cancel = Some(cancel.clone());
    // Polled once, then only after the answer and the signal.
    let mut call = std::pin::pin!(transport.request("echo", raw(&json!([7])), options));
    tokio::select! {
        biased;
        _ = &mut call => panic!("it cannot be done yet"),
        () = std::future::ready(()) => {}
    }
    until_pending(&transport, 0).await;
    cancel.cancel();
    let answer = within(call).await;
    assert_eq!(answer.unwrap().as_str(), "[7]");
    assert_eq!(counts(&transport).await["cancelled"], 0);
    transport.close().await;
}

/// D-08: external cancel of a notification that waits to be written.
#[tokio::test]
async fn a_waiting_notification_can_be_cancelled() {
    let (transport, _) = Scripted::new("hang").connect().await;
    let big = json!({ "text": "x".repeat(1024 * 1024) });
    let cancel = Cancel::new();
    let mut options = NotifyOptions::default();
    (options.timeout, options.cancel) = (Some(Duration::ZERO), Some(cancel.clone()));
    let (result, ()) = tokio::join!(within(transport.notify("n", raw(&big), options)), async {
        tokio::task::yield_now().await;
        cancel.cancel_with("enough");
    });
    assert_eq!(result.unwrap_err().to_string(), "enough");
    drop(transport);
}
