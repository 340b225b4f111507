//! The arguments of a tool call, from the command line to JSON text.
//!
//! Values never pass through floating point: what was typed is what is sent, digit by digit.

mod input;
mod texts;
mod typing;

use mcp_types::Extra;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

pub(crate) use self::input::{InputError, read_json};
pub(crate) use self::texts::texts;
use crate::schema::Schema;

/// One `KEY=VALUE` or `KEY:=JSON`.
#[derive(Debug)]
pub(crate) struct Assignment {
    key: String,
    value: Given,
}

#[derive(Debug)]
enum Given {
    /// To be typed by the schema.
    Text(String),
    Json(Box<RawValue>),
}

impl Assignment {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let Some((key, value)) = text.split_once('=') else {
            return Err(format!("`{text}` is neither KEY=VALUE nor KEY:=JSON"));
        };
        let (key, value) = match key.strip_suffix(':') {
            Some(key) => {
                let json = input::parse(value).map_err(|error| format!("`{key}` is not JSON: {error}"))?;
                (key, Given::Json(json))
            }
            None => (key, Given::Text(value.to_owned())),
        };
        if key.is_empty() {
            return Err(format!("`{text}` has no key"));
        }
        Ok(Self { key: key.to_owned(), value })
    }

    /// Whether a schema is needed to know what is meant.
    pub(crate) fn needs_schema(&self) -> bool {
        matches!(self.value, Given::Text(_))
    }
}

/// The arguments as one JSON object: the members of `base`, then the assignments, which win over
/// members of the same name. `schema` is the tool's input schema, where there is one.
pub(crate) fn build(
    base: Option<&RawValue>,
    assignments: &[Assignment],
    schema: Option<&Value>,
) -> Result<Box<RawValue>, String> {
    let mut members = match base {
        Some(base) => serde_json::from_str(base.get()).map_err(|_| "the arguments must be a JSON object")?,
        None => Extra::new(),
    };
    for (at, assignment) in assignments.iter().enumerate() {
        let key = &assignment.key;
        if assignments[..at].iter().any(|earlier| earlier.key == *key) {
            return Err(format!("`{key}` is given twice"));
        }
        let value = match &assignment.value {
            Given::Json(json) => json.clone(),
            Given::Text(text) => match schema {
                Some(schema) => typing::read(Schema::of_argument(schema, key), text).map_err(|expected| {
                    format!("`{key}` must be {expected}, not `{text}` ({key}:=JSON sends anything)")
                })?,
                None => typing::guess(text),
            },
        };
        members.insert(key.as_str(), value);
    }
    to_raw_value(&members).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
