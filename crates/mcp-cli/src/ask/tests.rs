//! Whole conversations, with lines that were typed beforehand.

use std::sync::{Arc, Mutex};

use mcp_client::form::Form;
use mcp_client::{
    ElicitationHandler, FormAnswer, FormRequest, Refusal, SamplingHandler, SamplingRequest, UrlAnswer,
    UrlElicitation, UrlRequest,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::talk::Talk;
use super::{User, be_the_model, consent, fill_in};
use crate::console::Console;

/// A way to a user who types when told to, and what was said to them.
fn talk() -> (Talk, Sender<String>, Arc<Mutex<String>>) {
    let (sender, lines) = channel(64);
    let lines: Mutex<Option<Receiver<String>>> = Mutex::new(Some(lines));
    let said = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&said);
    let talk = Talk::new(
        move |text| *heard.lock().unwrap() += &(text + "\n"),
        move || lines.lock().unwrap().take().unwrap(),
    );
    (talk, sender, said)
}

async fn typed(sender: &Sender<String>, lines: &[&str]) {
    for line in lines {
        sender.send((*line).to_owned()).await.unwrap();
    }
}

fn form_request() -> FormRequest {
    let schema = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "title": "Your\u{1b}name", "description": "As it is written."},
        "age": {"type": "integer", "minimum": 1, "default": 30},
        "pet": {"type": "string", "enum": ["c", "d"], "enumNames": ["Cat", "Dog"]},
    }});
    let form = Form::read(&serde_json::from_value(schema).unwrap()).unwrap();
    FormRequest::new("srv", "Who are you?", form)
}

/// What comes of a form that is answered so, and what was said.
async fn filled_in(lines: &[&str]) -> (Value, String) {
    let (talk, sender, said) = talk();
    let mut turn = talk.turn().await;
    typed(&sender, lines).await;
    drop(sender);
    let answer = match fill_in(&mut turn, &form_request()).await {
        FormAnswer::Accept(content) => serde_json::to_value(content).unwrap(),
        other => json!(format!("{other:?}")),
    };
    let said = said.lock().unwrap().clone();
    (answer, said)
}

// C-328, C-330, C-332, C-339.
#[tokio::test]
async fn a_form_is_asked_field_by_field_and_shown_before_it_is_sent() {
    let (answer, said) = filled_in(&["Ann", "0", "", "2", "yes"]).await;
    assert_eq!(answer, json!({"name": "Ann", "age": 30, "pet": "d"}));
    for part in [
        "Server `srv` asks: Who are you?",
        "Your\\u{1b}name (required): As it is written.\n",
        "age, a whole number [30]\n  it must be at least 1\n",
        "pet, one of\n  1. Cat\n  2. Dog\n",
        "This will be sent:\n",
        "Send it? yes, edit, decline or cancel\n",
    ] {
        assert!(said.contains(part), "{part:?} in {said}");
    }
}

#[tokio::test]
async fn a_form_can_be_changed_until_it_is_sent() {
    let lines = ["Ann", "", "", "edit", "Bea", "!empty", "Cat", "y", "yes"];
    let (answer, said) = filled_in(&lines).await;
    assert_eq!(answer, json!({"name": "Bea", "pet": "c"}));
    assert!(said.contains("Answer yes, edit, decline or cancel."), "{said}");
}

#[tokio::test]
async fn a_form_can_be_declined_and_left_at_any_point() {
    for (lines, expected) in [
        (&["!decline"][..], "Decline"),
        (&["Ann", "!cancel"], "Cancel"),
        (&["Ann", "", "", "decline"], "Decline"),
        (&["Ann", "", "", "cancel"], "Cancel"),
        (&["Ann"], "Cancel"),
        (&[], "Cancel"),
    ] {
        assert_eq!(filled_in(lines).await.0, json!(expected), "{lines:?}");
    }
}

