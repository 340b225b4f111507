//! Conversations: one block or several, and tool use.

use super::{CreateMessageParams, SamplingBlock, SamplingContent, SamplingMessage};

fn content(json: &str) -> SamplingContent {
    let content: SamplingContent = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&content).unwrap(), json);
    content
}

#[test]
fn content_is_one_block_or_an_array_and_stays_what_it_was() {
    let one = content(r#"{"type":"text","text":"t"}"#);
    assert!(matches!(&one, SamplingContent::One(_)) && one.blocks().len() == 1);
    let many = content(r#"[{"type":"text","text":"t"},{"type":"x-new","n":1e400}]"#);
    assert!(matches!(&many, SamplingContent::Many(_)) && many.blocks().len() == 2);
    assert!(content("[]").blocks().is_empty());
    let error = serde_json::from_str::<SamplingContent>("7").unwrap_err().to_string();
    assert!(error.contains("expected a content block or an array of them"), "{error}");
}

#[test]
fn tool_use_and_its_result_keep_every_member() {
    let json = r#"[{"type":"tool_use","id":"1","name":"n","input":{"a":1e400},"_meta":{"c/x":1},"x":-0},{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"t"}],"structuredContent":[0.10],"isError":true,"_meta":{"c/y":2},"x":null}]"#;
    let content = content(json);
    let [SamplingBlock::ToolUse(call), SamplingBlock::ToolResult(result)] = content.blocks() else {
        panic!("{content:?}")
    };
    assert_eq!(call.id, result.tool_use_id);
    assert_eq!(result.structured_content.as_ref().unwrap().get(), "[0.10]");
}

#[test]
fn a_known_block_names_the_member_it_lacks_wherever_its_type_stands() {
    for json in [r#"{"type":"tool_use","id":"1","name":"n"}"#, r#"{"id":"1","name":"n","type":"tool_use"}"#] {
        let error = serde_json::from_str::<SamplingBlock>(json).unwrap_err().to_string();
        assert!(error.contains("missing field `input`"), "{error}");
    }
}

// What would nest without end, if a result of a tool could hold another.
#[test]
fn results_inside_results_are_not_followed() {
    let depth = 50_000;
    let json = r#"{"content":["#.repeat(depth) + &r#"],"toolUseId":"1","type":"tool_result"}"#.repeat(depth);
    let SamplingBlock::ToolResult(result) = serde_json::from_str(&json).unwrap() else { panic!("no result") };
    assert_eq!(result.content.len(), 1);
}

#[test]
fn a_message_keeps_an_unknown_role() {
    let json = r#"{"role":"system","content":{"type":"text","text":"t"}}"#;
    let message: SamplingMessage = serde_json::from_str(json).unwrap();
    assert_eq!(message.role.as_str(), "system");
    assert_eq!(serde_json::to_string(&message).unwrap(), json);
}

#[test]
fn params_without_a_limit_are_refused() {
    let error = serde_json::from_str::<CreateMessageParams>(r#"{"messages":[]}"#).unwrap_err().to_string();
    assert!(error.contains("missing field `maxTokens`"), "{error}");
}
