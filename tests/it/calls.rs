//! Calls of a client: deadlines, progress, cancels, events.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{CallOptions, Client, Event};
use mcp_jsonrpc::Cancel;
use mcp_tests::{Scripted, client, within};
use mcp_transport_stdio::StdioConfig;
use serde_json::{Value, json};

fn timeout(limit: u64) -> CallOptions {
    let mut options = CallOptions::default();
    options.timeout = Some(Duration::from_millis(limit));
    options
}

async fn counts(client: &Client) -> Value {
    let counts = within(client.request("counts", None, CallOptions::default())).await.unwrap();
    counts.parse().unwrap()
}

/// Case 72: the call's own limit, then the client's, then the transport's.
#[tokio::test]
async fn a_timeout_reaches_the_call_from_wherever_it_was_set() {
    let peer = Scripted::new("serve").with(|config| config.timeout = Duration::from_millis(90));
    for (of_client, of_call, text) in
        [(None, None, "90"), (Some(60), None, "60"), (Some(60), Some(30), "30"), (Some(30), Some(120), "120")]
    {
        let mut options = client::options();
        options.initialize_timeout = Some(Duration::from_secs(20));
        options.timeout = of_client.map(Duration::from_millis);
        let client = client::connect_with(&peer.config, options).await;
        let own = of_call.map_or_else(CallOptions::default, timeout);
        let error = within(client.call_tool_with("never", &(), own)).await.unwrap_err();
        assert_eq!(error.to_string(), format!("Request timeout after {text}ms"));
        client.close().await;
    }
}

/// Case 75.
#[tokio::test]
async fn a_timeout_of_zero_is_none_for_a_client() {
    let peer = Scripted::new("serve").with(|config| config.timeout = Duration::ZERO);
    let client = client::connect(&peer.config).await;
    within(client.call_tool_with("late", &json!({ "a": 1 }), timeout(0))).await.unwrap();
    within(client.call_tool("late", &json!({ "a": 1 }))).await.unwrap();
    client.close().await;
}

/// Case 73: with the option on, a token is always sent, and progress keeps the call alive.
#[tokio::test]
async fn progress_keeps_a_long_call_alive() {
    let script = "handshake\nrecv tools/call\n\
                  repeat 15 sleep 100 ; send NOTE(notifications/progress,{\"progressToken\":$token,\"progress\":$count})\n\
                  send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[]}}\neof";
    let peer = Scripted::new(script);
    let client = client::connect(&peer.config).await;
    let mut options = timeout(1000);
    options.progress_extends_timeout = Some(true);
    within(client.call_tool_with("slow", &(), options)).await.unwrap();
    client.close().await;
}

/// Case 73: each progress of a call reaches its callback, in order, before the answer.
#[tokio::test]
async fn progress_reaches_the_callback_of_its_call() {
    let peer = Scripted::new("serve");
    let client = client::connect(&peer.config).await;
    let calls = (0..3).map(|_| async {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let note = seen.clone();
        let mut options = CallOptions::default();
        options.progress =
            Some(Arc::new(move |progress| note.lock().unwrap().push((progress.progress, progress.total))));
        within(client.call_tool_with("progress", &json!({}), options)).await.unwrap();
        let seen = seen.lock().unwrap().clone();
        assert_eq!(seen, [(1.0, Some(3.0)), (2.0, Some(3.0)), (3.0, Some(3.0))]);
    });
    let mut calls = calls.collect::<Vec<_>>().into_iter();
    let (one, two, three) = (calls.next().unwrap(), calls.next().unwrap(), calls.next().unwrap());
    tokio::join!(one, two, three);
    client.close().await;
}

