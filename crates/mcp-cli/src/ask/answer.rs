//! What a line that the user typed means.

use mcp_client::form::{self, Field, FieldKind, FormValue};

/// What is to become of a field.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    /// It stays as it is.
    Keep,
    Set(FormValue),
    /// It is not filled in.
    Empty,
    /// The user says no to the whole form.
    Decline,
    /// The user leaves it.
    Cancel,
}

/// What is to become of a question as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Yes,
    Edit,
    Decline,
    Cancel,
}

/// The whole word is wanted: a line that was typed too early must not agree to anything.
pub(super) fn choice(line: &str) -> Option<Choice> {
    match line.trim().trim_start_matches('!').to_ascii_lowercase().as_str() {
        "yes" => Some(Choice::Yes),
        "edit" => Some(Choice::Edit),
        "no" | "decline" => Some(Choice::Decline),
        "cancel" => Some(Choice::Cancel),
        _ => None,
    }
}

/// The text of a line; `None` if there is none, or an order.
pub(super) fn text(line: &str) -> Option<String> {
    match line.strip_prefix('!') {
        _ if line.trim().is_empty() => None,
        None => Some(line.to_owned()),
        Some(text) if text.starts_with('!') => Some(text.to_owned()),
        Some(_) => None,
    }
}

/// Reads the line that answers a field, which holds `current`, if anything. An error says what is
/// wrong, without repeating what was typed.
pub(super) fn of(field: &Field, current: Option<&FormValue>, line: &str) -> Result<Answer, String> {
    if line.trim().is_empty() {
        return match (current, field.required) {
            (Some(_), _) => Ok(Answer::Keep),
            (None, true) => Err("it must be filled in".to_owned()),
            (None, false) => Ok(Answer::Empty),
        };
    }
    let line = match line.strip_prefix('!') {
        None => line,
        Some(text) if text.starts_with('!') => text,
        Some(order) => return self::order(field, order.trim()),
    };
    let value = value(&field.kind, line)?;
    field.check(&value).map_err(|error| error.to_string())?;
    Ok(Answer::Set(value))
}

fn order(field: &Field, order: &str) -> Result<Answer, String> {
    match (order.to_ascii_lowercase().as_str(), &field.kind) {
        ("decline", _) => Ok(Answer::Decline),
        ("cancel", _) => Ok(Answer::Cancel),
        ("empty", _) if field.required => Err("it must be filled in".to_owned()),
        ("empty", _) => Ok(Answer::Empty),
        ("none", FieldKind::Several { .. }) => {
            let none = FormValue::Several(Vec::new());
            field.check(&none).map_err(|error| error.to_string())?;
            Ok(Answer::Set(none))
        }
        _ => Err("there are the orders !decline, !cancel and !empty; !! begins a text with !".to_owned()),
    }
}

fn value(kind: &FieldKind, line: &str) -> Result<FormValue, String> {
    match kind {
        FieldKind::Text { .. } => Ok(line.into()),
        FieldKind::Number { .. } => {
            let number: Option<serde_json::Number> = serde_json::from_str(line.trim()).ok();
            number.map(FormValue::Number).ok_or_else(|| "it must be a number".to_owned())
        }
        FieldKind::Boolean => match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" | "true" => Ok(true.into()),
            "n" | "no" | "false" => Ok(false.into()),
            _ => Err("it must be yes or no".to_owned()),
        },
        FieldKind::One(choices) => chosen(choices, line.trim()).map(FormValue::Text),
        FieldKind::Several { choices, .. } => {
            let values = line.split(',').map(|part| chosen(choices, part.trim()));
            values.collect::<Result<Vec<_>, _>>().map(FormValue::Several)
        }
        _ => Err("a field of this kind cannot be filled in here".to_owned()),
    }
}

/// By value, by label, or by number, counted from 1.
fn chosen(choices: &[form::Choice], text: &str) -> Result<String, String> {
    let by_number = || choices.get(text.parse::<usize>().ok()?.checked_sub(1)?);
    let named = choices.iter().find(|choice| choice.value == text);
    let labelled = || choices.iter().find(|choice| choice.label == text);
    let chosen = named.or_else(labelled).or_else(by_number);
    chosen.map(|choice| choice.value.clone()).ok_or_else(|| "it must be one of the values listed".to_owned())
}

#[cfg(test)]
mod tests {
    use mcp_client::form::{Form, FormValue};
    use serde_json::{Value, json};

    use super::{Answer, Choice, choice, of, text};

