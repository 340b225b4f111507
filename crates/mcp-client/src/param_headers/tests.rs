//! Annotations that hold and that do not, and the headers of calls.

mod reference;

use std::error::Error as _;

use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use super::{Misannotated, ParamError, ParamHeaders};

fn raw(json: impl AsRef<str>) -> Box<RawValue> {
    RawValue::from_string(json.as_ref().to_owned()).unwrap()
}

fn of(schema: impl serde::Serialize) -> Result<ParamHeaders, Misannotated> {
    ParamHeaders::of(&to_raw_value(&schema).unwrap())
}

/// The headers and where they were found, sorted: how members are ordered is up to serde_json's features.
fn found(schema: impl serde::Serialize) -> Vec<String> {
    let headers = of(schema).unwrap();
    let shown = |param: &super::Param| format!("{} {} {}", param.header, param.kind, param.at);
    let mut found: Vec<_> = headers.params.iter().map(shown).collect();
    found.sort();
    found
}

/// A schema with one property `p`.
fn property(schema: &serde_json::Value) -> serde_json::Value {
    json!({"type": "object", "properties": {"p": schema}})
}

fn headers(schema: impl serde::Serialize, arguments: &str) -> Result<Vec<(String, String)>, ParamError> {
    let headers = of(schema).unwrap().headers_for(&raw(arguments))?;
    Ok(headers.into_iter().map(|mirrored| (mirrored.header.into_owned(), mirrored.value)).collect())
}

#[test]
fn properties_at_any_depth_can_be_annotated() {
    let schema = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "query": {"type": "string"},
        "float_val": {"type": "number"},
        "in/~": {"type": "object", "properties": {"deep": {"x-mcp-header": "Deep.1~", "type": "integer"}}},
        "yes": {"type": "boolean", "x-mcp-header": "Method", "$ref": "#/$defs/y"},
    }});
    assert_eq!(
        found(schema),
        [
            "Mcp-Param-Deep.1~ integer /properties/in~1~0/properties/deep",
            "Mcp-Param-Method boolean /properties/yes",
            "Mcp-Param-Region string /properties/region",
        ]
    );
}

#[test]
fn a_name_that_is_no_header_makes_the_tool_invalid() {
    let check = |name: serde_json::Value, expected: &str| {
        let fault = of(property(&json!({"type": "string", "x-mcp-header": name}))).unwrap_err();
        assert_eq!(fault.to_string(), expected);
    };
    check(json!(""), "the `x-mcp-header` at `/properties/p` is empty");
    for name in [json!(1), json!(null), json!(["A"]), json!({"a": "A"}), json!(true)] {
        check(name, "the `x-mcp-header` at `/properties/p` is no string");
    }
    for (name, shown) in [
        ("My Name", "My Name"),
        ("a:b", "a:b"),
        ("Zürich", "Zürich"),
        ("a\tb", r"a\tb"),
        ("a\r\nX: y", r"a\r\nX: y"),
        ("\u{7f}", r"\u{7f}"),
        ("(a)", "(a)"),
        ("a/b", "a/b"),
        ("\"", "\""),
    ] {
        let text =
            format!("the `x-mcp-header` `{shown}` at `/properties/p` has characters that no header has");
        check(json!(name), &text);
    }
    let half = r#"{"properties":{"p":{"type":"string","x-mcp-header":"\ud800"}}}"#;
    assert!(matches!(ParamHeaders::of(&raw(half)), Err(Misannotated::NoToken { .. })));
    let longest = "a".repeat(ParamHeaders::MAX_NAME);
    of(property(&json!({"type": "string", "x-mcp-header": longest}))).unwrap();
    let fault = of(property(&json!({"type": "string", "x-mcp-header": format!("{longest}a")}))).unwrap_err();
    assert!(matches!(fault, Misannotated::TooLong { limit: ParamHeaders::MAX_NAME, .. }));
}

#[test]
fn a_type_that_no_header_holds_makes_the_tool_invalid() {
    for kind in [json!("number"), json!("object"), json!("array"), json!("null"), json!(["string"]), json!(1)]
    {
        let fault = of(property(&json!({"x-mcp-header": "A", "type": kind}))).unwrap_err();
        let text = "the `x-mcp-header` `A` at `/properties/p` is on no string, integer or boolean";
        assert_eq!(fault.to_string(), text);
    }
    assert!(matches!(of(property(&json!({"x-mcp-header": "A"}))), Err(Misannotated::WrongType { .. })));
}

