//! The built-in server, spoken to in bytes.

use serde_json::{Value, json};

use crate::line_peer::{INITIALIZE, INITIALIZED, Lines};
use crate::run::run_with_input;

/// What the server answers, in order; its notifications left out.
fn answers(lines: &[&str]) -> Vec<Value> {
    let ran = run_with_input(&["demo-server"], &format!("{}\n", lines.join("\n")));
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    let messages = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    messages.filter(|message| message.get("method").is_none()).collect()
}

/// The answers after the handshake.
fn answers_when_ready(lines: &[&str]) -> Vec<Value> {
    answers(&[&[INITIALIZE, INITIALIZED], lines].concat()).split_off(1)
}

fn call(id: u32, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

#[test]
fn a_known_version_is_taken_and_an_unknown_one_answered_with_the_newest() {
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1", "2025-11-25"),
    ] {
        let answers = answers(&[&INITIALIZE.replace("2025-11-25", asked)]);
        assert_eq!(answers[0]["result"]["protocolVersion"], answered);
    }
}

#[test]
fn before_the_handshake_only_ping_is_answered() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    let call = call(3, "echo", "{}");
    let answers = answers(&[ping, list, &call, INITIALIZE, list]);
    assert_eq!(answers[0]["result"], json!({}));
    assert_eq!(
        [&answers[1]["error"]["code"], &answers[2]["error"]["code"]],
        [&json!(-32600), &json!(-32600)]
    );
    assert_eq!(answers[4]["error"]["code"], -32600, "initialized was not sent");
}

#[test]
fn each_fault_has_its_error_code() {
    let codes = |line: &str| {
        let answers = answers_when_ready(&[line]);
        (answers[0]["id"].clone(), answers[0]["error"]["code"].as_i64().unwrap())
    };
    assert_eq!(codes("{"), (Value::Null, -32700));
    assert_eq!(codes("[]"), (Value::Null, -32600));
    assert_eq!(codes(r#"{"jsonrpc":"2.0","id":"a"}"#), (json!("a"), -32600));
    assert_eq!(codes(r#"{"jsonrpc":"2.0","id":"a","method":"nope"}"#), (json!("a"), -32601));
    assert_eq!(codes(&call(1, "nope", "{}")), (json!(1), -32602));
    assert_eq!(codes(&call(1, "echo", "[]")), (json!(1), -32602));
    assert_eq!(codes(&INITIALIZE.replace(":0,", ":9,")), (json!(9), -32600));
}

#[test]
fn wrong_arguments_are_a_failure_of_the_tool() {
    let answers = answers_when_ready(&[&call(1, "echo", r#"{"text":5}"#)]);
    assert_eq!(answers[0]["result"]["isError"], true);
    assert_eq!(answers[0]["result"]["content"][0]["text"], "`text` must be a string");
}

#[test]
fn structured_results_go_only_to_clients_that_know_them() {
    let lines = |version: &str| {
        let hello = INITIALIZE.replace("2025-11-25", version);
        answers(&[&hello, INITIALIZED, &call(1, "add", r#"{"a":1,"b":2}"#)]).remove(1)
    };
    assert_eq!(lines("2025-06-18")["result"]["structuredContent"], json!({ "sum": 3 }));
    assert_eq!(lines("2025-03-26")["result"].get("structuredContent"), None);
}

#[test]
fn the_end_of_stdin_ends_it_at_once_and_loses_no_finished_answer() {
    // The long call neither holds up the others nor the end.
    let mut answers =
        answers_when_ready(&[&call(1, "sleep", r#"{"ms":3600000}"#), &call(2, "echo", r#"{"text":"x"}"#)]);
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(answers[0]["result"]["isError"], true);
    assert_eq!(answers[1]["result"]["content"][0]["text"], "x");
}

#[test]
fn a_cancelled_call_is_not_answered() {
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let answers = answers_when_ready(&[
        &call(1, "sleep", r#"{"ms":3600000}"#),
        cancel,
        r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#,
    ]);
    assert_eq!(answers, [json!({ "jsonrpc": "2.0", "id": 2, "result": {} })]);
}

#[test]
fn progress_is_sent_only_if_asked_for() {
    let asked = call(1, "sleep", r#"{"ms":1,"steps":2}"#)
        .replace("\"name\"", r#""_meta":{"progressToken":"p"},"name""#);
    let mut session = Lines::ready("2025-11-25");
    session.send(&asked);
    let first = session.until("notifications/progress");
    assert_eq!(first["params"]["progressToken"], "p");
    assert_eq!((&first["params"]["progress"], &first["params"]["total"]), (&json!(1), &json!(2)));
    session.until("notifications/progress");
    session.send(&call(2, "sleep", r#"{"ms":1,"steps":2}"#));
    let message = session.until_not("notifications/message");
    assert_eq!(message["id"], 1);
    assert_eq!(session.until_not("notifications/message")["id"], 2, "no progress before it");
}

#[test]
fn a_question_reaches_the_client_and_its_answer_the_result() {
    let mut session = Lines::ready("2025-11-25");
    session.send(&call(1, "ask", "{}"));
    let question = session.until("roots/list");
    session.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "roots": [] } }).to_string());
    let answer = session.until_not("notifications/message");
    let text = "The client answered roots/list with {\"roots\":[]}";
    assert_eq!(answer["result"]["content"][0]["text"], text);
}
