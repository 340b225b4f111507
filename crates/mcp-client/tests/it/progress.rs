//! Progress: it reaches its call, extends it if asked to, and never does harm.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{CallOptions, Client, ClientError};
use mcp_jsonrpc::Raw;
use mcp_jsonrpc::testing::MemoryPeer;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::pair::{begun, connected, options, settle, unread};

type Heard = Arc<Mutex<Vec<f64>>>;
type Call = JoinHandle<Result<Raw, ClientError>>;

const MS: Duration = Duration::from_millis(1);

/// Options that write down progress.
fn listening() -> (CallOptions, Heard) {
    let heard = Heard::default();
    let mut options = CallOptions::default();
    let ear = heard.clone();
    options.progress = Some(Arc::new(move |progress| ear.lock().unwrap().push(progress.progress)));
    (options, heard)
}

async fn working(client: &Client, peer: &mut MemoryPeer, options: CallOptions) -> (Call, Value) {
    let client = client.clone();
    begun(peer, async move { client.request("x/work", None, options).await }).await
}

fn token(request: &Value) -> &Value {
    &request["params"]["_meta"]["progressToken"]
}

fn progress(peer: &MemoryPeer, token: &Value, progress: f64) {
    peer.notify("notifications/progress", &json!({"progressToken": token, "progress": progress}));
}

