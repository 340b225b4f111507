//! Forms: what is read, what is refused, and what may be sent off.

use std::error::Error;

use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use serde_json::{Value, json};

use super::{ContentError, FieldKind, Form, FormContent, FormError, FormValue};

fn read(schema: &Value) -> Result<Form, FormError> {
    Form::read(&serde_json::from_value(schema.clone()).unwrap())
}

fn of(properties: &Value, required: &[&str]) -> Form {
    read(&json!({"type": "object", "properties": properties, "required": required})).unwrap()
}

/// The error of a form with this field, with its cause.
fn refused(field: &Value) -> String {
    let error = read(&json!({"type": "object", "properties": {"f": field}})).unwrap_err();
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("{error}{cause}")
}

/// Whether a form with this field alone takes the value.
fn takes(field: &Value, value: &Value) -> Result<(), String> {
    let form = of(&json!({"f": field}), &[]);
    let mut content = FormContent::default();
    content.set("f", serde_json::from_value::<FormValue>(value.clone()).unwrap());
    form.check(&content).map_err(|error| error.source().unwrap().to_string())
}

#[test]
fn every_kind_of_field_is_read_in_order_with_its_labels() {
    let form = of(
        &json!({
            "text": {"type": "string", "title": "Text", "description": "d", "pattern": "x"},
            "number": {"type": "number"}, "whole": {"type": "integer"}, "flag": {"type": "boolean"},
            "plain": {"type": "string", "enum": ["a", "b"]},
            "legacy": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
            "titled": {"type": "string", "oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]},
            "many": {"type": "array", "items": {"type": "string", "enum": ["a"]}, "maxItems": 1},
            "labelled": {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}},
        }),
        &["whole"],
    );
    let names: Vec<_> = form.fields.iter().map(|field| field.name.as_str()).collect();
    // `json!` sorts; the order of a message is kept, as `the_order_of_the_server_is_kept` shows.
    assert_eq!(names.len(), 9);
    let labels = |name: &str| match &form.field(name).unwrap().kind {
        FieldKind::One(choices) | FieldKind::Several { choices, .. } => {
            choices.iter().map(|choice| choice.label.clone()).collect::<Vec<_>>()
        }
        kind => panic!("{kind:?}"),
    };
    assert_eq!(labels("plain"), ["a", "b"]);
    assert_eq!(labels("legacy"), ["A", "B"]);
    assert_eq!(labels("titled"), ["A", "b"]);
    assert_eq!(labels("many"), ["a"]);
    assert_eq!(labels("labelled"), ["A"]);
    assert_eq!(form.field("text").unwrap().display_name(), "Text");
    assert!(form.field("whole").unwrap().required && !form.field("text").unwrap().required);
}

#[test]
fn the_order_of_the_server_is_kept() {
    let schema = r#"{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"boolean"}}}"#;
    let form = Form::read(&serde_json::from_str(schema).unwrap()).unwrap();
    assert_eq!(form.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["z", "a"]);
}

#[test]
fn what_is_beyond_the_subset_is_refused_by_name() {
    let kind = "the field `f` is of no kind that a form can have";
    for field in [
        json!({}),
        json!({"type": "object", "properties": {}}),
        json!({"type": "null"}),
        json!({"type": "array"}),
        json!({"type": "array", "items": {"type": "number"}}),
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"type": "array", "items": {"type": "object", "enum": ["a"]}}),
        json!({"type": "boolean", "enum": ["a"]}),
        json!({"enum": ["a"]}),
    ] {
        assert_eq!(refused(&field), kind, "{field}");
    }
    let format = "the field `f` has a format that forms do not have";
    assert_eq!(refused(&json!({"type": "string", "format": "password"})), format);
    let choices = "the field `f` must have 1 to 4096 values, each with a label or none";
    assert_eq!(refused(&json!({"type": "string", "enum": []})), choices);
    assert_eq!(refused(&json!({"type": "string", "enum": ["a"], "enumNames": []})), choices);
    assert!(
        refused(&json!({"type": ["string", "null"]})).starts_with("the field `f` cannot be read: `type`")
    );
    assert!(refused(&json!({"type": "string", "minLength": -1})).contains("`minLength`"));
    assert!(refused(&json!(7)).starts_with("the field `f` cannot be read"));
    assert!(refused(&json!({"type": "string", "default": {}})).starts_with("the field `f` cannot be read"));
    assert_eq!(
        refused(&json!({"type": "integer", "default": 0.5})),
        "the default of the field `f` does not fit: it must be a whole number",
    );
}

