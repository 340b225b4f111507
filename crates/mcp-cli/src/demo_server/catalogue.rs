//! The tools as `tools/list` describes them.

use serde_json::{Value, json};

use super::outcome::{INVALID_PARAMS, Outcome, RpcError};

/// One page of tools. The cursor is the number of the first tool on the page.
pub(super) fn page(cursor: Option<&Value>, size: usize, structured: bool) -> Outcome {
    let tools = tools(structured);
    let start = match cursor {
        None => 0,
        Some(cursor) => start_of(cursor)
            .filter(|start| *start < tools.len())
            .ok_or_else(|| RpcError::new(INVALID_PARAMS, format!("Unknown cursor: {cursor}")))?,
    };
    let end = start.saturating_add(size).min(tools.len());
    let mut result = json!({ "tools": tools[start..end] });
    if end < tools.len() {
        result["nextCursor"] = json!(format!("from-{end}"));
    }
    Ok(result)
}

/// Whether there is such a tool.
pub(super) fn has(name: &str) -> bool {
    tools(false).iter().any(|tool| tool["name"] == name)
}

fn start_of(cursor: &Value) -> Option<usize> {
    cursor.as_str()?.strip_prefix("from-")?.parse().ok()
}

/// All tools. Output schemas came with 2025-06-18; older clients get none.
fn tools(structured: bool) -> Vec<Value> {
    let mut tools = vec![echo(), add(), sleep(), big(), fail(), crash(), ask()];
    if !structured {
        for tool in tools.iter_mut().filter_map(Value::as_object_mut) {
            tool.remove("outputSchema");
        }
    }
    tools
}

fn echo() -> Value {
    json!({
        "name": "echo",
        "description": "Sends a text back.",
        "inputSchema": {
            "type": "object",
            "properties": { "text": { "type": "string", "description": "What to send back." } },
            "required": ["text"]
        },
        "annotations": { "readOnlyHint": true }
    })
}

fn add() -> Value {
    json!({
        "name": "add",
        "description": "Adds two numbers; integers exactly.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "a": { "type": "number", "description": "The first one." },
                "b": { "type": "number", "description": "The second one." }
            },
            "required": ["a", "b"]
        },
        "outputSchema": {
            "type": "object",
            "properties": { "sum": { "type": "number" } },
            "required": ["sum"]
        },
        "annotations": { "readOnlyHint": true }
    })
}

fn sleep() -> Value {
    json!({
        "name": "sleep",
        "description": "Waits, and tells how far it is if the client asks for progress. \
                        It can be cancelled.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "ms": { "type": "integer", "minimum": 0, "maximum": 3_600_000,
                        "description": "How long, in milliseconds." },
                "steps": { "type": "integer", "minimum": 1, "maximum": 1000, "default": 4,
                           "description": "In how many steps." }
            },
            "required": ["ms"]
        },
        "annotations": { "readOnlyHint": true }
    })
}

fn big() -> Value {
    json!({
        "name": "big",
        "description": "Sends a long text.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "bytes": { "type": "integer", "minimum": 0, "maximum": 268_435_456,
                           "description": "Its length in bytes." }
            },
            "required": ["bytes"]
        },
        "annotations": { "readOnlyHint": true }
    })
}

fn fail() -> Value {
    json!({
        "name": "fail",
        "description": "Fails, as a tool does: the result says `isError`.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "message": { "type": "string", "default": "This tool always fails.",
                             "description": "What it says." }
            }
        },
        "annotations": { "readOnlyHint": true }
    })
}

fn crash() -> Value {
    json!({
        "name": "crash",
        "description": "Ends the server in the middle of the call.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "code": { "type": "integer", "minimum": 0, "maximum": 255, "default": 1,
                          "description": "Its exit status." }
            }
        },
        "annotations": { "destructiveHint": true }
    })
}

fn ask() -> Value {
    json!({
        "name": "ask",
        "description": "Asks the client something and tells what it answered.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "method": { "type": "string", "default": "roots/list",
                            "description": "The method of the request." },
                "params": { "type": "object",
                            "description": "Its params; elicitation and sampling have some by themselves." }
            }
        },
        "annotations": { "readOnlyHint": true }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::page;

    #[test]
    fn the_pages_together_are_all_tools() {
        let all = page(None, usize::MAX, true).unwrap();
        assert_eq!(all.get("nextCursor"), None);
        let mut found = Vec::new();
        let mut cursor: Option<Value> = None;
        loop {
            let page = page(cursor.as_ref(), 2, true).unwrap();
            found.extend(page["tools"].as_array().unwrap().clone());
            let Some(next) = page.get("nextCursor") else { break };
            cursor = Some(next.clone());
        }
        assert_eq!(all["tools"], json!(found));
    }

    #[test]
    fn an_unknown_cursor_is_refused() {
        for cursor in [json!("from-99"), json!("x"), json!(1)] {
            assert_eq!(page(Some(&cursor), 2, true).unwrap_err().code, super::INVALID_PARAMS);
        }
    }
}
