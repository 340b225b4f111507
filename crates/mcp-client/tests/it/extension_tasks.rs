//! Tool calls that become tasks by the extension of 2026-07-28, and how they are followed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use mcp_client::form::FormContent;
use mcp_client::{
    CallOptions, Client, ClientError, ClientOptions, ElicitationHandler, FormAnswer, FormRequest, InputError,
    Protocol, Refusal,
};
use mcp_jsonrpc::Cancel;
use mcp_jsonrpc::testing::MemoryPeer;
use mcp_types::task_extension::{ExtensionTask, GetExtensionTask, ID};
use mcp_types::{CallToolResult, Extra, TaskParams};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::modern_pair::{connected, discovered, said};
use crate::pair::{begun, options, settle, unread};
use crate::probe::ProbeConnect;

/// Says yes to every form, and counts them.
#[derive(Default)]
struct Yes(AtomicUsize);

#[async_trait]
impl ElicitationHandler for Yes {
    async fn form(&self, request: FormRequest) -> Result<FormAnswer, Refusal> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(FormAnswer::Accept(request.form.with_defaults(FormContent::default())))
    }
}

fn declared() -> ClientOptions {
    let mut extensions = Extra::new();
    extensions.insert(ID, RawValue::from_string("{}".to_owned()).unwrap());
    let mut options = options();
    options.capabilities.extensions = Some(extensions);
    options
}

fn task(status: &str) -> Value {
    json!({"resultType": "task", "taskId": "t-1", "status": status, "ttlMs": null, "pollIntervalMs": 5000})
}

fn with(mut task: Value, name: &str, value: Value) -> Value {
    task[name] = value;
    task
}

fn completed() -> Value {
    with(task("completed"), "result", json!({"content": [{"type": "text", "text": "done"}]}))
}

fn asks(keys: &[&str]) -> Value {
    let form = json!({"method": "elicitation/create", "params": {"message": "Go?", "requestedSchema":
        {"type": "object", "properties": {"go": {"type": "boolean", "default": true}}}}});
    let requests: serde_json::Map<_, _> = keys.iter().map(|key| ((*key).to_owned(), form.clone())).collect();
    with(task("input_required"), "inputRequests", Value::Object(requests))
}

/// What a call came to, and the requests after it with the milliseconds since the task was created.
struct Followed {
    heard: Vec<(String, u128)>,
    requests: Vec<Value>,
    end: Result<CallToolResult, ClientError>,
}

/// Calls a tool that becomes the first of these tasks; looks find the others, of which the last stays.
async fn follow(options: ClientOptions, states: &[Value]) -> Followed {
    follow_with(options, states, CallOptions::default()).await
}

async fn follow_with(options: ClientOptions, states: &[Value], call: CallOptions) -> Followed {
    let (client, mut peer) = connected(options).await;
    // A task of an extension is in no schema of the protocol itself.
    peer.let_nonsense_pass();
    // The connection outlives the call, so that it can still be said that the task is to end.
    let calling = client.clone();
    let (mut call, request) =
        begun(&mut peer, async move { calling.call_tool_with("t", &(), call).await }).await;
    peer.answer(&request, &states[0]);
    let (start, mut next) = (Instant::now(), 1);
    let (mut heard, mut requests) = (Vec::new(), Vec::new());
    let end = loop {
        tokio::select! {
            end = &mut call => break end.unwrap(),
            request = peer.next() => {
                let method = request["method"].as_str().unwrap().to_owned();
                if method == "tasks/get" {
                    peer.answer(&request, &states[next.min(states.len() - 1)]);
                    next += 1;
                } else {
                    peer.answer(&request, &json!({"resultType": "complete"}));
                }
                heard.push((method, start.elapsed().as_millis()));
                requests.push(request);
            }
        }
    };
    settle().await;
    for request in unread(&mut peer) {
        heard.push((request["method"].as_str().unwrap().to_owned(), start.elapsed().as_millis()));
        requests.push(request);
    }
    assert!(client.is_connected());
    Followed { heard, requests, end }
}

fn heard(expected: &[(&str, u128)]) -> Vec<(String, u128)> {
    expected.iter().map(|(method, at)| ((*method).to_owned(), *at)).collect()
}

#[tokio::test(start_paused = true)]
async fn a_call_that_became_a_task_is_looked_at_as_the_server_says_until_it_is_final() {
    let states = [
        task("working"),
        with(task("working"), "pollIntervalMs", json!(2000)),
        with(task("paused"), "pollIntervalMs", json!(-1)),
        with(task("working"), "pollIntervalMs", json!(i64::MAX)),
        completed(),
    ];
    let followed = follow(declared(), &states).await;
    let at = [5_000, 7_000, 7_100, 607_100].map(|at| ("tasks/get", at));
    assert_eq!(followed.heard, heard(&at));
    assert_eq!(followed.end.unwrap().content[0].as_text(), Some("done"));
    for request in followed.requests {
        let params = &request["params"];
        assert_eq!(params["taskId"], "t-1");
        let capabilities = &params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        assert_eq!(capabilities["extensions"][ID], json!({}));
    }
}

