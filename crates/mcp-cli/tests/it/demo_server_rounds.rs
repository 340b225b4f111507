//! Calls of 2026-07-28 that need the client's answers: each round is a request of its own.

use serde_json::{Value, json};

use crate::line_peer::{Lines, modern_with};

/// One round: these params, and all capabilities but those left out.
fn round(lines: &mut Lines, method: &str, params: Value, can: &Value) -> Value {
    lines.ask(&modern_with("r", method, params, can.clone())).1
}

fn all() -> Value {
    json!({ "roots": {}, "sampling": {}, "elicitation": { "form": {} } })
}

fn accepted(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

#[test]
fn each_kind_of_question_comes_back_with_its_answer() {
    let mut lines = Lines::start(&[]);
    let model = json!({ "role": "assistant", "content": { "type": "text", "text": "hello" }, "model": "m" });
    for (method, response) in [
        ("elicitation/create", accepted(json!({ "name": "Ada" }))),
        ("sampling/createMessage", model),
        ("roots/list", json!({ "roots": [] })),
    ] {
        let call = json!({ "name": "ask", "arguments": { "method": method } });
        let asked = round(&mut lines, "tools/call", call.clone(), &all())["result"].clone();
        assert_eq!(
            (&asked["resultType"], &asked["inputRequests"]["question"]["method"]),
            (&json!("input_required"), &json!(method))
        );
        let mut again = call;
        again["requestState"] = asked["requestState"].clone();
        again["inputResponses"] = json!({ "question": response });
        let done = round(&mut lines, "tools/call", again, &all())["result"].clone();
        assert_eq!(done["resultType"], "complete");
        let text = done["content"][0]["text"].as_str().unwrap();
        assert_eq!(text, format!("The client answered {method} with {response}"));
    }
}

#[test]
fn a_question_without_its_answer_is_asked_again() {
    let mut lines = Lines::start(&[]);
    let call = json!({ "name": "ask", "inputResponses": { "other": {} } });
    let asked = round(&mut lines, "tools/call", call, &all());
    assert_eq!(asked["result"]["resultType"], "input_required");
}

#[test]
fn an_interview_takes_two_rounds_and_keeps_the_first_answer_in_its_state() {
    let mut lines = Lines::start(&[]);
    let mut call = json!({ "name": "interview" });
    let first = round(&mut lines, "tools/call", call.clone(), &all())["result"].clone();
    assert!(first["inputRequests"]["name"].is_object());
    call["requestState"] = first["requestState"].clone();
    call["inputResponses"] = json!({ "name": accepted(json!({ "name": "Ada" })) });
    let second = round(&mut lines, "tools/call", call.clone(), &all())["result"].clone();
    assert_eq!(second["resultType"], "input_required");
    assert_eq!(second["inputRequests"]["colour"]["params"]["message"], "Which colour do you like, Ada?");
    assert_ne!(first["requestState"], second["requestState"]);
    call["requestState"] = second["requestState"].clone();
    call["inputResponses"] = json!({ "colour": accepted(json!({ "colour": "red" })) });
    let done = round(&mut lines, "tools/call", call.clone(), &all());
    assert_eq!(done["result"]["content"][0]["text"], "Ada likes red.");
    // The same round again comes to the same: the server remembers nothing.
    assert_eq!(round(&mut lines, "tools/call", call.clone(), &all()), done);
    // A user who declines is an answer like any other.
    call["requestState"] = first["requestState"].clone();
    call["inputResponses"] = json!({ "name": { "action": "decline" } });
    let declined = round(&mut lines, "tools/call", call, &all());
    assert_eq!(declined["result"]["content"][0]["text"], "The user did not say the name.");
}

#[test]
fn a_survey_asks_all_that_the_client_answers_at_once() {
    let mut lines = Lines::start(&[]);
    let keys =
        |asked: &Value| asked["inputRequests"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let call = json!({ "name": "survey" });
    let asked = round(&mut lines, "tools/call", call.clone(), &all())["result"].clone();
    assert_eq!(keys(&asked), ["form", "model", "roots"]);
    let mut again = call.clone();
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] = json!({ "roots": { "roots": [] }, "model": {} });
    let rest = round(&mut lines, "tools/call", again, &all())["result"].clone();
    assert_eq!(keys(&rest), ["form"]);
    let some = round(&mut lines, "tools/call", call.clone(), &json!({ "roots": {} }))["result"].clone();
    assert_eq!(keys(&some), ["roots"]);
    assert_eq!(round(&mut lines, "tools/call", call, &json!({}))["result"]["isError"], true);
}

#[test]
fn a_state_without_questions_only_wants_another_call() {
    let mut lines = Lines::start(&[]);
    let asked = round(&mut lines, "tools/call", json!({ "name": "later" }), &json!({}))["result"].clone();
    assert_eq!((&asked["resultType"], asked.get("inputRequests")), (&json!("input_required"), None));
    let again = json!({ "name": "later", "requestState": asked["requestState"] });
    let done = round(&mut lines, "tools/call", again, &json!({}));
    assert_eq!(done["result"]["content"][0]["text"], "Now it is done.");
}

#[test]
fn a_prompt_can_ask_too() {
    let mut lines = Lines::start(&[]);
    let get = json!({ "name": "introduce" });
    let asked = round(&mut lines, "prompts/get", get.clone(), &all())["result"].clone();
    let mut again = get.clone();
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] = json!({ "name": accepted(json!({ "name": "Ada" })) });
    let done = round(&mut lines, "prompts/get", again, &all())["result"].clone();
    assert_eq!(done["messages"][1]["content"]["text"], "Hello, Ada!");
    let nobody = round(&mut lines, "prompts/get", get, &json!({}))["result"].clone();
    assert_eq!(nobody["messages"][1]["content"]["text"], "Hello, nobody!");
}

