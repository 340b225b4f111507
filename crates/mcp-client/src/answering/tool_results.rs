//! Where results of tools stand in a conversation (C-311 to C-313).

use std::collections::HashSet;

use mcp_types::{Role, SamplingBlock, SamplingMessage};
use thiserror::Error;

/// What is wrong with the results of tools in a conversation. Messages are counted from 0.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolResultsError {
    /// A message holds results of tools and something else.
    #[error("Message {0} mixes tool results with other content")]
    Mixed(usize),
    /// The message after one with tool uses must hold one result for each of them, and does not.
    #[error("A tool result is missing after message {0}")]
    Missing(usize),
    /// A message holds a result, or a second one, of no tool use of the message before it.
    #[error("Message {0} has a tool result for no tool use before it")]
    Stray(usize),
}

/// Whether each tool use of the assistant is followed by a message of the user that holds one result
/// for each of them and nothing else, and results are nowhere else.
///
/// # Errors
///
/// The first message that is otherwise.
pub fn check_tool_results(messages: &[SamplingMessage]) -> Result<(), ToolResultsError> {
    let mut open: HashSet<&str> = HashSet::new();
    for (number, message) in messages.iter().enumerate() {
        let blocks = message.content.blocks();
        let results = blocks.iter().filter_map(|block| match block {
            SamplingBlock::ToolResult(result) => Some(&*result.tool_use_id),
            _ => None,
        });
        let results: Vec<&str> = results.collect();
        if !results.is_empty() && (results.len() < blocks.len() || message.role != Role::User) {
            return Err(ToolResultsError::Mixed(number));
        }
        if results.iter().any(|id| !open.remove(id)) {
            return Err(ToolResultsError::Stray(number));
        }
        if !open.is_empty() {
            return Err(ToolResultsError::Missing(number.saturating_sub(1)));
        }
        open = blocks
            .iter()
            .filter_map(|block| match block {
                SamplingBlock::ToolUse(call) => Some(&*call.id),
                _ => None,
            })
            .collect();
    }
    match open.is_empty() {
        true => Ok(()),
        false => Err(ToolResultsError::Missing(messages.len().saturating_sub(1))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::ToolResultsError::{Missing, Mixed, Stray};
    use super::{ToolResultsError, check_tool_results};

    fn check(messages: Value, expected: Result<(), ToolResultsError>) {
        let shown = messages.to_string();
        let messages = serde_json::from_value::<Vec<_>>(messages).unwrap();
        assert_eq!(check_tool_results(&messages), expected, "{shown}");
    }

    fn uses(ids: &[&str]) -> Value {
        let uses = ids.iter().map(|id| json!({"type": "tool_use", "id": id, "name": "n", "input": {}}));
        json!({"role": "assistant", "content": uses.collect::<Vec<_>>()})
    }

    fn results(ids: &[&str]) -> Value {
        let results = ids.iter().map(|id| json!({"type": "tool_result", "toolUseId": id, "content": []}));
        json!({"role": "user", "content": results.collect::<Vec<_>>()})
    }

    fn text(role: &str) -> Value {
        json!({"role": role, "content": {"type": "text", "text": "t"}})
    }

    #[test]
    fn each_tool_use_is_followed_by_its_result() {
        check(json!([]), Ok(()));
        check(json!([text("user"), text("assistant")]), Ok(()));
        check(json!([text("user"), uses(&["1", "2"]), results(&["2", "1"]), text("assistant")]), Ok(()));
        check(json!([uses(&["1"]), results(&["1"]), uses(&["1"]), results(&["1"])]), Ok(()));
    }

    #[test]
    fn a_missing_result_is_an_error() {
        check(json!([uses(&["1"])]), Err(Missing(0)));
        check(json!([uses(&["1"]), text("user")]), Err(Missing(0)));
        check(json!([text("user"), uses(&["1", "2"]), results(&["1"])]), Err(Missing(1)));
    }

    #[test]
    fn a_result_that_nothing_asked_for_is_an_error() {
        check(json!([results(&["1"])]), Err(Stray(0)));
        check(json!([uses(&["1"]), results(&["1", "1"])]), Err(Stray(1)));
        check(json!([uses(&["1"]), results(&["2"])]), Err(Stray(1)));
        check(json!([uses(&["1"]), results(&["1"]), results(&["1"])]), Err(Stray(2)));
    }

    #[test]
    fn a_result_beside_other_content_is_an_error() {
        let mut mixed = results(&["1"]);
        mixed["content"].as_array_mut().unwrap().push(json!({"type": "text", "text": "t"}));
        check(json!([uses(&["1"]), mixed]), Err(Mixed(1)));
        let mut assistants = results(&["1"]);
        assistants["role"] = json!("assistant");
        check(json!([uses(&["1"]), assistants]), Err(Mixed(1)));
    }
}
