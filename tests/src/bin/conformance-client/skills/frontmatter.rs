//! The lines at the head of a `SKILL.md`, as far as they are a plain list of names and values: what YAML
//! can say beyond that is refused, and the skill with it.

use std::collections::BTreeMap;

use serde_json::Value;
use thiserror::Error;

const FENCE: &str = "---";

/// Why a file's head is not the listed one.
#[derive(Debug, Error, PartialEq, Eq)]
pub(super) enum Mismatch {
    #[error("the file does not begin with a head between two lines of `---`")]
    NoHead,
    #[error("cannot read line {0} of the head")]
    Line(usize),
    #[error("`{0}` stands twice in the head")]
    Twice(String),
    #[error("`{0}` is not what is listed")]
    Field(String),
}

/// Compares the head of `file` with what was `listed`, field by field, both ways.
pub(super) fn check(file: &str, listed: &serde_json::Map<String, Value>) -> Result<(), Mismatch> {
    let found = read(file)?;
    let names = found.keys().chain(listed.keys());
    let differs = |name: &&String| found.get(*name) != listed.get(*name);
    match names.into_iter().find(differs) {
        Some(name) => Err(Mismatch::Field(name.clone())),
        None => Ok(()),
    }
}

fn read(file: &str) -> Result<BTreeMap<String, Value>, Mismatch> {
    let mut lines = file.lines();
    if lines.next() != Some(FENCE) {
        return Err(Mismatch::NoHead);
    }
    let mut fields = BTreeMap::new();
    for (number, line) in lines.enumerate() {
        if line == FENCE {
            return Ok(fields);
        }
        let (name, value) = field(line).ok_or(Mismatch::Line(number + 2))?;
        if fields.insert(name.to_owned(), value).is_some() {
            return Err(Mismatch::Twice(name.to_owned()));
        }
    }
    Err(Mismatch::NoHead)
}

/// `name: value` on one line.
fn field(line: &str) -> Option<(&str, Value)> {
    let (name, value) = line.split_once(": ")?;
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    Some((name, scalar(value.trim())?)).filter(|_| is_plain)
}

/// A number, a truth value, a string in double quotes as JSON has it, or a plain string.
fn scalar(value: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str::<Value>(value) {
        return (!value.is_array() && !value.is_object()).then_some(value);
    }
    // These begin or are in what only YAML means.
    let is_plain = !value.is_empty()
        && !value.starts_with([
            '"', '\'', '[', ']', '{', '}', '|', '>', '&', '*', '!', '%', '@', '`', '#', '-', '?', ':', ',',
        ])
        && !value.contains(": ")
        && !value.contains(" #")
        && !["~", "Null", "NULL", "True", "TRUE", "False", "FALSE"].contains(&value);
    is_plain.then(|| value.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check_head(head: &str, listed: &Value) -> Result<(), Mismatch> {
        check(&format!("---\n{head}---\n\nBody: x\n"), listed.as_object().unwrap())
    }

    #[test]
    fn a_head_that_says_the_same_is_a_match() {
        let head = "name: pdf\ndescription: Reads, and \"fills\"\nn: 2\nok: true\nquoted: \"a: b\"\n";
        let listed = json!({
            "quoted": "a: b", "name": "pdf", "description": "Reads, and \"fills\"", "n": 2, "ok": true
        });
        assert_eq!(check_head(head, &listed), Ok(()));
        assert_eq!(check_head("", &json!({})), Ok(()));
    }

    #[test]
    fn one_field_that_differs_is_missing_or_is_new_is_a_mismatch() {
        for head in ["name: b\n", "", "name: a\nmore: b\n"] {
            assert!(matches!(check_head(head, &json!({ "name": "a" })), Err(Mismatch::Field(_))), "{head}");
        }
        assert_eq!(check_head("n: \"2\"\n", &json!({ "n": 2 })), Err(Mismatch::Field("n".to_owned())));
    }

    #[test]
    fn what_is_said_twice_is_refused() {
        let twice = check_head("a: b\na: b\n", &json!({ "a": "b" }));
        assert_eq!(twice, Err(Mismatch::Twice("a".to_owned())));
    }

    #[test]
    fn what_only_yaml_can_say_is_refused() {
        for line in [
            "a: |", "a: [b]", "a: 'b'", "a: *b", "a:", "- a", "a: b # c", "  a: b", "# a: b", "a: ~", "{}: a",
        ] {
            assert_eq!(check_head(&format!("{line}\n"), &json!({})), Err(Mismatch::Line(2)), "{line}");
        }
    }

    #[test]
    fn a_file_without_a_whole_head_is_refused() {
        for file in ["", "name: a\n", "---\nname: a\n", " ---\n---\n"] {
            assert_eq!(check(file, &serde_json::Map::new()), Err(Mismatch::NoHead), "{file:?}");
        }
    }
}
