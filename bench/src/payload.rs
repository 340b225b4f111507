//! What travels: the text of answers and the tools of a listing, and how both are checked.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

/// What answers are filled with: as tool output, it has characters that JSON must escape.
const FILLER: &str = "src/main.rs:17: let path = \"C:\\work\"; // a line of source code\n";

/// Fillers that are compared at once.
const BLOCK: usize = 64;

/// The text that marks one call; the answer to it starts with that.
pub(crate) fn mark(caller: usize, call: u64) -> String {
    format!("caller {caller:03}, call {call:09}: ")
}

/// `length` bytes of filler.
pub(crate) fn filler(length: usize) -> String {
    let mut text = FILLER.repeat(length / FILLER.len() + 1);
    // The filler is ASCII, so that any length is a boundary.
    text.truncate(length);
    text
}

/// Compares texts to what they must be.
pub(crate) struct Checker {
    block: String,
}

impl Checker {
    pub(crate) fn new() -> Self {
        Self { block: FILLER.repeat(BLOCK) }
    }

    /// The text of an answer: the mark of its call, and filler up to `size` bytes.
    pub(crate) fn text(&self, mark: &str, size: usize, text: &str) -> Result<()> {
        ensure!(text.len() == size, "an answer of {} bytes, not {size}", text.len());
        let rest = text.strip_prefix(mark);
        let is_filler = |chunk: &[u8]| self.block.as_bytes().starts_with(chunk);
        let is_right = rest.is_some_and(|rest| rest.as_bytes().chunks(self.block.len()).all(is_filler));
        ensure!(is_right, "the answer to `{mark}` has a wrong text");
        Ok(())
    }
}

/// The names of all tools of a listing, in order.
pub(crate) fn check_tools<'a>(names: impl Iterator<Item = &'a str>, expected: usize) -> Result<()> {
    let mut count = 0;
    for (number, name) in names.enumerate() {
        ensure!(name == tool_name(number), "tool {number} is called `{name}`");
        count += 1;
    }
    ensure!(count == expected, "{count} tools, not {expected}");
    Ok(())
}

fn tool_name(number: usize) -> String {
    if number == 0 { "echo".to_owned() } else { format!("query_table_{number}") }
}

/// Tools as real servers publish them, about 1 KB each. The first is the one that is called.
pub(crate) fn tools(count: usize) -> Value {
    (0..count).map(|number| if number == 0 { echo() } else { query(number) }).collect()
}

fn echo() -> Value {
    json!({
        "name": tool_name(0),
        "description": "Returns `text`, filled up to `size` bytes",
        "inputSchema": {
            "type": "object",
            "properties": { "text": { "type": "string" }, "size": { "type": "integer" } },
        },
    })
}

fn query(number: usize) -> Value {
    json!({
        "name": tool_name(number),
        "title": format!("Query table {number}"),
        "description": format!(
            "Runs a \"select\" on table {number} and returns the rows as text, one a line.\n\
             Without `where` it returns all of them, up to `limit`. Columns that do not exist \
             are an error, and the message lists those that do."
        ),
        "inputSchema": {
            "type": "object",
            "properties": {
                "columns": {
                    "type": "array",
                    "items": { "type": "string", "pattern": "^[a-z_]+$" },
                    "description": "Which columns to return; all of them by default",
                },
                "where": {
                    "type": "object",
                    "properties": {
                        "column": { "type": "string" },
                        "operator": { "enum": ["=", "<>", "<", "<=", ">", ">=", "like"] },
                        "value": { "type": ["string", "number", "boolean", "null"] },
                    },
                    "required": ["column", "operator", "value"],
                    "additionalProperties": false,
                },
                "limit": { "type": "integer", "minimum": 1, "maximum": 10000, "default": 100 },
            },
            "required": ["columns"],
            "additionalProperties": false,
        },
        "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: usize = 10_000;

    fn check(change: impl FnOnce(String) -> String) -> bool {
        let mark = mark(3, 4);
        let text = format!("{mark}{}", filler(SIZE - mark.len()));
        Checker::new().text(&mark, SIZE, &change(text)).is_ok()
    }

    #[test]
    fn only_the_right_text_passes() {
        assert!(check(|text| text));
        assert!(!check(|text| text[1..].to_owned()));
        assert!(!check(|text| text.replacen("call 000000004", "call 000000005", 1)));
        assert!(!check(|text| format!("{}!", &text[..SIZE - 1])));
    }

    #[test]
    fn a_listing_must_have_every_tool_in_order() {
        let names = |numbers: &[usize]| numbers.iter().map(|&number| tool_name(number)).collect::<Vec<_>>();
        let is_right = |numbers: &[usize]| check_tools(names(numbers).iter().map(String::as_str), 3).is_ok();
        assert!(is_right(&[0, 1, 2]));
        assert!(!is_right(&[0, 2, 1]) && !is_right(&[0, 1]) && !is_right(&[0, 1, 2, 3]));
    }
}
