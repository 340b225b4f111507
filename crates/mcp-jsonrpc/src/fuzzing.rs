//! The properties that the fuzz targets check, beside the code they are about.
//!
//! Each is a plain function of some bytes that panics when a property does not hold. The fuzz
//! targets call them, and so do unit tests that replay the committed corpora on stable.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::SystemTime;

use bytes::Bytes;

use crate::envelope::{self, Id, Message, Outcome};
use crate::{
    CallError, CloseCause, CloseReason, Correlator, Counts, Handler, IdFormat, Inbound, Notification,
    PendingCall, Raw, Reply, ReplySink, Request, Salvage, frame, split,
};

/// Reading any bytes as a frame: no panic, one report a message, requests answered exactly once,
/// what we write reads back the same, the short cut for long answers agrees with the parser, and the
/// salvage scanner does not depend on cuts.
pub fn message(data: &[u8]) {
    let seen = Arc::new(Seen::default());
    let correlator = Correlator::new(IdFormat::Number, SystemTime::UNIX_EPOCH);
    let inbound = Inbound::new(correlator.clone(), seen.clone(), seen.clone());
    inbound.accept(&Bytes::copy_from_slice(data));
    let replies = seen.replies.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for reply in &replies {
        envelope::read(reply, |_, message| assert!(matches!(message, Ok(Message::Response { .. }))));
    }
    let mut requests = 0;
    envelope::read(data, |_, message| match message {
        Ok(Message::Notification { method, params }) => {
            let written = frame::notification(&method, params);
            envelope::read(&written, |_, again| {
                let Ok(Message::Notification { method: same, params: raw }) = again else {
                    panic!("a notification")
                };
                assert_eq!((&same, raw.map(|raw| raw.get())), (&method, params.map(|raw| raw.get())));
            });
        }
        Ok(Message::Request { .. }) => requests += 1,
        Ok(Message::Response { .. }) | Err(_) => {}
    });
    assert_eq!(replies.len(), requests, "each request is answered exactly once");
    let ids = |chunk: usize| {
        let (mut salvage, mut ids) = (Salvage::new(), Vec::new());
        data.chunks(chunk.max(1)).for_each(|chunk| salvage.push(chunk, |id| ids.push(id)));
        ids
    };
    assert_eq!(ids(data.len()), ids(1), "the salvage scanner does not depend on cuts");
    agree(data);
}

/// What is split off as the result of a long answer, and turns out to be JSON, is what the parser
/// finds in the whole frame.
fn agree(data: &[u8]) {
    // A form feed is white space to `trim_ascii`, but not to JSON.
    if data.contains(&b'\x0c') {
        return;
    }
    let mut frame = data.to_vec();
    frame.resize(data.len().max(2048), b' ');
    let frame = Bytes::from(frame);
    let Some(split) = split::response(&frame) else { return };
    let Some(id) = Id::from_text(split.id) else { return };
    let Ok(result) = Raw::unread(&frame, split.result).check() else { return };
    envelope::read(&frame, |_, message| {
        let Ok(Message::Response { id: Some(same), outcome: Outcome::Result(whole) }) = message else {
            panic!("split into id {} and {result:?}, but read as {message:?}", split.id)
        };
        assert_eq!((same.raw().get(), whole.get()), (id.raw().get(), result.as_str()));
    });
}

#[derive(Default)]
struct Seen {
    replies: Mutex<Vec<Vec<u8>>>,
    requests: AtomicUsize,
}

