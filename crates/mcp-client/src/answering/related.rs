//! What belongs to a task says so (C-369).

use mcp_types::{Extra, Meta};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

/// The result of a request with `params`: if the request belongs to a task, so does the result.
///
/// What cannot be read belongs to no task; then the result stays what it is.
pub(crate) fn to_task(params: Option<&str>, result: Box<RawValue>) -> Box<RawValue> {
    let Some(task_id) = params.and_then(task_of) else { return result };
    joined(&result, &task_id).unwrap_or(result)
}

fn task_of(params: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Params {
        #[serde(rename = "_meta")]
        meta: Option<Meta>,
    }
    serde_json::from_str::<Params>(params).ok()?.meta?.related_task()
}

fn joined(result: &RawValue, task_id: &str) -> Option<Box<RawValue>> {
    let mut members: Extra = serde_json::from_str(result.get()).ok()?;
    let mut meta = match members.get("_meta") {
        Some(meta) => serde_json::from_str::<Option<Meta>>(meta.get()).ok()?.unwrap_or_default(),
        None => Meta::new(),
    };
    meta.set_related_task(task_id);
    members.insert("_meta", to_raw_value(&meta).ok()?);
    to_raw_value(&members).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::to_task;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    fn answered(params: &str, result: &str) -> String {
        to_task(Some(params), raw(result)).get().to_owned()
    }

    const OF_TASK: &str =
        r#"{"message":"m","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"}}}"#;

    #[test]
    fn the_answer_to_a_question_of_a_task_belongs_to_it_too() {
        assert_eq!(
            answered(OF_TASK, r#"{"n":1e400}"#),
            r#"{"n":1e400,"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"}}}"#
        );
        assert_eq!(
            answered(OF_TASK, r#"{"_meta":{"a/b":1},"n":1}"#),
            r#"{"_meta":{"a/b":1,"io.modelcontextprotocol/related-task":{"taskId":"t"}},"n":1}"#
        );
    }

    #[test]
    fn an_answer_stays_as_it_is_where_there_is_no_task_or_no_place_for_it() {
        assert_eq!(to_task(None, raw(r#"{ "a":1 }"#)).get(), r#"{ "a":1 }"#);
        for params in [
            "{}",
            "[]",
            r#"{"_meta":null}"#,
            r#"{"_meta":7}"#,
            r#"{"_meta":{"io.modelcontextprotocol/related-task":"t"}}"#,
            r#"{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":7}}}"#,
        ] {
            assert_eq!(answered(params, r#"{ "a":1 }"#), r#"{ "a":1 }"#, "{params}");
        }
        for result in ["[ ]", "7", r#"{ "_meta":7 }"#] {
            assert_eq!(answered(OF_TASK, result), result);
        }
    }
}
