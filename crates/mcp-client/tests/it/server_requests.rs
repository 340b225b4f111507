//! Requests of the server are each answered exactly once, and never hold up the reader.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_client::{Client, Delegate, ServerRequest};
use mcp_jsonrpc::testing::MemoryPeer;
use mcp_types::ErrorObject;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::pair::{begun, connected, options, settle, unread};

/// Does what the method says.
#[derive(Default)]
struct Worker {
    go_on: Notify,
    dropped: Arc<Notify>,
}

struct Dropped(Arc<Notify>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[async_trait]
impl Delegate for Worker {
    async fn on_request(&self, request: ServerRequest) -> Result<Box<RawValue>, ErrorObject> {
        match request.method.as_str() {
            "x/echo" => {
                let params = request.params.as_ref().map_or("null", |params| params.as_str());
                let params: Value = serde_json::from_str(params).unwrap();
                Ok(to_raw_value(&json!({"echo": params})).unwrap())
            }
            "x/slow" => {
                let _dropped = Dropped(self.dropped.clone());
                self.go_on.notified().await;
                Ok(to_raw_value(&json!({"slow": true})).unwrap())
            }
            "x/invalid" => Err(ErrorObject::invalid_params("no")),
            "x/list" => Ok(to_raw_value(&[1, 2]).unwrap()),
            "x/panic" => panic!("as asked"),
            method => Err(ErrorObject::method_not_found(method)),
        }
    }
}

async fn with_worker(most: usize) -> (Client, MemoryPeer, Arc<Worker>) {
    let worker = Arc::new(Worker::default());
    let mut options = options();
    options.delegate = Some(worker.clone());
    options.max_server_requests = most;
    let (client, peer) = connected(options).await;
    (client, peer, worker)
}

fn ask(peer: &MemoryPeer, id: &Value, method: &str) {
    peer.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"p": 1}}).to_string());
}

async fn answer(peer: &mut MemoryPeer, id: &Value, method: &str) -> Value {
    ask(peer, id, method);
    let mut answer = peer.next().await;
    assert_eq!(answer["id"], *id);
    answer.as_object_mut().unwrap().retain(|name, _| name == "result" || name == "error");
    answer
}

// Case 62, while idle and during a call.
#[tokio::test(start_paused = true)]
async fn ping_is_answered_at_any_time_with_the_id_as_it_came() {
    let (client, mut peer) = connected(options()).await;
    for id in [json!("k1"), json!(0), json!(""), json!(-7)] {
        assert_eq!(answer(&mut peer, &id, "ping").await, json!({"result": {}}));
    }
    let (call, request) = begun(&mut peer, async move { client.ping().await }).await;
    assert_eq!(answer(&mut peer, &json!(1), "ping").await, json!({"result": {}}));
    peer.answer(&request, &json!({}));
    call.await.unwrap().unwrap();
}

// Case 64.
#[tokio::test(start_paused = true)]
async fn without_a_delegate_every_other_request_gets_method_not_found() {
    let (_client, mut peer) = connected(options()).await;
    for (id, method) in
        [(json!(5), "sampling/createMessage"), (json!("e"), "elicitation/create"), (json!(6), "x/unknown")]
    {
        let answer = answer(&mut peer, &id, method).await;
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
    peer.notify("x/unknown", &json!({}));
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new(), "a notification gets no answer");
}

// Invariant 8: each request of the server is answered exactly once, whatever the delegate does.
#[tokio::test(start_paused = true)]
async fn however_the_delegate_ends_there_is_one_answer() {
    let (client, mut peer, _) = with_worker(8).await;
    let mut check = async |method: &str, expected: Value| {
        assert_eq!(answer(&mut peer, &json!(0), method).await, expected);
        settle().await;
        assert_eq!(unread(&mut peer), Vec::<Value>::new());
    };
    let error = |code: i64, message: &str| json!({"error": {"code": code, "message": message}});
    check("x/echo", json!({"result": {"echo": {"p": 1}}})).await;
    check("x/invalid", error(-32602, "no")).await;
    check("x/other", error(-32601, "Method not found: x/other")).await;
    check("x/list", error(-32603, "The result is not an object")).await;
    check("x/panic", error(-32603, "The request was not answered")).await;
    check("ping", json!({"result": {}})).await;
    assert!(client.is_connected());
}