#[test]
fn a_form_as_a_whole_must_be_an_object_with_what_it_requires() {
    assert!(matches!(read(&json!({"type": "array"})), Err(FormError::NotAnObject)));
    assert!(matches!(read(&json!({})), Err(FormError::NotAnObject)));
    let ghost = read(&json!({"type": "object", "required": ["x"]})).unwrap_err();
    assert_eq!(ghost.to_string(), "the field `x` is required, but the form has none of that name");
    assert!(read(&json!({"type": "object"})).unwrap().fields.is_empty());
}

#[test]
fn the_number_of_fields_and_of_choices_is_bounded() {
    let fields = |count: usize| {
        let fields: serde_json::Map<_, _> =
            (0..count).map(|n| (n.to_string(), json!({"type": "boolean"}))).collect();
        read(&json!({"type": "object", "properties": fields}))
    };
    assert_eq!(fields(Form::MAX_FIELDS).unwrap().fields.len(), Form::MAX_FIELDS);
    assert!(matches!(fields(Form::MAX_FIELDS + 1), Err(FormError::TooManyFields)));
    let values = vec!["v"; Form::MAX_CHOICES + 1];
    assert!(refused(&json!({"type": "string", "enum": values})).contains("1 to 4096 values"));
}

#[test]
fn values_are_held_to_their_field() {
    let check = |field: Value, value: Value, expected: &str| {
        assert_eq!(takes(&field, &value).err().as_deref().unwrap_or("fits"), expected, "{field} {value}");
    };
    let text = json!({"type": "string", "minLength": 2, "maxLength": 3});
    check(text.clone(), json!("é"), "it must have at least 2 characters");
    check(text.clone(), json!("éééé"), "it must have at most 3 characters");
    check(text.clone(), json!("ééé"), "fits");
    check(text, json!(1), "it must be text, not a number");
    check(json!({"type": "string", "format": "email"}), json!("a"), "it must be a mail address");
    let number = json!({"type": "number", "minimum": 0.5, "maximum": 9_007_199_254_740_993_i64});
    check(number.clone(), json!(0.25), "it must be at least 0.5");
    check(number.clone(), json!(9_007_199_254_740_994_i64), "it must be at most 9007199254740993");
    check(number, json!(9_007_199_254_740_993_i64), "fits");
    check(json!({"type": "integer"}), json!(1.5), "it must be a whole number");
    check(json!({"type": "integer"}), json!(1.0), "fits");
    check(json!({"type": "boolean"}), json!("true"), "it must be a boolean, not text");
    check(
        json!({"type": "string", "enum": ["a"]}),
        json!("A"),
        "it must be one of the values to choose from",
    );
    let many = json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1, "maxItems": 1});
    check(many.clone(), json!([]), "at least 1 must be chosen");
    check(many.clone(), json!(["a", "b"]), "at most 1 may be chosen");
    check(many.clone(), json!(["c"]), "it must be one of the values to choose from");
    check(many.clone(), json!("a"), "it must be a list, not text");
    check(many, json!(["b"]), "fits");
}

#[test]
fn what_is_required_must_be_there_and_nothing_else_may_be() {
    let form = of(&json!({"a": {"type": "string"}, "b": {"type": "string"}}), &["a"]);
    let mut content = FormContent::default();
    assert_eq!(form.check(&content), Err(ContentError::Missing { field: "a".to_owned() }));
    content.set("a", "");
    assert_eq!(form.check(&content), Ok(()), "an empty text is a text");
    content.set("c", true);
    assert_eq!(form.check(&content), Err(ContentError::NoSuchField { field: "c".to_owned() }));
}

