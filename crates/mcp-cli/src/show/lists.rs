//! Resources, templates and prompts as tables.

use serde_json::Value;

use super::escape;
use super::look::Look;
use super::rows::{Cell, lay_out, lay_out_row, plain};

/// Columns in front of a table.
const INDENT: usize = 2;
/// Names up to this width share a column.
const WIDEST: usize = 32;

/// Resources by their `uri`, or templates by their `uriTemplate`.
pub(crate) fn resources(items: &[Value], uri: &str, look: Look) -> String {
    let row = |item: &Value| {
        let uri = text(item, &[uri]).unwrap_or("(no address)");
        let head: Cell = (escape::line(uri), |look, text| look.name(text));
        let kind: Cell = (line(text(item, &["mimeType"])), |look, text| look.faint(text));
        vec![
            head,
            plain(line(text(item, &["title", "name"]))),
            kind,
            plain(line(text(item, &["description"]))),
        ]
    };
    lay_out(&items.iter().map(row).collect::<Vec<_>>(), INDENT, WIDEST, look)
}

/// Prompts, each with its arguments below it.
pub(crate) fn prompts(items: &[Value], look: Look) -> String {
    let name = |item: &Value| escape::line(text(item, &["name"]).unwrap_or("(a prompt without a name)"));
    let widths = items.iter().map(|item| textwrap::core::display_width(&name(item)));
    let column = widths.filter(|width| *width <= WIDEST).max().unwrap_or(0);
    let mut out = String::new();
    for item in items {
        let head: Cell = (name(item), |look, text| look.name(text));
        out.push_str(&lay_out_row(
            &[head, plain(line(text(item, &["description", "title"])))],
            &[column],
            INDENT,
            look,
        ));
        let arguments =
            item.get("arguments").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let rows: Vec<_> = arguments.iter().map(argument).collect();
        out.push_str(&lay_out(&rows, INDENT + column + 4, WIDEST, look));
    }
    out
}

fn argument(argument: &Value) -> Vec<Cell> {
    let is_required = argument.get("required").and_then(Value::as_bool) == Some(true);
    let need = if is_required { "required" } else { "optional" };
    vec![
        plain(line(text(argument, &["name"]))),
        (need.to_owned(), |look, text| look.faint(text)),
        plain(line(text(argument, &["description", "title"]))),
    ]
}

/// The first of these members that is a text.
fn text<'a>(item: &'a Value, members: &[&str]) -> Option<&'a str> {
    members.iter().find_map(|member| item.get(member).and_then(Value::as_str))
}

/// Lines joined.
fn line(text: Option<&str>) -> String {
    escape::line(&text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::look::Look;
    use super::{prompts, resources};

    #[test]
    fn resources_are_rows_of_address_name_type_and_description() {
        let items = [
            json!({ "uri": "note://1", "name": "one", "mimeType": "text/plain", "description": "The\n first." }),
            json!({ "uri": "note://2\u{1b}[2J", "name": "b", "title": "Two" }),
            json!(7),
        ];
        let expected =
            "  note://1           one  text/plain  The first.\n  note://2\\u{1b}[2J  Two\n  (no address)\n";
        assert_eq!(resources(&items, "uri", Look::PLAIN), expected);
    }

    #[test]
    fn the_arguments_of_a_prompt_stand_below_it() {
        let items = [
            json!({ "name": "greet", "description": "Greets.", "arguments": [
                { "name": "who", "required": true, "description": "Whom." }, { "name": "how" }, null] }),
            json!({ "name": "x", "arguments": 7 }),
        ];
        let expected = "  greet  Greets.\n           who  required  Whom.\n           how  optional\n                optional\n  x\n";
        assert_eq!(prompts(&items, Look::PLAIN), expected);
    }
}
