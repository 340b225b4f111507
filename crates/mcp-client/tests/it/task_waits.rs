//! Waiting for a task: how often it is looked at, and how the wait ends.

use std::time::Duration;

use mcp_client::{ClientError, TaskPolling};
use mcp_types::CallToolResult;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::methods::able;
use crate::pair::{connected_as, options, settle, unread};
use crate::tasks::{created, task};

/// What the server heard, and after how many milliseconds each, and what the wait came to.
struct Waited {
    heard: Vec<(String, u128)>,
    end: Result<CallToolResult, ClientError>,
}

/// Waits for a task that was created as the first state and is then found in one after the other; the
/// last one stays. `tasks/result` is answered so, or not at all.
async fn wait(states: &[Value], result: Option<Value>, polling: TaskPolling) -> Waited {
    let (client, mut peer) = connected_as(options(), able("2025-11-25")).await;
    let handle = created(&client, &mut peer, &states[0]).await;
    let start = Instant::now();
    let waiting = tokio::spawn(async move { handle.wait(&polling).await });
    let (mut heard, mut next) = (Vec::new(), 1);
    let mut waiting = waiting;
    let end = loop {
        tokio::select! {
            end = &mut waiting => break end.unwrap(),
            request = peer.next() => {
                let method = request["method"].as_str().unwrap().to_owned();
                match (method.as_str(), &result) {
                    ("tasks/get", _) => {
                        peer.answer(&request, &states[next.min(states.len() - 1)]);
                        next += 1;
                    }
                    ("tasks/result", Some(result)) => peer.answer(&request, result),
                    _ => {}
                }
                heard.push((method, start.elapsed().as_millis()));
            }
        }
    };
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new(), "nothing is cancelled by a notice");
    Waited { heard, end }
}

fn every(milliseconds: i64, status: &str) -> Value {
    let mut task = task(status);
    task["pollInterval"] = json!(milliseconds);
    task
}

fn heard(expected: &[(&str, u128)]) -> Vec<(String, u128)> {
    expected.iter().map(|(method, at)| ((*method).to_owned(), *at)).collect()
}

fn done() -> Option<Value> {
    Some(json!({"content": []}))
}

#[tokio::test(start_paused = true)]
async fn a_task_is_looked_at_as_often_as_the_server_says_until_it_is_final() {
    let states = [every(5000, "working"), every(2000, "working"), every(1, "paused"), every(1, "completed")];
    let waited = wait(&states, done(), TaskPolling::default()).await;
    let expected =
        [("tasks/get", 5_000), ("tasks/get", 7_000), ("tasks/get", 7_100), ("tasks/result", 7_100)];
    assert_eq!(waited.heard, heard(&expected));
    waited.end.unwrap();
}

#[tokio::test(start_paused = true)]
async fn where_the_server_says_nothing_the_client_says_how_often() {
    let mut silent = task("working");
    silent.as_object_mut().unwrap().remove("pollInterval");
    let waited = wait(&[silent, task("failed")], done(), TaskPolling::default()).await;
    assert_eq!(waited.heard, heard(&[("tasks/get", 1_000), ("tasks/result", 1_000)]));
}

#[tokio::test(start_paused = true)]
async fn a_server_can_neither_rush_nor_stall_the_client() {
    let states = [every(i64::MIN, "working"), every(i64::MAX, "working"), every(0, "completed")];
    let waited = wait(&states, done(), TaskPolling::default()).await;
    assert_eq!(waited.heard, heard(&[("tasks/get", 100), ("tasks/get", 600_100), ("tasks/result", 600_100)]));
}

#[tokio::test(start_paused = true)]
async fn a_task_that_needs_input_is_asked_for_its_result_at_once() {
    let waited = wait(&[task("input_required")], done(), TaskPolling::default()).await;
    assert_eq!(waited.heard, heard(&[("tasks/result", 0)]));
    let waited = wait(&[task("working"), task("input_required")], done(), TaskPolling::default()).await;
    assert_eq!(waited.heard, heard(&[("tasks/get", 5_000), ("tasks/result", 5_000)]));
    waited.end.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_task_has_no_result() {
    let waited = wait(&[task("working"), task("cancelled")], done(), TaskPolling::default()).await;
    assert_eq!(waited.heard, heard(&[("tasks/get", 5_000)]));
    assert!(matches!(waited.end, Err(ClientError::TaskCancelled { .. })), "{:?}", waited.end);
}

#[tokio::test(start_paused = true)]
async fn a_task_without_end_is_given_up_at_the_limit() {
    let mut polling = TaskPolling::default();
    polling.limit = Duration::from_secs(12);
    let waited = wait(&[task("working")], None, polling.clone()).await;
    assert_eq!(waited.heard, heard(&[("tasks/get", 5_000), ("tasks/get", 10_000)]));
    assert_eq!(waited.end.unwrap_err().to_string(), "the task on server `memory` was not done after 12000ms");

    // A server that never answers for the result is no better.
    let waited = wait(&[task("working"), task("input_required")], None, polling).await;
    assert_eq!(waited.heard, heard(&[("tasks/get", 5_000), ("tasks/result", 5_000)]));
    assert!(matches!(waited.end, Err(ClientError::TaskUnfinished { .. })), "{:?}", waited.end);
}

#[tokio::test(start_paused = true)]
async fn what_the_server_refuses_ends_the_wait_and_one_can_wait_again() {
    let (client, mut peer) = connected_as(options(), able("2025-11-25")).await;
    let handle = client.task("t-1");
    let polling = TaskPolling::default();
    let serve = async {
        let request = peer.next().await;
        assert_eq!(request["method"], "tasks/get");
        peer.refuse(&request, &json!({"code": -32602, "message": "Task not found"}));
    };
    let (end, ()) = tokio::join!(handle.wait(&polling), serve);
    assert_eq!(end.unwrap_err().to_string(), "MCP error -32602: Task not found");

    let serve = async {
        let request = peer.next().await;
        peer.answer(&request, &task("failed"));
        let request = peer.next().await;
        assert_eq!(request["method"], "tasks/result");
        peer.refuse(&request, &json!({"code": -32603, "message": "boom"}));
    };
    let (end, ()) = tokio::join!(handle.wait(&polling), serve);
    assert_eq!(end.unwrap_err().to_string(), "MCP error -32603: boom");
}
