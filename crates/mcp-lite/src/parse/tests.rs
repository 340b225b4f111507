//! Texts as servers send them.

use super::*;

const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"tag":1}}"#;
const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(parse_sse(text).unwrap().as_str(), expected, "{text:?}");
}

#[track_caller]
fn fails(text: &str) {
    let error = parse_sse(text).unwrap_err();
    assert_eq!(error.to_string(), "Failed to parse MCP response", "{text:?}");
    assert!(std::error::Error::source(&error).is_some());
}

// Field case 126.
#[test]
fn the_space_after_the_colon_may_be_there_or_not() {
    for text in
        ["data: X\n\n", "data:X\n\n", "data:  X\n\n", "data\n\nfoo: bar\ndatax: y\n data: z\ndata: X\n\n"]
    {
        check(&text.replace('X', ANSWER), ANSWER);
    }
}

#[test]
fn lines_may_end_in_any_way() {
    for end in ["\n", "\r", "\r\n"] {
        check(&format!("event: message{end}id: 7{end}data: {ANSWER}{end}{end}"), ANSWER);
    }
    check(&format!("\u{feff}data: {ANSWER}\n\n"), ANSWER);
}

// Field case 127.
#[test]
fn data_of_several_lines_are_joined() {
    let text = "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\ndata: \"result\":{}}\n\n";
    check(text, "{\"jsonrpc\":\"2.0\",\n\"id\":1,\n\"result\":{}}");
}

// Field case 137.
#[test]
fn the_last_event_needs_no_blank_line() {
    for end in ["", "\n", "\r", "\r\n"] {
        check(&format!("data: {ANSWER}{end}"), ANSWER);
        fails(&format!("data: {}{end}", &ANSWER[..ANSWER.len() - 5]));
    }
}

// Field case 137.
#[test]
fn part_of_a_message_is_never_taken_for_one() {
    fails("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\ndata: {\"a\":1}\ndata: ,");
    fails("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[\ndata: []\n\n");
}

#[test]
fn what_is_not_json_is_passed_over() {
    for before in ["data: [DONE]", "data: ping", "data:", "data: \"{}\"", "data: 7", ": comment", "data: {"] {
        check(&format!("{before}\n\ndata: {ANSWER}\n\n"), ANSWER);
        // The blank line between them was forgotten.
        check(&format!("{before}\ndata: {ANSWER}\n"), ANSWER);
        check(&format!("data: {ANSWER}\n{before}\n"), ANSWER);
    }
}

#[test]
fn the_first_message_counts_whichever_it_is() {
    check(&format!("data: {NOTE}\n\ndata: {ANSWER}\n\n"), NOTE);
    check(&format!("data: {NOTE}\ndata: {ANSWER}\n\n"), NOTE);
    check(&format!("event: other\ndata: {ANSWER}\n\ndata: {NOTE}\n\n"), ANSWER);
    check(&format!("data: [{NOTE},{ANSWER}]\n\n"), &format!("[{NOTE},{ANSWER}]"));
}

#[test]
fn a_text_without_events_is_read_as_json() {
    check(ANSWER, ANSWER);
    check(&format!("\u{feff} \r\n{ANSWER}\n"), ANSWER);
    let pretty = "{\n  \"id\": 1,\n  \"result\": {\n    \"data\": 1\n  }\n}";
    check(pretty, pretty);
}

#[test]
fn without_a_message_there_is_an_error() {
    for text in ["", " ", "data: [DONE]\n\n", "<html>", "data: ping\n\n: x\n\n", "null", "{\"a\":", "{} {}"] {
        fails(text);
    }
}
