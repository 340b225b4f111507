//! How messages are cut out of a server's output, and how ours are cut into its input.

use mcp_jsonrpc::{CallError, RequestOptions, Transport};
use mcp_tests::{Scripted, request, within};
use mcp_transport_stdio::DEFAULT_MAX_LINE;
use serde_json::Value;

/// Case 1, on the transport; `handshake.rs` has the whole of it.
#[tokio::test]
async fn a_banner_on_stdout_is_skipped_with_a_diagnostic() {
    let script = "raw demo server ready on stdio<0a>\nrecv\nsend RES(1)\neof";
    let (transport, seen) = Scripted::new(script).without_deadlines().connect().await;
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":1}"#);
    let events = seen.events();
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(events[0].starts_with("diagnostic skipped what is no message"), "{events:?}");
    assert!(events[0].ends_with("demo server ready on stdio"), "{events:?}");
    transport.close().await;
}

/// Case 2, S-51, S-108.
#[tokio::test]
async fn log_lines_between_messages_are_skipped_and_escaped() {
    // Invariant 6: bad input never ends a connection.
    let script = "recv\nsend RES(1)\nraw <1b>[33mwarn<1b>[0m slow query<0a>\nsend <e2 94 8c e2 94 80>\n\
                  recv\nsend RES(2)\neof";
    let (transport, seen) = Scripted::new(script).without_deadlines().connect().await;
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":1}"#);
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":2}"#);
    let events = seen.events();
    assert_eq!(events.len(), 2, "{events:?}");
    assert!(events[0].ends_with(r"\u{1b}[33mwarn\u{1b}[0m slow query"), "{events:?}");
    assert!(events[1].ends_with("┌─"), "{events:?}");
    assert_eq!(transport.status().counts.malformed, 2);
    transport.close().await;
}

