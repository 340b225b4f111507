//! Content blocks: known, unknown, and with `type` anywhere.

use super::ContentBlock;

fn read(json: &str) -> ContentBlock {
    serde_json::from_str(json).unwrap()
}

fn error(json: &str) -> String {
    serde_json::from_str::<ContentBlock>(json).unwrap_err().to_string()
}

/// Reads a block of that kind and expects the very same text back.
fn check(kind: &str, json: &str) {
    let block = read(json);
    assert_eq!(block.kind(), Some(kind));
    assert!(!matches!(block, ContentBlock::Unknown(_)), "{json}");
    assert_eq!(serde_json::to_string(&block).unwrap(), json);
}

#[test]
fn every_known_kind_round_trips_with_unknown_members() {
    let tail = r#""annotations":{"priority":0.5,"x":1e400},"_meta":{"x":-0},"x":[1]}"#;
    check("text", &format!(r#"{{"type":"text","text":"",{tail}"#));
    check("image", &format!(r#"{{"type":"image","data":"AA==","mimeType":"image/png",{tail}"#));
    check("audio", &format!(r#"{{"type":"audio","data":"AA==","mimeType":"audio/wav",{tail}"#));
    check("resource", &format!(r#"{{"type":"resource","resource":{{"uri":"a","text":"","x":1}},{tail}"#));
    check("resource_link", &format!(r#"{{"type":"resource_link","uri":"a","name":"b",{tail}"#));
}

#[test]
fn unknown_kinds_round_trip_wherever_their_type_stands() {
    for json in [
        r#"{"type":"x-new","text":5,"n":18446744073709551615}"#,
        r#"{"text":5,"type":"x-new","n":1e400}"#,
        r#"{"text":5,"n":-0,"type":"x-new"}"#,
    ] {
        let block = read(json);
        assert_eq!(block.kind(), Some("x-new"));
        assert_eq!(serde_json::to_string(&block).unwrap(), json);
    }
    for json in [
        r#"{"type":"tool_use","id":"1","name":"n","input":{}}"#,
        r#"{"type":"tool_result","toolUseId":"1","content":[]}"#,
    ] {
        assert!(matches!(read(json), ContentBlock::Unknown(_)));
        assert_eq!(serde_json::to_string(&read(json)).unwrap(), json);
    }
}

#[test]
fn a_block_without_type_is_kept() {
    for json in ["{}", r#"{"text":"t"}"#] {
        assert_eq!(read(json).kind(), None);
        assert_eq!(serde_json::to_string(&read(json)).unwrap(), json);
    }
}

#[test]
fn type_may_come_last_or_in_between() {
    let json = r#"{"type":"text","text":"t\n","_meta":{"n":1e400},"x":1}"#;
    for late in [
        r#"{"text":"t\n","_meta":{"n":1e400},"x":1,"type":"text"}"#,
        r#"{"x":1,"type":"text","_meta":{"n":1e400},"text":"t\n"}"#,
    ] {
        assert_eq!(serde_json::to_string(&read(late)).unwrap(), json);
    }
}

#[test]
fn a_block_can_be_read_from_a_value() {
    let value = serde_json::json!({"type": "text", "text": "t", "_meta": {"a": 1}});
    let block: ContentBlock = serde_json::from_value(value).unwrap();
    assert_eq!(block.as_text(), Some("t"));
}

#[test]
fn a_known_kind_without_its_members_is_an_error_that_names_them() {
    assert_eq!(error(r#"{"type":"text"}"#), "missing field `text` at line 1 column 15");
    assert!(error(r#"{"text":7,"type":"text"}"#).starts_with("`text`: invalid type: integer `7`"));
    assert!(error(r#"{"type":"image","data":""}"#).starts_with("missing field `mimeType`"));
    assert!(error(r#"{"type":"resource","resource":{}}"#).starts_with("`resource`: missing field `uri`"));
    assert!(error(r#"{"type":7}"#).starts_with("`type`: invalid type: integer `7`"));
    assert!(error(r#"{"text":"","type":7}"#).starts_with("`type`: invalid type: integer `7`"));
    assert!(error("7").contains("expected a content block"));
}

#[test]
fn a_big_text_is_read_whole() {
    let text = "0123456789abcdef".repeat(1 << 20);
    for json in
        [format!(r#"{{"type":"text","text":"{text}"}}"#), format!(r#"{{"text":"{text}","type":"text"}}"#)]
    {
        assert!(read(&json).as_text() == Some(&text));
    }
}
