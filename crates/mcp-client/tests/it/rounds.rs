//! Multi round-trip requests: a result that asks back.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mcp_client::form::FormContent;
use mcp_client::{
    CallOptions, ClientError, ClientOptions, Delegate, ElicitationHandler, FormAnswer, FormRequest,
    InputError, Refusal, ServerRequest,
};
use mcp_jsonrpc::testing::MemoryPeer;
use mcp_jsonrpc::{CallError, Cancel};
use mcp_types::ErrorObject;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::modern_pair::{connected, said};
use crate::pair::{begun, options, settle, unread};

/// Says yes to every form, with what it has filled in already.
struct Yes;

#[async_trait]
impl ElicitationHandler for Yes {
    async fn form(&self, request: FormRequest) -> Result<FormAnswer, Refusal> {
        if request.message == "forever" {
            std::future::pending::<()>().await;
        }
        Ok(FormAnswer::Accept(request.form.with_defaults(FormContent::default())))
    }
}

fn asking() -> ClientOptions {
    let mut options = options();
    options.elicitation = Some(Arc::new(Yes));
    options
}

fn form(message: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"go": {"type": "boolean", "default": true}}});
    json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}})
}

fn question(requests: Value, state: Value) -> Value {
    let mut result = json!({"resultType": "input_required"});
    for (name, value) in [("inputRequests", requests), ("requestState", state)] {
        if !value.is_null() {
            result[name] = value;
        }
    }
    result
}

const ACCEPTED: &str = r#"{"action":"accept","content":{"go":true}}"#;

// C-…: same method, same params, a new id, the answers under the server's keys, the state to the byte.
#[tokio::test(start_paused = true)]
async fn what_is_asked_is_answered_and_the_request_repeated_with_the_state() {
    let (client, mut peer) = connected(asking()).await;
    let (call, first) =
        begun(&mut peer, async move { client.call_tool("deploy", &json!({"env": "stage"})).await }).await;
    // Escapes and all: it is not ours to read.
    peer.send(format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"resultType":"input_required","inputRequests":{{"ok":{}}},"requestState":"v1.\u0041\/"}}}}"#,
        first["id"],
        form("Deploy now?")
    ));
    let second = peer.next().await;
    assert_eq!(second["method"], "tools/call");
    assert_ne!(first["id"], second["id"]);
    let mut params = first["params"].clone();
    params["inputResponses"] = json!({"ok": serde_json::from_str::<Value>(ACCEPTED).unwrap()});
    params["requestState"] = json!("v1.A/");
    assert_eq!(second["params"], params);
    peer.answer(&second, &said("done"));
    assert_eq!(call.await.unwrap().unwrap().content[0].as_text(), Some("done"));
}

#[tokio::test(start_paused = true)]
async fn a_state_is_sent_only_where_there_was_one_and_only_the_newest() {
    let (client, mut peer) = connected(asking()).await;
    let (call, request) = begun(&mut peer, async move { client.call_tool("t", &()).await }).await;
    peer.answer(&request, &question(json!({"a": form("1")}), json!("first")));
    let request = peer.next().await;
    assert_eq!(request["params"]["requestState"], "first");
    peer.answer(&request, &question(json!({"b": form("2")}), Value::Null));
    let request = peer.next().await;
    assert_eq!(request["params"].get("requestState"), None);
    let keys: Vec<_> = request["params"]["inputResponses"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["b"]);
    // Nothing to answer: it is simply asked again, a moment later.
    peer.answer(&request, &question(Value::Null, json!("third")));
    let request = peer.next().await;
    assert_eq!(request["params"].get("inputResponses"), None);
    assert_eq!(request["params"]["requestState"], "third");
    peer.answer(&request, &said(""));
    call.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn nothing_of_a_round_is_in_any_other_request() {
    let (client, mut peer) = connected(asking()).await;
    let calling = client.clone();
    let (call, request) = begun(&mut peer, async move { calling.call_tool("t", &()).await }).await;
    peer.answer(&request, &question(json!({"a": form("1")}), json!("s")));
    let again = peer.next().await;
    let (other, request) = begun(&mut peer, async move { client.call_tool("t", &()).await }).await;
    for member in ["inputResponses", "requestState"] {
        assert_eq!(request["params"].get(member), None);
        assert!(again["params"].get(member).is_some());
    }
    peer.answer(&request, &said(""));
    peer.answer(&again, &said(""));
    other.await.unwrap().unwrap();
    call.await.unwrap().unwrap();
}

async fn fails(options: ClientOptions, result: Value) -> (InputError, MemoryPeer) {
    let (client, mut peer) = connected(options).await;
    let (call, request) = begun(&mut peer, async move { client.call_tool("t", &()).await }).await;
    peer.answer(&request, &result);
    let Err(ClientError::Input { source, .. }) = call.await.unwrap() else { panic!() };
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new(), "it is not repeated");
    (source, peer)
}