#[test]
fn a_form_without_changes_holds_every_default_and_the_users_values_win() {
    let form = of(
        &json!({
            "a": {"type": "string", "default": "x"}, "b": {"type": "integer", "default": 7},
            "c": {"type": "boolean", "default": false}, "d": {"type": "string", "default": null},
            "e": {"type": "array", "items": {"type": "string", "enum": ["p"]}, "default": ["p"]},
        }),
        &[],
    );
    let defaults = serde_json::to_value(form.defaults()).unwrap();
    assert_eq!(defaults, json!({"a": "x", "b": 7, "c": false, "e": ["p"]}));
    let mut content = FormContent::default();
    content.set("b", 8);
    assert_eq!(serde_json::to_value(form.with_defaults(content)).unwrap()["b"], json!(8));
}

#[test]
fn what_the_user_wrote_is_shown_nowhere() {
    let mut content = FormContent::default();
    content.set("a", "SECRET-1");
    assert_eq!(format!("{content:?} {:?}", content.get("a")), r#"["a"] Some(text)"#);
}

/// A field with a default that fits it.
fn field() -> impl Strategy<Value = Value> {
    let values = prop::collection::hash_set("[a-z]{1,4}", 1..5).prop_map(Vec::from_iter);
    prop_oneof![
        (".{0,8}", 0..4_u64).prop_map(|(text, slack)| {
            let length = text.chars().count() as u64;
            let least = length.saturating_sub(slack);
            json!({"type": "string", "minLength": least, "maxLength": length + slack, "default": text})
        }),
        (any::<i64>(), any::<u32>()).prop_map(|(number, slack)| {
            let least = number.saturating_sub(slack.into());
            json!({"type": "integer", "minimum": least, "default": number})
        }),
        (-1e300..1e300).prop_map(|number| json!({"type": "number", "maximum": number, "default": number})),
        any::<bool>().prop_map(|answer| json!({"type": "boolean", "default": answer})),
        values.clone().prop_map(|values: Vec<String>| {
            json!({"type": "string", "enum": values, "default": values[0]})
        }),
        values.prop_map(|values: Vec<String>| {
            let items: Vec<_> = values.iter().map(|value| json!({"const": value, "title": "T"})).collect();
            json!({"type": "array", "items": {"anyOf": items}, "maxItems": values.len(), "default": values})
        }),
    ]
}

/// Any JSON, with the words of schemas in it.
fn schema_like() -> impl Strategy<Value = Value> {
    let words = [
        "type",
        "object",
        "string",
        "array",
        "properties",
        "items",
        "enum",
        "default",
        "required",
        "oneOf",
        "const",
        "format",
        "date",
        "minLength",
    ];
    let word = prop::sample::select(words.to_vec());
    let leaf = prop_oneof![
        word.clone().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..5).prop_map(|members| members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #[test]
    fn the_defaults_of_any_form_can_be_sent_off(fields in prop::collection::btree_map("[a-z]{1,3}", field(), 0..6)) {
        let required: Vec<_> = fields.keys().collect();
        let form = read(&json!({"type": "object", "properties": fields, "required": required})).unwrap();
        let content = form.defaults();
        prop_assert_eq!(form.check(&content), Ok(()));
        prop_assert_eq!(&form.with_defaults(content.clone()), &content);
        let sent = serde_json::to_value(&content).unwrap();
        for (name, field) in &fields {
            prop_assert_eq!(&sent[name], &field["default"]);
        }
    }

    #[test]
    fn any_schema_is_a_form_or_an_error_and_defaults_always_fit(schema in schema_like()) {
        if let Ok(schema) = serde_json::from_value(schema)
            && let Ok(form) = Form::read(&schema)
        {
            match form.check(&form.defaults()) {
                Ok(()) | Err(ContentError::Missing { .. }) => {}
                Err(error) => prop_assert!(false, "{error}"),
            }
        }
    }
}
