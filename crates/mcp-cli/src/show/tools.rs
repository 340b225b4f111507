//! Tools as a table: name, description, and the arguments from the schema.

use serde_json::Value;

use super::escape;
use super::look::Look;
use super::rows::{Cell, lay_out, lay_out_row, plain};
use crate::schema::{self, Schema};

/// Columns in front of a table.
const INDENT: usize = 2;
/// Names up to this width share a column.
const WIDEST_NAME: usize = 24;
/// Argument names and kinds up to this width share a column.
const WIDEST_CELL: usize = 28;
/// A longer default is cut.
const LONGEST_DEFAULT: usize = 24;

/// The tools, as the server sent them. What cannot be read is shown as far as it can.
pub(crate) fn table(tools: &[Value], look: Look) -> String {
    let names = tools.iter().map(|tool| textwrap::core::display_width(&name(tool)));
    let column = names.filter(|width| *width <= WIDEST_NAME).max().unwrap_or(0);
    let mut out = String::new();
    for tool in tools {
        let head: Cell = (name(tool), |look, text| look.name(text));
        out.push_str(&lay_out_row(&[head, plain(description(tool))], &[column], INDENT, look));
        let arguments = tool.get("inputSchema").map(Schema::arguments).unwrap_or_default();
        let rows: Vec<_> = arguments.iter().map(argument).collect();
        out.push_str(&lay_out(&rows, INDENT + column + 4, WIDEST_CELL, look));
    }
    out
}

/// Only names and descriptions.
pub(crate) fn short_table(tools: &[Value], look: Look) -> String {
    let row = |tool| {
        let head: Cell = (name(tool), |look, text| look.name(text));
        vec![head, plain(description(tool))]
    };
    lay_out(&tools.iter().map(row).collect::<Vec<_>>(), INDENT, WIDEST_NAME, look)
}

fn argument(argument: &schema::Argument<'_>) -> Vec<Cell> {
    let need = match (argument.required, argument.schema.default()) {
        (true, _) => "required".to_owned(),
        (false, Some(default)) => format!("= {}", cut(&escape::line(&schema::plain(default)))),
        (false, None) => "optional".to_owned(),
    };
    vec![
        plain(escape::line(argument.name)),
        (escape::line(&argument.schema.summary()), |look, text| look.faint(text)),
        (need, |look, text| look.faint(text)),
        plain(one_line(argument.schema.description().unwrap_or_default())),
    ]
}

fn name(tool: &Value) -> String {
    escape::line(tool.get("name").and_then(Value::as_str).unwrap_or("(a tool without a name)"))
}

fn description(tool: &Value) -> String {
    let text = tool.get("description").or_else(|| tool.get("title")).and_then(Value::as_str);
    one_line(text.unwrap_or_default())
}

/// Lines joined: descriptions are often indented source text.
fn one_line(text: &str) -> String {
    escape::line(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST_DEFAULT {
        return text.to_owned();
    }
    text.chars().take(LONGEST_DEFAULT - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::look::Look;
    use super::{short_table, table};

    #[test]
    fn arguments_stand_below_their_tool() {
        let tools = [
            json!({ "name": "add", "description": "Adds\n   two numbers.", "inputSchema": {
                "properties": { "a": { "type": "number", "description": "The first." },
                                "round": { "type": "boolean", "default": false } },
                "required": ["a"] } }),
            json!({ "name": "now_and_then" }),
        ];
        let expected = "  add           Adds two numbers.\n                    \
                        a      number   required  The first.\n                    \
                        round  boolean  = false\n  now_and_then\n";
        assert_eq!(
            table(&tools, Look::PLAIN),
            expected.replace("                    ", "                  ")
        );
    }

    #[test]
    fn text_of_servers_is_escaped() {
        let tools = [json!({ "name": "a\u{1b}[2J", "description": "b\u{202e}c" }), json!(7)];
        let expected = "  a\\u{1b}[2J               b\\u{202e}c\n  (a tool without a name)\n";
        assert_eq!(short_table(&tools, Look::PLAIN), expected);
    }
}
