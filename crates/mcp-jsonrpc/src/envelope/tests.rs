//! What each kind of frame is read as, one line of input at a time.

use std::fmt::Write;

use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::Value;

use super::*;

/// Reads `frame` and compares a line for each message or error with `expected`.
fn check(frame: &str, expected: Expect) {
    check_bytes(frame.as_bytes(), expected);
}

fn check_bytes(frame: &[u8], expected: Expect) {
    expected.assert_eq(&shown(frame));
}

fn shown(frame: &[u8]) -> String {
    let mut lines = Vec::new();
    read(frame, |_, message| lines.push(line(message)));
    lines.join("\n")
}

fn line(message: Result<Message<'_>, Malformed>) -> String {
    let mut line = String::new();
    let params =
        |params: Option<&RawValue>| params.map(|params| format!(" params {params}")).unwrap_or_default();
    let written = match message {
        Ok(Message::Request { id, method, params: p }) => {
            write!(line, "request {} {method:?}{}", id.raw(), params(p))
        }
        Ok(Message::Notification { method, params: p }) => {
            write!(line, "notification {method:?}{}", params(p))
        }
        Ok(Message::Response { id, outcome }) => {
            let id = id.map_or("without id".to_owned(), |id| id.raw().to_string());
            match outcome {
                Outcome::Result(result) => write!(line, "response {id} result {result}"),
                Outcome::Error(error) => write!(line, "response {id} error {error}"),
                Outcome::Unusable(what) => write!(line, "response {id} unusable: {what}"),
            }
        }
        Err(problem) => write!(line, "{problem}"),
    };
    written.unwrap();
    line
}

