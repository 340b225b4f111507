//! Schemas and results as servers send them, the hostile ones first of all.

use std::error::Error;

use mcp_types::CallToolResult;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::*;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn compile_with(schema: &Value, limits: &SchemaLimits) -> Result<OutputSchema, SchemaError> {
    OutputSchema::compile(&raw(&schema.to_string()), limits)
}

fn compile(schema: &Value) -> Result<OutputSchema, SchemaError> {
    compile_with(schema, &SchemaLimits::default())
}

fn refused(schema: &Value) -> String {
    compile(schema).unwrap_err().to_string()
}

fn result(content: &str) -> CallToolResult {
    let json = format!(r#"{{"content":[],"structuredContent":{content}}}"#);
    serde_json::from_str(&json).unwrap()
}

fn check(schema: &Value, content: &Value) -> Result<(), OutputError> {
    compile(schema).unwrap().check(&result(&content.to_string()))
}

fn mismatch(schema: &Value, content: &Value) -> Mismatch {
    match check(schema, content) {
        Err(OutputError::Mismatch(mismatch)) => mismatch,
        other => panic!("{other:?}"),
    }
}

/// `a0` to `a{count}` under `$defs`, each made from the reference to the next.
fn linked(count: usize, link: impl Fn(Value) -> Value) -> Value {
    let next = |at: usize| json!({"$ref": format!("#/$defs/a{}", at + 1)});
    let mut all: Map<_, _> = (0..count).map(|at| (format!("a{at}"), link(next(at)))).collect();
    all.insert(format!("a{count}"), json!({"type": "string"}));
    json!({"$defs": all, "$ref": "#/$defs/a0"})
}

fn nested(levels: usize, seed: Value, wrap: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(seed, |inner, _| wrap(inner))
}

#[test]
fn a_result_that_fits_passes_and_another_one_is_located() {
    let schema = json!({
        "type": "object",
        "properties": {"rows": {"type": "array", "items": {"$ref": "#/$defs/row"}}},
        "required": ["rows"],
        "$defs": {"row": {"type": "object", "properties": {"a~/b": {"type": "integer"}}}},
    });
    check(&schema, &json!({"rows": [{"a~/b": 1}], "more": null})).unwrap();
    let found = mismatch(&schema, &json!({"rows": [{}, {"a~/b": "s3cret"}]}));
    assert_eq!((found.path.as_str(), found.keyword.as_str()), ("/rows/1/a~0~1b", "type"));
    assert_eq!(found.to_string(), "at `/rows/1/a~0~1b`: value is not of type \"integer\"");
    assert_eq!(mismatch(&schema, &json!([])).path.as_str(), "");
}

#[test]
fn a_result_with_is_error_is_never_checked() {
    let schema = compile(&json!({"type": "object", "required": ["x"]})).unwrap();
    for content in ["", r#","structuredContent":{}"#, r#","structuredContent":1e999"#] {
        let json = format!(r#"{{"content":[],"isError":true{content}}}"#);
        schema.check(&serde_json::from_str(&json).unwrap()).unwrap();
    }
}

#[test]
fn structured_content_that_is_absent_is_not_null() {
    let schema = compile(&json!({"type": "null"})).unwrap();
    schema.check(&result("null")).unwrap();
    assert!(matches!(schema.check(&CallToolResult::default()), Err(OutputError::Missing)));
}

#[test]
fn any_schema_may_be_the_root() {
    check(&json!(true), &json!([1])).unwrap();
    check(&json!({"type": "array"}), &json!([1])).unwrap();
    assert_eq!(mismatch(&json!(false), &json!(1)).path.as_str(), "");
    for no_schema in [json!(1), json!("x"), json!([]), json!(null)] {
        assert!(matches!(compile(&no_schema), Err(SchemaError::NoSchema(_))), "{no_schema}");
    }
    assert!(refused(&json!({"properties": {"a": 5}})).contains("`5`"));
}

#[test]
fn a_schema_applies_in_the_dialect_that_it_names() {
    let tuple = |dialect: Option<&str>| {
        let mut schema = json!({"prefixItems": [{"type": "string"}]});
        if let Some(dialect) = dialect {
            schema["$schema"] = json!(dialect);
        }
        check(&schema, &json!([1])).is_ok()
    };
    // The keyword is of 2020-12, and means nothing before.
    assert!(!tuple(None));
    assert!(!tuple(Some("https://json-schema.org/draft/2020-12/schema")));
    assert!(tuple(Some("https://json-schema.org/draft/2019-09/schema")));
    assert!(tuple(Some("http://json-schema.org/draft-07/schema#")));
    assert!(tuple(Some("http://json-schema.org/draft-06/schema")));
    assert!(tuple(Some("http://json-schema.org/draft-04/schema#")));

    let list = json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]});
    assert_eq!(mismatch(&list, &json!([1])).path.as_str(), "/0");
}

#[test]
fn a_dialect_that_is_not_supported_is_named() {
    for dialect in ["http://json-schema.org/draft-03/schema#", "https://example.com/mine", ""] {
        assert_eq!(
            refused(&json!({"$schema": dialect})),
            format!("the dialect `{dialect}` is not supported")
        );
    }
    assert_eq!(refused(&json!({"$schema": 7})), "the dialect `7` is not supported");
}

