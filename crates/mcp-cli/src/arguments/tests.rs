//! Typing of values and building of arguments.

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Assignment, build};

fn built(schema: Option<&str>, assignments: &[&str]) -> Result<String, String> {
    let schema = schema.map(|schema| serde_json::from_str::<Value>(schema).unwrap());
    let assignments =
        assignments.iter().map(|text| Assignment::parse(text)).collect::<Result<Vec<_>, _>>()?;
    build(None, &assignments, schema.as_ref()).map(|json| json.get().to_owned())
}

/// The value of `a=TEXT`, where `schema` is the schema of `a`.
#[track_caller]
fn check(schema: &str, text: &str, expected: &str) {
    let schema = format!(r#"{{"type":"object","properties":{{"a":{schema}}}}}"#);
    let found = built(Some(&schema), &[&format!("a={text}")]);
    assert_eq!(found.as_deref(), Ok(format!(r#"{{"a":{expected}}}"#).as_str()), "{schema}");
}

#[track_caller]
fn check_refused(schema: &str, text: &str, expected: &str) {
    let schema = format!(r#"{{"type":"object","properties":{{"a":{schema}}}}}"#);
    let found = built(Some(&schema), &[&format!("a={text}")]);
    assert_eq!(found, Err(format!("`a` must be {expected}, not `{text}` (a:=JSON sends anything)")));
}

#[test]
fn a_string_stays_a_string_whatever_it_looks_like() {
    for text in ["5", "true", "null", "[1]", "", "a b", "x=y", "\"q\""] {
        check(r#"{"type":"string"}"#, text, &Value::from(text).to_string());
    }
}

// Field case 164.
#[test]
fn numbers_are_sent_digit_by_digit() {
    for number in ["9007199254740993", "18446744073709551615", "-0", "123456789012345678901234567890"] {
        check(r#"{"type":"integer"}"#, number, number);
        check(r#"{"type":"number"}"#, number, number);
        check("{}", number, number);
    }
    for number in ["0.1", "1e400", "1E-7"] {
        check(r#"{"type":"number"}"#, number, number);
    }
    check(r#"{"type":"integer"}"#, "5.0", "5.0");
}

#[test]
fn a_value_that_does_not_fit_is_refused_with_what_is_expected() {
    check_refused(r#"{"type":"integer"}"#, "1.5", "an integer");
    check_refused(r#"{"type":"integer"}"#, "007", "an integer");
    check_refused(r#"{"type":"number"}"#, "NaN", "a number");
    check_refused(r#"{"type":"boolean"}"#, "yes", "true or false");
    check_refused(r#"{"type":"array"}"#, "a,b", "a JSON array");
    check_refused(r#"{"type":"object"}"#, "[]", "a JSON object");
    check_refused(r#"{"type":["integer","null"]}"#, "x", "an integer or null");
    check_refused(r#"{"enum":["a",1]}"#, "b", "one of `a`, `1`");
}

#[test]
fn booleans_null_arrays_and_objects_are_json() {
    check(r#"{"type":"boolean"}"#, "true", "true");
    check(r#"{"type":"null"}"#, "null", "null");
    check(r#"{"type":"array"}"#, "[1, \"a b\"]", r#"[1,"a b"]"#);
    check(r#"{"type":"object"}"#, "{\"x\": {}}", r#"{"x":{}}"#);
}

#[test]
fn of_a_union_the_first_that_fits_counts() {
    check(r#"{"type":["integer","string"]}"#, "5", "5");
    check(r#"{"type":["integer","string"]}"#, "x", r#""x""#);
    check(r#"{"type":["string","null"]}"#, "null", r#""null""#);
    check(r#"{"anyOf":[{"type":"boolean"},{"type":"string"}]}"#, "true", "true");
    check(r#"{"anyOf":[{"type":"boolean"},{"type":"string"}]}"#, "truth", r#""truth""#);
    check(r#"{"oneOf":[{"type":"null"},{"type":"number"}]}"#, "null", "null");
}

#[test]
fn fixed_values_are_matched_by_their_text() {
    check(r#"{"enum":["1",2,true]}"#, "1", r#""1""#);
    check(r#"{"enum":["1",2,true]}"#, "2", "2");
    check(r#"{"const":true}"#, "true", "true");
}

#[test]
fn references_into_the_document_are_followed_and_may_be_circular() {
    let schema = r##"{"properties":{"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/loop"},"c":{"$ref":"#/none"}},
        "$defs":{"n":{"type":"string"},"loop":{"anyOf":[{"$ref":"#/$defs/loop"}]}}}"##;
    assert_eq!(built(Some(schema), &["a=5", "b=5", "c=5"]).unwrap(), r#"{"a":"5","b":5,"c":5}"#);
}

#[test]
fn an_argument_without_a_schema_is_json_if_it_can_be() {
    for schema in [None, Some("{}"), Some("true"), Some(r#"{"properties":[]}"#)] {
        let found = built(schema, &["a=1", "b=true", "c=null", "d=[1]", "e=x y", "f=\"q\"", "g=", "h=1x"]);
        let expected = r#"{"a":1,"b":true,"c":null,"d":[1],"e":"x y","f":"\"q\"","g":"","h":"1x"}"#;
        assert_eq!(found.as_deref(), Ok(expected), "{schema:?}");
    }
    let schema = r#"{"additionalProperties":{"type":"string"}}"#;
    assert_eq!(built(Some(schema), &["a=1"]).unwrap(), r#"{"a":"1"}"#);
}

#[test]
fn raw_json_is_sent_as_it_is() {
    let found = built(Some(r#"{"properties":{"a":{"type":"string"}}}"#), &["a:=[1e400,\n 0.10]"]);
    assert_eq!(found.unwrap(), r#"{"a":[1e400,0.10]}"#);
}

#[test]
fn what_is_no_assignment_is_refused() {
    for (text, message) in [
        ("a", "`a` is neither KEY=VALUE nor KEY:=JSON"),
        ("=1", "`=1` has no key"),
        (":=1", "`:=1` has no key"),
        ("a:=x", "`a` is not JSON: expected value at line 1 column 1"),
    ] {
        assert_eq!(built(None, &[text]), Err(message.to_owned()));
    }
    assert_eq!(built(None, &["a=1", "a=2"]), Err("`a` is given twice".to_owned()));
}

#[test]
fn assignments_win_over_the_members_of_args() {
    let base = RawValue::from_string(r#"{"a":1,"b":18446744073709551616}"#.to_owned()).unwrap();
    let given = [Assignment::parse("a=2").unwrap()];
    assert_eq!(build(Some(&base), &given, None).unwrap().get(), r#"{"a":2,"b":18446744073709551616}"#);
    let array = RawValue::from_string("[]".to_owned()).unwrap();
    assert_eq!(build(Some(&array), &given, None).unwrap_err(), "the arguments must be a JSON object");
}