#[tokio::test(start_paused = true)]
async fn what_was_not_declared_is_not_given_and_fails_the_call() {
    let sampling = json!({"method": "sampling/createMessage", "params": {}});
    for request in [sampling, json!({"method": "roots/list"}), json!({"method": "x/y"}), json!({}), json!(7)]
    {
        let (error, _) = fails(asking(), question(json!({"k": request}), Value::Null)).await;
        assert!(matches!(error, InputError::Refused { .. }), "{request}: {error:?}");
    }
    let url = json!({"method": "elicitation/create", "params": {"mode": "url", "url": "https://a", "message": "m"}});
    let (error, _) = fails(asking(), question(json!({"k": url}), Value::Null)).await;
    assert_eq!(error.to_string(), "there is no answer to k");
}

#[tokio::test(start_paused = true)]
async fn a_question_of_another_shape_is_invalid() {
    let (error, _) = fails(asking(), question(Value::Null, Value::Null)).await;
    assert_eq!(error, InputError::Nothing);
    for (requests, state) in [(json!([]), json!("s")), (json!(7), Value::Null), (Value::Null, json!(7))] {
        let (error, _) = fails(asking(), question(requests, state)).await;
        assert!(matches!(error, InputError::Shape(_)), "{error:?}");
    }
    let mut options = asking();
    options.max_server_requests = 2;
    let many = json!({"a": form("1"), "b": form("2"), "c": form("3")});
    let (error, _) = fails(options, question(many, Value::Null)).await;
    assert_eq!(error, InputError::TooMany { asked: 3, limit: 2 });
}

#[tokio::test(start_paused = true)]
async fn rounds_are_counted() {
    let mut options = asking();
    options.max_rounds = 3;
    let (client, mut peer) = connected(options).await;
    let (call, mut request) = begun(&mut peer, async move { client.call_tool("t", &()).await }).await;
    for _ in 0..3 {
        peer.answer(&request, &question(json!({"a": form("again")}), Value::Null));
        request = peer.next().await;
    }
    peer.answer(&request, &question(json!({"a": form("again")}), Value::Null));
    let Err(ClientError::Input { source, .. }) = call.await.unwrap() else { panic!() };
    assert_eq!(source, InputError::TooManyRounds { limit: 3 });
}

#[tokio::test(start_paused = true)]
async fn a_question_where_there_can_be_none_is_an_invalid_result() {
    let (client, mut peer) = connected(asking()).await;
    let (call, request) = begun(&mut peer, async move { client.list_tools().await }).await;
    peer.answer(&request, &question(json!({"a": form("1")}), json!("s")));
    assert!(matches!(call.await.unwrap(), Err(ClientError::ResultType { .. })));
}

// A user may think for long, but a limit on the whole holds, and so does a cancel.
#[tokio::test(start_paused = true)]
async fn the_total_limit_and_a_cancel_also_end_the_wait_for_a_handler() {
    let (client, mut peer) = connected(asking()).await;
    let mut limited = CallOptions::default();
    limited.timeout = Some(Duration::from_secs(1));
    limited.max_total_timeout = Some(Duration::from_secs(60));
    let calling = client.clone();
    let (call, request) =
        begun(&mut peer, async move { calling.call_tool_with("t", &(), limited).await }).await;
    peer.answer(&request, &question(json!({"a": form("forever")}), Value::Null));
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "Request timeout after 60000ms");
    assert!(matches!(error.call_error(), Some(CallError::Timeout { total: true, .. })));

    let cancel = Cancel::new();
    let mut cancelled = CallOptions::default();
    cancelled.cancel = Some(cancel.clone());
    let (call, request) =
        begun(&mut peer, async move { client.call_tool_with("t", &(), cancelled).await }).await;
    peer.answer(&request, &question(json!({"a": form("forever")}), Value::Null));
    settle().await;
    cancel.cancel_with("changed my mind");
    assert_eq!(call.await.unwrap().unwrap_err().to_string(), "changed my mind");
}

/// Answers `roots/list`, and tells which id it came under.
struct Roots;

#[async_trait]
impl Delegate for Roots {
    async fn on_request(&self, request: ServerRequest) -> Result<Box<RawValue>, ErrorObject> {
        Ok(to_raw_value(&json!({"roots": [], "under": request.id})).unwrap())
    }
}

#[tokio::test(start_paused = true)]
async fn a_delegate_answers_what_no_handler_does() {
    let mut options = options();
    options.delegate = Some(Arc::new(Roots));
    let (client, mut peer) = connected(options).await;
    let (call, request) = begun(&mut peer, async move { client.call_tool("t", &()).await }).await;
    peer.answer(&request, &question(json!({"where": {"method": "roots/list"}}), Value::Null));
    let request = peer.next().await;
    assert_eq!(request["params"]["inputResponses"]["where"], json!({"roots": [], "under": "where"}));
    peer.answer(&request, &said(""));
    call.await.unwrap().unwrap();
}
