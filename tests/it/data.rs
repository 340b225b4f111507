//! What is in messages reaches the other side exactly.

use mcp_jsonrpc::{RawParams, RequestOptions, Transport};
use mcp_tests::{Scripted, client, request, within};
use serde_json::Value;
use serde_json::value::RawValue;

/// Texts of numbers that a float would change.
const NUMBERS: &str = "[9007199254740993,18446744073709551615,-9223372036854775808,-0,1e400,0.1,1.0,1E+2,\
                       123456789012345678901234567890.5,5e-324]";

fn json(text: &str) -> RawParams {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// Case 164: both ways, in every digit.
#[tokio::test]
async fn numbers_keep_their_spelling_both_ways() {
    // Invariant 12: nothing goes through `Value` on the way.
    let script = "recv\nsend {\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":$line}\neof";
    let (transport, _) = Scripted::new(script).without_deadlines().connect().await;
    let params = json(&format!("{{\"n\":{NUMBERS}}}"));
    let line = within(transport.request("m", Some(params), RequestOptions::default())).await.unwrap();
    assert!(line.as_str().ends_with(&format!("\"params\":{{\"n\":{NUMBERS}}}}}")), "{line:?}");
    transport.close().await;

    let script = format!("recv\nsend {{\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":{NUMBERS}}}\neof");
    let (transport, _) = Scripted::new(&script).without_deadlines().connect().await;
    let answer = request(&transport, "m").await.unwrap();
    assert_eq!(answer.as_str(), NUMBERS);
    assert!(answer.parse::<Vec<i64>>().is_err(), "what does not fit is an error of that call, no panic");
    transport.close().await;
}

/// Case 139, over stdio: a falsy result is a result.
#[tokio::test]
async fn a_falsy_result_is_a_result() {
    for result in ["null", "false", "0", "\"\"", "[]", "{}", "-0.0"] {
        let script = format!("recv\nsend {{\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":{result}}}\neof");
        let (transport, _) = Scripted::new(&script).without_deadlines().connect().await;
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), result);
        transport.close().await;
    }
}

/// Case 166, for the envelope: members that nobody knows are no fault.
#[tokio::test]
async fn unknown_members_of_a_message_are_no_fault() {
    let script = r#"recv
        send {"x":[{"id":7}],"id":$1,"_meta":{},"result":{"resultType":"x","a":{"b":[1]}},"jsonrpc":"2.0","error":null}
        eof"#;
    let (transport, seen) = Scripted::new(script).without_deadlines().connect().await;
    let answer = request(&transport, "m").await.unwrap();
    assert_eq!(answer.as_str(), r#"{"resultType":"x","a":{"b":[1]}}"#);
    assert!(seen.events().is_empty());
    transport.close().await;
}

/// S-23: the error of the server with code, message and data.
#[tokio::test]
async fn an_error_keeps_code_message_and_data() {
    let script = r#"recv
        send {"jsonrpc":"2.0","id":$1,"error":{"code":-32602,"message":"no\nsuch <1b5d> tool","data":{"n":18446744073709551615}}}
        eof"#;
    let (transport, _) = Scripted::new(script).without_deadlines().connect().await;
    let error = request(&transport, "m").await.unwrap_err();
    assert!(error.to_string().starts_with("MCP error -32602: no"), "{error}");
    let object = error.as_rpc().unwrap();
    assert_eq!(object.data.as_ref().unwrap().get(), r#"{"n":18446744073709551615}"#);
    transport.close().await;
}

/// Case 15 the other way: what we send may be large too.
#[tokio::test]
async fn arguments_of_every_size_arrive_whole() {
    let (transport, _) = Scripted::new("serve").without_deadlines().connect().await;
    for size in [65_535, 65_536, 65_537, 4 * 1024 * 1024 + 1] {
        let params = json(&format!("{{\"t\":\"{}\"}}", "x".repeat(size)));
        let expected = params.get().to_owned();
        let answer =
            within(transport.request("echo", Some(params), RequestOptions::default())).await.unwrap();
        assert!(answer.as_str() == expected, "{size}");
    }
    transport.close().await;
}

/// Case 164: exact both ways, through the types of a tool call.
#[tokio::test]
async fn big_integers_pass_through_a_tool_call_exactly() {
    let numbers = r#"{"n":[9007199254740993,18446744073709551615,-0,1e400,0.1]}"#;
    let script = "handshake\nrecv tools/call\n\
                  send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[],\"structuredContent\":$line}}\neof";
    let peer = Scripted::new(script);
    let client = client::connect(&peer.config).await;
    let result = within(client.call_tool("m", &json(numbers))).await.unwrap();
    let back = result.structured_content.unwrap();
    assert!(back.get().contains(numbers), "{}", back.get());
    client.close().await;
}

/// Case 166.
#[tokio::test]
async fn results_of_every_shape_are_accepted_and_keep_what_is_unknown() {
    let text = r#"{"type":"text","text":"t","x":1,"_meta":{"m":1},"annotations":{"a":2}}"#;
    for (result, blocks) in [
        (format!(r#"{{"content":[{text}],"structuredContent":{{"a":1}},"_meta":{{"m":1}},"x":[1]}}"#), 1),
        (r#"{"x":[1],"_meta":{"m":1}}"#.to_owned(), 0),
        (r#"{"content":[],"x":[1],"_meta":{"m":1}}"#.to_owned(), 0),
        (
            r#"{"content":[{"type":"x-new","y":{"z":1e400}},{"no":"type"}],"x":[1],"_meta":{"m":1}}"#
                .to_owned(),
            2,
        ),
    ] {
        let script = format!(
            "handshake\nrecv tools/call\nsend {{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{result}}}\neof"
        );
        let peer = Scripted::new(&script);
        let client = client::connect(&peer.config).await;
        let answer = within(client.call_tool("m", &())).await.unwrap();
        assert_eq!(answer.content.len(), blocks, "{result}");
        assert!(!answer.is_error());
        // Nothing is lost on the way through the types.
        let again: Value =
            serde_json::from_str(&serde_json::to_string(&answer).unwrap().replace("1e400", "1")).unwrap();
        let mut sent: Value = serde_json::from_str(&result.replace("1e400", "1")).unwrap();
        if sent.get("content").is_none() {
            sent["content"] = serde_json::json!([]);
        }
        assert_eq!(again, sent);
        client.close().await;
    }
}

/// D-01 and case 166: an answer that does not fit fails that call alone.
#[tokio::test]
async fn a_result_that_does_not_fit_fails_that_call_alone() {
    let script = "handshake\nrecv tools/call\n\
                  send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[{\"type\":\"text\"}]}}\nserve";
    let peer = Scripted::new(script);
    let client = client::connect(&peer.config).await;
    let error = within(client.call_tool("m", &())).await.unwrap_err();
    assert!(error.call_error().is_none(), "{error:?}");
    assert!(error.to_string().contains("tools/call"), "{error}");
    within(client.ping()).await.unwrap();
    client.close().await;
}