async fn asked_to_open(url: &str, lines: &[&str]) -> (UrlAnswer, String) {
    let (talk, sender, said) = talk();
    let mut turn = talk.turn().await;
    typed(&sender, lines).await;
    drop(sender);
    let elicitation = UrlElicitation::new("Sign in.", url, None).unwrap();
    let answer = consent(&mut turn, &UrlRequest::new("srv", elicitation)).await;
    let said = said.lock().unwrap().clone();
    (answer, said)
}

// C-333, C-342, C-343, C-345, C-346.
#[tokio::test]
async fn an_address_is_shown_in_full_with_its_host_and_needs_a_yes() {
    let url = "https://good.example@evil.example/a?b=c";
    let (answer, said) = asked_to_open(url, &["y", "", "yes"]).await;
    assert_eq!(answer, UrlAnswer::Accept);
    let asked = format!("host:    evil.example\n  address: {url}\n  Take care:");
    assert!(
        said.contains(&asked) && said.ends_with(&format!("Open this in your browser:\n{url}\n")),
        "{said}"
    );
    for (lines, expected) in [
        (&["no"][..], UrlAnswer::Decline),
        (&["decline"], UrlAnswer::Decline),
        (&["cancel"], UrlAnswer::Cancel),
        (&[], UrlAnswer::Cancel),
    ] {
        let (answer, said) = asked_to_open("https://example.com", lines).await;
        assert_eq!(answer, expected);
        assert!(!said.contains("Open this") && !said.contains("Take care"), "{said}");
    }
}

#[tokio::test]
async fn an_address_that_is_too_long_to_show_is_declined() {
    let url = format!("https://example.com/{}", "a".repeat(super::LONGEST_URL));
    let (answer, said) = asked_to_open(&url, &["yes"]).await;
    assert_eq!(answer, UrlAnswer::Decline);
    assert!(said.contains("too long to show"), "{said}");
}

// C-291, C-292.
#[tokio::test]
async fn the_user_answers_for_the_model_or_refuses() {
    let params = json!({"maxTokens": 5, "systemPrompt": "Be brief.", "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Hi\u{7}"}, {"type": "image", "data": "", "mimeType": "image/png"}]},
    ]});
    for (line, expected) in [("Hello.", Some("Hello.")), ("", None), ("!decline", None)] {
        let (talk, sender, said) = talk();
        let mut turn = talk.turn().await;
        typed(&sender, &[line]).await;
        let request = SamplingRequest::new("srv", serde_json::from_value(params.clone()).unwrap());
        let answer = be_the_model(&mut turn, &request).await;
        let text = answer.map(|answer| serde_json::to_value(&answer).unwrap()["content"]["text"].clone());
        assert_eq!(text, expected.map(Value::from));
        let said = said.lock().unwrap().clone();
        for part in
            ["Server `srv`", "system: Be brief.", "user: Hi\\u{7}\n", "user: (image)\n", "most 5 tokens"]
        {
            assert!(said.contains(part), "{part:?} in {said}");
        }
    }
}

#[tokio::test]
async fn a_line_that_came_before_the_question_is_no_answer() {
    let (talk, sender, _said) = talk();
    drop(talk.turn().await);
    typed(&sender, &["yes"]).await;
    let mut turn = talk.turn().await;
    typed(&sender, &["no"]).await;
    assert_eq!(turn.line().await.as_deref(), Some("no"));
}

#[tokio::test]
async fn without_a_terminal_everything_is_declined() {
    let user = User { console: Arc::new(Console::new(0)), talk: None };
    assert_eq!(user.form(form_request()).await, Ok(FormAnswer::Decline));
    let elicitation = UrlElicitation::new("m", "https://example.com", None).unwrap();
    assert_eq!(user.url(UrlRequest::new("srv", elicitation)).await, Ok(UrlAnswer::Decline));
    let params = serde_json::from_value(json!({"messages": [], "maxTokens": 1})).unwrap();
    let refused = user.create_message(SamplingRequest::new("srv", params)).await.map(|_| ());
    assert_eq!(refused, Err(Refusal::Rejected));
}
