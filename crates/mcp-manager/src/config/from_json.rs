//! Reads JSON with comments into nodes.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::error::SyntaxError;
use super::jsonc;
use super::lines::Lines;
use super::node::{Node, Value};

/// Deeper values are kept as text: no setting is nested so far, and recursion must end.
const DEEPEST: usize = 16;

/// Reads the file's text. Of the members at the top only those that are `wanted` are looked into, since
/// some hosts keep whole histories beside their servers.
pub(super) fn read(text: &str, lines: &Lines, wanted: &dyn Fn(&str) -> bool) -> Result<Node, SyntaxError> {
    let plain = jsonc::plain(text);
    let reader = Reader { text: &plain, lines };
    let whole: &RawValue = serde_json::from_str(&plain).map_err(|error| reader.error(0, &error))?;
    let at = reader.offset(whole);
    if !whole.get().starts_with('{') {
        let kind = reader.node(whole, DEEPEST)?.kind();
        let message = format!("expected an object, found {kind}");
        return Err(SyntaxError { message, place: Some(lines.place(at)) });
    }
    let mut members = Vec::new();
    for (name, value) in reader.parse::<Raw<'_>>(whole)?.0 {
        let depth = if wanted(&name) { 1 } else { DEEPEST };
        members.push((name, reader.node(value, depth)?));
    }
    Ok(Node { at, value: Value::Object(members) })
}

struct Reader<'a> {
    text: &'a str,
    lines: &'a Lines,
}

impl<'a> Reader<'a> {
    fn node(&self, raw: &'a RawValue, depth: usize) -> Result<Node, SyntaxError> {
        let value = match raw.get().as_bytes().first() {
            Some(b'{' | b'[') if depth >= DEEPEST => Value::Deep(raw.get().to_owned()),
            Some(b'{') => {
                let members = self.parse::<Raw<'_>>(raw)?.0.into_iter();
                let members = members.map(|(name, value)| Ok((name, self.node(value, depth + 1)?)));
                Value::Object(members.collect::<Result<_, _>>()?)
            }
            Some(b'[') => {
                let items = self.parse::<Vec<&RawValue>>(raw)?.into_iter();
                Value::List(items.map(|item| self.node(item, depth + 1)).collect::<Result<_, _>>()?)
            }
            Some(b'"') => Value::Text(self.parse(raw)?),
            Some(b't') => Value::Flag(true),
            Some(b'f') => Value::Flag(false),
            Some(b'n') => Value::Null,
            _ => Value::Number(raw.get().to_owned()),
        };
        Ok(Node { at: self.offset(raw), value })
    }

    /// Fails only on what a raw value lets through, such as half of a surrogate pair.
    fn parse<T: Deserialize<'a>>(&self, raw: &'a RawValue) -> Result<T, SyntaxError> {
        serde_json::from_str(raw.get()).map_err(|error| self.error(self.offset(raw), &error))
    }

    /// Where `part`, which was read from the text without a copy, begins in it.
    fn offset(&self, part: &RawValue) -> usize {
        (part.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }

    /// The error of reading what begins at `from`.
    fn error(&self, from: usize, error: &serde_json::Error) -> SyntaxError {
        let mut place = self.lines.place(from);
        if error.line() > 1 {
            place.line += error.line() - 1;
            place.column = error.column();
        } else {
            place.column += error.column().saturating_sub(1);
        }
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        SyntaxError { message: message.to_owned(), place: Some(place) }
    }
}

/// The members of an object in order, values still as text: duplicates and places stay visible.
struct Raw<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Raw<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Raw<'de>, M::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Raw(members))
    }
}