impl Handler for Seen {
    fn on_notification(&self, _: &Notification<'_>) {}

    /// Every way to answer in turn, dropping the token among them.
    fn on_request(&self, request: &Request<'_>, reply: Reply) {
        match self.requests.fetch_add(1, Ordering::Relaxed) % 3 {
            0 => drop(reply),
            1 => reply.method_not_found(request.method),
            _ => reply.result(&1),
        }
    }
}

impl ReplySink for Seen {
    fn send_reply(&self, message: Vec<u8>) {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }
}

/// Any order of begin, answer, give up and close, checked against a model after each step: every
/// call is settled exactly once, nothing is left in the table, the counts add up (invariant 7).
pub fn correlate(steps: &[u8]) {
    let mut world = World::new();
    for step in steps.iter().take(4096) {
        world.step(*step);
        world.check();
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Model {
    Waiting,
    Answered,
    GivenUp,
    Closed,
}

struct World {
    correlator: Arc<Correlator>,
    inbound: Inbound,
    calls: Vec<(Option<PendingCall>, Model)>,
    closed: bool,
    counts: Counts,
}

impl World {
    fn new() -> Self {
        let correlator = Correlator::new(IdFormat::Number, SystemTime::UNIX_EPOCH);
        let seen = Arc::new(Seen::default());
        let inbound = Inbound::new(correlator.clone(), seen.clone(), seen);
        Self { correlator, inbound, calls: Vec::new(), closed: false, counts: Counts::default() }
    }

    fn step(&mut self, step: u8) {
        let at = usize::from(step / 5);
        match step % 5 {
            0 => self.begin(),
            1 => self.answer(at),
            2 => self.give_up(at),
            3 => self.collect(at),
            _ => self.close(),
        }
    }

    fn begin(&mut self) {
        match self.correlator.begin() {
            Ok(call) => {
                assert!(!self.closed);
                self.counts.begun += 1;
                self.calls.push((Some(call), Model::Waiting));
            }
            Err(error) => assert!(self.closed && error.is_closed()),
        }
    }

    /// A response for call `at`, which may never have been made.
    fn answer(&mut self, at: usize) {
        let (expected, counter) = match self.calls.get_mut(at) {
            Some((_, model @ Model::Waiting)) => {
                *model = Model::Answered;
                (1, &mut self.counts.settled)
            }
            Some((_, Model::GivenUp)) => (0, &mut self.counts.late),
            Some(_) => (0, &mut self.counts.duplicate),
            None => (0, &mut self.counts.unmatched),
        };
        *counter += 1;
        let frame = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{at}}}"#, at + 1);
        assert_eq!(self.inbound.accept(&Bytes::from(frame)), expected, "calls settled by an answer to {at}");
    }

    fn give_up(&mut self, at: usize) {
        if let Some((call, model)) = self.calls.get_mut(at)
            && call.take().is_some()
            && *model == Model::Waiting
        {
            *model = Model::GivenUp;
            self.counts.abandoned += 1;
        }
    }

    /// Takes the outcome of call `at`, which must be there exactly when the model says so.
    fn collect(&mut self, at: usize) {
        let Some((slot @ Some(_), model)) = self.calls.get_mut(at) else { return };
        let Some(call) = slot else { return };
        match (Pin::new(call).poll(&mut Context::from_waker(Waker::noop())), *model) {
            (Poll::Pending, Model::Waiting) => return,
            (Poll::Ready(Ok(raw)), Model::Answered) => assert_eq!(raw.as_str(), at.to_string()),
            (Poll::Ready(Err(CallError::Closed { .. })), Model::Closed) => {}
            (got, model) => panic!("call {at} is {model:?}, but got {got:?}"),
        }
        *slot = None;
    }

    fn close(&mut self) {
        let first = self.correlator.close(&Arc::new(CloseReason::new(CloseCause::Requested)));
        assert_eq!(first, !self.closed, "only the first close counts");
        self.closed = true;
        for (_, model) in &mut self.calls {
            if *model == Model::Waiting {
                *model = Model::Closed;
                self.counts.closed += 1;
            }
        }
    }

    fn check(&self) {
        let waiting = self.calls.iter().filter(|(_, model)| *model == Model::Waiting).count();
        assert_eq!(self.correlator.pending(), waiting);
        assert_eq!(self.correlator.counts(), self.counts);
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests read the committed corpora")]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;
    use proptest::sample::select;

    fn replay(target: &str, property: fn(&[u8])) {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
        let mut files = 0;
        for entry in std::fs::read_dir(&corpus).unwrap() {
            property(&std::fs::read(entry.unwrap().path()).unwrap());
            files += 1;
        }
        assert!(files > 0, "no corpus in {}", corpus.display());
    }

    #[test]
    fn the_corpus_of_message_holds() {
        replay("message", super::message);
    }

    proptest::proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2048, ..Default::default() })]

        /// Invariant 11: an envelope is read the same, whichever way it takes.
        #[test]
        fn envelopes_of_any_members_in_any_order_hold(members in members(), end in select(ENDS.to_vec())) {
            super::message(format!("{{{}{end}", members.join(",")).as_bytes());
        }
    }

    const VERSIONS: [&str; 4] =
        [r#""jsonrpc":"2.0""#, r#""jsonrpc":"2.0""#, r#" "jsonrpc" : "2.0" "#, r#""jsonrpc":"1.0""#];
    const IDS: [&str; 5] =
        [r#""id":7"#, r#" "id" : "a" "#, r#""id":null"#, r#""id":"\u0061""#, r#""id":[7]"#];
    const RESULTS: [&str; 6] = [
        r#""result":{}"#,
        r#""result" : {"a":{"id":8,"result":{}}} "#,
        r#""result":{"t":"},\"id\":9"}"#,
        r#""result":1"#,
        r#""result":{"#,
        r#""result":{]}"#,
    ];
    const OTHERS: [&str; 8] = [
        r#""error":null"#,
        r#""error":{"code":1,"message":""}"#,
        r#""method":"m""#,
        r#""method":null"#,
        r#""x":{}"#,
        r#""x":[}"#,
        r#""id":{}"#,
        "}{",
    ];
    const ENDS: [&str; 6] = ["}", "}", " } ", "}}", "}]", ""];

    /// The members of a response, and up to two more, which may repeat or spoil them.
    fn members() -> impl Strategy<Value = Vec<&'static str>> {
        let all = [VERSIONS.as_slice(), &IDS, &RESULTS, &OTHERS].concat();
        let more = proptest::collection::vec(select(all), 0..3);
        (select(VERSIONS.to_vec()), select(IDS.to_vec()), select(RESULTS.to_vec()), more)
            .prop_map(|(version, id, result, more)| [&[version, id, result], more.as_slice()].concat())
            .prop_shuffle()
    }

    #[test]
    fn the_corpus_of_correlate_holds() {
        replay("correlate", super::correlate);
    }

    /// Invariant 7: every call begun is settled exactly once. All orders of up to 6 steps over
    /// two calls.
    #[test]
    fn every_order_of_begin_answer_give_up_and_close_settles_each_call_once() {
        // begin, answer 0, answer 1, give up 0, give up 1, collect 0, collect 1, close
        const STEPS: [u8; 8] = [0, 1, 6, 2, 7, 3, 8, 4];
        fn all(steps: &mut Vec<u8>) {
            super::correlate(steps);
            if steps.len() < 6 {
                for step in STEPS {
                    steps.push(step);
                    all(steps);
                    steps.pop();
                }
            }
        }
        all(&mut Vec::new());
    }
}
