//! Reads the arguments of a call; what does not fit is told in words.

use std::ops::RangeInclusive;

use serde_json::{Number, Value};

use super::Call;

impl Call<'_> {
    pub(super) fn text(&self, name: &str, default: Option<&str>) -> Result<String, String> {
        match (self.arguments.get(name), default) {
            (Some(Value::String(text)), _) => Ok(text.clone()),
            (None, Some(default)) => Ok(default.to_owned()),
            _ => Err(format!("`{name}` must be a string")),
        }
    }

    pub(super) fn integer(
        &self,
        name: &str,
        default: Option<usize>,
        range: RangeInclusive<usize>,
    ) -> Result<usize, String> {
        let given = match (self.arguments.get(name), default) {
            (None, Some(default)) => return Ok(default),
            (given, _) => given.and_then(Value::as_u64).and_then(|given| usize::try_from(given).ok()),
        };
        given
            .filter(|given| range.contains(given))
            .ok_or_else(|| format!("`{name}` must be an integer from {} to {}", range.start(), range.end()))
    }

    pub(super) fn number(&self, name: &str) -> Result<&Number, String> {
        match self.arguments.get(name) {
            Some(Value::Number(number)) => Ok(number),
            _ => Err(format!("`{name}` must be a number")),
        }
    }
}
