//! One subschema, as far as its cost goes: which others it applies, and to what.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// The number of a subschema in its graph.
pub(super) type Id = usize;

/// What a subschema applies, in any dialect. Keywords that one dialect does not know count all the same: the
/// cost is that of the worst case.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// Entries of its own that may be compared with a value.
    pub(super) entries: u64,
    /// To the same value: combinators and references.
    pub(super) here: Vec<Id>,
    /// To the member of a name.
    pub(super) members: HashMap<String, Id>,
    /// To every member.
    pub(super) every_member: Vec<Id>,
    /// To the name of every member.
    pub(super) names: Vec<Id>,
    /// To the item at the same place.
    pub(super) prefix: Vec<Id>,
    /// To every item.
    pub(super) every_item: Vec<Id>,
    /// Whether it has to find out what all others have looked at, which means asking them again.
    pub(super) collects: bool,
}

/// Where a subschema stands in the one around it.
pub(super) enum Place<'s> {
    Here,
    Member(&'s str),
    EveryMember,
    Name,
    Prefix,
    EveryItem,
    /// It is applied by reference only.
    Kept,
}

impl Node {
    pub(super) fn of(schema: &Map<String, Value>) -> Self {
        let length = |value: &Value| match value {
            Value::Array(items) => items.len(),
            Value::Object(members) => members.len(),
            _ => 1,
        };
        let entries = schema.values().map(|value| 1 + length(value) as u64).sum();
        let collects =
            ["unevaluatedProperties", "unevaluatedItems"].iter().any(|it| schema.contains_key(*it));
        Self { entries, collects, ..Self::default() }
    }

    pub(super) fn add(&mut self, place: &Place<'_>, id: Id) {
        match place {
            Place::Here => self.here.push(id),
            Place::Member(name) => drop(self.members.insert((*name).to_owned(), id)),
            Place::EveryMember => self.every_member.push(id),
            Place::Name => self.names.push(id),
            Place::Prefix => self.prefix.push(id),
            Place::EveryItem => self.every_item.push(id),
            Place::Kept => {}
        }
    }
}

/// The subschemas that stand in `schema`, with their places.
pub(super) fn subschemas(schema: &Map<String, Value>) -> Vec<(Place<'_>, &Value)> {
    let mut found = Vec::new();
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("not" | "if" | "then" | "else", _) => found.push((Place::Here, value)),
            ("allOf" | "anyOf" | "oneOf", Value::Array(all)) => {
                found.extend(all.iter().map(|it| (Place::Here, it)));
            }
            ("dependentSchemas" | "dependencies", Value::Object(all)) => {
                // `dependencies` has lists of names too.
                found.extend(all.values().filter(|it| !it.is_array()).map(|it| (Place::Here, it)));
            }
            ("properties", Value::Object(all)) => {
                found.extend(all.iter().map(|(name, it)| (Place::Member(name), it)));
            }
            ("patternProperties", Value::Object(all)) => {
                found.extend(all.values().map(|it| (Place::EveryMember, it)));
            }
            ("additionalProperties" | "unevaluatedProperties", _) => found.push((Place::EveryMember, value)),
            ("propertyNames", _) => found.push((Place::Name, value)),
            ("prefixItems" | "items", Value::Array(all)) => {
                found.extend(all.iter().map(|it| (Place::Prefix, it)));
            }
            ("items" | "additionalItems" | "contains" | "unevaluatedItems", _) => {
                found.push((Place::EveryItem, value));
            }
            ("$defs" | "definitions", Value::Object(all)) => {
                found.extend(all.values().map(|it| (Place::Kept, it)));
            }
            ("contentSchema", _) => found.push((Place::Kept, value)),
            _ => {}
        }
    }
    found
}
