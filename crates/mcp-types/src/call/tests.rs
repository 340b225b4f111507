//! Results of every shape servers send (field cases 164 and 166).

use super::{CallToolParams, CallToolResult};

fn read(json: &str) -> CallToolResult {
    serde_json::from_str(json).unwrap()
}

#[test]
fn content_and_structured_content_may_both_be_there_or_neither() {
    let both = read(r#"{"content":[{"type":"text","text":"3"}],"structuredContent":{"sum":3}}"#);
    assert_eq!(both.content.len(), 1);
    assert_eq!(both.structured_content.unwrap().get(), r#"{"sum":3}"#);

    for json in ["{}", r#"{"content":null}"#, r#"{"content":[]}"#] {
        let neither = read(json);
        assert!(neither.content.is_empty());
        assert!(neither.structured_content.is_none());
        assert_eq!(serde_json::to_string(&neither).unwrap(), r#"{"content":[]}"#);
    }

    let structured = read(r#"{"structuredContent":[1]}"#);
    assert!(structured.content.is_empty());
    assert_eq!(structured.structured_content.unwrap().get(), "[1]");
}

#[test]
fn an_explicit_null_is_structured_content() {
    let json = r#"{"content":[],"structuredContent":null}"#;
    assert_eq!(read(json).structured_content.as_deref().map(|raw| raw.get()), Some("null"));
    assert_eq!(serde_json::to_string(&read(json)).unwrap(), json);
}

#[test]
fn an_absent_is_error_means_success_and_stays_absent() {
    assert!(!read(r#"{"content":[]}"#).is_error());
    assert_eq!(read(r#"{"content":[]}"#).is_error, None);
    assert!(!read(r#"{"content":[],"isError":false}"#).is_error());
    assert!(read(r#"{"content":[],"isError":true}"#).is_error());
}

#[test]
fn unknown_kinds_and_members_and_meta_are_accepted_at_every_level() {
    let json = concat!(
        r#"{"content":[{"type":"x-new","_meta":{"a":1},"deep":{"x":[]}},"#,
        r#"{"type":"resource","resource":{"uri":"a","blob":"","_meta":{"a":1},"x":1},"#,
        r#""annotations":{"audience":["x-new"],"x":1},"_meta":{"a":1},"x":1},"#,
        r#"{"type":"resource_link","uri":"a","name":"b","icons":[{"src":"c","x":1}],"_meta":{"a":1},"x":1}],"#,
        r#""_meta":{"a":1},"resultType":"complete","x":1}"#,
    );
    let result = read(json);
    assert_eq!(serde_json::to_string(&result).unwrap(), json);
    assert_eq!(result.extra.get("resultType").unwrap().get(), r#""complete""#);
}

#[test]
fn numbers_are_exact_in_both_directions() {
    for number in ["9007199254740993", "18446744073709551615", "-0", "1e400", "0.1", "-9223372036854775808"] {
        let json = format!(r#"{{"content":[],"structuredContent":{{"n":{number}}}}}"#);
        assert_eq!(serde_json::to_string(&read(&json)).unwrap(), json);

        let json = format!(r#"{{"name":"t","arguments":{{"n":{number}}}}}"#);
        let params: CallToolParams = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&params).unwrap(), json);
    }
}
