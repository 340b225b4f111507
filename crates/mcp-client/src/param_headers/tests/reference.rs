//! A second, naive walk over the tree of a schema, and that both say the same.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use super::super::{Misannotated, ParamHeaders};
use super::of;

const NAMED: [&str; 6] =
    ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas", "dependencies"];
const PLAIN: [&str; 16] = [
    "items",
    "prefixItems",
    "additionalItems",
    "contains",
    "unevaluatedItems",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
];

/// An annotation and the path of properties to it, if only properties lead there.
type Found = (Value, Value, Option<Vec<String>>);

fn schema(value: &Value, path: Option<&[String]>, found: &mut Vec<Found>) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| schema(value, None, found)),
        Value::Object(members) => {
            if let Some(name) = members.get("x-mcp-header") {
                let kind = members.get("type").cloned().unwrap_or_default();
                found.push((name.clone(), kind, path.map(<[String]>::to_vec)));
            }
            PLAIN.iter().filter_map(|key| members.get(*key)).for_each(|value| schema(value, None, found));
            for keyword in NAMED {
                let path = path.filter(|_| keyword == "properties");
                match members.get(keyword) {
                    Some(Value::Object(named)) => named.iter().for_each(|(name, value)| {
                        let path = path.map(|path| [path, std::slice::from_ref(name)].concat());
                        schema(value, path.as_deref(), found);
                    }),
                    Some(other) => schema(other, None, found),
                    None => {}
                }
            }
        }
        _ => {}
    }
}

/// Name, type and path of all annotations, if each keeps the rules.
fn reference(value: &Value) -> Option<Vec<(String, String, Vec<String>)>> {
    let mut found = Vec::new();
    schema(value, Some(&[]), &mut found);
    let mut valid = Vec::new();
    for (name, kind, path) in found {
        let (name, kind, path) = (name.as_str()?, kind.as_str()?, path.filter(|path| !path.is_empty())?);
        let is_token = name.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c));
        let is_first = valid.iter().all(|(other, ..): &(String, _, _)| !other.eq_ignore_ascii_case(name));
        let is_type = ["string", "integer", "boolean"].contains(&kind);
        if name.is_empty() || !is_token || !is_first || !is_type {
            return None;
        }
        valid.push((name.to_owned(), kind.to_owned(), path));
    }
    valid.sort();
    Some(valid)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

/// Checks the walk over `schema`, and the headers for `arguments` if it is valid.
fn check(schema: &Value, arguments: &Value) -> Result<(), TestCaseError> {
    let headers = match (of(schema), reference(schema)) {
        (Err(fault), None) => {
            prop_assert!(!matches!(fault, Misannotated::Unreadable(_)), "{}", fault);
            return Ok(());
        }
        (Ok(headers), Some(expected)) => (headers, expected),
        (walked, expected) => {
            return Err(TestCaseError::fail(format!("{schema}: {walked:?}, but {expected:?}")));
        }
    };
    let (headers, expected): (ParamHeaders, _) = headers;
    let mut found: Vec<_> = headers
        .params
        .iter()
        .map(|param| {
            (param.header["Mcp-Param-".len()..].to_owned(), param.kind.to_string(), param.at.to_string())
        })
        .collect();
    found.sort();
    let pointer = |path: &[String]| path.iter().map(|name| format!("/properties/{name}")).collect::<String>();
    let wanted: Vec<_> =
        expected.iter().map(|(name, kind, path)| (name.clone(), kind.clone(), pointer(path))).collect();
    prop_assert_eq!(found, wanted);

    let mut fits = true;
    let mut values = Vec::new();
    for (name, kind, path) in &expected {
        let value = path.iter().try_fold(arguments, |value, name| value.as_object()?.get(name));
        let value = value.unwrap_or(&Value::Null);
        fits &= match kind.as_str() {
            _ if value.is_null() => true,
            "string" => value.is_string(),
            "integer" => value.is_i64(),
            _ => value.is_boolean(),
        };
        values.extend(text(value).map(|value| (format!("Mcp-Param-{name}"), value)));
    }
    let arguments = serde_json::value::to_raw_value(arguments).unwrap();
    match headers.headers_for(&arguments) {
        Ok(given) => {
            let mut given: Vec<_> =
                given.into_iter().map(|one| (one.header.into_owned(), one.value)).collect();
            given.sort();
            prop_assert!(fits);
            prop_assert_eq!(given, values);
        }
        Err(error) => prop_assert!(!fits, "{}", error),
    }
    Ok(())
}

