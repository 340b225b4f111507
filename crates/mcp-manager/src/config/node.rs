//! What a config file holds, whatever its syntax: values that know where they stand.

use serde_json::Value as Json;

/// A value and the offset at which it begins.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) at: usize,
    pub(super) value: Value,
}

/// The members of an object, in order; a name may be there twice.
pub(super) type Members = Vec<(String, Node)>;

#[derive(Clone, Debug)]
pub(super) enum Value {
    Null,
    Flag(bool),
    /// As it is written in the file.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Object(Members),
    /// The text of what is nested too deep to be looked into.
    Deep(String),
}

impl Node {
    /// The last member of this name.
    pub(super) fn member(&self, name: &str) -> Option<&Node> {
        find(self.members()?, name)
    }

    pub(super) fn members(&self) -> Option<&Members> {
        match &self.value {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What kind of value this is, in words.
    pub(super) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Null => "null",
            Value::Flag(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::Text(_) => "a string",
            Value::List(_) => "an array",
            Value::Object(_) => "an object",
            Value::Deep(text) if text.starts_with('[') => "an array",
            Value::Deep(_) => "an object",
        }
    }

    /// The texts of a list; other items are passed over.
    pub(super) fn texts(&self) -> Vec<String> {
        match &self.value {
            Value::List(items) => items.iter().filter_map(|item| item.text()).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    }

    /// The same as a JSON value, for keeping.
    pub(super) fn json(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Flag(flag) => Json::Bool(*flag),
            Value::Number(text) => serde_json::from_str(text).unwrap_or_else(|_| Json::String(text.clone())),
            Value::Text(text) => Json::String(text.clone()),
            Value::List(items) => items.iter().map(Self::json).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, node)| (name.clone(), node.json())).collect()
            }
            Value::Deep(text) => serde_json::from_str(text).unwrap_or_else(|_| Json::String(text.clone())),
        }
    }
}

/// The last member of this name.
pub(super) fn find<'a>(members: &'a Members, name: &str) -> Option<&'a Node> {
    members.iter().rev().find(|(known, _)| known == name).map(|(_, node)| node)
}

/// The first name that is there a second time, and where.
pub(super) fn duplicate(members: &Members) -> Option<(&str, usize)> {
    let mut names = std::collections::HashSet::new();
    let second = members.iter().find(|(name, _)| !names.insert(name.as_str()));
    second.map(|(name, node)| (name.as_str(), node.at))
}
