//! Where things of 2026-07-28 meet at a bad moment: subscriptions that are taken back or never granted,
//! cursors from pages that were kept, and the time of a call over several requests.

use std::time::Duration;

use mcp_client::{CallOptions, Client, ClientError, InputError, ListenError};
use mcp_jsonrpc::CallError;
use mcp_jsonrpc::testing::MemoryPeer;
use serde_json::{Value, json};

use crate::mirrored;
use crate::modern_pair::{connected, connected_to, said};
use crate::pair::{begun, options, settle, unread};

fn acknowledge(peer: &MemoryPeer, request: &Value) {
    let id = json!({"io.modelcontextprotocol/subscriptionId": request["id"]});
    let params = json!({"notifications": request["params"]["notifications"], "_meta": id});
    peer.notify("notifications/subscriptions/acknowledged", &params);
}

async fn watching() -> (Client, MemoryPeer) {
    connected_to(options(), json!({"resources": {"subscribe": true}})).await
}

/// The next request to listen, and all that passed until then.
async fn next_listen(peer: &mut MemoryPeer) -> Value {
    loop {
        let message = peer.next().await;
        if message["method"] == "subscriptions/listen" {
            return message;
        }
        assert_eq!(message["method"], "notifications/cancelled");
    }
}

// Whether or not the server says anything after it.
#[tokio::test(start_paused = true)]
async fn who_waits_for_a_subscription_that_is_taken_back_is_told() {
    for others in [false, true] {
        let (client, mut peer) = watching().await;
        let subscribing = client.clone();
        let (call, request) = begun(&mut peer, async move { subscribing.subscribe("a:1").await }).await;
        let other = client.clone();
        let other = others.then(|| tokio::spawn(async move { other.subscribe("a:2").await }));
        settle().await;
        let taking = client.clone();
        let taking = tokio::spawn(async move { taking.unsubscribe("a:1").await });
        settle().await;
        acknowledge(&peer, &request);
        if let Some(other) = other {
            let request = next_listen(&mut peer).await;
            assert_eq!(request["params"]["notifications"]["resourceSubscriptions"], json!(["a:2"]));
            acknowledge(&peer, &request);
            other.await.unwrap().unwrap();
        }
        taking.await.unwrap().unwrap();
        // It was granted for a moment, or not at all: what it is not is waited for.
        settle().await;
        assert!(call.is_finished());
        match call.await.unwrap() {
            Ok(()) | Err(ClientError::Listen { source: ListenError::TakenBack, .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn two_who_want_what_the_server_leaves_out_are_both_told_so() {
    let (client, mut peer) = watching().await;
    let subscribing = client.clone();
    let (one, request) = begun(&mut peer, async move { subscribing.subscribe("a:1").await }).await;
    let other = tokio::spawn(async move { client.subscribe("a:1").await });
    settle().await;
    let id = json!({"io.modelcontextprotocol/subscriptionId": request["id"]});
    peer.notify("notifications/subscriptions/acknowledged", &json!({"notifications": {}, "_meta": id}));
    for call in [one, other] {
        let error = call.await.unwrap().unwrap_err();
        assert!(
            matches!(
                error,
                ClientError::Listen { source: ListenError::NotHonoured | ListenError::TakenBack, .. }
            ),
            "{error:?}"
        );
    }
}

// It is asked for again and again; who waits for it is not kept for ever.
#[tokio::test(start_paused = true)]
async fn a_subscription_that_is_never_granted_is_waited_for_so_long() {
    for own in [None, Some(Duration::from_secs(5))] {
        let mut options = options();
        options.timeout = own;
        let (client, mut peer) = connected_to(options, json!({"resources": {"subscribe": true}})).await;
        let (call, _) = begun(&mut peer, async move { client.subscribe("a:1").await }).await;
        let error = call.await.unwrap().unwrap_err();
        let Some(CallError::Timeout { limit, .. }) = error.call_error() else { panic!("{error:?}") };
        assert_eq!(*limit, own.unwrap_or(Duration::from_secs(30)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_goes_before_the_acknowledgement_is_no_refusal() {
    let (client, mut peer) = watching().await;
    let mut events = client.events();
    let (call, _) = begun(&mut peer, async move { client.subscribe("a:1").await }).await;
    peer.end();
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(error, ClientError::Listen { source: ListenError::Gone, .. }), "{error:?}");
    while let Some(event) = events.next().await {
        assert!(!matches!(event, mcp_client::Event::Fault(_)), "{event:?}");
    }
}

// A server that acknowledges and ends at once, for ever.
#[tokio::test(start_paused = true)]
async fn a_subscription_that_is_ended_at_once_each_time_is_asked_for_ever_more_seldom() {
    let (_client, mut peer) = connected_to(options(), json!({"tools": {"listChanged": true}})).await;
    let begun = tokio::time::Instant::now();
    for _ in 0..8 {
        let request = next_listen(&mut peer).await;
        acknowledge(&peer, &request);
        settle().await;
        peer.answer(&request, &json!({"resultType": "complete"}));
    }
    next_listen(&mut peer).await;
    // Waits of 1, 2, 4, 8, 16, 32, 60 and 60 s, each cut by a half at most, on a clock that stands.
    assert!(begun.elapsed() >= Duration::from_secs(91), "{:?}", begun.elapsed());
}

// C-434.
#[tokio::test(start_paused = true)]
async fn a_cursor_of_a_kept_page_that_is_refused_makes_the_list_begin_anew_once() {
    let (client, mut peer) = connected(options()).await;
    let first = json!({"resultType": "complete", "tools": [], "nextCursor": "2", "ttlMs": 60_000});
    let last = json!({"resultType": "complete", "tools": [], "ttlMs": 0});
    let refusal = json!({"code": -32602, "message": "Invalid cursor"});
    let listing = client.clone();
    let (call, request) = begun(&mut peer, async move { listing.list_tools().await }).await;
    peer.answer(&request, &first);
    let request = peer.next().await;
    peer.answer(&request, &last);
    call.await.unwrap().unwrap();

    // The first page is fresh still, but the server has forgotten its cursor.
    let listing = client.clone();
    let (call, request) = begun(&mut peer, async move { listing.list_tools().await }).await;
    assert_eq!(request["params"]["cursor"], "2");
    peer.refuse(&request, &refusal);
    let request = peer.next().await;
    assert_eq!(request["params"].get("cursor"), None);
    peer.answer(&request, &first);
    let request = peer.next().await;
    peer.answer(&request, &last);
    call.await.unwrap().unwrap();

    // One that is refused each time is an error, not a loop.
    let listing = client.clone();
    let (call, request) = begun(&mut peer, async move { listing.list_tools().await }).await;
    peer.refuse(&request, &refusal);
    let request = peer.next().await;
    peer.answer(&request, &first);
    let request = peer.next().await;
    peer.refuse(&request, &refusal);
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(error.call_error(), Some(CallError::Rpc(error)) if error.code == -32602), "{error:?}");
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

// The list that is to mend a refusal takes its time from the call.
#[tokio::test(start_paused = true)]
async fn a_list_that_is_asked_for_on_the_way_ends_with_the_time_of_the_call() {
    let (client, mut peer, _) = mirrored::connected(true).await;
    let mut call_options = CallOptions::default();
    call_options.max_total_timeout = Some(Duration::from_secs(10));
    let (call, request) =
        begun(&mut peer, async move { client.call_tool_with("t", &(), call_options).await }).await;
    peer.refuse(&request, &json!({"code": -32020, "message": "header mismatch"}));
    for page in 0..3 {
        let request = peer.next().await;
        assert_eq!(request["method"], "tools/list");
        tokio::time::advance(Duration::from_secs(4)).await;
        let next = page.to_string();
        peer.answer(&request, &json!({"resultType": "complete", "tools": [], "nextCursor": next}));
    }
    let error = call.await.unwrap().unwrap_err();
    let Some(CallError::Timeout { limit, total: true, .. }) = error.call_error() else { panic!("{error:?}") };
    assert_eq!(*limit, Duration::from_secs(10));
}

// A question that asks for nothing is not repeated as fast as it comes.
#[tokio::test(start_paused = true)]
async fn an_empty_question_is_repeated_after_a_pause_and_not_for_ever() {
    let mut options = options();
    options.max_rounds = 3;
    let (client, mut peer) = connected(options).await;
    let since = tokio::time::Instant::now();
    let (call, mut request) = begun(&mut peer, async move { client.call_tool("t", &()).await }).await;
    for round in 0..4 {
        peer.answer(&request, &json!({"resultType": "input_required", "inputRequests": {}}));
        if round < 3 {
            request = peer.next().await;
        }
    }
    let error = call.await.unwrap().unwrap_err();
    assert!(
        matches!(error, ClientError::Input { source: InputError::TooManyRounds { limit: 3 }, .. }),
        "{error:?}"
    );
    assert!(since.elapsed() >= Duration::from_millis(750), "{:?}", since.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_state_of_a_mebibyte_with_odd_escapes_comes_back_as_it_was() {
    let (client, mut peer) = connected(options()).await;
    let (call, first) = begun(&mut peer, async move { client.call_tool("t", &()).await }).await;
    let state = "s\\u00e9\\ud83d\\ude00".repeat(1 << 16);
    peer.send(format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"resultType":"input_required","requestState":"{state}"}}}}"#,
        first["id"]
    ));
    let second = peer.next().await;
    assert_eq!(second["params"]["requestState"], "sé😀".repeat(1 << 16));
    assert_eq!(second["params"].get("inputResponses"), None);
    peer.answer(&second, &said("done"));
    call.await.unwrap().unwrap();
}