#[test]
fn a_reference_stays_in_its_schema() {
    let here = |reference: &str| {
        let part = json!({"$anchor": "n", "type": "integer"});
        let schema = json!({"$defs": {"a b": part}, "items": {"$ref": reference}});
        check(&schema, &json!([1])).unwrap();
        mismatch(&schema, &json!(["x"])).path
    };
    assert_eq!(here("#/$defs/a%20b").as_str(), "/0");
    assert_eq!(here("#n").as_str(), "/0");
    let tree = json!({"type": "object", "additionalProperties": {"$ref": "#"}});
    check(&tree, &json!({"a": {"b": {}}})).unwrap();
    assert_eq!(mismatch(&tree, &json!({"a": {"b": 1}})).path.as_str(), "/a/b");
    // A keyword of nobody can hold a schema too.
    assert_eq!(mismatch(&json!({"x-own": {"type": "null"}, "$ref": "#/x-own"}), &json!(1)).path.as_str(), "");
}

#[test]
fn a_reference_out_of_the_schema_is_refused_unfetched() {
    for (reference, shown) in [
        ("http://127.0.0.1:1/x?token=s3cret", "http://127.0.0.1:1/x"),
        ("https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2020-12/schema"),
        ("file:///etc/passwd", "file:///etc/passwd"),
        ("//host/x", "//host/x"),
        ("other.json#/a", "other.json#/a"),
    ] {
        for keyword in ["$ref", "$dynamicRef"] {
            let schema = json!({"properties": {"a": {"anyOf": [true, {keyword: reference}]}}});
            assert_eq!(refused(&schema), format!("the reference `{shown}` leads out of the schema"));
        }
    }
}

#[test]
fn a_reference_to_nothing_is_refused() {
    for reference in ["#/$defs/none", "#none", "#/$defs/a/type/0", "#%zz"] {
        let schema = json!({"$defs": {"a": {"type": "string"}}, "$ref": reference});
        assert!(matches!(compile(&schema), Err(SchemaError::Dangling(_))), "{reference}");
    }
}

#[test]
fn an_id_moves_nothing() {
    let with_id = json!({"$id": "https://json-schema.org/draft/2020-12/schema", "$ref": "#/$defs/a",
        "$defs": {"a": {"type": "null"}}});
    assert_eq!(mismatch(&with_id, &json!(1)).keyword.as_str(), "type");
    let part = json!({"properties": {"a": {"$id": "https://me:s3cret@host/b", "$ref": "#/c"}}});
    assert_eq!(refused(&part), "a part of the schema has the id `https://***@host/b` of its own");
    let behind = json!({"x": {"$id": "http://host/", "y": {}}, "$ref": "#/x/y"});
    assert!(matches!(compile(&behind), Err(SchemaError::EmbeddedId(_))));
    // A member may be called so.
    check(&json!({"properties": {"$id": {"type": "string"}, "id": true}}), &json!({"$id": "x"})).unwrap();
}

#[test]
fn references_that_go_in_a_circle_are_refused() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"not": {"$ref": "#"}}),
        json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}}),
        json!({"$anchor": "me", "if": {"$ref": "#me"}}),
    ] {
        assert!(matches!(compile(&schema), Err(SchemaError::Circle)), "{schema}");
    }
}

#[test]
fn a_schema_beyond_a_limit_is_refused_with_the_limit() {
    let long = json!({"description": "x".repeat(256 << 10)});
    assert!(refused(&long).ends_with("more than 262144"));
    let deep = nested(40, json!({}), |inner| json!({"properties": {"a": inner}}));
    assert_eq!(refused(&deep), "the schema nests deeper than 64 levels");
    let brackets = raw(&format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)));
    let error = OutputSchema::compile(&brackets, &SchemaLimits::default());
    assert!(matches!(error, Err(SchemaError::TooDeep { .. })));
    let many = json!({"anyOf": vec![json!({}); 5000]});
    assert_eq!(refused(&many), "the schema has more than 4096 subschemas");
    assert_eq!(
        refused(&linked(2000, |next| json!({"allOf": [next]}))),
        "more than 64 schemas stand behind one another"
    );
}

#[test]
fn a_long_chain_of_references_through_members_compiles() {
    let chain = linked(1300, |next| json!({"properties": {"x": {"allOf": [next]}}}));
    check(&chain, &json!({"x": {}})).unwrap();
    let items = linked(1000, |next| json!({"items": {"anyOf": [next]}, "unevaluatedItems": false}));
    check(&items, &json!([])).unwrap();
}

#[test]
fn a_giant_enum_is_compared_within_the_limit_only() {
    let names: Vec<_> = (0..20_000).map(|name| name.to_string()).collect();
    let schema = json!({"items": {"enum": names}});
    check(&schema, &json!(["1", "19999"])).unwrap();
    let found = mismatch(&schema, &json!(["x"]));
    assert!(found.problem.to_string().len() < 300, "{found}");
    assert!(matches!(
        check(&schema, &json!(vec!["1"; 1000])),
        Err(OutputError::TooCostly { limit: 500_000 })
    ));
}

