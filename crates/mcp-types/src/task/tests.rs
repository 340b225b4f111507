//! Tasks of every shape that a peer may send.

use super::{CreateTaskResult, ListTasksResult, Task, TaskMetadata, TaskStatus};
use crate::meta::Meta;

fn task(members: &str) -> serde_json::Result<Task> {
    serde_json::from_str(&format!("{{{members}}}"))
}

#[test]
fn every_status_keeps_its_word_and_only_three_are_final() {
    for (word, is_final) in [
        ("working", false),
        ("input_required", false),
        ("completed", true),
        ("failed", true),
        ("cancelled", true),
        ("Completed", false),
        ("paused", false),
        ("", false),
    ] {
        let status = TaskStatus::from(word.to_owned());
        assert_eq!((status.as_str(), status.is_final()), (word, is_final));
        assert_eq!(serde_json::to_string(&status).unwrap(), format!("\"{word}\""));
    }
    assert_eq!(TaskStatus::from("paused".to_owned()), TaskStatus::Unknown("paused".to_owned()));
}

#[test]
fn a_task_is_kept_without_end_or_for_a_time() {
    let written = |task: &Task| serde_json::to_string(task).unwrap();
    let endless = task(r#""taskId":"t","status":"working","createdAt":"a","lastUpdatedAt":"b","ttl":null"#);
    let mut endless = endless.unwrap();
    assert_eq!(endless.ttl, None);
    assert!(written(&endless).ends_with(r#""ttl":null}"#), "the specification wants the member");
    endless.ttl = Some(60_000);
    assert!(written(&endless).ends_with(r#""ttl":60000}"#));
}

#[test]
fn dates_and_ttl_that_are_left_out_do_not_cost_the_task() {
    let task = task(r#""taskId":"t","status":"working""#).unwrap();
    assert_eq!((task.created_at.as_str(), task.last_updated_at.as_str(), task.ttl), ("", "", None));
}

#[test]
fn a_task_without_id_or_status_and_one_with_odd_numbers_does_not_fit() {
    for members in [
        "",
        r#""taskId":"t""#,
        r#""status":"working""#,
        r#""taskId":7,"status":"working""#,
        r#""taskId":"t","status":null"#,
        r#""taskId":"t","status":["working"]"#,
        r#""taskId":"t","status":"working","pollInterval":"soon""#,
        r#""taskId":"t","status":"working","pollInterval":1e400"#,
        r#""taskId":"t","status":"working","ttl":18446744073709551615"#,
    ] {
        task(members).unwrap_err();
    }
    for json in ["{}", r#"{"task":null}"#, r#"{"task":[]}"#, r#"{"taskId":"t","status":"working"}"#] {
        serde_json::from_str::<CreateTaskResult>(json).unwrap_err();
    }
    serde_json::from_str::<ListTasksResult>(r#"{"tasks":{}}"#).unwrap_err();
}

#[test]
fn a_ttl_that_is_not_wished_for_is_left_out() {
    assert_eq!(serde_json::to_string(&TaskMetadata::default()).unwrap(), "{}");
    assert_eq!(serde_json::to_string(&TaskMetadata::new(Some(5))).unwrap(), r#"{"ttl":5}"#);
}

#[test]
fn the_related_task_and_the_immediate_response_are_read_and_odd_ones_are_none() {
    let mut meta = Meta::new();
    meta.set_related_task("t-\"1");
    let json = r#"{"io.modelcontextprotocol/related-task":{"taskId":"t-\"1"}}"#;
    assert_eq!(serde_json::to_string(&meta).unwrap(), json);
    assert_eq!(meta.related_task().as_deref(), Some("t-\"1"));
    assert_eq!(meta.model_immediate_response(), None);

    for odd in ["null", "7", "[]", "{}", r#"{"taskId":7}"#] {
        let json = format!(r#"{{"{}":{odd}}}"#, Meta::RELATED_TASK);
        let meta: Meta = serde_json::from_str(&json).unwrap();
        assert_eq!(meta.related_task(), None, "{odd}");
        assert_eq!(serde_json::to_string(&meta).unwrap(), json);
    }
    let json = format!(r#"{{"{}":"on it"}}"#, Meta::MODEL_IMMEDIATE_RESPONSE);
    let meta: Meta = serde_json::from_str(&json).unwrap();
    assert_eq!(meta.model_immediate_response().as_deref(), Some("on it"));
}