// Case 55: the first token is 0.
#[tokio::test(start_paused = true)]
async fn progress_reaches_its_call_and_zero_is_a_token() {
    let (client, mut peer) = connected(options()).await;
    let (options, heard) = listening();
    let (zero, first) = working(&client, &mut peer, options).await;
    let (options, other) = listening();
    let (one, second) = working(&client, &mut peer, options).await;
    assert_eq!((token(&first), token(&second)), (&json!(0), &json!(1)));

    progress(&peer, token(&first), 0.5);
    progress(&peer, token(&second), 7.0);
    progress(&peer, token(&first), 1.0);
    assert_eq!((&*heard.lock().unwrap(), &*other.lock().unwrap()), (&vec![0.5, 1.0], &vec![7.0]));
    peer.answer(&first, &json!({}));
    peer.answer(&second, &json!({}));
    zero.await.unwrap().unwrap();
    one.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn without_a_listener_no_token_is_sent() {
    let (client, mut peer) = connected(options()).await;
    let (call, request) = working(&client, &mut peer, CallOptions::default()).await;
    assert!(request.get("params").is_none(), "{request}");
    peer.answer(&request, &json!({}));
    call.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_token_joins_the_params_of_any_call() {
    let (client, mut peer) = connected(options()).await;
    let (options, _) = listening();
    let caller = client.clone();
    let (call, request) =
        begun(&mut peer, async move { caller.call_tool_with("t", &json!({"a": 1}), options).await }).await;
    let expected = json!({"name": "t", "arguments": {"a": 1}, "_meta": {"progressToken": 0}});
    assert_eq!(request["params"], expected);
    peer.answer(&request, &json!({"content": []}));
    call.await.unwrap().unwrap();

    let (options, _) = listening();
    let params = RawValue::from_string(r#"{"_meta":{"a/b":1},"c":2}"#.to_owned()).unwrap();
    let (call, request) =
        begun(&mut peer, async move { client.request("x", Some(params), options).await }).await;
    assert_eq!(request["params"], json!({"_meta": {"a/b": 1, "progressToken": 1}, "c": 2}));
    peer.answer(&request, &json!({}));
    call.await.unwrap().unwrap();
}

// Case 57.
#[tokio::test(start_paused = true)]
async fn progress_for_nobody_or_backwards_harms_nothing() {
    let (client, mut peer) = connected(options()).await;
    let mut events = client.events();
    let (options, heard) = listening();
    let (call, request) = working(&client, &mut peer, options).await;
    for token in [json!("made-up"), json!("0"), json!(99), json!(-1), json!(null), json!(0.5)] {
        progress(&peer, &token, 1.0);
    }
    peer.notify("notifications/progress", &json!({"progress": 1}));
    peer.notify("notifications/progress", &json!({"progressToken": 0, "progress": "1"}));
    peer.notify("notifications/progress", &json!({"progressToken": 0}));
    peer.send(r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#);
    peer.send(r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":1e400}}"#);
    assert!(heard.lock().unwrap().is_empty());
    progress(&peer, token(&request), 2.0);
    progress(&peer, token(&request), 1.0);
    assert_eq!(*heard.lock().unwrap(), [2.0, 1.0]);

    peer.answer(&request, &json!({}));
    call.await.unwrap().unwrap();
    progress(&peer, token(&request), 3.0);
    assert_eq!(heard.lock().unwrap().len(), 2);
    assert!(client.is_connected());
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
    peer.end();
    let event = format!("{:?}", events.next().await.unwrap());
    assert!(event.starts_with("Closed"), "none of it is an event: {event}");
}

/// Sends progress for `token` each `step`, until `total` has gone by or the call is over.
async fn report(peer: &MemoryPeer, call: &Call, token: &Value, step: Duration, total: Duration) {
    let mut gone = Duration::ZERO;
    while gone < total && !call.is_finished() {
        tokio::time::advance(step).await;
        gone += step;
        settle().await;
        progress(peer, token, gone.as_secs_f64());
        settle().await;
    }
}

// Case 73.
#[tokio::test(start_paused = true)]
async fn progress_keeps_a_long_call_alive_if_asked_to() {
    let mut options = options();
    options.progress_extends_timeout = true;
    options.timeout = Some(400 * MS);
    let (client, mut peer) = connected(options).await;
    let (call, request) = working(&client, &mut peer, CallOptions::default()).await;
    assert_eq!(token(&request), &json!(0), "a token is always sent then");
    report(&peer, &call, token(&request), 150 * MS, 1500 * MS).await;
    peer.answer(&request, &json!({}));
    call.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn progress_does_not_extend_a_call_that_does_not_want_it() {
    let mut options = options();
    options.progress_extends_timeout = true;
    let (client, mut peer) = connected(options).await;
    let (mut options, heard) = listening();
    options.timeout = Some(400 * MS);
    options.progress_extends_timeout = Some(false);
    let (call, request) = working(&client, &mut peer, options).await;
    report(&peer, &call, token(&request), 150 * MS, 1500 * MS).await;
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "Request timeout after 400ms");
    assert_eq!(heard.lock().unwrap().len(), 2);
}

fn extended() -> CallOptions {
    let mut options = CallOptions::default();
    options.timeout = Some(200 * MS);
    options.max_total_timeout = Some(1000 * MS);
    options.progress_extends_timeout = Some(true);
    options
}

// Case 74.
#[tokio::test(start_paused = true)]
async fn progress_without_end_ends_at_the_total() {
    let (client, mut peer) = connected(options()).await;
    let (call, request) = working(&client, &mut peer, extended()).await;
    report(&peer, &call, token(&request), 50 * MS, 5000 * MS).await;
    assert_eq!(call.await.unwrap().unwrap_err().to_string(), "Request timeout after 1000ms");
    assert_eq!(peer.next().await["method"], "notifications/cancelled");
}

// Case 74.
#[tokio::test(start_paused = true)]
async fn progress_of_another_call_does_not_extend_this_one() {
    let (client, mut peer) = connected(options()).await;
    let (call, _) = working(&client, &mut peer, extended()).await;
    let (other, request) = working(&client, &mut peer, extended()).await;
    report(&peer, &call, token(&request), 50 * MS, 5000 * MS).await;
    assert_eq!(call.await.unwrap().unwrap_err().to_string(), "Request timeout after 200ms");
    assert!(!other.is_finished());
}

#[tokio::test(start_paused = true)]
async fn progress_that_does_not_fit_does_not_extend_a_call() {
    let (client, mut peer) = connected(options()).await;
    let (call, request) = working(&client, &mut peer, extended()).await;
    for _ in 0..10 {
        tokio::time::advance(50 * MS).await;
        peer.notify("notifications/progress", &json!({"progressToken": token(&request), "progress": "1"}));
        settle().await;
    }
    assert_eq!(call.await.unwrap().unwrap_err().to_string(), "Request timeout after 200ms");
}
