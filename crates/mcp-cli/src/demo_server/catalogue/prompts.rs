//! The prompts: what their list says of them, and the messages each comes to.

use serde_json::{Map, Value, json};

use super::super::caller::{Caller, Question};
use super::super::outcome::{Ended, RpcError};
use super::super::questions;
use super::super::wire::Wire;
use super::super::world::Shelf;
use super::resources;

/// Programming languages, and what is built with each.
pub(in super::super) const LANGUAGES: [(&str, &[&str]); 3] = [
    ("python", &["django", "fastapi", "flask"]),
    ("rust", &["axum", "rocket", "tokio"]),
    ("typescript", &["angular", "react", "vue"]),
];

pub(in super::super) fn all(shelf: &Shelf) -> Vec<Value> {
    let mut prompts = vec![
        json!({ "name": "greet", "title": "Greet", "description": "Greets somebody.", "arguments": [
            { "name": "who", "description": "Whom.", "required": true },
            { "name": "tone", "title": "Tone", "description": "How: formal or friendly." } ] }),
        json!({ "name": "review", "title": "Review", "description": "Asks for a review.", "arguments": [
            { "name": "language", "description": "Of the program; can be completed.", "required": true },
            { "name": "framework", "description": "Depends on the language when completed." } ] }),
        json!({ "name": "illustrate", "title": "Illustrate",
                "description": "A conversation with a picture and a resource." }),
        json!({ "name": "introduce", "title": "Introduce",
                "description": "With 2026-07-28 it asks the user for a name that is not given.",
                "arguments": [{ "name": "name", "description": "Of the user." }] }),
    ];
    prompts.extend((1..=shelf.prompts).map(
        |number| json!({ "name": format!("grown_{number}"), "description": "It was added by `grow`." }),
    ));
    prompts
}

/// The result of `prompts/get`.
pub(in super::super) fn get(
    shelf: &Shelf,
    caller: &dyn Caller,
    params: &Map<String, Value>,
) -> Result<Value, Ended> {
    let name = params.get("name").and_then(Value::as_str);
    let name = name.ok_or_else(|| RpcError::invalid("`name` must be a string"))?;
    let prompt = all(shelf).into_iter().find(|prompt| prompt["name"] == name);
    let prompt = prompt.ok_or_else(|| RpcError::invalid(format!("Unknown prompt: {name}")))?;
    let given = Given::read(&prompt, params.get("arguments"))?;
    let messages = match name {
        "greet" => {
            let tone = given.text("tone").unwrap_or("friendly");
            json!([said(
                "user",
                &format!("Greet {} in a {tone} tone.", given.text("who").unwrap_or_default())
            )])
        }
        "review" => {
            let with = given.text("framework").map(|framework| format!(" that uses {framework}"));
            let language = given.text("language").unwrap_or_default();
            json!([said("user", &format!("Review this {language} program{}.", with.unwrap_or_default()))])
        }
        "illustrate" => illustrate(shelf),
        "introduce" => {
            let name = match given.text("name") {
                Some(name) => name.to_owned(),
                None => user(caller)?,
            };
            json!([
                said("user", &format!("My name is {name}.")),
                said("assistant", &format!("Hello, {name}!"))
            ])
        }
        name => json!([said("user", &format!("This is {name}."))]),
    };
    Ok(json!({ "description": prompt["description"], "messages": messages }))
}

fn illustrate(shelf: &Shelf) -> Value {
    let picture = json!({ "type": "image", "data": resources::DOT, "mimeType": "image/png" });
    let notes = resources::read(shelf, "demo://notes");
    json!([
        { "role": "user", "content": picture },
        said("assistant", "I see one dot."),
        { "role": "user", "content": { "type": "resource", "resource": notes } }
    ])
}

/// What the user is called, where a prompt can ask that.
fn user(caller: &dyn Caller) -> Result<String, Ended> {
    let method = "elicitation/create";
    if !caller.revision().is_modern() || !caller.answers(method) {
        return Ok("nobody".to_owned());
    }
    let question = Question { key: "name", method: method.to_owned(), params: questions::params(method) };
    let answers = caller.ask(&Wire::new(|_| false), &[question])?;
    let named = answers.into_iter().next().and_then(Result::ok);
    let named: Value = named.and_then(|answer| serde_json::from_str(answer.get()).ok()).unwrap_or_default();
    Ok(named["content"]["name"].as_str().unwrap_or("nobody").to_owned())
}

fn said(role: &str, text: &str) -> Value {
    json!({ "role": role, "content": { "type": "text", "text": text } })
}

/// The arguments of a call, which are what the prompt says it takes.
struct Given(Map<String, Value>);

impl Given {
    fn read(prompt: &Value, given: Option<&Value>) -> Result<Self, RpcError> {
        let given = match given {
            None => Map::new(),
            Some(Value::Object(given)) if given.values().all(Value::is_string) => given.clone(),
            Some(_) => return Err(RpcError::invalid("`arguments` must be an object of strings")),
        };
        for argument in prompt["arguments"].as_array().into_iter().flatten() {
            let name = argument["name"].as_str().unwrap_or_default();
            if argument["required"] == true && !given.contains_key(name) {
                return Err(RpcError::invalid(format!("Missing argument: {name}")));
            }
        }
        Ok(Self(given))
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }
}
