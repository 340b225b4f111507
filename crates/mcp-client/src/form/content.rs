//! What a form holds once it is filled in.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Number;

/// The values of a form, by the names of their fields. A field that is left empty is not in it.
#[derive(Clone, Default, PartialEq)]
pub struct FormContent(Vec<(String, FormValue)>);

impl FormContent {
    /// Sets a value: in its place if there is one of that name, else at the end.
    pub fn set(&mut self, field: &str, value: impl Into<FormValue>) {
        let value = value.into();
        match self.0.iter_mut().find(|(name, _)| name == field) {
            Some((_, old)) => *old = value,
            None => self.0.push((field.to_owned(), value)),
        }
    }

    /// Empties a field.
    pub fn remove(&mut self, field: &str) {
        self.0.retain(|(name, _)| name != field);
    }

    /// The value of a field.
    pub fn get(&self, field: &str) -> Option<&FormValue> {
        self.0.iter().find(|(name, _)| name == field).map(|(_, value)| value)
    }

    /// All values, in the order they were set.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &FormValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether no field is filled in.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for FormContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}

/// Without the values: they are the user's own.
impl fmt::Debug for FormContent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter().map(|(name, _)| name)).finish()
    }
}

/// The value of one field.
#[derive(Clone, PartialEq)]
pub enum FormValue {
    /// Text, or the one value that was chosen.
    Text(String),
    /// A number.
    Number(Number),
    /// Yes or no.
    Boolean(bool),
    /// The values that were chosen (2025-11-25 and later).
    Several(Vec<String>),
}

impl FormValue {
    /// What kind of value it is, in words.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Number(_) => "a number",
            Self::Boolean(_) => "a boolean",
            Self::Several(_) => "a list",
        }
    }
}

impl From<&str> for FormValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for FormValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for FormValue {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

impl From<Number> for FormValue {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for FormValue {
    fn from(answer: bool) -> Self {
        Self::Boolean(answer)
    }
}

impl From<Vec<String>> for FormValue {
    fn from(values: Vec<String>) -> Self {
        Self::Several(values)
    }
}

impl Serialize for FormValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(number) => number.serialize(serializer),
            Self::Boolean(answer) => serializer.serialize_bool(*answer),
            Self::Several(values) => values.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for FormValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = FormValue;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string, a number, a boolean or an array of strings")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<FormValue, E> {
        Ok(FormValue::Text(text.to_owned()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<FormValue, E> {
        Ok(FormValue::Number(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<FormValue, E> {
        Ok(FormValue::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<FormValue, E> {
        Number::from_f64(number).map(FormValue::Number).ok_or_else(|| E::custom("no number of JSON"))
    }

    fn visit_bool<E: Error>(self, answer: bool) -> Result<FormValue, E> {
        Ok(FormValue::Boolean(answer))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<FormValue, S::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element()? {
            values.push(value);
        }
        Ok(FormValue::Several(values))
    }
}

/// Without the value: it is the user's own.
impl fmt::Debug for FormValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind())
    }
}
