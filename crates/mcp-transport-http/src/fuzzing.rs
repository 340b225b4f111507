//! The properties that the fuzz targets check, beside the code they are about.

mod session;

pub use self::session::session;

use std::time::Duration;

use bytes::Bytes;

use crate::sse::{Item, SseDecoder};

/// Any bytes in any cut: the events, ids and waits are those of the obvious decoder, and what is
/// held back is bounded by the limit.
///
/// The first byte says how the rest is cut, the second is the limit.
pub fn events(data: &[u8]) {
    let [cut, limit, input @ ..] = data else { return };
    let (cut, limit) = (usize::from(*cut).max(1), usize::from(*limit));
    let expected = obvious(input, limit);
    assert_eq!(decode([input], limit), expected, "the obvious decoder agrees");
    assert_eq!(decode(input.chunks(cut), limit), expected, "cuts do not matter");
}

/// All that a stream says.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) found: Vec<Found>,
    pub(crate) last_id: Option<Vec<u8>>,
    pub(crate) retry: Option<Duration>,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Found {
    /// An event, and the last id when it was found.
    Event { kind: Vec<u8>, data: Vec<u8>, id: Option<Vec<u8>> },
    /// All parts of the data of an overlarge event.
    TooLarge(Vec<u8>),
}

pub(crate) fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, limit: usize) -> Outcome {
    let mut decoder = SseDecoder::new(limit);
    let mut found = Vec::new();
    for chunk in chunks {
        decoder.push(Bytes::copy_from_slice(chunk));
        while let Some(item) = decoder.next_event() {
            match (item, found.last_mut()) {
                (Item::Event(event), _) => found.push(Found::Event {
                    kind: event.kind.to_vec(),
                    data: event.data.to_vec(),
                    id: decoder.last_event_id().map(<[u8]>::to_vec),
                }),
                (Item::TooLarge(data), _) => found.push(Found::TooLarge(data.to_vec())),
                (Item::More(data), Some(Found::TooLarge(before))) => before.extend_from_slice(&data),
                (Item::More(_), _) => panic!("more of an event that was not too large"),
            }
        }
        // A type, an id, and a value one byte longer than the limit.
        assert!(decoder.buffered() <= 3 * limit + 1, "nothing is held back beyond the limit");
    }
    Outcome { found, last_id: decoder.last_event_id().map(<[u8]>::to_vec), retry: decoder.retry() }
}

/// The grammar, read to the letter: the whole stream at once, with many copies.
pub(crate) fn obvious(input: &[u8], limit: usize) -> Outcome {
    let mut outcome = Outcome::default();
    let mut block = Block::default();
    let lines = lines(input);
    for (at, line) in lines.iter().enumerate() {
        let is_cut = at + 1 == lines.len();
        if line.is_empty() && !is_cut {
            if let Some(id) = block.id.take() {
                outcome.last_id = Some(id);
            }
            let block = std::mem::take(&mut block);
            if block.size > limit {
                outcome.found.push(Found::TooLarge(block.data()));
            } else if !block.lines.is_empty() {
                let (data, id) = (block.data(), outcome.last_id.clone());
                let kind = if block.kind.is_empty() { b"message".to_vec() } else { block.kind };
                outcome.found.push(Found::Event { kind, data, id });
            }
            continue;
        }
        let Some((name, value)) = field(line, is_cut) else { continue };
        let is_kept = !is_cut && value.len() <= limit;
        let digits = value.iter().all(u8::is_ascii_digit) && !value.is_empty();
        match name {
            b"data" => block.lines.push(value.to_vec()),
            b"event" if is_kept => block.kind = value.to_vec(),
            b"id" if is_kept && !value.contains(&0) => block.id = Some(value.to_vec()),
            b"retry" if is_kept && digits => {
                // Digits that are too many for the type are the only way to fail.
                let number = String::from_utf8_lossy(value).parse().unwrap_or(u64::MAX);
                outcome.retry = Some(Duration::from_millis(number));
            }
            b"event" | b"id" | b"retry" => {}
            _ => continue,
        }
        block.size += value.len() + usize::from(name == b"data" && block.lines.len() > 1);
    }
    // An event without its end is dropped, but one that is too large was reported before.
    if block.size > limit {
        outcome.found.push(Found::TooLarge(block.data()));
    }
    outcome
}

#[derive(Default)]
struct Block {
    lines: Vec<Vec<u8>>,
    kind: Vec<u8>,
    id: Option<Vec<u8>>,
    size: usize,
}

impl Block {
    fn data(&self) -> Vec<u8> {
        self.lines.join(&b'\n')
    }
}

/// The lines without a byte order mark and their ends; last the one that has no end, often empty.
fn lines(input: &[u8]) -> Vec<Vec<u8>> {
    let input = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input);
    let (mut lines, mut line) = (Vec::new(), Vec::new());
    for (at, &byte) in input.iter().enumerate() {
        match byte {
            b'\n' if at > 0 && input[at - 1] == b'\r' => {}
            b'\n' | b'\r' => lines.push(std::mem::take(&mut line)),
            _ => line.push(byte),
        }
    }
    lines.push(line);
    lines
}

/// Name and value. The name of a cut line is not known before its colon.
fn field(line: &[u8], is_cut: bool) -> Option<(&[u8], &[u8])> {
    match line.iter().position(|byte| *byte == b':') {
        Some(colon) => {
            let value = &line[colon + 1..];
            Some((&line[..colon], value.strip_prefix(b" ").unwrap_or(value)))
        }
        None if is_cut => None,
        None => Some((line, b"")),
    }
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn replay(target: &str, property: fn(&[u8])) {
        let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
        let mut files = 0;
        for entry in std::fs::read_dir(&corpus).unwrap() {
            property(&std::fs::read(entry.unwrap().path()).unwrap());
            files += 1;
        }
        assert!(files > 0, "no corpus in {}", corpus.display());
    }

    #[test]
    fn the_corpus_of_events_holds() {
        replay("events", super::events);
    }

    #[test]
    fn the_corpus_of_sessions_holds() {
        replay("session", super::session);
    }
}