/// Case 74: the maximum holds, however much progress there is.
#[tokio::test]
async fn progress_without_end_ends_at_the_maximum() {
    let script = "handshake\nrecv tools/call\n\
                  repeat 600 sleep 50 ; send NOTE(notifications/progress,{\"progressToken\":$token,\"progress\":$count})\nhang";
    let peer = Scripted::new(script).with(|config| config.shutdown.close_grace = Duration::ZERO);
    let client = client::connect(&peer.config).await;
    let mut options = timeout(5_000);
    options.max_total_timeout = Some(Duration::from_millis(400));
    options.progress_extends_timeout = Some(true);
    let error = within(client.call_tool_with("slow", &(), options)).await.unwrap_err();
    assert_eq!(error.to_string(), "Request timeout after 400ms");
    client.close().await;
}

/// Case 74: another call's token keeps this one alive no longer.
#[tokio::test]
async fn progress_of_another_call_keeps_nothing_alive() {
    let script = "handshake\nrecv tools/call\nrecv tools/call\n\
                  repeat 600 sleep 20 ; send NOTE(notifications/progress,{\"progressToken\":$token,\"progress\":$count})\nhang";
    let peer = Scripted::new(script).with(|config| config.shutdown.close_grace = Duration::ZERO);
    let client = client::connect(&peer.config).await;
    let mut options = timeout(300);
    options.progress_extends_timeout = Some(true);
    let mut other = timeout(0);
    other.progress_extends_timeout = Some(true);
    tokio::select! {
        biased;
        result = within(client.call_tool_with("silent", &(), options)) => {
            assert_eq!(result.unwrap_err().to_string(), "Request timeout after 300ms");
        }
        _ = client.call_tool_with("busy", &(), other) => panic!("it is never answered"),
    }
    client.close().await;
}

/// Case 57: whatever progress comes, the link lives.
#[tokio::test]
async fn progress_that_nobody_asked_for_is_ignored() {
    let progress = |params: &str| format!("send NOTE(notifications/progress,{params})\n");
    let odd: String = [
        "{\"progressToken\":\"made-up\",\"progress\":1}",
        "{\"progressToken\":0,\"progress\":1}",
        "{\"progress\":1}",
        "{\"progressToken\":null,\"progress\":1}",
        "{\"progressToken\":$token,\"progress\":9}",
        "{\"progressToken\":$token,\"progress\":3}",
        "{\"progressToken\":$token,\"progress\":\"x\"}",
        "[]",
        "7",
    ]
    .map(progress)
    .concat();
    let answer = "send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[]}}\n";
    let script =
        format!("handshake\nrecv tools/call\n{odd}{answer}{odd}send NOTE(notifications/progress)\nserve");
    let peer = Scripted::new(&script).without_deadlines();
    let client = client::connect(&peer.config).await;
    let mut options = CallOptions::default();
    options.progress = Some(Arc::new(|_| {}));
    within(client.call_tool_with("m", &(), options)).await.unwrap();
    within(client.ping()).await.unwrap();
    assert!(client.is_connected());
    client.close().await;
}

/// Cases 56 and 79: one execution, one cancel with the right id and a reason, and the link lives.
#[tokio::test]
async fn a_call_that_timed_out_is_cancelled_on_the_server_once() {
    for send_cancelled in [true, false] {
        let peer = Scripted::new("serve");
        let mut options = client::options();
        options.send_cancelled = send_cancelled;
        let client = client::connect_with(&peer.config, options).await;
        let error = within(client.call_tool_with("never", &(), timeout(40))).await.unwrap_err();
        assert_eq!(error.to_string(), "Request timeout after 40ms");
        let counts = counts(&client).await;
        assert_eq!(
            (&counts["methods"]["never"], &counts["cancelled"]),
            (&1.into(), &json!(u8::from(send_cancelled)))
        );
        if send_cancelled {
            assert!(counts["cancels"][0]["requestId"].is_string(), "{counts}");
            assert!(!counts["cancels"][0]["reason"].as_str().unwrap().is_empty(), "{counts}");
        }
        assert_eq!(client.status().pending, 0);
        client.close().await;
    }
}

