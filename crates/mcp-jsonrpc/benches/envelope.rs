//! From the bytes of a frame to the callback or the settled call, through `Inbound::accept`.
//!
//! The messages are those of the comparison with other clients: log notifications, short results
//! of tool calls, one of 65 KiB, and a list of 100 tools. Throughput is bytes of frames.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use bytes::Bytes;
use divan::Bencher;
use divan::counter::BytesCount;
use mcp_jsonrpc::{Correlator, Handler, IdFormat, Inbound, Notification, PendingCall, ReplySink};

fn main() {
    divan::main();
}

const NOTIFICATION: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"bench","data":{"message":"step finished, going on with the next one","progress":42}}}"#;

const SHORT_RESULT: &str = r#"{"content":[{"type":"text","text":"w0000-0000000017The \"quick\" brown fox jumps over the lazy dog, 0"}],"isError":false}"#;

const TOOL: &str = r#"{"name":"tool_0001","description":"Searches the records of a collection and returns the matching ones, newest first.","inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"Full-text query","minLength":1,"maxLength":512},"limit":{"type":"integer","minimum":1,"maximum":100,"default":20},"order":{"type":"string","enum":["newest","oldest","relevance"]},"filters":{"type":"object","properties":{"owner":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}}}}},"required":["query"]}}"#;

/// Lines of text with two escapes each.
fn long_result() -> String {
    SHORT_RESULT.replace(
        "w0000-0000000017",
        &"The \\\"quick\\\" brown fox jumps over the lazy dog, 0123456789 abcdef\\n".repeat(1000),
    )
}

fn tools() -> String {
    format!(r#"{{"tools":[{}]}}"#, vec![TOOL; 100].join(","))
}

#[derive(Default)]
struct Counting(AtomicU64);

impl Handler for Counting {
    fn on_notification(&self, notification: &Notification<'_>) {
        self.0.fetch_add(u64::from(notification.params.is_some()), Ordering::Relaxed);
    }
}

impl ReplySink for Counting {
    fn send_reply(&self, message: Vec<u8>) {
        black_box(message);
    }
}

fn connection() -> (Arc<Correlator>, Inbound) {
    let correlator = Correlator::new(IdFormat::Text, SystemTime::UNIX_EPOCH);
    let counting = Arc::new(Counting::default());
    (correlator.clone(), Inbound::new(correlator, counting.clone(), counting))
}

#[divan::bench(sample_size = 10_000)]
fn log_notification(bencher: Bencher<'_, '_>) {
    let (_, inbound) = connection();
    let frame = Bytes::from_static(NOTIFICATION.as_bytes());
    bencher.counter(BytesCount::new(frame.len())).bench_local(|| inbound.accept(black_box(&frame)));
}

/// Begins a call, makes the frame that answers it, and times taking that in; the call with its
/// answer is dropped outside.
fn answers(bencher: Bencher<'_, '_>, result: &str) {
    let (correlator, inbound) = connection();
    let size = Call::begin(&correlator, result).frame.len();
    bencher
        .counter(BytesCount::new(size))
        .with_inputs(|| Call::begin(&correlator, result))
        .bench_local_values(|call| {
            assert_eq!(inbound.accept(black_box(&call.frame)), 1);
            call
        });
}

struct Call {
    frame: Bytes,
    _waits: PendingCall,
}

impl Call {
    #[expect(clippy::expect_used, reason = "a benchmark; the connection is open")]
    fn begin(correlator: &Arc<Correlator>, result: &str) -> Self {
        let waits = correlator.begin().expect("an open connection");
        let id = serde_json::to_string(&waits.id()).expect("an id serialises");
        let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        Self { frame: frame.into(), _waits: waits }
    }
}

#[divan::bench(sample_size = 1_000)]
fn short_result(bencher: Bencher<'_, '_>) {
    answers(bencher, SHORT_RESULT);
}

#[divan::bench]
fn result_of_65_kib(bencher: Bencher<'_, '_>) {
    answers(bencher, &long_result());
}

#[divan::bench]
fn list_of_100_tools(bencher: Bencher<'_, '_>) {
    answers(bencher, &tools());
}
