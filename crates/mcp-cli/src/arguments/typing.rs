//! What a typed value means, by the schema of its argument.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::schema::Schema;

/// The value that `text` stands for, or what is expected instead.
pub(super) fn read(schema: Schema<'_>, text: &str) -> Result<Box<RawValue>, String> {
    if let Some(values) = schema.fixed_values() {
        return values.iter().find_map(|value| fixed(value, text)).ok_or_else(|| one_of(&values));
    }
    let kinds = schema.kinds();
    if !kinds.is_empty() {
        let found = kinds.iter().find_map(|kind| of_kind(kind, text));
        return found.ok_or_else(|| kinds.iter().map(|kind| named(kind)).collect::<Vec<_>>().join(" or "));
    }
    let alternatives = schema.alternatives();
    if alternatives.is_empty() {
        return Ok(guess(text));
    }
    let mut expected = Vec::new();
    for alternative in alternatives {
        match read(alternative, text) {
            Ok(value) => return Ok(value),
            Err(one) => expected.push(one),
        }
    }
    expected.dedup();
    Err(expected.join(" or "))
}

/// Without a schema: JSON if it is a number, `true`, `false`, `null`, an array or an object, else
/// a string.
pub(super) fn guess(text: &str) -> Box<RawValue> {
    json(text, |first| first != b'"').unwrap_or_else(|| string(text))
}

/// `text` as a value of this kind, if it is one.
fn of_kind(kind: &str, text: &str) -> Option<Box<RawValue>> {
    match kind {
        "string" => Some(string(text)),
        "integer" => json(text, is_number_start).filter(|value| is_integral(value.get())),
        "number" => json(text, is_number_start),
        "boolean" => json(text, |first| matches!(first, b't' | b'f')),
        "null" => json(text, |first| first == b'n'),
        "array" => json(text, |first| first == b'['),
        "object" => json(text, |first| first == b'{'),
        _ => Some(guess(text)),
    }
}

fn json(text: &str, is_start: impl Fn(u8) -> bool) -> Option<Box<RawValue>> {
    let value = super::input::parse(text).ok()?;
    value.get().bytes().next().is_some_and(is_start).then_some(value)
}

fn is_number_start(first: u8) -> bool {
    first == b'-' || first.is_ascii_digit()
}

/// `5.0` and `1e3` are integers in JSON Schema.
fn is_integral(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    digits.bytes().all(|byte| byte.is_ascii_digit())
        || number.parse::<f64>().is_ok_and(|value| value.is_finite() && value.fract() == 0.0)
}

fn fixed(value: &Value, text: &str) -> Option<Box<RawValue>> {
    let same = match value {
        Value::String(word) => word == text,
        other => serde_json::from_str::<Value>(text).is_ok_and(|given| given == *other),
    };
    if !same {
        return None;
    }
    Some(if value.is_string() { string(text) } else { guess(text) })
}

fn string(text: &str) -> Box<RawValue> {
    #[expect(clippy::expect_used, reason = "every string can be written as JSON")]
    serde_json::value::to_raw_value(text).expect("a string is JSON")
}

fn named(kind: &str) -> &str {
    match kind {
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a JSON array",
        "object" => "a JSON object",
        kind => kind,
    }
}

fn one_of(values: &[&Value]) -> String {
    let values = values.iter().map(|value| match value {
        Value::String(word) => format!("`{word}`"),
        other => format!("`{other}`"),
    });
    format!("one of {}", values.collect::<Vec<_>>().join(", "))
}
