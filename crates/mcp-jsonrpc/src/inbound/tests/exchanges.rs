//! Frames of an exchange that was opened for one call.

use super::*;

/// One call over an exchange of its own, and what a frame on it makes of it.
fn of_exchange(frame: &str) -> (usize, Option<Result<String, String>>, Vec<String>) {
    let peer = Peer::new();
    let mut call = peer.correlator.begin().unwrap();
    let settled = peer.inbound.accept_for(&Bytes::copy_from_slice(frame.as_bytes()), &call.id());
    assert_eq!(call.is_settled(), settled > 0);
    let outcome = call.abandon();
    (
        settled,
        outcome.map(|outcome| outcome.map(|raw| raw.as_str().to_owned()).map_err(|error| error.to_string())),
        peer.seen.take(),
    )
}

#[test]
fn an_error_without_an_id_answers_the_exchange_it_came_with() {
    for id in [r#""id":null,"#, ""] {
        let frame = format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32000,"message":"no session"}}}}"#);
        let (settled, outcome, seen) = of_exchange(&frame);
        assert_eq!((settled, outcome), (1, Some(Err("MCP error -32000: no session".to_owned()))));
        assert!(seen.is_empty(), "{seen:?}");
    }
}

#[test]
fn what_is_no_message_fails_the_call_of_its_exchange() {
    for frame in ["{", "17", "", "<html>", r#"{"jsonrpc":"2.0","result":{}}"#] {
        let (settled, outcome, _) = of_exchange(frame);
        assert_eq!((settled, outcome), (1, Some(Err("the answer cannot be read".to_owned()))), "{frame}");
    }
}

#[test]
fn the_answer_of_an_exchange_wins_over_what_else_is_in_its_frame() {
    let frame =
        r#"[17,{"jsonrpc":"2.0","error":{"code":1,"message":"x"}},{"jsonrpc":"2.0","id":1,"result":{}}]"#;
    assert_eq!(of_exchange(frame).1, Some(Ok("{}".to_owned())));
}

#[test]
fn the_answer_to_another_call_leaves_that_of_the_exchange_waiting() {
    let (settled, outcome, seen) = of_exchange(r#"{"jsonrpc":"2.0","id":8,"result":{}}"#);
    assert_eq!((settled, outcome), (0, None));
    assert_eq!(seen, ["odd: response for unknown id 8"]);
}
