//! The schema of one revision.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// The folder that `MCP_SCHEMA_DIR` names; `None` where it is not set, so that nothing is checked.
pub fn folder() -> Option<PathBuf> {
    std::env::var_os("MCP_SCHEMA_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// The published schema of one revision.
#[derive(Debug)]
pub struct Published {
    revision: String,
    dialect: Value,
    /// The word under which definitions stand, which depends on the dialect.
    keyword: &'static str,
    definitions: Value,
    /// The definition of each method.
    by_method: HashMap<String, String>,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Published {
    /// Reads the schema of `revision` from the folder of them all; `None` for a revision that has none.
    ///
    /// # Panics
    ///
    /// If a file is there and is no such schema.
    pub fn read(folder: &Path, revision: &str) -> Option<Self> {
        assert!(folder.is_dir(), "`MCP_SCHEMA_DIR` names `{}`, which is no folder", folder.display());
        let dated = revision.len() == 10 && revision.bytes().all(|it| it.is_ascii_digit() || it == b'-');
        let text =
            dated.then(|| std::fs::read_to_string(folder.join(revision).join("schema.json")).ok())??;
        let mut schema: Value = serde_json::from_str(&text).expect("a published schema is JSON");
        let keyword = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
        mend(&mut schema[keyword]);
        let definitions = schema[keyword].take();
        let all = definitions.as_object().expect("a published schema has definitions");
        let by_method = all.iter().filter_map(|(name, definition)| {
            let method = definition.pointer("/properties/method/const")?.as_str()?;
            Some((method.to_owned(), name.clone()))
        });
        Some(Self {
            revision: revision.to_owned(),
            dialect: schema["$schema"].take(),
            keyword,
            by_method: by_method.collect(),
            definitions,
            validators: Mutex::default(),
        })
    }

    /// The schema's name for the messages of a method; `None` if the revision does not know it.
    pub fn of_method(&self, method: &str) -> Option<&str> {
        self.by_method.get(method).map(String::as_str)
    }

    /// Whether there is a definition of this name.
    pub fn defines(&self, definition: &str) -> bool {
        self.definition(definition).is_some()
    }

    pub(crate) fn definition(&self, name: &str) -> Option<&Value> {
        self.definitions.get(name)
    }

    /// What a reference in the schema leads to.
    pub(crate) fn follow(&self, reference: &str) -> &Value {
        let name = reference.rsplit('/').next().unwrap_or_default();
        self.definition(name).unwrap_or_else(|| panic!("`{reference}` leads nowhere"))
    }

    /// Holds a value against a definition.
    ///
    /// # Errors
    ///
    /// In words, what does not fit.
    ///
    /// # Panics
    ///
    /// If there is no such definition.
    pub fn check(&self, definition: &str, value: &Value) -> Result<(), String> {
        let validator = self.validator(definition);
        let faults: Vec<_> = validator
            .iter_errors(value)
            .map(|error| format!("  at `{}`: {error}", error.instance_path().as_str()))
            .collect();
        match faults.is_empty() {
            true => Ok(()),
            false => {
                let revision = &self.revision;
                Err(format!("not a `{definition}` of {revision}:\n{}\n  it is: {value}", faults.join("\n")))
            }
        }
    }

    fn validator(&self, definition: &str) -> Arc<Validator> {
        assert!(self.defines(definition), "{} has no `{definition}`", self.revision);
        let mut known = self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(validator) = known.get(definition) {
            return validator.clone();
        }
        // In drafts before 2019-09, nothing may stand beside a reference.
        let root = json!({
            "$schema": self.dialect,
            "allOf": [{"$ref": format!("#/{}/{definition}", self.keyword)}],
            self.keyword: self.definitions,
        });
        let validator = Arc::new(jsonschema::validator_for(&root).expect("a published schema is valid"));
        known.insert(definition.to_owned(), validator.clone());
        validator
    }
}

/// Mends what is known to be wrong in the published files: where the protocol says `number`, the values of a
/// form and `JSONValue` got `integer`, and `JSONValue` lost `null`.
fn mend(definitions: &mut Value) {
    if let Some(content) = definitions.pointer_mut("/ElicitResult/properties/content") {
        widen(content);
    }
    if let Some(any) = definitions.get_mut("JSONValue") {
        widen(any);
        let arms = any.as_object_mut().and_then(|it| it.get_mut("anyOf")).and_then(Value::as_array_mut);
        if let Some(arms) = arms {
            arms.push(json!({"type": "null"}));
        }
    }
}

fn widen(schema: &mut Value) {
    match schema {
        Value::String(name) if name == "integer" => *name = "number".to_owned(),
        Value::Array(items) => items.iter_mut().for_each(widen),
        Value::Object(members) => members.values_mut().for_each(widen),
        _ => {}
    }
}

/// Whether a schema says nothing, so that any value fits.
pub(crate) fn is_open(schema: &Map<String, Value>) -> bool {
    !["$ref", "type", "anyOf", "oneOf", "allOf", "const", "enum"].iter().any(|it| schema.contains_key(*it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_to_be_wrong_is_mended() {
        let arms = json!([{"$ref": "#/$defs/JSONObject"}, {"type": ["string", "integer", "boolean"]}]);
        let mut definitions = json!({
            "ElicitResult": {"properties": {"content": {"additionalProperties":
                {"anyOf": [{"type": "array"}, {"type": ["string", "integer"]}]}}}},
            "JSONValue": {"anyOf": arms},
            "ProgressToken": {"type": ["string", "integer"]},
        });
        mend(&mut definitions);
        let text = definitions.to_string();
        assert_eq!(text.matches("\"number\"").count(), 2, "{text}");
        assert_eq!(definitions["ProgressToken"], json!({"type": ["string", "integer"]}));
        assert_eq!(definitions["JSONValue"]["anyOf"][2], json!({"type": "null"}));
    }

    #[test]
    fn a_revision_without_a_schema_has_none() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        for revision in ["", "1999-01-01", "../../../..", "draft"] {
            assert!(Published::read(here, revision).is_none(), "{revision}");
        }
    }
}
