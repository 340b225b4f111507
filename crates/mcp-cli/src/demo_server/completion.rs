//! `completion/complete`: values for arguments of prompts and variables of templates.

use serde_json::{Map, Value, json};

use super::catalogue::{prompts, resources};
use super::outcome::{Outcome, RpcError};
use super::world::Shelf;

/// Values in one answer, as the protocol has it.
const MOST: usize = 100;

pub(super) fn complete(shelf: &Shelf, params: &Map<String, Value>) -> Outcome {
    let argument = |member: &str| {
        let value = params.get("argument").and_then(|argument| argument.get(member)).and_then(Value::as_str);
        value.ok_or_else(|| RpcError::invalid(format!("`argument.{member}` must be a string")))
    };
    let (name, typed) = (argument("name")?, argument("value")?);
    let context = params.get("context").and_then(|context| context.get("arguments"));
    let language = context.and_then(|context| context.get("language")).and_then(Value::as_str);
    let reference = params.get("ref").unwrap_or(&Value::Null);
    let member = |name: &str| reference.get(name).and_then(Value::as_str);
    let values = match (member("type"), member("name"), member("uri")) {
        (Some("ref/prompt"), Some(prompt), _) => of_prompt(shelf, prompt, name, language)?,
        (Some("ref/resource"), _, Some(uri)) => of_template(shelf, uri, name, language)?,
        _ => return Err(RpcError::invalid("`ref` must name a prompt or a resource")),
    };
    let mut values: Vec<String> = values.into_iter().filter(|value| value.starts_with(typed)).collect();
    let total = values.len();
    values.truncate(MOST);
    Ok(json!({ "completion": { "values": values, "total": total, "hasMore": total > MOST } }))
}

fn of_prompt(
    shelf: &Shelf,
    prompt: &str,
    name: &str,
    language: Option<&str>,
) -> Result<Vec<String>, RpcError> {
    let known = prompts::all(shelf).into_iter().find(|known| known["name"] == prompt);
    let known = known.ok_or_else(|| RpcError::invalid(format!("Unknown prompt: {prompt}")))?;
    let mut arguments = known["arguments"].as_array().into_iter().flatten();
    if !arguments.any(|argument| argument["name"] == name) {
        return Err(RpcError::invalid(format!("Unknown argument: {name}")));
    }
    let languages = prompts::LANGUAGES.into_iter();
    Ok(match name {
        "tone" => owned(["formal", "friendly"]),
        "language" => owned(languages.map(|(language, _)| language)),
        "framework" => {
            let fits = |known: &str| language.is_none_or(|language| language == known);
            owned(languages.filter(|(known, _)| fits(known)).flat_map(|(_, frameworks)| frameworks).copied())
        }
        _ => Vec::new(),
    })
}

fn of_template(
    shelf: &Shelf,
    uri: &str,
    name: &str,
    language: Option<&str>,
) -> Result<Vec<String>, RpcError> {
    Ok(match (uri, name) {
        (resources::GREETING, "language") => {
            owned(resources::LANGUAGES.into_iter().map(|(language, _)| language))
        }
        (resources::GREETING, "name") => owned(match language {
            Some("de") => ["Anna", "Jürgen"],
            Some("fr") => ["Anne", "Joël"],
            _ => ["Ada", "Joe"],
        }),
        (resources::NUMBER, "n") => (1..=resources::NUMBERS).map(|number| number.to_string()).collect(),
        (resources::GREETING | resources::NUMBER, _) => {
            return Err(RpcError::invalid(format!("Unknown argument: {name}")));
        }
        // A resource without variables has nothing to complete.
        (uri, _) if resources::has(shelf, uri) => Vec::new(),
        _ => return Err(RpcError::invalid(format!("Unknown resource: {uri}"))),
    })
}

fn owned<'a>(values: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    values.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(reference: &Value, name: &str, value: &str, context: &Value) -> Outcome {
        let params =
            json!({ "ref": reference, "argument": { "name": name, "value": value }, "context": context });
        let Value::Object(params) = params else { unreachable!("it is an object") };
        complete(&Shelf::default(), &params)
    }

    #[track_caller]
    fn check(reference: &Value, name: &str, value: &str, context: &Value, expected: &[&str]) {
        assert_eq!(
            completed(reference, name, value, context).unwrap()["completion"]["values"],
            json!(expected)
        );
    }

    #[test]
    fn values_begin_with_what_was_typed_and_depend_on_other_arguments() {
        let prompt = json!({ "type": "ref/prompt", "name": "review" });
        check(&prompt, "language", "", &Value::Null, &["python", "rust", "typescript"]);
        check(&prompt, "language", "r", &Value::Null, &["rust"]);
        check(&prompt, "framework", "r", &Value::Null, &["rocket", "react"]);
        check(&prompt, "framework", "r", &json!({ "arguments": { "language": "rust" } }), &["rocket"]);
        let template = json!({ "type": "ref/resource", "uri": resources::GREETING });
        check(&template, "name", "A", &json!({ "arguments": { "language": "fr" } }), &["Anne"]);
        check(&json!({ "type": "ref/resource", "uri": "demo://about" }), "x", "", &Value::Null, &[]);
    }

    #[test]
    fn there_are_at_most_a_hundred_values_and_the_total_is_told() {
        let numbers = json!({ "type": "ref/resource", "uri": resources::NUMBER });
        let result = completed(&numbers, "n", "", &Value::Null).unwrap();
        let completion = &result["completion"];
        assert_eq!(completion["values"].as_array().unwrap().len(), 100);
        assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(250), &json!(true)));
        assert_eq!(completed(&numbers, "n", "25", &Value::Null).unwrap()["completion"]["hasMore"], false);
    }

    #[test]
    fn what_is_not_there_cannot_be_completed() {
        for (reference, name) in [
            (json!({ "type": "ref/prompt", "name": "nope" }), "language"),
            (json!({ "type": "ref/prompt", "name": "review" }), "nope"),
            (json!({ "type": "ref/resource", "uri": "demo://nope" }), "n"),
            (json!({ "type": "ref/resource", "uri": resources::NUMBER }), "nope"),
            (json!({ "type": "ref/else", "name": "review" }), "language"),
            (json!({ "type": "ref/prompt" }), "language"),
            (Value::Null, "language"),
        ] {
            assert_eq!(
                completed(&reference, name, "", &Value::Null).unwrap_err().code,
                -32602,
                "{reference}"
            );
        }
    }
}
