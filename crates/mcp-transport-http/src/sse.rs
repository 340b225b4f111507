//! Cuts a byte stream into server-sent events: the framing of event streams, without any IO.
//!
//! `scanner` finds lines and fields in the chunks, `block` adds the fields of one event up, and `data`
//! is how the data of an event is held.

mod block;
mod data;
mod scanner;

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;

use self::scanner::Scanner;

/// Decodes an event stream by the grammar of the WHATWG, chunk by chunk.
///
/// No byte is scanned twice, however the stream is cut, and none is copied more than once, but for
/// the growth of a buffer. All is bytes: what is no UTF-8 is handed out as it came. An event that
/// is not ended by a blank line is never handed out; at the end of the stream the decoder is simply
/// dropped. One decoder is for one connection.
///
/// Memory in use is bounded: of an event no more is held than the limit plus one chunk, in a buffer
/// that doubles as it grows, and no id or type that is longer than the limit. Only small buffers
/// are kept from one event for the next.
#[derive(Debug)]
pub struct SseDecoder {
    /// The chunk at hand.
    chunk: Option<Bytes>,
    /// Chunks that were pushed before the one at hand was used up.
    waiting: VecDeque<Bytes>,
    scanner: Scanner,
}

/// What the decoder found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A whole event.
    Event(Event),
    /// An event is larger than the limit: its data so far. Comes once for each such event.
    TooLarge(Bytes),
    /// More data of the event that [`TooLarge`](Self::TooLarge) was about. Where it is cut depends
    /// on the chunks; joined, all parts are the event's data.
    More(Bytes),
}

/// One event of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its type; `message` where the stream gives none.
    pub kind: Bytes,
    /// Its `data` lines, joined by LF; empty for an event that only carries an id.
    ///
    /// A window into the chunk if the data is one line in one chunk, else one into a buffer. It keeps
    /// all of that in memory: copy what is small and held for long.
    pub data: Bytes,
}

impl SseDecoder {
    /// A decoder at the start of a stream, for events of at most `max_event` bytes.
    ///
    /// What counts are the values of the fields `data`, `event`, `id` and `retry`, and the LF
    /// between two `data` lines. Comments and unknown fields are not held, and do not count.
    pub fn new(max_event: usize) -> Self {
        Self { chunk: None, waiting: VecDeque::new(), scanner: Scanner::new(max_event) }
    }

    /// Adds the next bytes of the stream.
    ///
    /// They are held until [`next_event`](Self::next_event) has gone through them, so it should be
    /// called until it gives nothing more before the next push.
    pub fn push(&mut self, chunk: Bytes) {
        if self.chunk.is_none() {
            self.chunk = Some(chunk);
        } else {
            self.waiting.push_back(chunk);
        }
    }

    /// The next event, or part of an overlarge one; `None` if more bytes are needed.
    pub fn next_event(&mut self) -> Option<Item> {
        loop {
            let item = self.scanner.next_item(self.chunk.as_ref()?);
            if item.is_some() {
                return item;
            }
            // Let go of it now: the next push may be far off.
            self.chunk = None;
            self.chunk = Some(self.waiting.pop_front()?);
        }
    }

    /// The id to resume the stream with: the last one of the events that ended so far.
    ///
    /// `None` until there was one on this connection. Empty if the server took it back. An event
    /// without data counts too, and one that is too large as soon as it has ended. The bytes are
    /// those of the stream, without NUL, CR and LF; whether they are UTF-8 is not checked.
    pub fn last_event_id(&self) -> Option<&[u8]> {
        self.scanner.block().last_id()
    }

    /// How long the server wants clients to wait before they connect again.
    ///
    /// The last valid value on this connection, as it came: bounds are up to the caller. A number
    /// of milliseconds that does not fit into 64 bits is cut to the largest that does.
    pub fn retry(&self) -> Option<Duration> {
        self.scanner.block().retry()
    }

    /// Bytes held back for an event that has not ended.
    pub fn buffered(&self) -> usize {
        self.scanner.block().buffered()
    }
}

impl Event {
    /// Whether this is of the default type, the only one that carries messages of the protocol.
    pub fn is_message(&self) -> bool {
        self.kind == block::DEFAULT_KIND
    }
}

#[cfg(test)]
mod tests;
