//! Tools called as tasks: when that is allowed, what is sent, and that no notice cancels a task.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use mcp_client::{
    CallOptions, Client, ClientError, ElicitationHandler, FormAnswer, FormRequest, Refusal, ToolTask,
};
use mcp_jsonrpc::Cancel;
use mcp_jsonrpc::testing::MemoryPeer;
use mcp_types::Tool;
use serde_json::{Value, json};

use crate::methods::able;
use crate::pair::{begin_and_drop, begun, connected_as, options, settle, unread};

/// A tool that says this about tasks.
pub(crate) fn tool(support: &Value) -> Tool {
    let tool = json!({"name": "build", "inputSchema": {}, "execution": {"taskSupport": support}});
    serde_json::from_value(tool).unwrap()
}

pub(crate) fn task(status: &str) -> Value {
    json!({
        "taskId": "t-1", "status": status, "createdAt": "2025-11-25T10:30:00Z",
        "lastUpdatedAt": "2025-11-25T10:30:00Z", "ttl": null, "pollInterval": 5000,
    })
}

/// A task that the server created in this state.
pub(crate) async fn created(client: &Client, peer: &mut MemoryPeer, state: &Value) -> ToolTask {
    let caller = client.clone();
    let begin = async move {
        let arguments = json!({"x": 1});
        caller.call_tool_as_task(&tool(&json!("optional")), &arguments, None, CallOptions::default()).await
    };
    let (call, request) = begun(peer, begin).await;
    peer.answer(&request, &json!({"task": state}));
    call.await.unwrap().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_tool_is_called_as_a_task_and_its_result_is_fetched() {
    let (client, mut peer) = connected_as(options(), able("2025-11-25")).await;
    let caller = client.clone();
    let begin = async move {
        let ttl = Some(Duration::from_secs(60));
        caller
            .call_tool_as_task(&tool(&json!("required")), &json!({"x": 1}), ttl, CallOptions::default())
            .await
    };
    let (call, request) = begun(&mut peer, begin).await;
    assert_eq!(request["method"], "tools/call");
    let params = json!({"name": "build", "arguments": {"x": 1}, "task": {"ttl": 60_000}});
    assert_eq!(request["params"], params);
    let meta = json!({"io.modelcontextprotocol/model-immediate-response": "building"});
    peer.answer(&request, &json!({"task": task("working"), "_meta": meta}));
    let handle = call.await.unwrap().unwrap();
    assert_eq!(handle.id(), "t-1");
    let meta = handle.at_creation().unwrap().meta.as_ref().unwrap();
    assert_eq!(meta.model_immediate_response().as_deref(), Some("building"));
    assert!(!format!("{handle:?}").contains("t-1"), "who knows the id may fetch the result");

    let (call, request) = begun(&mut peer, async move { handle.result().await }).await;
    assert_eq!((&request["method"], &request["params"]), (&json!("tasks/result"), &json!({"taskId": "t-1"})));
    peer.answer(&request, &json!({"content": [{"type": "text", "text": "done"}]}));
    assert_eq!(call.await.unwrap().unwrap().content[0].as_text(), Some("done"));
}

#[tokio::test(start_paused = true)]
async fn a_task_is_not_begun_where_it_is_not_allowed() {
    let refused = async |answer: Value, support: Value| {
        let (client, mut peer) = connected_as(options(), answer).await;
        let begun = client.call_tool_as_task(&tool(&support), &(), None, CallOptions::default()).await;
        assert_eq!(unread(&mut peer), Vec::<Value>::new());
        begun.unwrap_err()
    };
    for version in ["2024-11-05", "2025-03-26", "2025-06-18"] {
        let error = refused(able(version), json!("required")).await;
        assert!(matches!(error, ClientError::NotInRevision { .. }), "{error:?}");
    }
    for tasks in [json!({}), json!({"requests": {}}), json!({"requests": {"tools": {"list": {}}}})] {
        let mut answer = able("2025-11-25");
        answer["capabilities"]["tasks"] = tasks;
        let error = refused(answer, json!("required")).await;
        let expected = "server `memory` does not offer `tasks.requests.tools.call`, which `tools/call` needs";
        assert_eq!(error.to_string(), expected);
    }
    let mut without = able("2025-11-25");
    without["capabilities"].as_object_mut().unwrap().remove("tasks");
    let error = refused(without, json!("required")).await;
    assert!(matches!(error, ClientError::NotOffered { capability: "tasks", .. }), "{error:?}");

    for support in [json!(null), json!("forbidden"), json!("Required"), json!("")] {
        let error = refused(able("2025-11-25"), support).await;
        assert_eq!(error.to_string(), "tool `build` cannot be called as a task");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_answers_with_the_result_itself_does_not_fit() {
    let answers =
        [json!({"content": []}), json!({"task": null}), json!({"task": {"taskId": "t"}}), task("working")];
    for answer in answers {
        let (client, mut peer) = connected_as(options(), able("2025-11-25")).await;
        let caller = client.clone();
        let begin = async move {
            caller.call_tool_as_task(&tool(&json!("optional")), &(), None, CallOptions::default()).await
        };
        let (call, request) = begun(&mut peer, begin).await;
        peer.answer(&request, &answer);
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(error.to_string(), "the answer to `tools/call` does not fit");
        assert!(client.is_connected());
    }
}

#[tokio::test(start_paused = true)]
async fn giving_up_never_sends_a_cancel_notice_and_cancel_is_a_method() {
    let (client, mut peer) = connected_as(options(), able("2025-11-25")).await;

    let optional = tool(&json!("optional"));
    begin_and_drop(client.call_tool_as_task(&optional, &(), None, CallOptions::default()));
    let mut cancelled = CallOptions::default();
    cancelled.cancel = Some(Cancel::new());
    let signal = cancelled.cancel.clone().unwrap();
    let caller = client.clone();
    let begin = async move { caller.call_tool_as_task(&optional, &(), None, cancelled).await };
    assert_eq!(peer.next().await["method"], "tools/call");
    let (call, _) = begun(&mut peer, begin).await;
    signal.cancel();
    assert!(call.await.unwrap().unwrap_err().call_error().unwrap().is_cancelled());

    let handle = created(&client, &mut peer, &task("working")).await;
    begin_and_drop(handle.result());
    assert_eq!(peer.next().await["method"], "tasks/result");
    drop(handle);
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());

    let handle = client.task("t-1");
    let (call, request) = begun(&mut peer, async move { handle.cancel().await }).await;
    assert_eq!((&request["method"], &request["params"]), (&json!("tasks/cancel"), &json!({"taskId": "t-1"})));
    peer.answer(&request, &task("cancelled"));
    assert!(call.await.unwrap().unwrap().status.is_final());
}

#[tokio::test(start_paused = true)]
async fn the_result_is_waited_for_without_a_timeout_unless_one_is_given() {
    let mut options = options();
    options.timeout = Some(Duration::from_secs(1));
    options.max_total_timeout = Some(Duration::from_secs(2));
    let (client, mut peer) = connected_as(options, able("2025-11-25")).await;
    let handle = client.task("t-1");
    let (call, request) = begun(&mut peer, async move { (handle.result().await, handle) }).await;
    tokio::time::advance(Duration::from_secs(7 * 24 * 3600)).await;
    peer.answer(&request, &json!({"content": [], "isError": true}));
    let (result, handle) = call.await.unwrap();
    assert!(result.unwrap().is_error());

    let mut short = CallOptions::default();
    short.timeout = Some(Duration::from_secs(5));
    let error = handle.result_with(short).await.unwrap_err();
    assert_eq!(error.to_string(), "Request timeout after 5000ms");
    peer.next().await;
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

#[tokio::test(start_paused = true)]
async fn progress_goes_on_until_the_handle_is_dropped() {
    let (client, mut peer) = connected_as(options(), able("2025-11-25")).await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let mut options = CallOptions::default();
    let sink = heard.clone();
    options.progress = Some(Arc::new(move |params| sink.lock().unwrap().push(params.progress.to_string())));
    let caller = client.clone();
    let begin = async move { caller.call_tool_as_task(&tool(&json!("optional")), &(), None, options).await };
    let (call, request) = begun(&mut peer, begin).await;
    let token = request["params"]["_meta"]["progressToken"].clone();
    let progress = |step: u32| {
        let params = json!({"progressToken": token, "progress": step});
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}).to_string()
    };
    peer.send(progress(1));
    peer.answer(&request, &json!({"task": task("working")}));
    let handle = call.await.unwrap().unwrap();
    peer.send(progress(2));
    settle().await;
    assert_eq!(*heard.lock().unwrap(), ["1", "2"]);
    drop(handle);
    peer.send(progress(3));
    settle().await;
    assert_eq!(*heard.lock().unwrap(), ["1", "2"]);
}

struct Yes;

#[async_trait]
impl ElicitationHandler for Yes {
    async fn form(&self, _request: FormRequest) -> Result<FormAnswer, Refusal> {
        Ok(FormAnswer::Decline)
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_a_question_of_a_task_names_the_task_and_a_wish_for_a_task_is_ignored() {
    let mut options = options();
    options.elicitation = Some(Arc::new(Yes));
    let (_client, mut peer) = connected_as(options, able("2025-11-25")).await;
    let related = json!({"io.modelcontextprotocol/related-task": {"taskId": "t-1"}});
    let schema = json!({"type": "object", "properties": {}});
    let params = json!({"message": "m", "requestedSchema": schema, "task": {"ttl": 1}, "_meta": related});
    peer.send(
        json!({"jsonrpc": "2.0", "id": 7, "method": "elicitation/create", "params": params}).to_string(),
    );
    let answer = peer.next().await;
    assert_eq!(answer["result"], json!({"action": "decline", "_meta": related}));
}

#[tokio::test(start_paused = true)]
async fn tasks_are_listed_page_by_page() {
    let (client, mut peer) = connected_as(options(), able("2025-11-25")).await;
    let (call, first) = begun(&mut peer, async move { client.list_tasks().await }).await;
    peer.answer(&first, &json!({"tasks": [task("working")], "nextCursor": "="}));
    let second = peer.next().await;
    assert_eq!((&second["method"], &second["params"]), (&json!("tasks/list"), &json!({"cursor": "="})));
    peer.answer(&second, &json!({"tasks": [task("paused")]}));
    let found: Vec<_> =
        call.await.unwrap().unwrap().into_iter().map(|task| task.status.to_string()).collect();
    assert_eq!(found, ["working", "paused"]);
}