#[test]
fn what_the_client_does_not_declare_is_32021_with_what_is_missing() {
    let mut lines = Lines::start(&[]);
    let tools = json!({ "messages": [], "maxTokens": 1, "tools": [] });
    let url = json!({ "mode": "url", "message": "m", "url": "https://example.com/" });
    for (method, params, can, missing) in [
        ("roots/list", json!({}), json!({ "sampling": {} }), json!({ "roots": {} })),
        ("sampling/createMessage", json!({}), json!({}), json!({ "sampling": {} })),
        ("sampling/createMessage", tools, json!({ "sampling": {} }), json!({ "sampling": { "tools": {} } })),
        ("elicitation/create", json!({}), json!({}), json!({ "elicitation": { "form": {} } })),
        (
            "elicitation/create",
            json!({}),
            json!({ "elicitation": { "url": {} } }),
            json!({ "elicitation": { "form": {} } }),
        ),
        ("elicitation/create", url, json!({ "elicitation": {} }), json!({ "elicitation": { "url": {} } })),
    ] {
        let call = json!({ "name": "ask", "arguments": { "method": method, "params": params } });
        let error = round(&mut lines, "tools/call", call, &can)["error"].clone();
        assert_eq!(
            (&error["code"], &error["data"]["requiredCapabilities"]),
            (&json!(-32021), &missing),
            "{method}"
        );
    }
    let call = json!({ "name": "ask", "arguments": { "method": "elicitation/create" } });
    let asked = round(&mut lines, "tools/call", call, &json!({ "elicitation": {} }));
    assert_eq!(asked["result"]["resultType"], "input_required", "no mode means forms");
}

#[test]
fn a_question_that_the_revision_does_not_have_fails_the_tool() {
    let call = json!({ "name": "ask", "arguments": { "method": "ping" } });
    assert_eq!(round(&mut Lines::start(&[]), "tools/call", call, &all())["result"]["isError"], true);
}

#[test]
fn a_state_that_is_foreign_changed_or_of_another_request_is_refused() {
    let mut lines = Lines::start(&[]);
    let asked = round(&mut lines, "tools/call", json!({ "name": "interview" }), &all());
    let state = asked["result"]["requestState"].as_str().unwrap().to_owned();
    for (tool, state) in [
        ("interview", json!(format!("{state}00"))),
        ("interview", json!("")),
        ("interview", json!(5)),
        ("later", json!(state)),
    ] {
        let call = json!({ "name": tool, "requestState": state });
        assert_eq!(round(&mut lines, "tools/call", call, &all())["error"]["code"], -32602, "{tool} {state}");
    }
    for responses in [json!([]), json!({ "name": 5 }), Value::Null] {
        let call = json!({ "name": "interview", "inputResponses": responses });
        assert_eq!(round(&mut lines, "tools/call", call, &all())["error"]["code"], -32602, "{responses}");
    }
}

#[test]
fn in_a_session_the_same_tools_ask_by_requests() {
    let mut lines = Lines::ready("2025-11-25");
    lines.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"interview"}}"#);
    for content in [json!({ "name": "Ada" }), json!({ "colour": "red" })] {
        let question = lines.until("elicitation/create");
        let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": accepted(content) });
        lines.send(&answer.to_string());
    }
    assert_eq!(lines.until_not("notifications/message")["result"]["content"][0]["text"], "Ada likes red.");
    let later = lines.legacy("tools/call", &json!({ "name": "later" }));
    assert_eq!(later["result"]["content"][0]["text"], "Now it is done.");
}