fn scalars() -> impl Strategy<Value = Value> {
    let all =
        [json!("A"), json!("a"), json!("B-1"), json!("é"), json!(""), json!("string"), json!(7), json!(true)];
    select([&all[..], &[Value::Null]].concat())
}

/// Anything, made of the words of schemas.
fn anything() -> impl Strategy<Value = Value> {
    let words =
        [&NAMED[..], &PLAIN, &["x-mcp-header", "type", "enum", "const", "default", "a", "b"]].concat();
    scalars().prop_recursive(5, 48, 6, move |inner| {
        let member = (select(words.clone()), inner.clone());
        prop_oneof![
            3 => proptest::collection::vec(member, 0..6).prop_map(object),
            1 => proptest::collection::vec(inner, 0..3).prop_map(Value::Array),
        ]
    })
}

fn object<K: Into<String>>(members: Vec<(K, Value)>) -> Value {
    Value::Object(members.into_iter().map(|(key, value)| (key.into(), value)).collect::<Map<_, _>>())
}

/// Schemas of properties, most of which keep the rules.
fn properties() -> impl Strategy<Value = Value> {
    let names: Vec<String> = ('A'..='Z').map(|name| format!("H-{name}")).collect();
    let annotated = (select(names), select(vec!["string", "integer", "boolean"]))
        .prop_map(|(name, kind)| json!({"x-mcp-header": name, "type": kind}));
    let leaf = prop_oneof![8 => annotated, 2 => Just(json!({"type": "number"})), 1 => anything()];
    leaf.prop_recursive(4, 12, 3, |inner| {
        let member = (select(vec!["a", "b", "c", "x-mcp-header", "properties"]), inner.clone());
        let keyword = select([&NAMED[..], &PLAIN, &["enum", "default"]].concat());
        prop_oneof![
            8 => proptest::collection::vec(member, 0..4)
                .prop_map(|members| json!({"type": "object", "properties": object(members)})),
            1 => (keyword.clone(), inner.clone()).prop_map(|(keyword, schema)| json!({keyword: {"a": schema}})),
            1 => (keyword, inner).prop_map(|(keyword, schema)| json!({keyword: schema})),
        ]
    })
}

fn arguments() -> impl Strategy<Value = Value> {
    scalars().prop_recursive(5, 64, 5, |inner| {
        let member = (select(vec!["a", "b", "c", "x-mcp-header", "properties"]), inner);
        proptest::collection::vec(member, 0..6).prop_map(object)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2048, ..Default::default() })]

    #[test]
    fn one_pass_over_any_words_of_schemas_finds_what_a_tree_has(schema in anything(), values in arguments()) {
        check(&schema, &values)?;
    }

    #[test]
    fn one_pass_over_properties_finds_what_a_tree_has(schema in properties(), values in arguments()) {
        check(&schema, &values)?;
    }

    #[test]
    fn any_text_is_a_schema_or_none_but_no_panic(text in "[ -~é]{0,12}", cut in 0_usize..64) {
        let schema = json!({"properties": {"a": {"type": "string", "x-mcp-header": text, "items": {"not": true}}}});
        let whole = schema.to_string();
        let mut cut = whole.len().saturating_sub(cut);
        while !whole.is_char_boundary(cut) {
            cut -= 1;
        }
        // A raw value is JSON by its type, so a cut one goes to the walk itself.
        let walked = super::super::walk::annotations(&whole[..cut]);
        prop_assert_eq!(walked.is_ok(), cut == whole.len() && reference(&schema).is_some());
    }
}
