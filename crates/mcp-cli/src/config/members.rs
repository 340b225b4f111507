//! The members of a JSON object in order, values still as text: duplicates and places stay visible.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// An object, borrowed from the text it was read from.
#[derive(Debug)]
pub(super) struct Members<'a>(pub(super) Vec<(String, &'a RawValue)>);

impl<'a> Members<'a> {
    /// The last member of this name.
    pub(super) fn find(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// The first name that occurs twice.
    pub(super) fn duplicate(&self) -> Option<&str> {
        let names = || self.0.iter().map(|(name, _)| name);
        names()
            .enumerate()
            .find(|(at, name)| names().take(*at).any(|it| it == *name))
            .map(|(_, name)| name.as_str())
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Members<'de>, M::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}