/// Cases 80 and 81: dropped and cancelled calls, seen from the server.
#[tokio::test]
async fn calls_that_were_given_up_are_cancelled_on_the_server() {
    let peer = Scripted::new("serve").without_deadlines();
    let client = client::connect(&peer.config).await;
    let cancel = Cancel::new();
    let mut options = CallOptions::default();
    options.cancel = Some(cancel.clone());
    let in_flight = |number| {
        let client = &client;
        within(async move {
            while client.status().pending != number || {
                counts(client).await["methods"]["never"] != json!(number)
            } {
                tokio::task::yield_now().await;
            }
        })
    };
    let (result, ()) = tokio::join!(within(client.call_tool_with("never", &(), options.clone())), async {
        in_flight(1).await;
        cancel.cancel_with("the user said no");
    });
    assert_eq!(result.unwrap_err().to_string(), "the user said no");
    assert_eq!(counts(&client).await["cancels"][0]["reason"], "the user said no");
    // Already cancelled: nothing is written at all.
    assert!(within(client.call_tool_with("never", &(), options)).await.is_err());
    // Dropped.
    tokio::select! {
        _ = client.call_tool("never", &()) => panic!("it is never answered"),
        () = within(async { while counts(&client).await["methods"]["never"] != 2 {} }) => {}
    }
    let counts = counts(&client).await;
    assert_eq!((&counts["methods"]["never"], &counts["cancelled"]), (&2.into(), &2.into()));
    assert_eq!(client.status().pending, 0);
    client.close().await;
}

/// D-14: a server that gives the same cursor for ever, or always another one.
#[tokio::test]
async fn a_listing_without_end_ends_with_an_error() {
    for cursor in ["c1", "", "c$count"] {
        let page = format!(r#"{{"tools":[],"nextCursor":"{cursor}"}}"#);
        let script = format!(
            "handshake\nrepeat 100 recv tools/list ; send {{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{page}}}\neof"
        );
        let mut options = client::options();
        options.max_pages = 50;
        let client = client::connect_with(&Scripted::new(&script).without_deadlines().config, options).await;
        let error = within(client.list_tools()).await.unwrap_err();
        assert!(error.call_error().is_none(), "{cursor}: {error:?}");
        assert!(error.to_string().contains("tools/list"), "{cursor}: {error}");
        assert!(client.is_connected());
        client.close().await;
    }
}

/// D-14: all pages, in order.
#[tokio::test]
async fn all_pages_of_a_listing_are_read() {
    let config = StdioConfig::new(mcp_tests::cli::path().display().to_string());
    let mut all = Vec::new();
    for page in ["100", "1", "2"] {
        let client = client::connect(&config.clone().with_args(["demo-server", "--page", page])).await;
        let tools = within(client.list_tools()).await.unwrap();
        all.push(tools.into_iter().map(|tool| tool.name).collect::<Vec<_>>());
        client.close().await;
    }
    assert!(all[0].len() > 3 && all[0] == all[1] && all[1] == all[2], "{all:?}");
}

/// D-16: a listener that is too slow loses events and hears how many; the link is not held up.
#[tokio::test]
async fn a_slow_listener_misses_events_and_holds_up_nothing() {
    // Invariant 10: nothing that comes from a peer is held without a bound.
    let script = "handshake\nrecv ping\nrepeat 5000 send NOTE(x/n,[$count])\nserve";
    let script = script.replace("\nserve", "\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{}}\nserve");
    let peer = Scripted::new(&script);
    let mut options = client::options();
    options.event_capacity = 16;
    let client = client::connect_with(&peer.config, options).await;
    let mut events = client.events();
    within(client.ping()).await.unwrap();
    within(client.ping()).await.unwrap();
    client.close().await;
    let (mut seen, mut missed, mut closed) = (0, 0, 0);
    while let Some(event) = within(events.next()).await {
        match event {
            Event::Notification(_) => seen += 1,
            Event::Missed(number) => missed += number,
            Event::Closed(_) => closed += 1,
            _ => {}
        }
    }
    assert!(seen <= 16, "{seen}");
    // The notice of the end may push one more out.
    assert!((5000..=5001).contains(&(seen + missed)), "{seen} seen, {missed} missed");
    assert_eq!(closed, 1, "the end is never missed");
}
