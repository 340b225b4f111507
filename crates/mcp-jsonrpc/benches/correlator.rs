//! What a call costs apart from its messages: entering it, and each way in which it ends.

use std::hint::black_box;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use divan::Bencher;
use divan::counter::ItemsCount;
use mcp_jsonrpc::{Correlator, IdFormat, Ignore, Inbound, PendingCall, ReplySink};

fn main() {
    divan::main();
}

const FORMATS: [IdFormat; 2] = [IdFormat::Text, IdFormat::Number];

struct Nowhere;

impl ReplySink for Nowhere {
    fn send_reply(&self, _: Vec<u8>) {}
}

fn connection(format: IdFormat) -> (Arc<Correlator>, Inbound) {
    let correlator = Correlator::new(format, SystemTime::UNIX_EPOCH);
    (correlator.clone(), Inbound::new(correlator, Arc::new(Ignore), Arc::new(Nowhere)))
}

#[expect(clippy::expect_used, reason = "a benchmark; the connection is open")]
fn begin(correlator: &Arc<Correlator>) -> PendingCall {
    correlator.begin().expect("an open connection")
}

/// The message that asks, turned into the frame that answers, as the shortest server would.
fn answer(call: &PendingCall) -> Bytes {
    let mut frame = call.message("", None);
    frame.truncate(frame.len() - r#""method":""}"#.len());
    frame.extend_from_slice(br#""result":{}}"#);
    frame.into()
}

#[divan::bench(args = FORMATS, sample_size = 1_000)]
fn begin_and_answer(bencher: Bencher<'_, '_>, format: IdFormat) {
    let (correlator, inbound) = connection(format);
    bencher.counter(ItemsCount::new(1usize)).bench_local(|| {
        let call = begin(&correlator);
        assert_eq!(inbound.accept(&answer(&call)), 1);
        call
    });
}

#[divan::bench(args = FORMATS, sample_size = 1_000)]
fn begin_and_drop(bencher: Bencher<'_, '_>, format: IdFormat) {
    let (correlator, _) = connection(format);
    bencher.counter(ItemsCount::new(1usize)).bench_local(|| drop(black_box(begin(&correlator))));
}

/// 64 calls in flight, answered in the order in which they were made; an item is one call.
#[divan::bench(args = FORMATS, sample_size = 100)]
fn sixty_four_in_flight(bencher: Bencher<'_, '_>, format: IdFormat) {
    let (correlator, inbound) = connection(format);
    bencher.counter(ItemsCount::new(64usize)).bench_local(|| {
        let calls: Vec<_> = (0..64).map(|_| begin(&correlator)).collect();
        let settled: usize = calls.iter().map(|call| inbound.accept(&answer(call))).sum();
        assert_eq!(settled, 64);
    });
}
