//! The built-in server over Streamable HTTP, spoken to on sockets.

use serde_json::{Value, json};

use crate::http_peer::{INITIALIZE, INITIALIZED, Peer, Session};
use crate::run::run;

const LIST: &str = r#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const BOTH: (&str, &str) = ("Accept", "application/json, text/event-stream");
const JSON: (&str, &str) = ("Content-Type", "application/json");

fn call(id: u32, tool: &str, arguments: &Value) -> String {
    let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": id } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

/// The methods of requests and notifications, and the ids of answers.
fn order(messages: &[Value]) -> Vec<Value> {
    messages.iter().map(|message| message.get("method").unwrap_or(&message["id"]).clone()).collect()
}

#[test]
fn initialize_opens_a_session_and_is_answered_with_json() {
    let peer = Peer::start();
    let nobody = Session { peer: &peer, id: String::new() };
    let hello = nobody.post(INITIALIZE);
    let id = hello.header("mcp-session-id").unwrap().to_owned();
    assert!(hello.status == 200 && !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_graphic()));
    assert_eq!(hello.json()["result"]["protocolVersion"], "2025-11-25");
    assert_ne!(nobody.post(INITIALIZE).header("mcp-session-id").unwrap(), id);

    let session = Session { peer: &peer, id };
    let accepted = session.post(INITIALIZED);
    assert_eq!((accepted.status, accepted.text().as_str()), (202, ""));
    let list = session.post(LIST);
    assert_eq!((list.status, list.header("mcp-session-id")), (200, None));
    let list = list.json();
    assert_eq!((&list["id"], list["result"]["tools"].as_array().unwrap().len()), (&json!("a"), 15));
    assert_eq!(session.post(INITIALIZE).json()["error"]["code"], -32600, "it is open already");
}

