//! Reads the fields of an entry, each with an error that names the field.

use std::collections::BTreeMap;
use std::time::Duration;

use mcp_jsonrpc::IdFormat;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::error::EntryProblem;
use super::members::Members;

/// The fields of one entry.
pub(super) struct Fields<'a> {
    members: Members<'a>,
}

impl<'a> Fields<'a> {
    /// Fails if a field is there twice.
    pub(super) fn new(members: Members<'a>) -> Result<Self, EntryProblem> {
        match members.duplicate() {
            Some(field) => Err(EntryProblem::FieldTwice { field: field.to_owned() }),
            None => Ok(Self { members }),
        }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.0.iter().map(|(name, _)| name.as_str())
    }

    pub(super) fn text(&self, field: &str) -> Result<Option<String>, EntryProblem> {
        self.read(field, "a string")
    }

    pub(super) fn flag(&self, field: &str) -> Result<Option<bool>, EntryProblem> {
        self.read(field, "true or false")
    }

    /// An array of strings; absent is empty.
    pub(super) fn texts(&self, field: &str) -> Result<Vec<String>, EntryProblem> {
        let Some(value) = self.members.find(field) else { return Ok(Vec::new()) };
        let items: Vec<&RawValue> = serde_json::from_str(value.get())
            .map_err(|_| wrong(field.to_owned(), "an array of strings", value))?;
        let items = items.into_iter().enumerate();
        items.map(|(at, item)| read(item, || format!("{field}[{at}]"), "a string")).collect()
    }

    /// A string, or an array of them; absent is empty.
    pub(super) fn text_or_texts(&self, field: &str) -> Result<Vec<String>, EntryProblem> {
        match self.members.find(field) {
            Some(value) if kind_of(value) == "an array" => self.texts(field),
            _ => Ok(self.read(field, "a string or an array of strings")?.into_iter().collect()),
        }
    }

    /// An object of strings, where `null` stands for a variable that is taken away.
    pub(super) fn variables(&self, field: &str) -> Result<BTreeMap<String, Option<String>>, EntryProblem> {
        Ok(self.object(field)?.into_iter().collect())
    }

    /// An object of strings, in order.
    pub(super) fn pairs(&self, field: &str) -> Result<Vec<(String, String)>, EntryProblem> {
        self.object(field)
    }

    /// Milliseconds; zero stands for no limit, so what is too small to count must not become zero.
    pub(super) fn millis(&self, field: &str) -> Result<Option<Duration>, EntryProblem> {
        let Some(value) = self.members.find(field) else { return Ok(None) };
        // A number like 1e400 reads as infinite, which is no duration.
        let millis = value.get().parse::<f64>().ok().filter(|_| kind_of(value) == "a number");
        let time = millis.and_then(|millis| Duration::try_from_secs_f64(millis / 1000.0).ok());
        let vanished = time == Some(Duration::ZERO) && millis != Some(0.0);
        match time {
            Some(time) if time <= LONGEST && !vanished => Ok(Some(time)),
            _ => Err(wrong(field.to_owned(), "a number of milliseconds, 0 or more", value)),
        }
    }

    /// One of some words.
    pub(super) fn choice<T: Copy>(
        &self,
        field: &str,
        expected: &'static str,
        choices: &[(&str, T)],
    ) -> Result<Option<T>, EntryProblem> {
        let Some(value) = self.members.find(field) else { return Ok(None) };
        let word: String = read(value, || field.to_owned(), expected)?;
        let choice = choices.iter().find(|(known, _)| *known == word);
        choice.map(|(_, choice)| Some(*choice)).ok_or_else(|| wrong(field.to_owned(), expected, value))
    }

    /// The form of request ids.
    pub(super) fn id_format(&self) -> Result<Option<IdFormat>, EntryProblem> {
        let formats = [("string", IdFormat::Text), ("text", IdFormat::Text), ("number", IdFormat::Number)];
        self.choice("request_id_format", r#""string" or "number""#, &formats)
    }

    fn object<T: DeserializeOwned>(&self, field: &str) -> Result<Vec<(String, T)>, EntryProblem> {
        let Some(value) = self.members.find(field) else { return Ok(Vec::new()) };
        let members: Members<'_> = serde_json::from_str(value.get())
            .map_err(|_| wrong(field.to_owned(), "an object of strings", value))?;
        if let Some(name) = members.duplicate() {
            return Err(EntryProblem::FieldTwice { field: format!("{field}.{name}") });
        }
        let members = members.0.into_iter().map(|(name, value)| {
            let text = read(value, || format!("{field}.{name}"), "a string")?;
            Ok((name, text))
        });
        members.collect()
    }

    fn read<T: DeserializeOwned>(
        &self,
        field: &str,
        expected: &'static str,
    ) -> Result<Option<T>, EntryProblem> {
        self.members.find(field).map(|value| read(value, || field.to_owned(), expected)).transpose()
    }
}

/// A thousand years: what is longer is a mistake, and clocks overflow.
const LONGEST: Duration = Duration::from_secs(1000 * 365 * 24 * 3600);

fn read<T: DeserializeOwned>(
    value: &RawValue,
    field: impl FnOnce() -> String,
    expected: &'static str,
) -> Result<T, EntryProblem> {
    serde_json::from_str(value.get()).map_err(|_| wrong(field(), expected, value))
}

/// Shows numbers and words as they are; strings only in fields that hold no secret.
fn wrong(field: String, expected: &'static str, value: &RawValue) -> EntryProblem {
    let group = field.split(['.', '[']).next().unwrap_or(&field);
    let secret = ["env", "args", "headers"].contains(&group);
    let short = value.get().len() <= 40 && !value.get().starts_with(['{', '[']);
    let found = if short && !secret { value.get().to_owned() } else { kind_of(value).to_owned() };
    EntryProblem::Field { field, expected, found }
}

/// What kind of value this is, in words.
pub(super) fn kind_of(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}
