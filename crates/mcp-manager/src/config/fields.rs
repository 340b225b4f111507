//! Reads the fields of an entry, each with an error that names the field and knows its place.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::error::EntryProblem;
use super::expand::Filler;
use super::node::{self, Members, Node, Value};

/// A problem, and the offset of the value it is about; without one it is about the entry.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: Option<usize>,
    pub(super) problem: EntryProblem,
}

impl Fault {
    /// With the place of the field that it is about, if it has none yet.
    pub(super) fn placed(self, fields: &Fields<'_>) -> Self {
        let field = self.problem.field().unwrap_or_default();
        let group = field.split('.').next().unwrap_or_default();
        let place = || fields.places.get(field).or_else(|| fields.places.get(group)).copied();
        Self { at: self.at.or_else(place), problem: self.problem }
    }
}

impl From<EntryProblem> for Fault {
    fn from(problem: EntryProblem) -> Self {
        Self { at: None, problem }
    }
}

impl EntryProblem {
    /// This problem at that offset.
    pub(super) fn at(self, at: usize) -> Fault {
        Fault { at: Some(at), problem: self }
    }
}

/// What a bare number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Milliseconds,
    Seconds,
}

/// The fields of one entry. Texts come out with their variables filled in.
pub(super) struct Fields<'a> {
    members: &'a Members,
    filler: &'a Filler<'a>,
    /// Where each value that was given stands, by its field.
    places: BTreeMap<String, usize>,
    /// The fields that were asked for.
    asked: BTreeSet<&'static str>,
}

impl<'a> Fields<'a> {
    /// Fails if a field is there twice.
    pub(super) fn new(members: &'a Members, filler: &'a Filler<'a>) -> Result<Self, Fault> {
        match node::duplicate(members) {
            Some((field, at)) => Err(EntryProblem::FieldTwice { field: field.to_owned() }.at(at)),
            None => Ok(Self { members, filler, places: BTreeMap::new(), asked: BTreeSet::new() }),
        }
    }

    pub(super) fn filler(&self) -> &'a Filler<'a> {
        self.filler
    }

    pub(super) fn places(&self) -> &BTreeMap<String, usize> {
        &self.places
    }

    /// The fields that nobody asked for.
    pub(super) fn others(&self) -> impl Iterator<Item = (&'a str, &'a Node)> {
        let members: &'a Members = self.members;
        members
            .iter()
            .map(|(name, node)| (name.as_str(), node))
            .filter(|(name, _)| !self.asked.contains(name))
    }

    pub(super) fn has(&self, field: &str) -> bool {
        node::find(self.members, field).is_some()
    }