#[tokio::test(start_paused = true)]
async fn an_ordinary_result_is_as_good_and_so_is_a_task_that_is_done_at_once() {
    for (states, expected) in [
        (vec![said("done")], vec![]),
        (vec![completed()], vec![]),
        (vec![task("completed"), with(completed(), "resultType", json!("complete"))], vec![("tasks/get", 0)]),
    ] {
        let followed = follow(declared(), &states).await;
        assert_eq!(followed.heard, heard(&expected));
        assert_eq!(followed.end.unwrap().content[0].as_text(), Some("done"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_is_invalid_where_it_was_not_declared_and_for_other_methods() {
    let followed = follow(options(), &[task("working")]).await;
    assert!(matches!(followed.end, Err(ClientError::ResultType { .. })));
    assert_eq!(followed.heard, heard(&[]));

    let (client, mut peer) = connected(declared()).await;
    let (call, request) = begun(&mut peer, async move { client.list_tools().await }).await;
    peer.answer(&request, &task("working"));
    assert!(matches!(call.await.unwrap(), Err(ClientError::ResultType { .. })));
}

#[tokio::test(start_paused = true)]
async fn each_key_is_shown_and_answered_once_and_the_looking_goes_on() {
    let handler = Arc::new(Yes::default());
    let mut options = declared();
    options.elicitation = Some(handler.clone());
    let states = [task("input_required"), asks(&["a"]), asks(&["a"]), asks(&["a", "b"]), completed()];
    let followed = follow(options, &states).await;
    let expected = [
        ("tasks/get", 0),
        ("tasks/update", 0),
        ("tasks/get", 5_000),
        ("tasks/get", 10_000),
        ("tasks/update", 10_000),
        ("tasks/get", 15_000),
    ];
    assert_eq!(followed.heard, heard(&expected));
    let yes = json!({"action": "accept", "content": {"go": true}});
    assert_eq!(followed.requests[1]["params"]["inputResponses"], json!({"a": yes}));
    assert_eq!(followed.requests[4]["params"]["inputResponses"], json!({"b": yes}));
    assert_eq!(handler.0.load(Ordering::Relaxed), 2);
    followed.end.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_nobody_answers_or_is_too_much_fails_the_call_and_ends_the_task() {
    let followed = follow(declared(), &[asks(&["a"])]).await;
    assert!(matches!(followed.end, Err(ClientError::Input { source: InputError::Refused { .. }, .. })));
    assert_eq!(followed.heard, heard(&[("tasks/cancel", 0)]));

    let mut options = declared();
    options.elicitation = Some(Arc::new(Yes::default()));
    options.max_server_requests = 2;
    options.max_rounds = 1;
    let followed = follow(options.clone(), &[asks(&["a", "b", "c"])]).await;
    let Err(ClientError::Input { source, .. }) = followed.end else { panic!() };
    assert_eq!(source, InputError::TooMany { asked: 3, limit: 2 });

    let followed = follow(options, &[asks(&["a"]), asks(&["b"])]).await;
    let Err(ClientError::Input { source, .. }) = followed.end else { panic!() };
    assert_eq!(source, InputError::TooManyRounds { limit: 1 });
}

#[tokio::test(start_paused = true)]
async fn a_failed_task_is_the_error_of_the_call_and_a_cancelled_one_an_error_of_its_own() {
    let failed = with(task("failed"), "error", json!({"code": -32603, "message": "boom"}));
    let followed = follow(declared(), &[task("working"), failed]).await;
    assert_eq!(followed.end.unwrap_err().to_string(), "MCP error -32603: boom");
    assert_eq!(followed.heard, heard(&[("tasks/get", 5_000)]));

    let followed = follow(declared(), &[task("working"), task("cancelled")]).await;
    assert!(matches!(followed.end, Err(ClientError::TaskCancelled { .. })));
    assert_eq!(followed.heard, heard(&[("tasks/get", 5_000)]));
}

#[tokio::test(start_paused = true)]
async fn a_state_of_another_shape_fails_the_call() {
    for state in [
        json!({"taskId": "t-1"}),
        json!([]),
        task("completed"),
        task("failed"),
        with(completed(), "taskId", json!("t-2")),
        with(completed(), "resultType", json!("input_required")),
        with(task("completed"), "result", json!({"resultType": "task"})),
        with(task("completed"), "result", json!(7)),
    ] {
        let error = follow(declared(), &[task("working"), state.clone()]).await.end.unwrap_err();
        let fits = matches!(error, ClientError::Answer { .. } | ClientError::ResultType { .. });
        assert!(fits, "{state}: {error:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_limits_end_the_call_and_the_server_is_asked_to_end_the_task() {
    let mut limited = CallOptions::default();
    limited.max_total_timeout = Some(Duration::from_secs(12));
    let followed = follow_with(declared(), &[task("working")], limited).await;
    assert_eq!(followed.end.unwrap_err().to_string(), "Request timeout after 12000ms");
    let expected = [("tasks/get", 5_000), ("tasks/get", 10_000), ("tasks/cancel", 12_000)];
    assert_eq!(followed.heard, heard(&expected));

    let mut options = declared();
    options.task_polling.limit = Duration::from_secs(3);
    let followed = follow(options, &[task("working")]).await;
    assert_eq!(followed.end.unwrap_err().to_string(), "Request timeout after 3000ms");
    assert_eq!(followed.heard, heard(&[("tasks/cancel", 3_000)]));
}

async fn next_method(peer: &mut MemoryPeer) -> String {
    peer.next().await["method"].as_str().unwrap().to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_call_given_up_sends_the_end_of_its_task_and_no_notice() {
    let (client, mut peer) = connected(declared()).await;
    peer.let_nonsense_pass();
    for drops in [false, true] {
        let (client, cancel) = (client.clone(), Cancel::new());
        let mut options = CallOptions::default();
        options.cancel = Some(cancel.clone());
        let (call, request) =
            begun(&mut peer, async move { client.call_tool_with("t", &(), options).await }).await;
        peer.answer(&request, &task("working"));
        assert_eq!(next_method(&mut peer).await, "tasks/get");
        if drops {
            call.abort()
        } else {
            cancel.cancel()
        }
        assert_eq!(next_method(&mut peer).await, "tasks/cancel");
        settle().await;
        assert_eq!(unread(&mut peer), Vec::<Value>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_task_ends_the_call_and_nothing_is_left_to_end() {
    let (client, mut peer) = connected(declared()).await;
    peer.let_nonsense_pass();
    let (call, request) = begun(&mut peer, async move { client.call_tool("t", &()).await }).await;
    peer.answer(&request, &task("working"));
    let request = peer.next().await;
    peer.refuse(&request, &json!({"code": -32602, "message": "Task not found"}));
    assert_eq!(call.await.unwrap().unwrap_err().to_string(), "MCP error -32602: Task not found");
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

#[tokio::test(start_paused = true)]
async fn a_raw_request_yields_the_task_to_be_looked_at_by_hand() {
    let (client, mut peer) = connected(declared()).await;
    peer.let_nonsense_pass();
    let params = RawValue::from_string(r#"{"name":"t"}"#.to_owned()).unwrap();
    let calling: Client = client.clone();
    let call = async move { calling.request("tools/call", Some(params), CallOptions::default()).await };
    let (call, request) = begun(&mut peer, call).await;
    peer.answer(&request, &task("working"));
    let task: ExtensionTask = call.await.unwrap().unwrap().parse().unwrap();
    assert_eq!(task.task_id, "t-1");
    let look =
        async move { client.call::<GetExtensionTask>(&TaskParams::new("t-1"), CallOptions::default()).await };
    let (look, request) = begun(&mut peer, look).await;
    peer.answer(&request, &completed());
    assert!(look.await.unwrap().unwrap().result.is_some());
}

#[tokio::test(start_paused = true)]
async fn each_request_of_a_task_names_it_in_the_header_and_has_no_notice() {
    let (mut connect, mut peers, log) = ProbeConnect::new();
    connect.mirrors = true;
    let mut options = declared();
    options.protocol = Protocol::Discover;
    options.elicitation = Some(Arc::new(Yes::default()));
    options.task_polling.limit = Duration::from_secs(6);
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        peer.let_nonsense_pass();
        let request = peer.next().await;
        peer.answer(&request, &discovered(&json!({"tools": {}})));
        peer
    };
    let (client, mut peer) = tokio::join!(Client::connect(&connect, options), serve);
    let client = client.unwrap();
    let (call, request) = begun(&mut peer, async move { client.call_tool("t", &()).await }).await;
    peer.answer(&request, &asks(&["a"]));
    let request = peer.next().await;
    peer.answer(&request, &json!({}));
    let request = peer.next().await;
    peer.answer(&request, &task("working"));
    call.await.unwrap().unwrap_err();
    settle().await;
    let lines: Vec<_> = log.lines().into_iter().filter(|line| line.contains("tasks/")).collect();
    let expected = ["update", "get", "cancel"].map(|it| format!("request tasks/{it}, Mcp-Name: t-1"));
    assert_eq!(lines, expected);
}
