//! Values that a JSON Schema accepts, as far as the suite's schemas go: no references are followed.

use serde_json::{Value, json};

/// An object with the properties that `schema` requires.
pub(crate) fn object(schema: &Value) -> Value {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let members = required.map(|name| (name.to_owned(), value(&schema["properties"][name])));
    Value::Object(members.collect())
}

/// Schemas come out of the parser of JSON, which limits how deep they are.
fn value(schema: &Value) -> Value {
    let named = schema.get("default").or_else(|| schema.get("const")).or_else(|| schema["enum"].get(0));
    if let Some(value) = named {
        return value.clone();
    }
    match kind(&schema["type"]) {
        Some("string") => json!("text"),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("null") => Value::Null,
        Some("number" | "integer") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        _ => object(schema),
    }
}

/// The first of several types.
fn kind(types: &Value) -> Option<&str> {
    types.as_array().and_then(|types| types.first()).unwrap_or(types).as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_is_there_and_of_its_type() {
        let schema = json!({
            "properties": {
                "text": {"type": "string"}, "number": {"type": "number"}, "flag": {"type": "boolean"},
                "list": {"type": "array"}, "several": {"type": ["integer", "null"]}, "least": {"type": "integer", "minimum": 7},
                "one": {"enum": ["b", "a"]}, "fixed": {"const": 2}, "given": {"type": "string", "default": "d"},
                "inner": {"type": "object", "properties": {"x": {"type": "null"}}, "required": ["x"]},
                "left": {"type": "string", "default": "out"}
            },
            "required": ["text", "number", "flag", "list", "several", "least", "one", "fixed", "given", "inner", "untold"]
        });
        let expected = json!({
            "text": "text", "number": 1, "flag": true, "list": [], "several": 1, "least": 7, "one": "b",
            "fixed": 2, "given": "d", "inner": {"x": null}, "untold": {}
        });
        assert_eq!(object(&schema), expected);
    }

    #[test]
    fn a_schema_that_says_nothing_asks_for_nothing() {
        for schema in [json!({}), json!(true), json!({"properties": 1, "required": {"a": 1}})] {
            assert_eq!(object(&schema), json!({}));
        }
    }
}