#[test]
fn what_doubles_with_each_level_is_not_begun() {
    let doubling = linked(30, |next| json!({"anyOf": [next.clone(), next]}));
    assert!(matches!(check(&doubling, &json!(1)), Err(OutputError::TooCostly { .. })));

    let node = json!({"properties": {"c": {"$ref": "#"}}});
    let tree = json!({"oneOf": [node.clone(), node]});
    let value = nested(40, json!({}), |inner| json!({"c": inner}));
    assert!(matches!(check(&tree, &value), Err(OutputError::TooCostly { .. })));

    let collecting =
        nested(20, json!({"required": ["a"]}), |it| json!({"anyOf": [it], "unevaluatedProperties": false}));
    assert!(matches!(check(&collecting, &json!({"a": 1})), Err(OutputError::TooCostly { .. })));
}

#[test]
fn a_check_as_deep_as_the_limit_allows_fits_the_stack() {
    // Test threads have the stack of others: 2 MiB. Four levels of schema to one of the value.
    let any = json!({"anyOf": [{"type": "null"}, {"allOf": [{"properties": {"c": {"$ref": "#/$defs/n"}}}]}]});
    let schema = json!({"$defs": {"n": any}, "$ref": "#/$defs/n", "unevaluatedItems": false});
    let value = |depth| nested(depth, json!(1), |inner| json!({"c": inner}));
    check(&schema, &value(60)).unwrap();
    assert!(matches!(check(&schema, &value(70)), Err(OutputError::TooDeep { limit: 256 })));

    let failing = json!({"$defs": {"n": {"type": "object", "oneOf": [{"additionalProperties": {"$ref": "#/$defs/n"}}]}},
        "$ref": "#/$defs/n"});
    assert_eq!(mismatch(&failing, &value(80)).path.as_str(), "");
}

#[test]
fn a_result_beyond_what_can_be_read_is_an_error() {
    let schema = compile(&json!({})).unwrap();
    let long = format!("\"{}\"", "x".repeat(4 << 20));
    assert!(matches!(schema.check(&result(&long)), Err(OutputError::TooLarge { limit: 4_194_304, .. })));
    for unreadable in ["1e999".to_owned(), format!("{}{}", "[".repeat(500), "]".repeat(500))] {
        let mut result = CallToolResult::default();
        result.structured_content = Some(raw(&unreadable));
        assert!(matches!(schema.check(&result), Err(OutputError::Unreadable(_))), "{unreadable}");
    }
}

#[test]
fn patterns_run_in_linear_time_or_not_at_all() {
    let slow = json!({"pattern": "^(a|a)*$"});
    let text = format!("{}!", "a".repeat(100_000));
    assert_eq!(mismatch(&slow, &json!(text)).keyword.as_str(), "pattern");
    for refused in [r"(?=a)b", r"(a)\1", "(((a{100}){100}){100}){100}", "("] {
        let error = compile(&json!({"properties": {"p": {"pattern": refused}}})).unwrap_err();
        assert!(matches!(&error, SchemaError::Invalid { .. }), "{error}");
    }
}

#[test]
fn what_is_not_a_schema_of_its_dialect_is_refused_with_its_place() {
    let error = refused(&json!({"properties": {"a": {"minLength": "x"}}}));
    assert!(error.starts_with("the schema is not valid at `/properties/a/minLength`: "), "{error}");
}

#[test]
fn an_error_repeats_no_value_and_drives_no_terminal() {
    let schema = json!({"properties": {"\u{1b}[2J": {"maxLength": 1, "const": "a"}}});
    let found = mismatch(&schema, &json!({"\u{1b}[2J": "s3cret".repeat(1000)}));
    let error = OutputError::Mismatch(found);
    let shown = format!("{error}: {}; {error:?}", error.source().unwrap());
    assert!(!shown.contains("s3cret") && !shown.contains('\u{1b}') && shown.len() < 2000, "{shown}");
}

#[test]
fn the_cache_is_bounded_and_goes_by_the_text() {
    let schemas = OutputSchemas::new(SchemaLimits::default(), 2);
    let [first, second, third] = [r#"{"type":"null"}"#, r#"{"type":"string"}"#, "true"].map(raw);
    let kept = schemas.compiled(&first).unwrap();
    assert!(std::sync::Arc::ptr_eq(&kept, &schemas.compiled(&first).unwrap()));
    schemas.compiled(&second).unwrap();
    schemas.compiled(&third).unwrap();
    assert!(!std::sync::Arc::ptr_eq(&kept, &schemas.compiled(&first).unwrap()), "the oldest is gone");
    assert!(schemas.compiled(&raw("5")).is_err());

    let none = OutputSchemas::new(SchemaLimits::default(), 0);
    let once = none.compiled(&first).unwrap();
    assert!(!std::sync::Arc::ptr_eq(&once, &none.compiled(&first).unwrap()));
}