    #[track_caller]
    fn check(field: &Value, line: &str, expected: &Result<Value, &str>) {
        let schema = json!({"type": "object", "properties": {"f": field}});
        let form = Form::read(&serde_json::from_value(schema).unwrap()).unwrap();
        let found = match of(&form.fields[0], None, line) {
            Ok(Answer::Set(value)) => Ok(serde_json::to_value(value).unwrap()),
            Ok(answer) => Ok(json!(format!("{answer:?}"))),
            Err(why) => Err(why),
        };
        assert_eq!(found.as_ref().map_err(String::as_str), expected.as_ref().map_err(|why| *why), "{line}");
    }

    #[test]
    fn a_line_becomes_a_value_of_its_field() {
        let text = json!({"type": "string"});
        check(&text, " a b ", &Ok(json!(" a b ")));
        check(&text, "!!x", &Ok(json!("!x")));
        check(&json!({"type": "integer"}), " 9007199254740993", &Ok(json!(9_007_199_254_740_993_i64)));
        check(&json!({"type": "number"}), "1e3", &Ok(json!(1000.0)));
        for (line, answer) in [("y", true), ("YES", true), ("true", true), ("n", false), ("No", false)] {
            check(&json!({"type": "boolean"}), line, &Ok(json!(answer)));
        }
    }

    #[test]
    fn a_choice_is_a_value_a_label_or_a_number() {
        let one = json!({"type": "string", "oneOf": [{"const": "2", "title": "Two"}, {"const": "b", "title": "B"}]});
        for (line, value) in [("2", "2"), ("Two", "2"), ("1", "2"), ("b", "b"), (" B ", "b")] {
            check(&one, line, &Ok(json!(value)));
        }
        for line in ["0", "3", "-1", "c", "99999999999999999999"] {
            check(&one, line, &Err("it must be one of the values listed"));
        }
        let many = json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "maxItems": 1});
        check(&many, "2", &Ok(json!(["b"])));
        check(&many, "!none", &Ok(json!([])));
        check(&many, "a, b", &Err("at most 1 may be chosen"));
        check(&many, "a,,", &Err("it must be one of the values listed"));
    }

    #[test]
    fn what_does_not_fit_is_said_and_not_repeated() {
        check(&json!({"type": "integer"}), "SECRET-1", &Err("it must be a number"));
        check(&json!({"type": "integer"}), "1.5", &Err("it must be a whole number"));
        check(&json!({"type": "number", "maximum": 1}), "2", &Err("it must be at most 1"));
        check(&json!({"type": "boolean"}), "maybe", &Err("it must be yes or no"));
        check(&json!({"type": "string", "format": "email"}), "a", &Err("it must be a mail address"));
    }

    #[test]
    fn an_order_is_no_value() {
        let text = json!({"type": "string"});
        check(&text, "!decline", &Ok(json!("Decline")));
        check(&text, "!CANCEL", &Ok(json!("Cancel")));
        check(&text, "!empty", &Ok(json!("Empty")));
        check(
            &text,
            "!x",
            &Err("there are the orders !decline, !cancel and !empty; !! begins a text with !"),
        );
    }

    #[test]
    fn an_empty_line_keeps_what_is_there() {
        let schema = json!({"type": "object", "properties": {"f": {"type": "string"}}, "required": ["f"]});
        let form = Form::read(&serde_json::from_value(schema).unwrap()).unwrap();
        let current = FormValue::from("x");
        assert_eq!(of(&form.fields[0], Some(&current), " "), Ok(Answer::Keep));
        assert_eq!(of(&form.fields[0], None, ""), Err("it must be filled in".to_owned()));
        assert_eq!(of(&form.fields[0], Some(&current), "!empty"), Err("it must be filled in".to_owned()));
    }

    #[test]
    fn only_a_whole_word_agrees() {
        assert_eq!(choice(" Yes "), Some(Choice::Yes));
        assert_eq!(choice("!decline"), Some(Choice::Decline));
        for line in ["", "y", "ye", "yes please", "1", "ok"] {
            assert_eq!(choice(line), None, "{line}");
        }
    }

    #[test]
    fn an_empty_line_and_an_order_are_no_text() {
        assert_eq!(text("a"), Some("a".to_owned()));
        assert_eq!(text("!!a"), Some("!a".to_owned()));
        for line in ["", "  ", "!decline", "!"] {
            assert_eq!(text(line), None, "{line}");
        }
    }
}