// Case 65.
#[tokio::test(start_paused = true)]
async fn a_slow_delegate_holds_up_nothing() {
    let (client, mut peer, worker) = with_worker(8).await;
    let (call, request) = begun(&mut peer, async move { client.ping().await }).await;
    ask(&peer, &json!(1), "x/slow");
    settle().await;
    assert_eq!(answer(&mut peer, &json!(2), "ping").await, json!({"result": {}}));
    assert_eq!(answer(&mut peer, &json!(3), "x/echo").await["result"]["echo"], json!({"p": 1}));
    worker.go_on.notify_one();
    assert_eq!(peer.next().await, json!({"jsonrpc": "2.0", "id": 1, "result": {"slow": true}}));
    peer.answer(&request, &json!({}));
    call.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn more_requests_than_allowed_are_refused_and_a_free_place_is_used_again() {
    let (_client, mut peer, worker) = with_worker(2).await;
    ask(&peer, &json!(1), "x/slow");
    ask(&peer, &json!(2), "x/slow");
    settle().await;
    let busy = json!({"error": {"code": -32603, "message": "Busy with 2 requests already"}});
    assert_eq!(answer(&mut peer, &json!(3), "x/echo").await, busy);
    assert_eq!(answer(&mut peer, &json!(4), "ping").await, json!({"result": {}}));
    worker.go_on.notify_one();
    assert_eq!(peer.next().await["result"], json!({"slow": true}));
    settle().await;
    assert!(answer(&mut peer, &json!(5), "x/echo").await["result"].is_object());
}

// Case 55: the request with id 0 can be cancelled like any other.
#[tokio::test(start_paused = true)]
async fn a_request_that_the_server_cancels_is_dropped_and_not_answered() {
    for id in [json!(0), json!(""), json!("a")] {
        let (_client, mut peer, worker) = with_worker(1).await;
        ask(&peer, &id, "x/slow");
        settle().await;
        peer.notify("notifications/cancelled", &json!({"requestId": id, "reason": "never mind"}));
        worker.dropped.notified().await;
        settle().await;
        assert_eq!(unread(&mut peer), Vec::<Value>::new());
        assert!(answer(&mut peer, &json!(9), "x/echo").await["result"].is_object(), "its place is free");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancel_that_names_nothing_in_work_is_ignored() {
    let (client, mut peer, worker) = with_worker(1).await;
    ask(&peer, &json!(0), "x/slow");
    settle().await;
    for params in [json!({"requestId": "0"}), json!({"requestId": 1}), json!({"requestId": null}), json!({})]
    {
        peer.notify("notifications/cancelled", &params);
    }
    peer.notify("notifications/cancelled", &json!([0]));
    peer.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#);
    settle().await;
    worker.go_on.notify_one();
    assert_eq!(peer.next().await["result"], json!({"slow": true}));
    peer.notify("notifications/cancelled", &json!({"requestId": 0}));
    settle().await;
    assert!(client.is_connected() && unread(&mut peer).is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_connection_ends_the_work() {
    let (_client, peer, worker) = with_worker(1).await;
    ask(&peer, &json!(0), "x/slow");
    settle().await;
    peer.end();
    worker.dropped.notified().await;
}

#[tokio::test(start_paused = true)]
async fn a_request_does_not_show_its_params() {
    struct Shown(std::sync::Mutex<String>);
    #[async_trait]
    impl Delegate for Shown {
        async fn on_request(&self, request: ServerRequest) -> Result<Box<RawValue>, ErrorObject> {
            *self.0.lock().unwrap() = format!("{request:?}");
            Err(ErrorObject::internal("no"))
        }
    }
    let shown = Arc::new(Shown(std::sync::Mutex::default()));
    let mut options = options();
    options.delegate = Some(shown.clone());
    let (_client, mut peer) = connected(options).await;
    answer(&mut peer, &json!(1), "x/y").await;
    assert_eq!(*shown.0.lock().unwrap(), r#"ServerRequest { id: Number(1), method: "x/y", .. }"#);
}
