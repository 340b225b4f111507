//! What becomes of the frames of a peer, case by case.

mod exchanges;

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::SystemTime;

use super::*;
use crate::close::CloseReason;
use crate::correlator::{Counts, PendingCall};
use crate::ids::IdFormat;
use crate::sample::SAMPLE_BYTES;

/// Writes down what happens, and answers requests as it is told to.
#[derive(Default)]
struct Recorder {
    events: Mutex<Vec<String>>,
    /// How requests are answered; dropped unless set.
    answer: Option<fn(&Request<'_>, Reply)>,
    longest: Mutex<usize>,
}

impl Recorder {
    fn note(&self, event: String) {
        let mut longest = self.longest.lock().unwrap_or_else(PoisonError::into_inner);
        *longest = event.len().max(*longest);
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.events.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Handler for Recorder {
    fn on_notification(&self, notification: &Notification<'_>) {
        let params = notification.params.map(|params| format!(" {params}")).unwrap_or_default();
        self.note(format!("notification {}{params}", notification.method));
    }

    fn on_request(&self, request: &Request<'_>, reply: Reply) {
        self.note(format!("request {} {}", request.id, request.method));
        if let Some(answer) = self.answer {
            answer(request, reply);
        }
    }

    fn on_error(&self, fault: &TransportFault) {
        let source = std::error::Error::source(fault).map(|source| format!(": {source}")).unwrap_or_default();
        self.note(format!("error: {fault}{source}"));
    }

    fn on_close(&self, _: &CloseReason) {
        self.note("closed".to_owned());
    }

    fn on_diagnostic(&self, diagnostic: &Diagnostic) {
        self.note(format!("odd: {diagnostic}"));
    }
}

/// Replies are noted among the other events.
impl ReplySink for Recorder {
    fn send_reply(&self, message: Vec<u8>) {
        self.note(format!("reply {}", String::from_utf8(message).unwrap()));
    }
}

/// A connection with integer ids, so that tests can write frames by hand.
struct Peer {
    correlator: Arc<Correlator>,
    inbound: Inbound,
    seen: Arc<Recorder>,
}

impl Peer {
    fn new() -> Self {
        Self::answering(None)
    }

    fn answering(answer: Option<fn(&Request<'_>, Reply)>) -> Self {
        let seen = Arc::new(Recorder { answer, ..Recorder::default() });
        let correlator = Correlator::new(IdFormat::Number, SystemTime::UNIX_EPOCH);
        let inbound = Inbound::new(correlator.clone(), seen.clone(), seen.clone());
        Self { correlator, inbound, seen }
    }

    fn call<const N: usize>(&self) -> [PendingCall; N] {
        [(); N].map(|()| self.correlator.begin().unwrap())
    }

    /// Sends a frame; yields how many calls it settled, and what the handler saw.
    fn send(&self, frame: impl AsRef<[u8]>) -> (usize, Vec<String>) {
        let settled = self.inbound.accept(&Bytes::copy_from_slice(frame.as_ref()));
        (settled, self.seen.take())
    }

    fn counts(&self) -> Counts {
        self.correlator.counts()
    }
}

/// How a call ended, in words; `waits` if it did not.
fn outcome(call: &mut PendingCall) -> String {
    match Pin::new(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(result)) => result.as_str().to_owned(),
        Poll::Ready(Err(error)) => {
            let source =
                std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
            format!("{error}{source}")
        }
        Poll::Pending => "waits".to_owned(),
    }
}

fn result(id: u64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tag":{id}}}}}"#)
}

/// A text that makes a frame too long to be read as a whole.
fn long() -> String {
    "x".repeat(4096)
}

/// Case 2.
#[test]
fn log_lines_between_answers_are_escaped_and_disturb_nothing() {
    let peer = Peer::new();
    let [mut a, mut b] = peer.call();
    assert_eq!(peer.send(result(1)).0, 1);
    let (settled, seen) = peer.send(b"\x1b[33mwarn\x1b[0m slow query");
    assert_eq!(settled, 0);
    assert!(seen[0].starts_with("odd: skipped what is no message") && !seen[0].contains('\x1b'), "{seen:?}");
    assert_eq!(peer.send("┌─").1.len(), 1);
    assert_eq!(peer.send(result(2)).0, 1);
    assert_eq!([outcome(&mut a), outcome(&mut b)], [r#"{"tag":1}"#, r#"{"tag":2}"#]);
    assert_eq!(peer.counts().malformed, 2);
}

#[test]
fn a_log_line_that_quotes_an_answer_does_not_fail_the_call() {
    let peer = Peer::new();
    let [mut call] = peer.call();
    assert_eq!(peer.send(format!("[debug] sending {}", result(1))).0, 0);
    assert_eq!(peer.send(r#"{"level":30,"id":1,"msg":"sending"}"#).0, 0);
    assert_eq!(peer.send(result(1)).0, 1);
    assert_eq!(outcome(&mut call), r#"{"tag":1}"#);
}

/// Case 4. Invariant 6: none of these ends the connection.
#[test]
fn json_that_is_no_message_is_reported_and_settles_nothing() {
    let peer = Peer::new();
    let [mut call] = peer.call();
    for line in [r#"{"status":200}"#, "null", "17", r#""ready""#, "[]", "{}", r#"{"id":1,"status":200}"#] {
        let (settled, seen) = peer.send(line);
        assert_eq!((settled, seen.len()), (0, 1), "{line}: {seen:?}");
        assert!(seen[0].starts_with("odd: skipped what is no message (not a JSON-RPC message"), "{seen:?}");
    }
    assert_eq!((peer.counts().malformed, outcome(&mut call)), (7, "waits".to_owned()));
    assert_eq!(peer.send(result(1)), (1, vec![]));
    assert_eq!(outcome(&mut call), r#"{"tag":1}"#);
}

/// Case 6.
#[test]
fn unicode_line_separators_arrive_unchanged() {
    let peer = Peer::new();
    let [mut call] = peer.call();
    peer.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"t\":\"a\u{2028}b\u{2029}c\"}}");
    assert_eq!(outcome(&mut call), "{\"t\":\"a\u{2028}b\u{2029}c\"}");
}

/// Case 8. Invariant 6.
#[test]
fn bytes_that_are_not_utf8_cost_that_line_only() {
    let peer = Peer::new();
    let calls: [PendingCall; 2] = peer.call();
    for (bytes, id) in [(b"\xff\xfe".as_slice(), 1), (b"\xe2\x80", 2)] {
        let (settled, seen) = peer.send(bytes);
        assert_eq!((settled, seen.len()), (0, 1));
        assert!(seen[0].starts_with("odd: skipped what is no message (not UTF-8): \\x"), "{seen:?}");
        assert_eq!(peer.send(result(id)), (1, vec![]));
    }
    drop(calls);
}

/// Case 9.
#[test]
fn bad_bytes_inside_an_answer_fail_that_call_at_once() {
    let peer = Peer::new();
    let [mut other, mut call] = peer.call();
    let (settled, seen) =
        peer.send(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\xb0\xa1\"}]}}");
    assert_eq!((settled, seen.len()), (1, 1));
    assert_eq!(outcome(&mut call), "the answer cannot be read: not UTF-8");
    assert_eq!(outcome(&mut other), "waits");
    assert_eq!(peer.send(result(2)).1, ["odd: duplicate response for id 2"]);
    let [mut call] = peer.call();
    let bad =
        [format!(r#"{{"jsonrpc":"2.0","id":3,"result":{{"t":"{}"#, long()).as_bytes(), b"\xb0\"}}"].concat();
    assert_eq!(peer.send(bad).0, 1);
    assert_eq!(outcome(&mut call), "the answer cannot be read: not UTF-8");
    assert_eq!((peer.counts().malformed, peer.counts().settled), (2, 2));
}

#[test]
fn broken_json_inside_an_answer_fails_that_call_at_once() {
    let peer = Peer::new();
    let [mut a, mut b, mut c] = peer.call();
    assert_eq!(peer.send(r#"{"jsonrpc":"2.0","id":1,"result":{"t":NaN}}"#).0, 1);
    assert!(outcome(&mut a).starts_with("the answer cannot be read: not JSON: expected value"));
    assert_eq!(peer.send(result(2) + &result(3)).0, 2, "two answers glued together");
    assert!(outcome(&mut b).starts_with("the answer cannot be read: not JSON: trailing"));
    assert!(outcome(&mut c).starts_with("the answer cannot be read: not JSON: trailing"));
}

#[test]
fn an_answer_of_a_wrong_shape_fails_that_call_at_once() {
    for (frame, problem) in [
        (r#"{"jsonrpc":"2.0","id":1}"#, "neither `method`, `result` nor `error`"),
        (r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1}}"#, "both `result` and `error`"),
        (r#"{"id":1,"result":1}"#, r#"`jsonrpc` is not "2.0""#),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}"#, "`error`: missing field `code`"),
        (r#"{"jsonrpc":"2.0","id":1,"error":"m"}"#, "`error`: invalid type"),
    ] {
        let peer = Peer::new();
        let [mut call] = peer.call();
        assert_eq!(peer.send(frame).0, 1, "{frame}");
        let expected = format!("the answer cannot be read: not a JSON-RPC message: {problem}");
        let got = outcome(&mut call);
        assert!(got.starts_with(&expected), "{got}");
    }
}

#[test]
fn an_error_object_fails_the_call_with_all_that_is_in_it() {
    let peer = Peer::new();
    let [call] = peer.call();
    peer.send(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":{"n":1e400}}}"#);
    let mut call = call;
    let Poll::Ready(Err(CallError::Rpc(error))) =
        Pin::new(&mut call).poll(&mut Context::from_waker(Waker::noop()))
    else {
        panic!("an error object")
    };
    assert_eq!((error.code, &*error.message), (-32601, "no"));
    assert_eq!(error.data.unwrap().get(), r#"{"n":1e400}"#);
}

/// Case 51.
#[test]
fn a_numeric_string_does_not_match_but_the_call_settles() {
    let peer = Peer::new();
    let mut calls: [PendingCall; 7] = peer.call();
    let (settled, seen) = peer.send(r#"{"jsonrpc":"2.0","id":"7","result":{}}"#);
    assert_eq!((settled, seen), (1, vec![r#"odd: response for unknown id "7""#.to_owned()]));
    assert_eq!(
        outcome(&mut calls[6]),
        r#"the answer cannot be read: not a JSON-RPC message: response for unknown id "7""#
    );
    assert_eq!(outcome(&mut calls[0]), "waits");
    for id in [r#""07""#, r#""+1""#, r#"" 1""#, r#""1.0""#, r#""""#, r#""99""#] {
        assert_eq!(peer.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)).0, 0, "{id}");
    }
    assert_eq!((peer.counts().unmatched, peer.counts().settled), (7, 1));
}

#[test]
fn an_integral_float_is_the_integer() {
    let peer = Peer::new();
    let [mut a, mut b] = peer.call();
    assert_eq!(peer.send(r#"{"jsonrpc":"2.0","id":1.0,"result":"a"}"#), (1, vec![]));
    assert_eq!(peer.send(r#"{"jsonrpc":"2.0","id":2e0,"result":"b"}"#), (1, vec![]));
    assert_eq!([outcome(&mut a), outcome(&mut b)], [r#""a""#, r#""b""#]);
}

/// Case 53.
#[test]
fn an_error_without_an_id_fails_no_call() {
    let peer = Peer::new();
    let [mut call] = peer.call();
    for id in [r#""id":null,"#, ""] {
        let (settled, seen) =
            peer.send(format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32700,"message":"x"}}}}"#));
        assert_eq!(settled, 0);
        assert_eq!(seen, ["error: the server reported an error that names no request: MCP error -32700: x"]);
    }
    assert_eq!(outcome(&mut call), "waits");
    assert_eq!(peer.send(r#"{"jsonrpc":"2.0","error":"no object"}"#).1.len(), 1);
    assert_eq!(peer.send(result(1)).0, 1);
}

/// Case 55.
#[test]
fn zero_and_the_empty_string_are_ordinary_ids() {
    let peer = Peer::answering(Some(|request, reply| reply.result(&request.method)));
    for id in ["0", r#""""#, "-0"] {
        let (_, seen) = peer.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#));
        assert_eq!(seen[1], format!(r#"reply {{"jsonrpc":"2.0","id":{id},"result":"m"}}"#));
    }
    assert_eq!(peer.send(result(0)).1, ["odd: response for unknown id 0"]);
}

/// Case 56. Invariant 6.
#[test]
fn a_late_answer_is_not_an_error() {
    let peer = Peer::new();
    let [call] = peer.call();
    drop(call);
    assert_eq!(peer.send(result(1)), (0, vec!["odd: late response for id 1".to_owned()]));
    let [mut second] = peer.call();
    assert_eq!(peer.send(result(2)), (1, vec![]));
    assert_eq!(outcome(&mut second), r#"{"tag":2}"#);
    assert_eq!((peer.counts().late, peer.correlator.pending()), (1, 0));
}

/// Case 57: who the token belongs to is not known here, so nothing can be wrong with it.
#[test]
fn progress_for_an_unknown_token_is_a_notification_like_any_other() {
    let peer = Peer::new();
    let [call] = peer.call();
    peer.send(result(1));
    for params in [
        r#"{"progressToken":1,"progress":2}"#,
        r#"{"progressToken":"made-up","progress":1}"#,
        r#"{"progress":0}"#,
    ] {
        let (settled, seen) =
            peer.send(format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#));
        assert_eq!((settled, seen), (0, vec![format!("notification notifications/progress {params}")]));
    }
    drop(call);
}

/// Case 58.
#[test]
fn a_second_answer_is_ignored_and_the_first_one_counts() {
    let peer = Peer::new();
    let [mut a, mut b] = peer.call();
    assert_eq!(peer.send(result(1)), (1, vec![]));
    assert_eq!(peer.send(result(1)), (0, vec!["odd: duplicate response for id 1".to_owned()]));
    assert_eq!(peer.send(result(0)), (0, vec!["odd: response for unknown id 0".to_owned()]));
    assert_eq!(peer.send(result(2)), (1, vec![]));
    assert_eq!([outcome(&mut a), outcome(&mut b)], [r#"{"tag":1}"#, r#"{"tag":2}"#]);
    assert_eq!((peer.counts().duplicate, peer.counts().unmatched), (1, 1));
}

/// Case 59. Invariant 3: only the id decides.
#[test]
fn an_answer_to_another_call_settles_nothing_of_this_one() {
    let peer = Peer::new();
    let [a, mut b] = peer.call();
    drop(a);
    assert_eq!(peer.send(result(1)).0, 0);
    assert_eq!(peer.send(r#"{"jsonrpc":"2.0","id":true,"result":1}"#).0, 0);
    assert_eq!(outcome(&mut b), "waits");
}

/// Case 60.
#[test]
fn a_server_request_with_our_id_is_not_an_answer() {
    let peer = Peer::answering(Some(|_, reply| reply.result(&serde_json::json!({}))));
    let [mut call] = peer.call();
    let (settled, seen) = peer.send(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert_eq!(settled, 0);
    assert_eq!(seen, ["request 1 ping", r#"reply {"jsonrpc":"2.0","id":1,"result":{}}"#]);
    assert_eq!(outcome(&mut call), "waits");
    assert_eq!(peer.send(result(1)), (1, vec![]));
    assert_eq!(outcome(&mut call), r#"{"tag":1}"#);
}

/// Case 62.
#[test]
fn a_reply_carries_the_id_exactly_as_it_came() {
    let peer = Peer::answering(Some(|_, reply| reply.result(&serde_json::json!({}))));
    for id in [r#""k1""#, "7", "5.0", "7E0", r#""\u006b\/""#, "-9223372036854775808"] {
        let (_, seen) = peer.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        assert_eq!(seen[1], format!(r#"reply {{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
}

/// Case 62 and 164: what no program can hold as an id is echoed all the same.
#[test]
fn a_request_with_an_impossible_id_is_refused_with_that_id() {
    let peer = Peer::new();
    for id in ["1e400", "5.5", "18446744073709551615", "true", "[1, 2]", r#"{"a":1}"#] {
        let (settled, seen) = peer.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        assert_eq!((settled, seen.len()), (0, 1), "{seen:?}");
        let expected = format!(r#"reply {{"jsonrpc":"2.0","id":{id},"error":{{"code":-32600,"#);
        assert!(seen[0].starts_with(&expected), "{seen:?}");
    }
}

/// Case 64: the default of `Handler`.
#[test]
fn without_a_handler_requests_are_refused_and_notifications_are_not() {
    let seen = Arc::new(Recorder::default());
    let correlator = Correlator::new(IdFormat::Text, SystemTime::UNIX_EPOCH);
    let inbound = Inbound::new(correlator, Arc::new(crate::handler::Ignore), seen.clone());
    for (id, method) in
        [("5", "sampling/createMessage"), (r#""e""#, "elicitation/create"), ("6", "x/unknown")]
    {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#);
        inbound.accept(&frame.into());
        let expected = format!(
            r#"reply {{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found: {method}"}}}}"#
        );
        assert_eq!(seen.take(), [expected]);
    }
    inbound.accept(&r#"{"jsonrpc":"2.0","method":"x/unknown"}"#.into());
    assert!(seen.take().is_empty());
}

// Invariant 8: every way to use a token sends one reply, except to withhold it.
#[test]
fn every_reply_token_answers_exactly_once() {
    let raw = serde_json::value::to_raw_value(&[1]).unwrap();
    let ways: [(&dyn Fn(Reply), &str); 6] = [
        (&|reply| reply.result(&1), r#""result":1"#),
        (&|reply| reply.raw_result(&raw), r#""result":[1]"#),
        (&|reply| reply.error(&ErrorObject::invalid_params("p")), r#""error":{"code":-32602,"message":"p"}"#),
        (&|reply| reply.method_not_found("m"), r#""error":{"code":-32601,"message":"Method not found: m"}"#),
        (&|reply| drop(reply), r#""error":{"code":-32603,"message":"The request was not answered"}"#),
        (
            &|reply| reply.result(&std::collections::BTreeMap::from([([1], 1)])),
            r#""error":{"code":-32603,"message":"the result does not serialise: key must be a string"}"#,
        ),
    ];
    for (answer, expected) in ways {
        let seen = Arc::new(Recorder::default());
        let id: Box<RawValue> = serde_json::from_str("7").unwrap();
        answer(Reply::new(id, seen.clone()));
        assert_eq!(seen.take(), [format!(r#"reply {{"jsonrpc":"2.0","id":7,{expected}}}"#)]);
    }
    let seen = Arc::new(Recorder::default());
    Reply::new(serde_json::from_str("7").unwrap(), seen.clone()).withhold();
    assert!(seen.take().is_empty());
}

// Invariant 8: a handler that panics loses its token, and the token knows what to do.
#[test]
fn a_request_whose_handler_panics_is_answered() {
    let peer = Peer::answering(Some(|_, _reply| panic!("in a handler")));
    let frame = Bytes::from(r#"{"jsonrpc":"2.0","id":7,"method":"m"}"#);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| peer.inbound.accept(&frame)));
    assert!(caught.is_err());
    let seen = peer.seen.take();
    assert!(seen[1].starts_with(r#"reply {"jsonrpc":"2.0","id":7,"error":{"code":-32603"#), "{seen:?}");
}

/// Case 66.
#[test]
fn answers_in_an_array_are_taken_one_by_one() {
    let peer = Peer::new();
    let mut calls: [PendingCall; 4] = peer.call();
    assert_eq!(peer.send(format!("[{},{}]", result(1), result(2))), (2, vec![]));
    let (settled, seen) = peer.send("[]");
    assert_eq!((settled, seen.len()), (0, 1));
    let (settled, seen) = peer.send(format!("[{},17]", result(3)));
    assert_eq!((settled, seen.len()), (1, 1));
    assert!(seen[0].ends_with(": 17"), "the bad member alone is shown: {seen:?}");
    assert_eq!(calls.each_mut().map(outcome), [r#"{"tag":1}"#, r#"{"tag":2}"#, r#"{"tag":3}"#, "waits"]);
}

#[test]
fn a_broken_batch_settles_what_was_read_and_fails_what_shows_behind() {
    let peer = Peer::new();
    let [mut a, mut b] = peer.call();
    let (settled, _) = peer.send(format!(r#"[{},x,{}]"#, result(1), result(2)));
    assert_eq!(settled, 2);
    assert_eq!(outcome(&mut a), r#"{"tag":1}"#);
    assert!(outcome(&mut b).starts_with("the answer cannot be read: not JSON"));
    assert_eq!((peer.counts().settled, peer.counts().duplicate, peer.counts().malformed), (2, 0, 1));
}

/// Case 164.
#[test]
fn numbers_in_a_result_keep_their_spelling() {
    let numbers = "[9007199254740993,18446744073709551615,-0,1e400,0.1]";
    for padding in [String::new(), long()] {
        let peer = Peer::new();
        let [mut call] = peer.call();
        let result = format!(r#"{{"n":{numbers},"x":"{padding}"}}"#);
        peer.send(format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#));
        assert_eq!(outcome(&mut call), result);
    }
}

// Invariant 9: messages come up in the order of arrival; one sent before an answer is seen first.
#[test]
fn a_notification_before_an_answer_is_seen_before_it() {
    struct Looks(Mutex<Vec<usize>>, Arc<Correlator>);
    impl Handler for Looks {
        fn on_notification(&self, _: &Notification<'_>) {
            self.0.lock().unwrap().push(self.1.pending());
        }
    }
    let note = r#"{"jsonrpc":"2.0","method":"m"}"#;
    for frames in
        [vec![note.to_owned(), result(1), note.to_owned()], vec![format!("[{note},{},{note}]", result(1))]]
    {
        let correlator = Correlator::new(IdFormat::Number, SystemTime::UNIX_EPOCH);
        let looks = Arc::new(Looks(Mutex::default(), correlator.clone()));
        let inbound = Inbound::new(correlator.clone(), looks.clone(), Arc::new(Recorder::default()));
        let _call = correlator.begin().unwrap();
        for frame in frames {
            inbound.accept(&frame.into());
        }
        assert_eq!(*looks.0.lock().unwrap(), [1, 0]);
    }
}

// Invariant 12: a result is a window into the frame that brought it, never a copy.
#[test]
fn a_result_shares_the_memory_of_its_frame() {
    for (before, padding, after) in [("", String::new(), ""), ("[", String::new(), "]"), ("", long(), "")] {
        let peer = Peer::new();
        let [mut call] = peer.call();
        let text = format!(r#"{before}{{"jsonrpc":"2.0","id":1,"result":{{"x":"{padding}"}}}}{after}"#);
        let frame = Bytes::from(text);
        peer.inbound.accept(&frame);
        let Poll::Ready(Ok(result)) = Pin::new(&mut call).poll(&mut Context::from_waker(Waker::noop()))
        else {
            panic!("a result")
        };
        let (frame, part) = (frame.as_ptr_range(), result.as_bytes().as_ptr_range());
        assert!(frame.start < part.start && part.end < frame.end);
        let copy = result.compact();
        assert_eq!(copy, result);
        assert!(!frame.contains(&copy.as_bytes().as_ptr()));
    }
}

// Invariant 10: whatever the peer writes, what is said about it is short.
#[test]
fn what_is_reported_about_long_messages_is_bounded() {
    let peer = Peer::new();
    let [mut a, mut b] = peer.call();
    let huge = "\u{1b}".repeat(1 << 16);
    peer.send(&huge);
    peer.send(format!(r#""{}""#, long()));
    peer.send(format!(r#"{{"jsonrpc":"2.0","id":"{}","result":1}}"#, long()));
    peer.send(format!(r#"{{"jsonrpc":"2.0","id":1,"error":"{}"}}"#, long()));
    peer.send(format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"x":"{}"#, long()));
    peer.inbound.too_large(1 << 20, huge.as_bytes());
    // Each byte of a sample takes six characters at most, and a sentence stands around it.
    assert!(*peer.seen.longest.lock().unwrap() < 8 * SAMPLE_BYTES);
    assert!(outcome(&mut a).len() < 4 * SAMPLE_BYTES);
    assert!(outcome(&mut b).len() < 4 * SAMPLE_BYTES);
}

#[test]
fn an_answer_over_the_limit_fails_its_call_and_is_reported_once() {
    let peer = Peer::new();
    let [mut call] = peer.call();
    let head = br#"{"jsonrpc":"2.0","id":1,"result":{"#;
    peer.inbound.too_large(16, head);
    let mut failed = 0;
    Salvage::new().push(head, |id| failed += usize::from(peer.inbound.fail_too_large(&id, 16)));
    assert_eq!(failed, 1);
    assert_eq!(outcome(&mut call), "the answer is longer than the limit of 16 bytes");
    assert_eq!(peer.seen.take().len(), 1);
    assert_eq!((peer.counts().too_large, peer.counts().settled), (1, 1));
}

// Invariant 6: after all of this the next answer is delivered.
#[test]
fn no_frame_ends_the_connection() {
    let peer = Peer::new();
    let [mut call] = peer.call();
    let deep = "[".repeat(100_000);
    for frame in
        ["", " ", "\0", "{", "[", "]", "}", "[{", "\"", "{\"jsonrpc\":", "[[[]]]", "\u{feff}{}", &deep]
    {
        assert_eq!(peer.send(frame).0, 0, "{frame}");
    }
    assert!(peer.correlator.close_reason().is_none());
    peer.send(result(1));
    assert_eq!(outcome(&mut call), r#"{"tag":1}"#);
}