#[test]
fn an_initialize_that_is_refused_opens_no_session() {
    let peer = Peer::start();
    let nobody = Session { peer: &peer, id: String::new() };
    let refused = nobody.post(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#);
    assert_eq!((refused.status, refused.header("mcp-session-id")), (200, None));
    assert_eq!(refused.json()["error"]["code"], -32602);
}

#[test]
fn the_root_is_the_endpoint_too_and_nothing_else_is() {
    let peer = Peer::start();
    assert_eq!(peer.send("POST", "/", &[BOTH, JSON], INITIALIZE).status, 200);
    assert_eq!(peer.send("POST", "/mcp?a=b", &[BOTH, JSON], INITIALIZE).status, 200);
    assert_eq!(peer.send("POST", "/other", &[BOTH, JSON], INITIALIZE).status, 404);
}

#[test]
fn a_session_is_required_after_initialize_and_must_be_known() {
    let peer = Peer::start();
    // Without a session nothing but POST is of any use, since 2026-07-28 has nothing else.
    for (id, posted, else_) in [("", 400, 405), ("0123", 404, 404)] {
        let stranger = Session { peer: &peer, id: id.to_owned() };
        let responses =
            [stranger.post(PING), stranger.post(INITIALIZED), stranger.listen(), stranger.delete()];
        let statuses = responses.each_ref().map(|response| response.status);
        assert_eq!(statuses, [posted, posted, else_, else_]);
        for response in responses {
            assert_eq!(response.json()["error"]["code"], -32600);
        }
    }
}

#[test]
fn delete_ends_a_session_with_its_calls_and_its_stream() {
    let peer = Peer::start();
    let session = peer.session();
    let mut listener = session.listen();
    assert!(listener.event().is_some());
    let mut running = session.post(&call(1, "sleep", &json!({ "ms": 3_600_000 })));
    assert_eq!(running.event().unwrap()["method"], "notifications/message");
    assert_eq!(session.delete().status, 204);
    assert_eq!(running.events()[0]["result"]["isError"], true);
    assert_eq!(listener.event(), None);
    let gone = [session.delete(), session.post(PING), session.listen()].map(|response| response.status);
    assert_eq!(gone, [404; 3]);
    assert_eq!(peer.session().post(PING).status, 200, "others can begin");
}

#[test]
fn headers_that_do_not_fit_each_have_their_status() {
    let peer = Peer::start();
    let post = |headers: &[(&str, &str)]| peer.send("POST", "/mcp", headers, INITIALIZE).status;
    assert_eq!(post(&[("Accept", "application/json"), JSON]), 406);
    assert_eq!(post(&[("Accept", "text/event-stream"), JSON]), 406);
    assert_eq!(post(&[JSON]), 406);
    assert_eq!(post(&[BOTH]), 415);
    assert_eq!(post(&[BOTH, ("Content-Type", "text/plain")]), 415);
    assert_eq!(post(&[BOTH, JSON, ("Origin", "http://example.com")]), 403);
    assert_eq!(post(&[BOTH, JSON, ("Origin", "null")]), 403);
    assert_eq!(post(&[BOTH, JSON, ("Origin", "http://localhost:3000")]), 200);
    assert_eq!(post(&[BOTH, JSON, ("MCP-Protocol-Version", "2026-07-28")]), 400);
    assert_eq!(post(&[BOTH, JSON, ("MCP-Protocol-Version", "2025-06-18")]), 200);
    let id = peer.session().id;
    let session = ("Mcp-Session-Id", id.as_str());
    assert_eq!(peer.send("GET", "/mcp", &[session, ("Accept", "application/json")], "").status, 406);
}

#[test]
fn another_method_is_told_which_there_are() {
    let peer = Peer::start();
    for method in ["PUT", "OPTIONS", "PATCH"] {
        let refused = peer.send(method, "/mcp", &[BOTH, JSON], INITIALIZE);
        assert_eq!((refused.status, refused.header("allow")), (405, Some("POST, GET, DELETE")));
    }
}

#[test]
fn a_body_over_the_limit_is_refused() {
    let peer = Peer::start();
    let announced = peer.send_raw("POST", "/mcp", &[BOTH, JSON, ("Content-Length", "4194305")], "");
    assert_eq!(announced.status, 413);
    assert_eq!(peer.session().post(&" ".repeat(4 << 20)).status, 400, "long enough for an empty message");
}

#[test]
fn what_is_no_message_is_answered_as_on_stdio() {
    let peer = Peer::start();
    let session = peer.session();
    for (body, id, code) in [
        ("{", Value::Null, -32700),
        ("", Value::Null, -32700),
        (&format!("[{PING}]"), Value::Null, -32600),
        (r#"{"jsonrpc":"2.0","id":"a"}"#, json!("a"), -32600),
    ] {
        let refused = session.post(body);
        assert_eq!(refused.status, 400);
        let refused = refused.json();
        assert_eq!((&refused["id"], refused["error"]["code"].as_i64()), (&id, Some(code)));
    }
    let unknown = session.post(r#"{"jsonrpc":"2.0","id":1,"method":"nope"}"#);
    assert_eq!((unknown.status, unknown.json()["error"]["code"].as_i64()), (200, Some(-32601)));
}

#[test]
fn a_call_with_nothing_to_say_first_is_answered_with_json() {
    let peer = Peer::start();
    let session = peer.session();
    session.silence();
    let answer = session.post(&call(1, "echo", &json!({ "text": "x" })));
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["result"]["content"][0]["text"], "x");
}

#[test]
fn logs_and_progress_of_a_call_come_on_its_own_stream_before_the_answer() {
    let peer = Peer::start();
    let session = peer.session();
    let messages = session.post(&call(5, "sleep", &json!({ "ms": 1, "steps": 2 }))).events();
    let progress = "notifications/progress";
    assert_eq!(
        order(&messages),
        [&json!("notifications/message"), &json!(progress), &json!(progress), &json!(5)].map(Value::clone)
    );
    assert_eq!(messages[1]["params"]["progressToken"], 5);
}

#[test]
fn an_elicitation_comes_on_the_stream_of_the_call_and_its_answer_by_post() {
    let peer = Peer::start();
    let session = peer.session();
    session.silence();
    let mut stream = session.post(&call(1, "ask", &json!({ "method": "elicitation/create" })));
    let question = stream.event().unwrap();
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["requestedSchema"]["type"], "object");
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept", "content": { "name": "Ada" } } });
    assert_eq!(session.post(&answer.to_string()).status, 202);
    let answer = stream.event().unwrap();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("The client answered elicitation/create") && text.contains("Ada"), "{text}");
    assert_eq!(stream.event(), None);
}