    /// The value of a field, as it is.
    pub(super) fn node(&mut self, field: &'static str) -> Option<&'a Node> {
        self.asked.insert(field);
        let node = node::find(self.members, field)?;
        self.places.insert(field.to_owned(), node.at);
        Some(node)
    }

    pub(super) fn text(&mut self, field: &'static str) -> Result<Option<String>, Fault> {
        let Some(node) = self.node(field) else { return Ok(None) };
        self.filled(node, field, "a string").map(Some)
    }

    pub(super) fn flag(&mut self, field: &'static str) -> Result<Option<bool>, Fault> {
        match self.node(field) {
            None => Ok(None),
            Some(Node { value: Value::Flag(flag), .. }) => Ok(Some(*flag)),
            Some(node) => Err(wrong(field, "true or false", node)),
        }
    }

    /// An array of strings; absent is `None`.
    pub(super) fn texts(&mut self, field: &'static str) -> Result<Option<Vec<String>>, Fault> {
        let Some(node) = self.node(field) else { return Ok(None) };
        self.texts_of(node, field).map(Some)
    }

    /// The texts of a value that is called `field`.
    pub(super) fn texts_of(&mut self, node: &Node, field: &str) -> Result<Vec<String>, Fault> {
        let Value::List(items) = &node.value else {
            return Err(wrong(field, "an array of strings", node));
        };
        let items = items.iter().enumerate();
        items.map(|(at, item)| self.filled(item, &format!("{field}[{at}]"), "a string")).collect()
    }

    /// A string, or an array of them; absent is empty.
    pub(super) fn text_or_texts(&mut self, field: &'static str) -> Result<Vec<String>, Fault> {
        match self.node(field) {
            None => Ok(Vec::new()),
            Some(node) if matches!(node.value, Value::List(_)) => self.texts_of(node, field),
            Some(node) => Ok(vec![self.filled(node, field, "a string or an array of strings")?]),
        }
    }

    /// An object of strings in order, without variables filled in.
    pub(super) fn raw_pairs(&mut self, field: &'static str) -> Result<Vec<(&'a str, &'a Node)>, Fault> {
        let Some(node) = self.node(field) else { return Ok(Vec::new()) };
        let members = node.members().ok_or_else(|| wrong(field, "an object of strings", node))?;
        if let Some((name, at)) = node::duplicate(members) {
            return Err(EntryProblem::FieldTwice { field: format!("{field}.{name}") }.at(at));
        }
        let places = members.iter().map(|(name, node)| (format!("{field}.{name}"), node.at));
        self.places.extend(places);
        Ok(members.iter().map(|(name, node)| (name.as_str(), node)).collect())
    }

    /// A duration; zero stands for no limit, so what is too small to count must not become zero.
    pub(super) fn duration(&mut self, field: &'static str, unit: Unit) -> Result<Option<Duration>, Fault> {
        let Some(node) = self.node(field) else { return Ok(None) };
        duration(node, unit).map(Some).ok_or_else(|| {
            let expected = match unit {
                Unit::Milliseconds => "a number of milliseconds, 0 or more",
                Unit::Seconds => "a number of seconds, 0 or more",
            };
            wrong(field, expected, node)
        })
    }

    /// One of some words.
    pub(super) fn choice<T: Copy>(
        &mut self,
        field: &'static str,
        expected: &'static str,
        choices: &[(&str, T)],
    ) -> Result<Option<T>, Fault> {
        let Some(node) = self.node(field) else { return Ok(None) };
        let word = node.text();
        let choice = choices.iter().find(|(known, _)| Some(*known) == word);
        choice.map(|(_, choice)| Some(*choice)).ok_or_else(|| wrong(field, expected, node))
    }

    /// The text of a value that is called `field`, variables filled in.
    pub(super) fn filled(
        &mut self,
        node: &Node,
        field: &str,
        expected: &'static str,
    ) -> Result<String, Fault> {
        let text = node.text().ok_or_else(|| wrong(field, expected, node))?;
        self.places.insert(field.to_owned(), node.at);
        self.filler
            .fill(text)
            .map_err(|problem| EntryProblem::Variable { field: field.to_owned(), problem }.at(node.at))
    }
}

/// A thousand years: what is longer is a mistake, and clocks overflow.
const LONGEST: Duration = Duration::from_secs(1000 * 365 * 24 * 3600);

/// The duration that a number stands for.
pub(super) fn duration(node: &Node, unit: Unit) -> Option<Duration> {
    let Value::Number(text) = &node.value else { return None };
    // A number like 1e400 reads as infinite, which is no duration.
    let number = text.replace('_', "").parse::<f64>().ok()?;
    let seconds = match unit {
        Unit::Milliseconds => number / 1000.0,
        Unit::Seconds => number,
    };
    let time = Duration::try_from_secs_f64(seconds).ok()?;
    let vanished = time.is_zero() && number != 0.0;
    (time <= LONGEST && !vanished).then_some(time)
}

/// Shows numbers and words as they are; strings only in fields that hold no secret.
pub(super) fn wrong(field: &str, expected: &'static str, node: &Node) -> Fault {
    let group = field.split(['.', '[']).next().unwrap_or(field);
    let open = ["type", "transport", "cwd", "command"].contains(&group);
    let found = match &node.value {
        Value::Flag(flag) if !is_secret(group) => flag.to_string(),
        Value::Null if !is_secret(group) => "null".to_owned(),
        Value::Number(text) if text.len() <= 40 && !is_secret(group) => text.clone(),
        Value::Text(text) if text.len() <= 38 && (open || is_word(group)) => format!("{text:?}"),
        _ => node.kind().to_owned(),
    };
    EntryProblem::Field { field: field.to_owned(), expected, found }.at(node.at)
}

fn is_secret(group: &str) -> bool {
    ["env", "environment", "args", "headers", "http_headers"].contains(&group)
}

/// Whether a field takes a number, a flag or one of some words, so that no secret belongs there.
fn is_word(group: &str) -> bool {
    let words = [
        "enabled",
        "disabled",
        "lazy",
        "timeout",
        "start_timeout",
        "max_total_timeout",
        "env_policy",
        "request_id_format",
        "protocol",
        "startup_timeout_sec",
        "startup_timeout_ms",
        "tool_timeout_sec",
    ];
    words.contains(&group)
}