#[test]
fn method_and_id_make_a_request() {
    check(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, expect![[r#"request 1 "ping""#]]);
    check(
        r#"{"method":"m","params":{"a":[1, 2]},"id":"k","jsonrpc":"2.0"}"#,
        expect![[r#"request "k" "m" params {"a":[1, 2]}"#]],
    );
    check(r#"{"jsonrpc":"2.0","id":0,"method":"zero is an id"}"#, expect![[r#"request 0 "zero is an id""#]]);
    check(
        r#"{"jsonrpc":"2.0","id":"","method":"so is the empty string"}"#,
        expect![[r#"request "" "so is the empty string""#]],
    );
    check(
        r#"{"jsonrpc":"2.0","id":[1],"method":"the caller decides about odd ids"}"#,
        expect![[r#"request [1] "the caller decides about odd ids""#]],
    );
    check(
        r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#,
        expect!["not a JSON-RPC message: a request whose `id` is null"],
    );
    check(r#"{"jsonrpc":"2.0","id":3,"method":"m","result":1,"error":{}}"#, expect![[r#"request 3 "m""#]]);
}

#[test]
fn method_alone_makes_a_notification() {
    check(r#"{"jsonrpc":"2.0","method":"m"}"#, expect![[r#"notification "m""#]]);
    check(r#"{"jsonrpc":"2.0","method":"m","params":null}"#, expect![[r#"notification "m""#]]);
    check(r#"{"jsonrpc":"2.0","method":"m","params":[]}"#, expect![[r#"notification "m" params []"#]]);
    check(r#"{"jsonrpc":"2.0","method":"","params":7}"#, expect![[r#"notification "" params 7"#]]);
    check(r#"{"jsonrpc":"2.0","method":"m","result":1}"#, expect![[r#"notification "m""#]]);
    check(
        r#"{"jsonrpc":"1.0","method":"m"}"#,
        expect![[r#"not a JSON-RPC message: `jsonrpc` is not "2.0""#]],
    );
    check(r#"{"method":"m"}"#, expect![[r#"not a JSON-RPC message: `jsonrpc` is not "2.0""#]]);
}

#[test]
fn without_a_method_it_is_a_response() {
    check(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, expect!["response 1 result {}"]);
    check(r#"{"jsonrpc":"2.0","id":"a-1","result":null}"#, expect![[r#"response "a-1" result null"#]]);
    check(
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#,
        expect![[r#"response 1 error {"code":1,"message":"m"}"#]],
    );
    check(r#"{"jsonrpc":"2.0","id":1,"error":"no object"}"#, expect![[r#"response 1 error "no object""#]]);
    check(r#"{"jsonrpc":"2.0","error":{"code":1}}"#, expect![[r#"response without id error {"code":1}"#]]);
    check(
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":1}}"#,
        expect![[r#"response without id error {"code":1}"#]],
    );
    check(r#"{"jsonrpc":"2.0","result":{}}"#, expect!["not a JSON-RPC message: a result without an `id`"]);
}

#[test]
fn null_members_count_as_absent_where_servers_write_them() {
    check(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#, expect!["response 1 result {}"]);
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1}}"#,
        expect![[r#"response 1 error {"code":1}"#]],
    );
    check(r#"{"jsonrpc":"2.0","id":1,"result":null,"error":null}"#, expect!["response 1 result null"]);
    check(
        r#"{"jsonrpc":"2.0","id":1,"method":null,"params":null,"result":{}}"#,
        expect!["response 1 result {}"],
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"error":null}"#,
        expect!["response 1 unusable: neither `method`, `result` nor `error`"],
    );
}

#[test]
fn both_or_neither_is_a_response_that_cannot_be_used() {
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1}}"#,
        expect!["response 1 unusable: both `result` and `error`"],
    );
    check(
        r#"{"jsonrpc":"2.0","id":1}"#,
        expect!["response 1 unusable: neither `method`, `result` nor `error`"],
    );
    check(
        r#"{"jsonrpc":2.0,"id":1,"result":1}"#,
        expect![[r#"response 1 unusable: `jsonrpc` is not "2.0""#]],
    );
    check(
        r#"{"jsonrpc":"2.0 ","id":1,"result":1}"#,
        expect![[r#"response 1 unusable: `jsonrpc` is not "2.0""#]],
    );
    check(r#"{"id":1,"result":1}"#, expect![[r#"response 1 unusable: `jsonrpc` is not "2.0""#]]);
    check(
        r#"{"jsonrpc":"2.0","result":1,"error":{"code":1}}"#,
        expect!["not a JSON-RPC message: both `result` and `error`"],
    );
}

/// Case 4.
#[test]
fn json_that_is_no_message_is_named_as_such() {
    check(
        r#"{"status":200}"#,
        expect!["not a JSON-RPC message: neither `jsonrpc`, `method`, `result` nor `error`"],
    );
    check(
        r#"{"level":30,"id":1,"msg":"a log line"}"#,
        expect!["not a JSON-RPC message: neither `jsonrpc`, `method`, `result` nor `error`"],
    );
    check(
        "null",
        expect![
            "not a JSON-RPC message: invalid type: null, expected a JSON-RPC message object at line 1 column 4"
        ],
    );
    check(
        "17",
        expect![
            "not a JSON-RPC message: invalid type: integer `17`, expected a JSON-RPC message object at line 1 column 2"
        ],
    );
    check(
        r#""ready""#,
        expect![[
            r#"not a JSON-RPC message: invalid type: string "ready", expected a JSON-RPC message object at line 1 column 7"#
        ]],
    );
    check("{}", expect!["not a JSON-RPC message: neither `jsonrpc`, `method`, `result` nor `error`"]);
    check("[]", expect!["not a JSON-RPC message: an empty batch"]);
    check(
        "[[]]",
        expect![
            "not a JSON-RPC message: invalid type: sequence, expected a JSON-RPC message object at line 1 column 0"
        ],
    );
    check(
        r#"{"jsonrpc":"2.0","method":7}"#,
        expect!["not a JSON-RPC message: invalid type: integer `7`, expected a string at line 1 column 27"],
    );
}

#[test]
fn names_and_methods_may_be_escaped() {
    check(r#"{"jsonrpc":"2.0","m\u0065thod":"a\/b\n"}"#, expect![[r#"notification "a/b\n""#]]);
    check(
        r#"{"jsonrpc":"2.0","\u0069d":1,"resul\u0074":"\ud83e\udd80"}"#,
        expect![[r#"response 1 result "\ud83e\udd80""#]],
    );
    check(r#"{"jsonrpc":"2.0","method":"\u0000\ud83e\udd80"}"#, expect![[r#"notification "\0🦀""#]]);
    check(
        r#"{"jsonrpc":"2.0","method":"\ud83e"}"#,
        expect!["not JSON: unexpected end of hex escape at line 1 column 34"],
    );
    check(
        r#"{"Method":"m","ID":1,"jsonrpc":"2.0","result":{}}"#,
        expect!["not a JSON-RPC message: a result without an `id`"],
    );
}

#[test]
fn of_duplicate_members_the_last_counts() {
    check(r#"{"jsonrpc":"2.0","id":1,"id":2,"result":1,"result":2}"#, expect!["response 2 result 2"]);
    check(r#"{"jsonrpc":"1.0","jsonrpc":"2.0","method":"a","method":"b"}"#, expect![[r#"notification "b""#]]);
    check(
        r#"{"jsonrpc":"2.0","id":1,"id":null,"error":{"code":1}}"#,
        expect![[r#"response without id error {"code":1}"#]],
    );
}

#[test]
fn unknown_members_are_skipped() {
    check(
        r#"{"jsonrpc":"2.0","x":{"id":9,"method":"no"},"method":"m","":[[]]}"#,
        expect![[r#"notification "m""#]],
    );
}

/// Case 66.
#[test]
fn a_batch_is_read_member_by_member() {
    check(
        r#" [ {"jsonrpc":"2.0","id":1,"result":{}} , {"jsonrpc":"2.0","method":"m"},{"jsonrpc":"2.0","id":2,"method":"r"}]"#,
        expect![[r#"
            response 1 result {}
            notification "m"
            request 2 "r""#]],
    );
    check(
        r#"[{"jsonrpc":"2.0","id":3,"result":{}},17,{"jsonrpc":"2.0","id":4,"result":{}}]"#,
        expect![[r#"
        response 3 result {}
        not a JSON-RPC message: invalid type: integer `17`, expected a JSON-RPC message object at line 1 column 2
        response 4 result {}"#]],
    );
    check(
        r#"[{"jsonrpc":"2.0","id":3,"result":{}},[{"jsonrpc":"2.0","id":4,"result":{}}]]"#,
        expect![[r#"
        response 3 result {}
        not a JSON-RPC message: invalid type: sequence, expected a JSON-RPC message object at line 1 column 0"#]],
    );
    check(
        r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"resu"#,
        expect![[r#"
        response 1 result {}
        not JSON: EOF while parsing a string at line 1 column 67"#]],
    );
    check(
        r#"[{"jsonrpc":"2.0","id":1,"result":{}}]]"#,
        expect![[r#"
        response 1 result {}
        not JSON: trailing characters at line 1 column 39"#]],
    );
    check("[,]", expect!["not JSON: expected value at line 1 column 2"]);
}

#[test]
fn white_space_around_is_fine_and_all_else_around_is_not() {
    check(" \t\r\n{ \"jsonrpc\" : \"2.0\" ,\r\n \"method\" : \"m\" } \r\n", expect![[r#"notification "m""#]]);
    check(
        r#"{"jsonrpc":"2.0","method":"m"} x"#,
        expect!["not JSON: trailing characters at line 1 column 32"],
    );
    check(
        r#"{"jsonrpc":"2.0","method":"m"}{"jsonrpc":"2.0","method":"n"}"#,
        expect!["not JSON: trailing characters at line 1 column 31"],
    );
    check(r#"{"jsonrpc":"2.0","method":"m",}"#, expect!["not JSON: trailing comma at line 1 column 31"]);
    check("", expect!["not JSON: EOF while parsing a value at line 1 column 0"]);
    check("\u{a0}{}", expect!["not JSON: expected value at line 1 column 1"]);
    check(
        "\u{feff}{\"jsonrpc\":\"2.0\",\"method\":\"the line decoder strips this\"}",
        expect!["not JSON: expected value at line 1 column 1"],
    );
}

/// Case 8.
#[test]
fn bytes_that_are_not_utf8_are_not_json() {
    check_bytes(b"\xff\xfe", expect!["not UTF-8"]);
    check_bytes(b"\xe2\x80", expect!["not UTF-8"]);
    check_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"\xb0\xa1\"}", expect!["not UTF-8"]);
    check_bytes(b"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"x\":\"\xb0\"}", expect!["not UTF-8"]);
    check_bytes(
        b"[{\"jsonrpc\":\"2.0\",\"method\":\"m\"},\"\xb0\"]",
        expect![[r#"
        notification "m"
        not UTF-8"#]],
    );
}

/// Case 6: only the framing knows line ends; inside a string these are ordinary characters.
#[test]
fn unicode_line_separators_arrive_unchanged() {
    let text = "\"a\u{2028}b\u{2029}c\u{feff}\"";
    let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{text}}}"#);
    assert_eq!(shown(frame.as_bytes()), format!("response 1 result {text}"));
}

/// Case 164.
#[test]
fn numbers_keep_their_spelling() {
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":[9007199254740993,18446744073709551615,-0,1e400,0.1,5.0,1E+2]}"#,
        expect!["response 1 result [9007199254740993,18446744073709551615,-0,1e400,0.1,5.0,1E+2]"],
    );
    check(
        r#"{"jsonrpc":"2.0","method":"m","params":{"n":123456789012345678901234567890}}"#,
        expect![[r#"notification "m" params {"n":123456789012345678901234567890}"#]],
    );
    check(r#"{"jsonrpc":"2.0","id":1e400,"method":"m"}"#, expect![[r#"request 1e400 "m""#]]);
    check(
        r#"{"jsonrpc":"2.0","id":01,"method":"m"}"#,
        expect!["not JSON: invalid number at line 1 column 24"],
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":NaN}"#,
        expect!["not JSON: expected value at line 1 column 34"],
    );
}

#[test]
fn deep_nesting_is_read_without_recursion() {
    const LEVELS: usize = 100_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(LEVELS), close.repeat(LEVELS));
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"x":{deep},"result":{deep}}}"#);
        assert_eq!(shown(frame.as_bytes()), format!("response 1 result {deep}"));
        let cut = &frame[..frame.len() / 2];
        assert!(shown(cut.as_bytes()).starts_with("not JSON: EOF"));
        assert!(shown(deep.as_bytes()).starts_with("not a JSON-RPC message"));
    }
    let unclosed = "[".repeat(LEVELS);
    assert!(shown(unclosed.as_bytes()).starts_with("not JSON: EOF"));
}

/// Invariant 10: the parser quotes what it did not expect, however long it is.
#[test]
fn what_is_said_about_a_long_frame_is_short() {
    let frame = format!("\"\u{1b}{}\"", "x".repeat(1 << 20));
    assert!(shown(frame.as_bytes()).len() < 1024);
    assert!(!shown(frame.as_bytes()).contains('\u{1b}'));
}

/// Invariant 11: nothing else in this crate reads the members of an object. (Long answers are cut
/// before they come here; `fuzzing::message` checks that both agree.)
#[test]
#[expect(clippy::disallowed_methods, reason = "the test reads the sources of this crate")]
fn there_is_one_envelope_parser() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut parsers = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let source = String::from_utf8(std::fs::read(&path).unwrap()).unwrap();
            if source.contains("visit_map") || source.contains("derive(Deserialize") {
                parsers.push(path.file_name().unwrap().to_owned());
            }
        }
    }
    assert_eq!(parsers, ["envelope.rs"]);
}

/// Any JSON value, numbers beyond what a program can hold among them, and with odd spacing.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        "-?[1-9][0-9]{0,30}(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?",
        any::<String>().prop_map(|text| Value::String(text).to_string()),
        Just(r#""\ud83e\udd80\u0000\/""#.to_owned()),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(|items| format!("[{}]", items.join(" , "))),
            prop::collection::vec((any::<String>(), inner), 0..6).prop_map(|members| {
                let members: Vec<_> = members
                    .iter()
                    .map(|(name, value)| format!("{}:\t{value}", Value::from(&**name)))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_payload_survives_frame_and_envelope_byte_for_byte(payload in json(), method in any::<String>()) {
        let raw: Box<RawValue> = serde_json::from_str(&payload).unwrap();
        let kept = if payload == "null" { String::new() } else { format!(" params {payload}") };
        let notification = crate::frame::notification(&method, Some(&raw));
        prop_assert_eq!(shown(&notification), format!("notification {method:?}{kept}"));
        let request = crate::frame::request(|out| out.extend(b"\"i-1\""), &method, Some(&raw));
        prop_assert_eq!(shown(&request), format!("request \"i-1\" {method:?}{kept}"));
        let id: Box<RawValue> = serde_json::from_str("5.0").unwrap();
        let response = crate::frame::response(&id, Ok(&raw));
        prop_assert_eq!(shown(&response), format!("response 5.0 result {payload}"));
    }

    /// Members before the cut are read as ever, and the cut itself is one error.
    #[test]
    fn a_batch_cut_anywhere_yields_its_whole_members_and_one_error(
        payloads in prop::collection::vec(json(), 1..5),
        cut in any::<prop::sample::Index>(),
    ) {
        let members: Vec<_> =
            payloads.iter().map(|payload| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{payload}}}"#)).collect();
        let batch = format!("[{}]", members.join(","));
        let cut = cut.index(batch.len() - 1) + 1;
        let (mut end, mut whole) = (1, 0);
        for member in &members {
            end += member.len();
            whole += usize::from(end <= cut);
            end += 1;
        }
        let (mut good, mut bad) = (0, 0);
        read(&batch.as_bytes()[..cut], |_, message| match message {
            Ok(_) => good += 1,
            Err(_) => bad += 1,
        });
        prop_assert_eq!((good, bad), (whole, usize::from(cut < batch.len())));
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let mut reports = 0;
        read(&bytes, |_, _| reports += 1);
        prop_assert!(reports >= 1);
    }
}

#[test]
fn a_batch_without_end_is_cut() {
    let frame = format!("[{}]", vec!["{}"; 100_000].join(","));
    let mut seen = 0;
    read(frame.as_bytes(), |_, message| {
        assert!(message.is_err());
        seen += 1;
    });
    assert_eq!(seen, LONGEST_BATCH + 1);
}
