//! The extension on the wire, and that it is not the tasks of 2025-11-25.

use super::{
    CancelExtensionTask, ExtensionTask, GetExtensionTask, TaskChanged, UpdateTask, UpdateTaskParams,
};
use crate::extra::Extra;
use crate::method::{Method, Notice};
use crate::{CreateTaskResult, ResultType, TaskStatus};

#[test]
fn the_members_of_a_task_stand_in_the_result_itself() {
    let json = r#"{"taskId":"t","status":"working","createdAt":"a","lastUpdatedAt":"b","ttlMs":null,"pollIntervalMs":5,"resultType":"task"}"#;
    let task: ExtensionTask = serde_json::from_str(json).unwrap();
    assert_eq!((task.ttl_ms, task.poll_interval_ms), (None, Some(5)));
    assert_eq!(task.extra.get("resultType").unwrap().get(), format!("\"{}\"", ResultType::TASK));
    assert_eq!(serde_json::to_string(&task).unwrap(), json);
    serde_json::from_str::<CreateTaskResult>(json).unwrap_err();
}

#[test]
fn a_finished_task_brings_its_result_or_its_error_or_what_it_asks() {
    let done = r#"{"taskId":"t","status":"completed","result":{"content":[],"n":1e400}}"#;
    let done: ExtensionTask = serde_json::from_str(done).unwrap();
    assert_eq!(done.result.unwrap().get(), r#"{"content":[],"n":1e400}"#);

    let failed = r#"{"taskId":"t","status":"failed","error":{"code":-32603,"message":"m","data":[1e400]}}"#;
    let failed: ExtensionTask = serde_json::from_str(failed).unwrap();
    assert_eq!((failed.status, failed.error.unwrap().code), (TaskStatus::Failed, -32603));

    let asks = r#"{"taskId":"t","status":"input_required","inputRequests":{"k":{"method":"roots/list"}}}"#;
    let asks: ExtensionTask = serde_json::from_str(asks).unwrap();
    assert_eq!(asks.input_requests.unwrap().get("k").unwrap().get(), r#"{"method":"roots/list"}"#);
}

#[test]
fn a_task_of_another_shape_does_not_fit() {
    for json in [
        "[]",
        "{}",
        r#"{"task":{"taskId":"t","status":"working"}}"#,
        r#"{"taskId":"t","status":"working","ttlMs":"long"}"#,
        r#"{"taskId":"t","status":"working","pollIntervalMs":0.5}"#,
        r#"{"taskId":"t","status":"input_required","inputRequests":[]}"#,
        r#"{"taskId":"t","status":"failed","error":"boom"}"#,
    ] {
        serde_json::from_str::<ExtensionTask>(json).unwrap_err();
    }
}

#[test]
fn answers_are_written_even_where_there_are_none() {
    let params = UpdateTaskParams::new("t", Extra::new());
    assert_eq!(serde_json::to_string(&params).unwrap(), r#"{"taskId":"t","inputResponses":{}}"#);
}

#[test]
fn the_names_are_those_of_the_extension() {
    assert_eq!(GetExtensionTask::NAME, "tasks/get");
    assert_eq!(UpdateTask::NAME, "tasks/update");
    assert_eq!(CancelExtensionTask::NAME, "tasks/cancel");
    assert_eq!(TaskChanged::NAME, "notifications/tasks");
}
