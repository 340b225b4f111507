//! The answer among other things, in every cut.

use mcp_jsonrpc::testing::every_cut;
use proptest::prelude::prop;

use super::*;

const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"tag":1}}"#;
const OTHER: &str = r#"{"jsonrpc":"2.0","id":99,"result":{"tag":99}}"#;
const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const REFUSED: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#;

/// The answer, or the problem; and whether it was there before the end of the body.
fn pick(chunks: &[&[u8]], limit: usize) -> (Result<String, String>, bool) {
    let mut picker = Picker::new(1.into(), limit);
    let shown = |error: LiteError| match error {
        LiteError::Parse(problem) => problem.to_string(),
        error => error.to_string(),
    };
    for chunk in chunks {
        match picker.push(Bytes::copy_from_slice(chunk)) {
            Ok(Some(answer)) => return (Ok(answer.as_str().to_owned()), true),
            Ok(None) => {}
            Err(error) => return (Err(shown(error)), true),
        }
    }
    (picker.finish().map(|answer| answer.as_str().to_owned()).map_err(shown), false)
}

#[track_caller]
fn check(body: &str, expected: Result<&str, &str>) {
    every_cut(body.as_bytes(), |chunks| {
        let (found, _) = pick(chunks, 1 << 20);
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{body:?}");
    });
}

/// `data: ...` for each message.
fn stream(messages: &[&str]) -> String {
    messages.iter().map(|message| format!("data: {message}\n\n")).collect()
}

// Field case 140. Field case 59.
#[test]
fn only_the_answer_is_picked_out_of_a_stream() {
    check(&stream(&[NOTE, PING, OTHER, ANSWER, OTHER]), Ok(ANSWER));
    check(&stream(&["[DONE]", "", "7", "{", ANSWER]), Ok(ANSWER));
    check(&format!("event: x\ndata:{ANSWER}\n\n"), Ok(ANSWER));
}

// Field case 140.
#[test]
fn the_answer_is_there_as_soon_as_its_event_ends() {
    let body = stream(&[NOTE, ANSWER]);
    let (found, is_early) = pick(&[body.as_bytes(), b"data: never read"], 1 << 20);
    assert_eq!((found.as_deref(), is_early), (Ok(ANSWER), true));
}

// Field case 137.
#[test]
fn the_last_event_needs_no_blank_line_but_must_be_whole() {
    for end in ["", "\n", "\r"] {
        check(&format!("data: {ANSWER}{end}"), Ok(ANSWER));
        let cut = format!("data: {}{end}", &ANSWER[..ANSWER.len() - 3]);
        check(&cut, Err("there is no JSON-RPC message in the response"));
    }
}

// Field case 60.
#[test]
fn a_stream_without_the_answer_is_a_problem_that_says_what_came() {
    check(&stream(&[NOTE, PING]), Err("there is no answer in the response"));
    check(&stream(&[NOTE, OTHER]), Err("the answer in the response is for request ID 99, not for 1"));
    check("", Err("there is no JSON-RPC message in the response"));
    check(" \r\n", Err("there is no JSON-RPC message in the response"));
    check("<html>{}</html>", Err("there is no JSON-RPC message in the response"));
}

// Field case 127.
#[test]
fn data_of_several_lines_are_joined_and_forgotten_blank_lines_do_not_matter() {
    check("data: {\"id\":1,\ndata: \"result\":{}}\n\n", Ok("{\"id\":1,\n\"result\":{}}"));
    check(&format!("data: {NOTE}\ndata: {ANSWER}\n\n"), Ok(ANSWER));
    // What looks like an answer inside of another message is none.
    check(
        &format!("data: {{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\ndata: {ANSWER}\ndata: }}\n\n"),
        Err("the answer in the response is for request ID 2, not for 1"),
    );
}

#[test]
fn a_json_body_is_the_answer_if_it_has_the_id() {
    check(ANSWER, Ok(ANSWER));
    check(&format!("\u{feff}{ANSWER}"), Ok(ANSWER));
    check(&format!(" \r\n{ANSWER}\n"), Ok(ANSWER));
    check(r#"{"id":1.0,"result":null}"#, Ok(r#"{"id":1.0,"result":null}"#));
    check(OTHER, Err("the answer in the response is for request ID 99, not for 1"));
    check(r#"{"id":"1","result":0}"#, Err("the answer in the response is for request ID \"1\", not for 1"));
    check(NOTE, Err("there is no answer in the response"));
    check(PING, Err("there is no answer in the response"));
    check("{\"id\":1", Err("there is no JSON-RPC message in the response"));
}

#[test]
fn a_batch_is_searched_for_the_answer() {
    let batch = format!("[{NOTE}, 1, [], {OTHER},\n{ANSWER} ]");
    check(&batch, Ok(ANSWER));
    check(&stream(&[&batch.replace('\n', "")]), Ok(ANSWER));
    check(&format!("[{NOTE},{PING}]"), Err("there is no answer in the response"));
    for cut in [ANSWER, REFUSED, OTHER] {
        check(&format!("[{cut}"), Err("there is no JSON-RPC message in the response"));
    }
    check("[]", Err("there is no JSON-RPC message in the response"));
}

#[test]
fn an_error_without_an_id_answers_where_nothing_else_does() {
    check(REFUSED, Ok(REFUSED));
    check(&stream(&[NOTE, REFUSED]), Ok(REFUSED));
    check(&stream(&[REFUSED, ANSWER]), Ok(ANSWER));
    check(r#"{"id":null,"result":{}}"#, Err("there is no answer in the response"));
}

// Field case 139.
#[test]
fn an_error_is_an_answer() {
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m"}}"#;
    check(error, Ok(error));
    check(&stream(&[error]), Ok(error));
}

#[test]
fn a_body_over_the_limit_is_an_error() {
    for body in [format!("{{\"a\":\"{}", "x".repeat(200)), ": comment\n".repeat(20), " ".repeat(200)] {
        every_cut(body.as_bytes(), |chunks| {
            assert_eq!(pick(chunks, 100).0.unwrap_err(), "the MCP response is larger than 100 bytes");
        });
    }
    let all = stream(&[NOTE, ANSWER]);
    assert_eq!(pick(&[all.as_bytes()], all.len()).0.as_deref(), Ok(ANSWER));
}

#[test]
fn a_foreign_id_is_shown_in_part_only() {
    let body = format!(r#"{{"id":"{}","result":1}}"#, "x\\n".repeat(1000));
    let problem = pick(&[body.as_bytes()], 1 << 20).0.unwrap_err();
    assert!(problem.len() < 200 && !problem.contains('\n'), "{problem}");
}

proptest::proptest! {
    #[test]
    fn any_body_in_any_cut_gives_the_same(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "data:", " ", "\n", "\r", "\r\n", "\n\n", "[", "]", "{", "}", ",", "\u{feff}",
                ANSWER, OTHER, NOTE, PING, REFUSED, "\"jsonrpc\":", "\"id\":1,", "\"result\":{}",
            ]),
            0..12,
        ),
        cut in 1..9usize,
    ) {
        let body = parts.concat();
        let (whole, _) = pick(&[body.as_bytes()], 1 << 20);
        let chunks: Vec<_> = body.as_bytes().chunks(cut).collect();
        assert_eq!(pick(&chunks, 1 << 20).0, whole);
    }
}
