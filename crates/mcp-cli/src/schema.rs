//! Reads as much of a JSON Schema as people need: which arguments there are and of which kind.

use serde_json::Value;

/// References followed and unions entered, at most: a schema may refer to itself.
const DEEPEST: usize = 16;

/// A schema inside the document that its references point into. References are already followed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema<'a> {
    document: &'a Value,
    schema: &'a Value,
    depth: usize,
}

/// One argument of a tool.
#[derive(Debug)]
pub(crate) struct Argument<'a> {
    pub(crate) name: &'a str,
    pub(crate) schema: Schema<'a>,
    pub(crate) required: bool,
}

impl<'a> Schema<'a> {
    /// The schema of argument `key` in the input schema of a tool; for one that is not listed, that
    /// of the additional properties.
    pub(crate) fn of_argument(input: &'a Value, key: &str) -> Self {
        let input = Self::new(input);
        let listed = input.schema.get("properties").and_then(|properties| properties.get(key));
        let schema = listed.or_else(|| input.schema.get("additionalProperties")).unwrap_or(&Value::Null);
        input.inner(schema)
    }

    /// The arguments in the input schema of a tool, required ones first.
    pub(crate) fn arguments(input: &'a Value) -> Vec<Argument<'a>> {
        let input = Self::new(input);
        let required = input.schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|it| it == name));
        let properties = input.schema.get("properties").and_then(Value::as_object);
        let arguments = properties.into_iter().flatten().map(|(name, schema)| Argument {
            name,
            schema: input.inner(schema),
            required: is_required(name),
        });
        let mut arguments: Vec<_> = arguments.collect();
        arguments.sort_by_key(|argument| !argument.required);
        arguments
    }

    /// The values of `const` or `enum`.
    pub(crate) fn fixed_values(self) -> Option<Vec<&'a Value>> {
        let one = self.schema.get("const").map(|value| vec![value]);
        one.or_else(|| Some(self.schema.get("enum")?.as_array()?.iter().collect()))
    }

    /// The names in `type`.
    pub(crate) fn kinds(self) -> Vec<&'a str> {
        match self.schema.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// The parts of `anyOf`, `oneOf` and `allOf`.
    pub(crate) fn alternatives(self) -> Vec<Self> {
        if self.depth >= DEEPEST {
            return Vec::new();
        }
        let lists = ["anyOf", "oneOf", "allOf"].iter().filter_map(|name| self.schema.get(name)?.as_array());
        lists.flatten().map(|schema| self.inner(schema)).collect()
    }

    pub(crate) fn default(self) -> Option<&'a Value> {
        self.schema.get("default")
    }

    pub(crate) fn description(self) -> Option<&'a str> {
        self.schema.get("description")?.as_str()
    }

    /// The kind in a few words: `string`, `integer[]`, `a|b`, `number|null`.
    pub(crate) fn summary(self) -> String {
        if let Some(values) = self.fixed_values() {
            return joined(values.iter().map(|value| plain(value)));
        }
        let kinds = self.kinds();
        if !kinds.is_empty() {
            return joined(kinds.iter().map(|kind| match *kind {
                "array" => self.item_summary(),
                kind => kind.to_owned(),
            }));
        }
        match self.alternatives() {
            parts if parts.is_empty() => "any".to_owned(),
            parts => joined(parts.into_iter().map(Self::summary)),
        }
    }

    fn item_summary(self) -> String {
        match self.schema.get("items").filter(|_| self.depth < DEEPEST) {
            Some(items) => match self.inner(items).summary() {
                union if union.contains('|') => format!("({union})[]"),
                item => format!("{item}[]"),
            },
            None => "array".to_owned(),
        }
    }

    fn new(document: &'a Value) -> Self {
        Self { document, schema: document, depth: 0 }.resolved()
    }

    fn inner(self, schema: &'a Value) -> Self {
        Self { schema, depth: self.depth + 1, ..self }.resolved()
    }

    fn resolved(self) -> Self {
        let mut at = self;
        while at.depth < DEEPEST {
            let reference = at.schema.get("$ref").and_then(Value::as_str);
            let Some(pointer) = reference.and_then(|it| it.strip_prefix('#')) else { break };
            let Some(schema) = self.document.pointer(pointer) else { break };
            at = Self { schema, depth: at.depth + 1, ..at };
        }
        at
    }
}

/// A value as people write it: strings without quotes.
pub(crate) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    let mut parts: Vec<_> = parts.collect();
    parts.dedup();
    parts.join("|")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Schema;

    #[track_caller]
    fn check(schema: Value, expected: &str) {
        let input = json!({ "properties": { "a": schema }, "$defs": { "loop": { "items": { "$ref": "#/$defs/loop" }, "type": "array" } } });
        assert_eq!(Schema::of_argument(&input, "a").summary(), expected);
    }

    #[test]
    fn a_summary_names_the_kind() {
        check(json!({ "type": "string" }), "string");
        check(json!({ "type": "array", "items": { "type": "integer" } }), "integer[]");
        check(json!({ "type": "array", "items": { "type": ["integer", "null"] } }), "(integer|null)[]");
        check(json!({ "type": "array" }), "array");
        check(json!({ "enum": ["a", 1, null] }), "a|1|null");
        check(json!({ "anyOf": [{ "type": "number" }, { "type": "null" }] }), "number|null");
        check(json!({}), "any");
        check(json!(true), "any");
    }

    #[test]
    fn a_circular_schema_has_a_finite_summary() {
        let input = json!({ "properties": { "a": { "$ref": "#/$defs/x" } }, "$defs": { "x": { "$ref": "#/$defs/x" } } });
        assert_eq!(Schema::of_argument(&input, "a").summary(), "any");
        let mut expected = "array".to_owned();
        expected.push_str(&"[]".repeat(7));
        check(json!({ "$ref": "#/$defs/loop" }), &expected);
    }

    #[test]
    fn required_arguments_come_first() {
        let input = json!({ "properties": { "a": {}, "b": {}, "c": {} }, "required": ["b"] });
        let names: Vec<_> = Schema::arguments(&input).iter().map(|argument| argument.name).collect();
        assert_eq!(names, ["b", "a", "c"]);
    }
}
