//! Cuts a byte stream into server-sent events: the framing of event streams, without any IO.
//!
//! [`SseDecoder`] finds lines and fields. What the fields of one event add up to is the matter of
//! `block`, and how its data is held that of `data`.

mod block;
mod data;

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use memchr::memchr2;

use self::block::{Block, Field, LONGEST_NAME};

/// In fewer bytes than this a plain loop finds a line end sooner than a vector search.
const SHORT: usize = 16;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

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
    /// How much of it is decoded.
    at: usize,
    /// Chunks that were pushed before the one at hand was used up.
    waiting: VecDeque<Bytes>,
    place: Place,
    /// Whether a CR ended the chunk and the last line, so that an LF now belongs to that end.
    is_after_cr: bool,
    /// The beginning of a field name that was cut.
    name: Vec<u8>,
    block: Block,
}

/// Where in the stream the next byte stands.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// At its beginning, behind this much of a byte order mark.
    Mark(usize),
    /// At the start of a line, or in the name of a field.
    Name,
    /// Behind the colon, where a space may stand.
    Space(Field),
    Value(Field),
    /// In a line that means nothing.
    Ignored,
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
    /// A window into the chunk, which it keeps in memory, if the data is one line in one chunk.
    pub data: Bytes,
}

impl SseDecoder {
    /// A decoder at the start of a stream, for events of at most `max_event` bytes.
    ///
    /// What counts are the values of the fields `data`, `event`, `id` and `retry`, and the LF
    /// between two `data` lines. Comments and unknown fields are not held, and do not count.
    pub fn new(max_event: usize) -> Self {
        Self {
            chunk: None,
            at: 0,
            waiting: VecDeque::new(),
            place: Place::Mark(0),
            is_after_cr: false,
            name: Vec::with_capacity(LONGEST_NAME),
            block: Block::new(max_event),
        }
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
        while let Some(chunk) = self.chunk.take() {
            while self.at < chunk.len() {
                let item = self.step(&chunk);
                if item.is_some() {
                    self.chunk = Some(chunk);
                    return item;
                }
            }
            self.at = 0;
            self.chunk = self.waiting.pop_front();
        }
        None
    }

    /// The id to resume the stream with: the last one of the events that ended so far.
    ///
    /// `None` until there was one on this connection. Empty if the server took it back. An event
    /// without data counts too, and one that is too large as soon as it has ended. The bytes are
    /// those of the stream, without NUL, CR and LF; whether they are UTF-8 is not checked.
    pub fn last_event_id(&self) -> Option<&[u8]> {
        self.block.last_id()
    }

    /// How long the server wants clients to wait before they connect again.
    ///
    /// The last valid value on this connection, as it came: bounds are up to the caller. A number
    /// of milliseconds that does not fit into 64 bits is cut to the largest that does.
    pub fn retry(&self) -> Option<Duration> {
        self.block.retry()
    }

    /// Bytes held back for an event that has not ended.
    pub fn buffered(&self) -> usize {
        self.block.buffered()
    }

    /// Goes on by one part of a line. There is at least one byte left in the chunk.
    fn step(&mut self, chunk: &Bytes) -> Option<Item> {
        match self.place {
            Place::Name => self.name(chunk),
            Place::Space(field) => {
                self.at += usize::from(chunk[self.at] == b' ');
                self.place = Place::Value(field);
                None
            }
            Place::Value(field) => self.value(field, chunk),
            Place::Ignored => {
                self.ignored(chunk);
                None
            }
            Place::Mark(seen) => {
                self.mark(seen, chunk);
                None
            }
        }
    }

    fn mark(&mut self, seen: usize, chunk: &[u8]) {
        if chunk[self.at] == BYTE_ORDER_MARK[seen] {
            self.at += 1;
            let is_whole = seen + 1 == BYTE_ORDER_MARK.len();
            self.place = if is_whole { Place::Name } else { Place::Mark(seen + 1) };
        } else {
            // No field begins with a part of the mark.
            self.place = if seen == 0 { Place::Name } else { Place::Ignored };
        }
    }

    fn name(&mut self, chunk: &[u8]) -> Option<Item> {
        let rest = &chunk[self.at..];
        if std::mem::take(&mut self.is_after_cr) && rest[0] == b'\n' {
            self.at += 1;
            return None;
        }
        let room = LONGEST_NAME - self.name.len();
        let Some(length) = rest.iter().take(room + 1).position(|byte| matches!(byte, b':' | b'\n' | b'\r'))
        else {
            if rest.len() > room {
                self.name.clear();
                self.place = Place::Ignored;
            } else {
                self.name.extend_from_slice(rest);
                self.at = chunk.len();
            }
            return None;
        };
        let is_colon = rest[length] == b':';
        let is_blank = length == 0 && self.name.is_empty() && !is_colon;
        let field = if self.name.is_empty() {
            Field::named(&rest[..length])
        } else {
            self.name.extend_from_slice(&rest[..length]);
            let field = Field::named(&self.name);
            self.name.clear();
            field
        };
        self.at += length + usize::from(is_colon);
        if is_blank {
            self.end_line(chunk);
            return self.block.end();
        }
        let Some(field) = field else {
            self.place = Place::Ignored;
            return None;
        };
        self.place = if is_colon { Place::Space(field) } else { Place::Value(field) };
        self.block.begin(field)
    }

    fn value(&mut self, field: Field, chunk: &Bytes) -> Option<Item> {
        let rest = &chunk[self.at..];
        let end = line_end(rest);
        let part = &rest[..end.unwrap_or(rest.len())];
        let item = self.block.push(field, chunk, part, end.is_some());
        self.at += part.len();
        if end.is_some() {
            self.end_line(chunk);
        }
        item
    }

    fn ignored(&mut self, chunk: &[u8]) {
        let rest = &chunk[self.at..];
        match line_end(rest) {
            Some(length) => {
                self.at += length;
                self.end_line(chunk);
            }
            None => self.at = chunk.len(),
        }
    }

    /// Takes the line end that stands here, of which the second half may be still to come.
    fn end_line(&mut self, chunk: &[u8]) {
        let rest = &chunk[self.at..];
        self.is_after_cr = rest == b"\r";
        self.at += if rest.starts_with(b"\r\n") { 2 } else { 1 };
        self.place = Place::Name;
    }
}

impl Event {
    /// Whether this is of the default type, the only one that carries messages of the protocol.
    pub fn is_message(&self) -> bool {
        self.kind == block::DEFAULT_KIND
    }
}

fn line_end(bytes: &[u8]) -> Option<usize> {
    if bytes.len() < SHORT {
        return bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    }
    memchr2(b'\n', b'\r', bytes)
}

#[cfg(test)]
mod tests;
