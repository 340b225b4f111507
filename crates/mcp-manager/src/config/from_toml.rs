//! Reads TOML into nodes.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::SyntaxError;
use super::lines::Lines;
use super::node::{Node, Value};

/// Reads the file's text. The parser bounds how deep values are nested.
pub(super) fn read(text: &str, lines: &Lines) -> Result<Node, SyntaxError> {
    let table = DeTable::parse(text).map_err(|error| SyntaxError {
        message: error.message().to_owned(),
        place: error.span().map(|span| lines.place(span.start)),
    })?;
    Ok(Node { at: 0, value: object(table.into_inner()) })
}

fn node(value: Spanned<DeValue<'_>>) -> Node {
    let at = value.span().start;
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => Value::Number(match number.radix() {
            10 => number.as_str().to_owned(),
            radix => i64::from_str_radix(number.as_str(), radix)
                .map_or_else(|_| number.to_string(), |number| number.to_string()),
        }),
        DeValue::Float(number) => Value::Number(number.as_str().to_owned()),
        DeValue::Boolean(flag) => Value::Flag(flag),
        DeValue::Datetime(time) => Value::Text(time.to_string()),
        DeValue::Array(items) => Value::List(items.into_iter().map(node).collect()),
        DeValue::Table(table) => object(table),
    };
    Node { at, value }
}

/// The members in the order of the file, which the table has lost.
fn object(table: DeTable<'_>) -> Value {
    let mut members: Vec<_> = table.into_iter().collect();
    members.sort_by_key(|(name, _)| name.span().start);
    Value::Object(
        members.into_iter().map(|(name, value)| (name.into_inner().into_owned(), node(value))).collect(),
    )
}