#[test]
fn a_name_that_is_there_twice_makes_the_tool_invalid_whatever_its_case() {
    for other in ["Region", "rEGION"] {
        let schema = json!({"properties": {
            "a": {"type": "string", "x-mcp-header": "Region"},
            "b": {"properties": {"c": {"type": "integer", "x-mcp-header": other}}},
        }});
        let fault = of(schema).unwrap_err();
        let text = format!("the `x-mcp-header` `{other}` at `/properties/b/properties/c` is there twice");
        assert_eq!(fault.to_string(), text);
    }
}

#[test]
fn an_annotation_that_is_not_reached_by_properties_alone_makes_the_tool_invalid() {
    let annotated = json!({"type": "string", "x-mcp-header": "A"});
    assert!(matches!(of(&annotated), Err(Misannotated::OutOfReach { .. })), "the root");
    for keyword in [
        "additionalItems",
        "additionalProperties",
        "allOf",
        "anyOf",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "oneOf",
        "prefixItems",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ] {
        let below = property(&annotated);
        for schema in
            [json!({keyword: annotated}), json!({keyword: [{}, annotated]}), json!({keyword: below})]
        {
            for schema in [property(&schema), schema] {
                let fault = of(&schema).unwrap_err();
                assert!(matches!(fault, Misannotated::OutOfReach { .. }), "{schema}: {fault}");
            }
        }
    }
    for keyword in ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties"] {
        for schema in
            [json!({keyword: {"properties": annotated}}), json!({keyword: {"p": property(&annotated)}})]
        {
            let fault = of(&schema).unwrap_err();
            assert!(matches!(fault, Misannotated::OutOfReach { .. }), "{schema}: {fault}");
        }
    }
    let fault = of(json!({"properties": [annotated]})).unwrap_err();
    let text =
        "the `x-mcp-header` `\"A\"` at `/properties/0` is not on a property reached by `properties` alone";
    assert_eq!(fault.to_string(), text);
}

#[test]
fn data_and_properties_that_look_like_annotations_are_none() {
    let data = json!({"x-mcp-header": "", "properties": {"p": {"x-mcp-header": ""}}});
    for keyword in ["enum", "const", "default", "examples", "required", "x-mine"] {
        assert!(of(json!({keyword: data})).unwrap().is_empty());
        assert!(of(property(&json!({keyword: [data]}))).unwrap().is_empty());
    }
    let named = json!({"properties": {"x-mcp-header": {"type": "string", "x-mcp-header": "A"}}});
    assert_eq!(found(&named), ["Mcp-Param-A string /properties/x-mcp-header"]);
    assert!(
        of(json!({"properties": {"x-mcp-header": {"type": "string"}, "items": true}})).unwrap().is_empty()
    );
    for schema in [json!(true), json!("x-mcp-header"), json!(1), json!(null)] {
        assert!(of(schema).unwrap().is_empty());
    }
}

#[test]
fn an_annotation_written_with_escapes_is_one() {
    let schema = r#"{"properties":{"p":{"t\u0079pe":"\u0073tring","\u0078-mcp-header":"\u0041"}}}"#;
    assert_eq!(found(raw(schema)), ["Mcp-Param-A string /properties/p"]);
}

#[test]
fn of_a_member_that_is_there_twice_the_last_counts_but_both_are_searched() {
    let last =
        r#"{"properties":{"p":{"x-mcp-header":"","x-mcp-header":"A","type":"number","type":"string"}}}"#;
    assert_eq!(found(raw(last)), ["Mcp-Param-A string /properties/p"]);
    let both = r#"{"properties":{"p":{"x-mcp-header":"A"}},"properties":{}}"#;
    assert!(matches!(ParamHeaders::of(&raw(both)), Err(Misannotated::WrongType { .. })));
}

#[test]
fn annotations_are_bounded_in_number_and_in_what_is_shown_of_them() {
    let many = |count: usize| {
        let properties =
            (0..count).map(|n| (format!("p{n}"), json!({"type": "string", "x-mcp-header": format!("H{n}")})));
        json!({"properties": properties.collect::<serde_json::Map<_, _>>()})
    };
    assert_eq!(found(many(ParamHeaders::MAX_HEADERS)).len(), ParamHeaders::MAX_HEADERS);
    assert!(matches!(of(many(ParamHeaders::MAX_HEADERS + 1)), Err(Misannotated::TooMany { .. })));
    let long = json!({"properties": {"/".repeat(1 << 16): {"x-mcp-header": " ".repeat(1 << 16)}}});
    assert!(of(long).unwrap_err().to_string().len() < 700);
}

