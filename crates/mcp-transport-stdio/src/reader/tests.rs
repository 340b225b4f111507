//! The reader over a stream that the tests write.

use std::pin::Pin;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::SystemTime;

use mcp_jsonrpc::{
    CallError, Correlator, Diagnostic, Handler, IdFormat, Notification, PendingCall, ReplySink,
    TransportFault,
};

use super::*;

#[derive(Default)]
struct Seen(Mutex<Vec<String>>);

impl Seen {
    fn note(&self, what: String) {
        self.0.lock().unwrap().push(what);
    }
}

impl Handler for Seen {
    fn on_notification(&self, notification: &Notification<'_>) {
        self.note(format!("notification {}", notification.method));
    }

    fn on_error(&self, fault: &TransportFault) {
        self.note(format!("fault {fault}"));
    }

    fn on_diagnostic(&self, diagnostic: &Diagnostic) {
        self.note(format!("diagnostic {diagnostic}"));
    }
}

impl ReplySink for Seen {
    fn send_reply(&self, message: Vec<u8>) {
        self.note(format!("reply {}", String::from_utf8_lossy(&message)));
    }
}

/// Reads `input` with calls 1 and 2 in flight; yields what was seen, and the calls.
async fn read(max_line: usize, input: &[u8]) -> (Vec<String>, [PendingCall; 2]) {
    let seen = Arc::new(Seen::default());
    let correlator = Correlator::new(IdFormat::Number, SystemTime::UNIX_EPOCH);
    let calls = [correlator.begin().unwrap(), correlator.begin().unwrap()];
    let inbound = Inbound::new(correlator, seen.clone(), seen.clone());
    let received = AtomicU64::new(0);
    Reader::new(inbound, max_line).run(input, &received, |_| {}).await.unwrap();
    assert_eq!(received.into_inner(), input.len() as u64);
    let seen = std::mem::take(&mut *seen.0.lock().unwrap());
    (seen, calls)
}

/// Invariant 6: bad input never ends a connection.
#[tokio::test]
async fn noise_between_messages_is_a_diagnostic_and_nothing_more() {
    let input = b"demo server ready\n\x1b[33mwarn\x1b[0m\nnull\n\xff\xfe\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
    let (seen, [first, _]) = read(1000, input).await;
    assert_eq!(first.await.unwrap().as_str(), "{}");
    assert_eq!(seen.len(), 4, "{seen:?}");
    assert!(seen.iter().all(|what| what.starts_with("diagnostic ") && !what.contains('\x1b')));
}

#[tokio::test]
async fn an_overlong_answer_fails_its_call_wherever_the_id_stands() {
    let filler = "x".repeat(3 << 20);
    let input = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"{filler}\"}}\n{{\"result\":\"{filler}\",\"jsonrpc\":\"2.0\",\"id\":2}}\n\
         {{\"jsonrpc\":\"2.0\",\"method\":\"after\"}}\n"
    );
    let (seen, calls) = read(100, input.as_bytes()).await;
    for call in calls {
        assert!(matches!(call.await, Err(CallError::TooLarge { limit: 100 })));
    }
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert!(seen[0].starts_with("fault a message is longer than the limit of 100 bytes"));
    assert_eq!(seen[2], "notification after");
}

#[tokio::test]
async fn a_last_message_without_a_line_end_is_delivered_and_a_torn_one_is_not() {
    let (seen, [first, _]) = read(1000, br#"{"jsonrpc":"2.0","id":1,"result":3}"#).await;
    assert_eq!((first.await.unwrap().as_str(), seen.len()), ("3", 0));
    let (seen, _) = read(1000, br#"{"jsonrpc":"2.0","id":2,"resu"#).await;
    assert!(seen[0].contains("not JSON"), "{seen:?}");
}

/// S-52: a stream that breaks ends the reading, after all that came before was handled.
#[tokio::test]
async fn a_read_that_fails_is_the_only_error() {
    struct Breaks;
    impl AsyncRead for Breaks {
        fn poll_read(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            _: &mut tokio::io::ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()))
        }
    }
    let seen = Arc::new(Seen::default());
    let correlator = Correlator::new(IdFormat::Number, SystemTime::UNIX_EPOCH);
    let inbound = Inbound::new(correlator, seen.clone(), seen.clone());
    let stream = (&br#"{"jsonrpc":"2.0","method":"before"}"#[..]).chain(&b"\nnoise\n"[..]).chain(Breaks);
    let error = Reader::new(inbound, 1000).run(stream, &AtomicU64::new(0), |_| {}).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    let seen = seen.0.lock().unwrap();
    assert!(seen[0] == "notification before" && seen[1].starts_with("diagnostic") && seen.len() == 2);
}