/// Case 4, S-50.
#[tokio::test]
async fn json_that_is_no_message_settles_nothing_and_ends_nothing() {
    let lines = [r#"{"status":200}"#, "null", "17", r#""ready""#, "[]", "{}", "[17]", "-", "\"", "{"];
    let sends: String = lines.iter().map(|line| format!("send {line}\n")).collect();
    let script = format!("recv\n{sends}send RES(1)\neof");
    let (transport, seen) = Scripted::new(&script).without_deadlines().connect().await;
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":1}"#);
    assert_eq!(seen.count("diagnostic "), lines.len(), "{:?}", seen.events());
    assert_eq!(seen.events().len(), lines.len());
    let counts = transport.status().counts;
    assert_eq!((counts.settled, counts.malformed), (1, lines.len() as u64));
    transport.close().await;
}

/// Cases 6 and 10: what stands inside a string is data.
#[tokio::test]
async fn only_a_line_feed_ends_a_line() {
    for odd in ["\u{2028}", "\u{2029}", "\u{85}", "\u{feff}", "\u{b}", "\u{c}", "\u{1c}", "\u{7f}"] {
        // JSON wants controls escaped; everything else may stand as it is.
        let raw = if odd < " " { format!("\\u{:04x}", odd.as_bytes()[0]) } else { odd.to_owned() };
        let script =
            format!(r#"recv{}send {{"jsonrpc":"2.0","id":$1,"result":{{"t":"a{raw}b"}}}}{}eof"#, '\n', '\n');
        let (transport, seen) = Scripted::new(&script).without_deadlines().connect().await;
        let result: Value = request(&transport, "m").await.unwrap().parse().unwrap();
        assert_eq!(result["t"], format!("a{odd}b"));
        assert!(seen.events().is_empty(), "{:?}", seen.events());
        transport.close().await;
    }
}

/// Case 8.
#[tokio::test]
async fn a_line_that_is_not_utf8_is_dropped_alone() {
    let script = "recv\nsend <ff fe>\nsend RES(1)\nrecv\nsend <e2 80>\nsend RES(2)\n\
                  recv\nsend <00 c3 28 ed a0 80>\nsend RES(3)\neof";
    let (transport, seen) = Scripted::new(script).without_deadlines().connect().await;
    for tag in 1..=3 {
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), format!(r#"{{"tag":{tag}}}"#));
        assert_eq!(seen.count("diagnostic "), tag);
    }
    assert!(seen.events()[0].contains("not UTF-8") && seen.events()[0].ends_with(r"\xff\xfe"));
    transport.close().await;
}

/// Case 9, D-01: without any deadline the call still fails, and the other one does not.
#[tokio::test]
async fn a_bad_byte_inside_a_response_fails_its_call_at_once() {
    let script = "recv\nrecv\nsend {\"jsonrpc\":\"2.0\",\"id\":$2,\"result\":{\"content\":\
                  [{\"type\":\"text\",\"text\":\"<b0 a1>\"}]}}\nrecv\nsend RES(1)\nsend RES(3)\neof";
    let (transport, _) = Scripted::new(script).without_deadlines().connect().await;
    let (one, (two, three)) = tokio::join!(request(&transport, "a"), async {
        let two = request(&transport, "b").await;
        (two, request(&transport, "c").await)
    });
    let error = two.unwrap_err();
    assert!(matches!(error, CallError::Malformed { .. }), "{error:?}");
    assert_eq!(error.to_string(), "the answer cannot be read");
    assert_eq!((one.unwrap().as_str(), three.unwrap().as_str()), (r#"{"tag":1}"#, r#"{"tag":3}"#));
    transport.close().await;
}

/// D-01: an answer of a wrong shape fails its call at once, wherever the fault is.
#[tokio::test]
async fn an_answer_of_a_wrong_shape_fails_its_call_at_once() {
    for wrong in [
        r#""result":1,"error":{"code":1,"message":"m"}"#,
        r#""error":"boom""#,
        r#""error":{"code":"x","message":"m"}"#,
        r#""result":{"a":}"#,
        r#""result":{"a":1"#,
    ] {
        let script = format!("recv\nsend {{\"jsonrpc\":\"2.0\",\"id\":$1,{wrong}}}\nrecv\nsend RES(2)\neof");
        let (transport, _) = Scripted::new(&script).without_deadlines().connect().await;
        let error = request(&transport, "m").await.unwrap_err();
        assert!(matches!(error, CallError::Malformed { .. }), "{wrong}: {error:?}");
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":2}"#);
        assert_eq!(transport.status().pending, 0);
        transport.close().await;
    }
}

/// Case 10.
#[tokio::test]
async fn a_byte_order_mark_before_the_first_message_is_skipped() {
    let script = "recv\nraw <ef bb bf>RES(1)<0a>\neof";
    let (transport, seen) = Scripted::new(script).without_deadlines().connect().await;
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":1}"#);
    assert!(seen.events().is_empty(), "{:?}", seen.events());
    transport.close().await;
}

/// Case 11.
#[tokio::test]
async fn crlf_and_blank_lines_are_no_noise() {
    let script = "recv\nraw RES(1)<0d 0a 0d 0a 0a>   <0a 09 0a>\nrecv\nraw RES(2)<0d 0a>\neof";
    let (transport, seen) = Scripted::new(script).without_deadlines().connect().await;
    for tag in 1..=2 {
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), format!(r#"{{"tag":{tag}}}"#));
    }
    assert!(seen.events().is_empty(), "{:?}", seen.events());
    transport.close().await;
}

/// Case 14: `memory.rs` measures what it costs.
#[tokio::test]
async fn an_endless_line_is_reported_and_harms_nothing_before_and_after_it() {
    let script = "recv\nsend RES(1)\nrepeat 64 raw <61*100000>\nrecv\nraw <0a>\nsend RES(2)\neof";
    let peer = Scripted::new(script).without_deadlines().with(|config| config.max_line = 1_000_000);
    let (transport, seen) = peer.connect().await;
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":1}"#);
    let error = seen.wait("error ").await;
    assert!(error.contains("longer than the limit of 1000000 bytes"), "{error}");
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":2}"#);
    assert_eq!(seen.events().len(), 1);
    assert_eq!(transport.status().counts.too_large, 1);
    transport.close().await;
}

/// Case 14: the call does not wait for a deadline, wherever in the answer the id stands.
#[tokio::test]
async fn an_answer_over_the_limit_fails_its_call_at_once() {
    for answer in [
        r#"{"jsonrpc":"2.0","id":$1,"result":"<61*300000>"}"#,
        r#"{"result":"<61*300000>","id":$1,"jsonrpc":"2.0"}"#,
        r#"[{"jsonrpc":"2.0","id":$1,"result":"<61*300000>"}]"#,
    ] {
        let script = format!("recv\nsend {answer}\nrecv\nsend RES(2)\neof");
        let peer = Scripted::new(&script).without_deadlines().with(|config| config.max_line = 100_000);
        let (transport, seen) = peer.connect().await;
        let error = request(&transport, "m").await.unwrap_err();
        assert!(matches!(error, CallError::TooLarge { limit: 100_000 }), "{answer}: {error:?}");
        assert_eq!(seen.count("error a message is longer than the limit"), 1);
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":2}"#);
        transport.close().await;
    }
    const { assert!(DEFAULT_MAX_LINE > 10 * 1024 * 1024) };
}

/// Case 15, with default settings.
#[tokio::test]
async fn lines_of_every_size_arrive_whole_and_in_order() {
    let sizes = [1, 4095, 4096, 4097, 65_535, 65_536, 65_537, 12 * 1024 * 1024, 1];
    let sends: String = sizes.iter().map(|size| format!("send NOTE(n,\"<62*{size}>\")\n")).collect();
    let script =
        format!("recv\n{sends}send {{\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":\"<61*12582912>\"}}\neof");
    let (transport, seen) = Scripted::new(&script).without_deadlines().connect().await;
    let answer = request(&transport, "m").await.unwrap();
    assert!(answer.as_str() == format!("\"{}\"", "a".repeat(12 * 1024 * 1024)));
    let expected: Vec<_> =
        sizes.iter().map(|&size| format!("notification n \"{}\"", "b".repeat(size))).collect();
    assert!(seen.events() == expected);
    transport.close().await;
}

/// Case 17, D-01.
#[tokio::test]
async fn a_last_message_without_a_line_end_counts() {
    let (transport, seen) = Scripted::new("recv\nraw RES(1)").without_deadlines().connect().await;
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"{"tag":1}"#);
    seen.wait("close ").await;
}

/// Case 17, S-109, C-110.
#[tokio::test]
async fn a_message_cut_off_by_the_end_fails_its_call_as_closed() {
    let script = "recv\nraw {\"jsonrpc\":\"2.0\",\"id\":$1,\"resu";
    let (transport, seen) = Scripted::new(script).without_deadlines().connect().await;
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!(error.to_string(), "Transport closed");
    assert!(seen.wait("diagnostic ").await.ends_with("\"resu"));
    seen.wait("close ").await;
}

/// Case 18.
#[tokio::test]
async fn a_character_cut_by_chunks_arrives_whole() {
    let script = r#"recv
        bytes {"jsonrpc":"2.0","id":$1,"result":["<f0 9f 98 80>","é","<e2 82 ac>"]}
        eof"#;
    let (transport, seen) = Scripted::new(script).without_deadlines().connect().await;
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), r#"["😀","é","€"]"#);
    assert!(seen.events().is_empty(), "{:?}", seen.events());
    transport.close().await;
}

/// S-20, S-32, C-102, C-103, D-08: what the server gets is exactly one line for each message.
#[tokio::test]
async fn each_message_is_one_line_and_nothing_else_is_written() {
    let script = "recv\nrecv\nrecv\nsend {\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":$line}\neof";
    let (transport, _) = Scripted::new(script).without_deadlines().connect().await;
    let raw = |text: &str| Some(serde_json::value::RawValue::from_string(text.to_owned()).unwrap());
    within(transport.notify("n", None, Default::default())).await.unwrap();
    within(transport.notify("n", raw("{\"a\":\r\n \"x\\ny\"}"), Default::default())).await.unwrap();
    let last = within(transport.request("m", raw("[\n1,\n2\n]"), RequestOptions::default())).await.unwrap();
    let last: Value = last.parse().unwrap();
    assert_eq!(last["params"], serde_json::json!([1, 2]));
    assert_eq!(last.as_object().unwrap().len(), 4);
    transport.close().await;
}

/// S-22, S-24, S-58: notifications before an answer are seen before it.
#[tokio::test]
async fn messages_are_handed_on_in_the_order_of_arrival() {
    // Invariant 9: messages are handed up in the order of arrival.
    let script = "recv\nrepeat 100 send NOTE(n,$count)\nsend RES(1)\neof";
    let (transport, seen) = Scripted::new(script).without_deadlines().connect().await;
    request(&transport, "m").await.unwrap();
    let expected: Vec<_> = (1..=100).map(|n| format!("notification n {n}")).collect();
    assert_eq!(seen.events(), expected);
    transport.close().await;
}
