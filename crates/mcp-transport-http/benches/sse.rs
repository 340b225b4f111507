//! Our decoder of event streams beside the crate `sse-stream`, on the streams of the comparison
//! with other clients. `SseStream` is what those measured; `SseByteStream` is its faster sibling.
//!
//! `cargo bench -p mcp-transport-http` prints MB/s, and our speed divided by theirs: medians of some rounds, in each of which every
//! decoder goes through the stream once, so that a busy machine hits all alike. Without `--bench`,
//! as `cargo test --benches` runs it, there is one round.

use std::convert::Infallible;
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use mcp_transport_http::sse::{Item, SseDecoder};
use sse_stream::{Sse, SseByteStream, SseStream};

const LINE_ENDS: [(&str, &str); 2] = [("LF", "\n"), ("CRLF", "\r\n")];

/// Name and decoder; a decoder returns how many events there were, and the bytes of their data.
const DECODERS: [(&str, Decoder); 3] =
    [("ours", ours), ("SseStream", body_stream), ("SseByteStream", byte_stream)];

type Decoder = fn(Vec<Bytes>) -> Found;
type Found = (usize, usize);

fn main() {
    let rounds = if std::env::args().any(|argument| argument == "--bench") { 31 } else { 1 };
    let names = DECODERS.map(|(name, _)| format!("{name:>14}")).concat();
    let ratios =
        DECODERS[1..].iter().map(|(name, _)| format!("{:>16}", format!("/ {name}"))).collect::<String>();
    show(&format!("{:<42}{names}{ratios}", "MB/s"));
    for row in rows() {
        compare(&row, rounds);
    }
}

struct Row {
    name: String,
    chunks: Vec<Bytes>,
    expected: Found,
}

/// The rows of the comparison, and the streams of the worst server: one byte at a time.
fn rows() -> Vec<Row> {
    let small = |random: &mut Random| 60 + random.below(100);
    let large = |_: &mut Random| 64 * 1024;
    let wide = |_: &mut Random| 16 * 1024;
    let tiny = |random: &mut Random| 1 + random.below(7);
    let single = |_: &mut Random| 1;
    let mut rows = Vec::new();
    for (end_name, end) in LINE_ENDS {
        let name = |what| format!("{what}, {end_name}");
        rows.push(Row::new(name("150 B events, 16 KiB chunks"), &events(8 << 20, end, small), wide));
        rows.push(Row::new(name("64 KiB events, 16 KiB chunks"), &events(8 << 20, end, large), wide));
        rows.push(Row::new(name("150 B events, 1-7 B chunks"), &events(1 << 20, end, small), tiny));
        rows.push(Row::new(name("64 KiB events, 1-7 B chunks"), &events(1 << 20, end, large), tiny));
    }
    for size in [64 << 10, 1 << 20] {
        let name = format!("one event of {} KiB, 1 B chunks", size >> 10);
        rows.push(Row::new(name, &events(1, "\n", |_| size), single));
    }
    rows
}

/// A stream of `message` events with one data line each, of about `total` bytes.
fn events(total: usize, end: &str, size: impl Fn(&mut Random) -> usize) -> (Vec<u8>, Found) {
    let mut random = Random(7);
    let (mut stream, mut count, mut length) = (String::new(), 0, 0);
    while stream.len() < total {
        let text = "x".repeat(size(&mut random));
        let data = format!(r#"{{"id":{count},"result":{{"text":"{text}"}}}}"#);
        stream.push_str(&format!("event: message{end}id: {count}{end}data: {data}{end}{end}"));
        count += 1;
        length += data.len();
    }
    (stream.into_bytes(), (count, length))
}

impl Row {
    fn new(name: String, (stream, expected): &(Vec<u8>, Found), size: impl Fn(&mut Random) -> usize) -> Self {
        let mut random = Random(11);
        let mut rest = Bytes::copy_from_slice(stream);
        let mut chunks = Vec::new();
        while !rest.is_empty() {
            chunks.push(rest.split_to(size(&mut random).min(rest.len())));
        }
        Self { name, chunks, expected: *expected }
    }
}

fn compare(row: &Row, rounds: usize) {
    let mut times = DECODERS.map(|_| Vec::new());
    for round in 0..=rounds {
        for ((name, decode), times) in DECODERS.iter().zip(&mut times) {
            // The chunks are handed over, as a connection does it.
            let chunks = black_box(row.chunks.clone());
            let start = Instant::now();
            let found = decode(chunks);
            let time = start.elapsed();
            assert_eq!(found, row.expected, "{name} on {}", row.name);
            // The first round warms up.
            if round > 0 {
                times.push(time);
            }
        }
    }
    let length: usize = row.chunks.iter().map(Bytes::len).sum();
    let speeds = times.map(|times| length as f64 / median(times).as_secs_f64() / 1e6);
    let columns = speeds.map(|speed| format!("{speed:>14.0}")).concat();
    let ratios = speeds[1..].iter().map(|speed| format!("{:>16.2}", speeds[0] / speed)).collect::<String>();
    show(&format!("{:<42}{columns}{ratios}", row.name));
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn ours(chunks: Vec<Bytes>) -> Found {
    let mut decoder = SseDecoder::new(16 << 20);
    let (mut count, mut length) = (0, 0);
    for chunk in chunks {
        decoder.push(chunk);
        while let Some(item) = decoder.next_event() {
            if let Item::Event(event) = item {
                count += 1;
                length += event.data.len();
            }
        }
    }
    (count, length)
}

fn byte_stream(chunks: Vec<Bytes>) -> Found {
    drain(SseByteStream::new(source(chunks)))
}

fn body_stream(chunks: Vec<Bytes>) -> Found {
    drain(SseStream::from_bytes_stream(source(chunks)))
}

fn source(chunks: Vec<Bytes>) -> impl Stream<Item = Result<Bytes, Infallible>> + Unpin {
    stream::iter(chunks.into_iter().map(Ok))
}

/// Polls a stream that is always ready, so that nothing but the decoder is measured.
fn drain<E>(events: impl Stream<Item = Result<Sse, E>>) -> Found {
    let mut events = pin!(events);
    let mut context = Context::from_waker(Waker::noop());
    let (mut count, mut length) = (0, 0);
    while let Poll::Ready(Some(event)) = events.as_mut().poll_next(&mut context) {
        count += 1;
        length += event.ok().and_then(|event| event.data).map_or(0, |data| data.len());
    }
    (count, length)
}

#[expect(clippy::print_stdout, reason = "the table is what the benchmark is for")]
fn show(line: &str) {
    println!("{line}");
}

/// A small deterministic generator (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    }
}