#[test]
fn an_answer_from_another_session_answers_nothing() {
    let peer = Peer::start();
    let (session, other) = (peer.session(), peer.session());
    session.silence();
    let mut stream = session.post(&call(1, "ask", &json!({})));
    let id = &stream.event().unwrap()["id"];
    let answer = |who: &str| json!({ "jsonrpc": "2.0", "id": id, "result": { "who": who } }).to_string();
    assert_eq!(other.post(&answer("other")).status, 202);
    assert_eq!(session.post(&answer("own")).status, 202);
    let text = stream.event().unwrap()["result"]["content"][0]["text"].to_string();
    assert!(text.contains("own"), "{text}");
}

#[test]
fn what_belongs_to_no_call_comes_on_the_stream_of_get() {
    let peer = Peer::start();
    let session = peer.session();
    // It was said before anybody listened.
    let mut listener = session.listen();
    assert_eq!(listener.event().unwrap()["params"]["data"], "hello, t");
    // What a call says does not come here, and a second stream takes the place of the first.
    session.post(&call(1, "echo", &json!({ "text": "x" }))).events();
    assert_eq!(session.listen().status, 200);
    assert_eq!(listener.event(), None);
}

#[test]
fn a_cancelled_call_ends_its_stream_without_an_answer() {
    let peer = Peer::start();
    let session = peer.session();
    let mut stream = session.post(&call(1, "sleep", &json!({ "ms": 3_600_000 })));
    assert!(stream.event().is_some());
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(session.post(cancel).status, 202);
    assert_eq!(stream.event(), None);
}

#[test]
fn a_call_outlives_its_connection() {
    let peer = Peer::start();
    let session = peer.session();
    let long = call(1, "sleep", &json!({ "ms": 3_600_000 }));
    let mut stream = session.post(&long);
    assert!(stream.event().is_some());
    drop(stream);
    session.silence();
    // Its id is still taken; had the end of the connection cancelled it, this would run.
    let refused = session.post(&long).json();
    assert_eq!(refused["error"]["message"], "a call with this id is running");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_with_the_calls_that_run() {
    for (signal, status) in [("-TERM", 143), ("-INT", 130)] {
        let peer = Peer::start();
        let session = peer.session();
        let mut listener = session.listen();
        assert!(listener.event().is_some());
        let mut stream = session.post(&call(1, "sleep", &json!({ "ms": 3_600_000 })));
        assert!(stream.event().is_some());
        let address = peer.address.clone();
        assert_eq!(peer.end(signal), (Some(status), String::new()));
        assert_eq!(stream.events()[0]["result"]["isError"], true);
        assert_eq!(listener.event(), None);
        assert!(std::net::TcpStream::connect(address).is_err());
    }
}

#[test]
fn a_port_alone_listens_on_this_machine_only() {
    let peer = Peer::start_at("0");
    assert!(peer.address.starts_with("127.0.0.1:"), "{}", peer.address);
}

#[test]
fn an_address_that_cannot_be_is_a_usage_error_and_one_that_is_taken_a_failure() {
    run(&["demo-server", "--http", "nowhere"]).check_status(2);
    let peer = Peer::start();
    let ran = run(&["demo-server", "--http", &peer.address]);
    let expected = format!("error: cannot listen on `{}`: ", peer.address);
    assert!(ran.check_status(3).stderr.starts_with(&expected), "{ran:?}");
}
