//! What the server has, as its lists describe it: the same to clients of all revisions, since what a
//! revision does not know it tolerates. Only structured results are kept from clients without them.

pub(super) mod prompts;
pub(super) mod resources;
pub(super) mod tools;

use serde_json::{Value, json};

use super::outcome::{Outcome, RpcError};

/// One page of a list. The cursor is the number of the first item on the page.
pub(super) fn page(member: &str, mut items: Vec<Value>, cursor: Option<&Value>, size: usize) -> Outcome {
    let start = match cursor {
        None => 0,
        Some(cursor) => start_of(cursor)
            .filter(|start| *start < items.len())
            .ok_or_else(|| RpcError::invalid(format!("Unknown cursor: {cursor}")))?,
    };
    let end = start.saturating_add(size).min(items.len());
    let more = end < items.len();
    items.truncate(end);
    let mut result = json!({ member: items.split_off(start) });
    if more {
        result["nextCursor"] = json!(format!("from-{end}"));
    }
    Ok(result)
}

fn start_of(cursor: &Value) -> Option<usize> {
    cursor.as_str()?.strip_prefix("from-")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo_server::outcome::INVALID_PARAMS;

    fn items() -> Vec<Value> {
        (0..5).map(Value::from).collect()
    }

    #[test]
    fn the_pages_together_are_the_whole_list() {
        assert_eq!(page("x", items(), None, usize::MAX).unwrap(), json!({ "x": items() }));
        let mut found = Vec::new();
        let mut cursor: Option<Value> = None;
        loop {
            let page = page("x", items(), cursor.as_ref(), 2).unwrap();
            found.extend(page["x"].as_array().unwrap().clone());
            let Some(next) = page.get("nextCursor") else { break };
            cursor = Some(next.clone());
        }
        assert_eq!(found, items());
    }

    #[test]
    fn an_unknown_cursor_is_refused() {
        for cursor in [json!("from-99"), json!("x"), json!(""), json!(1), Value::Null] {
            assert_eq!(page("x", items(), Some(&cursor), 2).unwrap_err().code, INVALID_PARAMS);
        }
    }
}