#[test]
fn a_schema_nested_too_deeply_is_refused_and_not_followed() {
    let deep = |levels: usize| {
        let (open, close) = (r#"{"properties":{"p":"#.repeat(levels), "}}".repeat(levels));
        raw(format!(r#"{open}{{"type":"string","x-mcp-header":"A"}}{close}"#))
    };
    let headers = ParamHeaders::of(&deep(60)).unwrap();
    let arguments = format!("{}{}{}", r#"{"p":"#.repeat(60), "\"v\"", "}".repeat(60));
    assert_eq!(headers.headers_for(&raw(arguments)).unwrap()[0].value, "v");
    let fault = ParamHeaders::of(&deep(100_000)).unwrap_err();
    assert!(matches!(fault, Misannotated::Unreadable(_)) && fault.source().is_some());
    let plain = format!("{}{}", r#"{"not":"#.repeat(100_000), "{}".to_owned() + &"}".repeat(100_000));
    assert!(ParamHeaders::of(&raw(plain)).unwrap().is_empty(), "without an annotation it is not read");
}

#[test]
fn arguments_that_are_given_go_into_headers_and_others_do_not() {
    let schema = json!({"properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "dry": {"type": "boolean", "x-mcp-header": "Dry"},
        "query": {"type": "string"},
        "at": {"properties": {"zone": {"type": "string", "x-mcp-header": "Zone"}}},
    }});
    let check = |arguments: &str, expected: &[(&str, &str)]| {
        let headers = headers(&schema, arguments).unwrap();
        let mut headers: Vec<_> =
            headers.iter().map(|(name, value)| (&name["Mcp-Param-".len()..], &**value)).collect();
        headers.sort_unstable();
        assert_eq!(headers, expected, "{arguments}");
    };
    check(
        r#"{"query":"q","region":" Z\u00fcrich\n","count":-7,"dry":false,"at":{"zone":"","x":1}}"#,
        &[("Count", "-7"), ("Dry", "false"), ("Region", " Zürich\n"), ("Zone", "")],
    );
    check("{}", &[]);
    check(r#"{"region":null,"at":null,"count":null,"dry":null}"#, &[]);
    check(r#"{"zone":"a","at":{"region":"b"},"REGION":"c"}"#, &[]);
    check(r#"{"at":[{"zone":"a"}]}"#, &[]);
    check(r#"{"at":"zone","region":"a"}"#, &[("Region", "a")]);
    check(r#"{"\u0072egion":"a"}"#, &[("Region", "a")]);
    for arguments in ["null", "[]", "\"region\"", "7"] {
        check(arguments, &[]);
    }
    check(r#"{"region":1,"region":"a"}"#, &[("Region", "a")]);
    check(r#"{"region":"a","region":null}"#, &[]);
    check(r#"{"at":{"zone":"a"},"at":{}}"#, &[]);
    check(r#"{"at":{"zone":"a"},"at":1}"#, &[]);
}

#[test]
fn an_argument_that_does_not_fit_is_named_but_not_shown() {
    let schema = json!({"properties": {"in": {"properties": {
        "key": {"type": "string", "x-mcp-header": "Key"},
        "n": {"type": "integer", "x-mcp-header": "N"},
    }}}});
    let check = |arguments: &str, expected: &str| {
        let error = headers(&schema, arguments).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(!format!("{error:?}").contains("5551"));
    };
    let text = "the argument for `Mcp-Param-Key` (schema `/properties/in/properties/key`) is no string";
    check(r#"{"in":{"key":5551}}"#, text);
    check(r#"{"in":{"key":{"a":5551}}}"#, text);
    let text = "the argument for `Mcp-Param-N` (schema `/properties/in/properties/n`) is no integer";
    check(r#"{"in":{"n":"5551"}}"#, text);
    check(r#"{"in":{"n":5551.5}}"#, text);
    let text = "the argument for `Mcp-Param-N` (schema `/properties/in/properties/n`) is beyond the integers that headers can hold";
    check(r#"{"in":{"n":55515551555155515551}}"#, text);
}
