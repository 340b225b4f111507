//! Finds lines and fields in the chunks of a stream.

use bytes::Bytes;
use memchr::memchr2;

use super::Item;
use super::block::{Block, Field, LONGEST_NAME};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// In fewer bytes than this a plain loop finds a line end sooner than a vector search.
const SHORT: usize = 16;

#[derive(Debug)]
pub(super) struct Scanner {
    /// How much of the chunk at hand is scanned.
    at: usize,
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

/// What came of a part of a line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// The event at hand has ended, if there is one.
    Ended,
    /// The event at hand has grown over the limit.
    TooLarge,
    /// There is more data of an event that is too large.
    More,
}

impl Scanner {
    pub(super) fn new(max_event: usize) -> Self {
        Self {
            at: 0,
            place: Place::Mark(0),
            is_after_cr: false,
            name: Vec::with_capacity(LONGEST_NAME),
            block: Block::new(max_event),
        }
    }

    /// The next item in `chunk`; `None` once it is used up, and then the next chunk is due.
    pub(super) fn next_item(&mut self, chunk: &Bytes) -> Option<Item> {
        while self.at < chunk.len() {
            if let Some(step) = self.step(chunk)
                && let Some(item) = self.block.item(step)
            {
                return Some(item);
            }
        }
        self.at = 0;
        None
    }

    pub(super) fn block(&self) -> &Block {
        &self.block
    }

    /// Goes on by one part of a line. There is at least one byte left in the chunk.
    fn step(&mut self, chunk: &Bytes) -> Option<Step> {
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

    fn name(&mut self, chunk: &[u8]) -> Option<Step> {
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
            return Some(Step::Ended);
        }
        let Some(field) = field else {
            self.place = Place::Ignored;
            return None;
        };
        self.place = if is_colon { Place::Space(field) } else { Place::Value(field) };
        self.block.begin(field)
    }

    fn value(&mut self, field: Field, chunk: &Bytes) -> Option<Step> {
        let rest = &chunk[self.at..];
        let end = line_end(rest);
        let part = &rest[..end.unwrap_or(rest.len())];
        let step = self.block.push(field, chunk, part, end.is_some());
        self.at += part.len();
        if end.is_some() {
            self.end_line(chunk);
        }
        step
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

fn line_end(bytes: &[u8]) -> Option<usize> {
    if bytes.len() < SHORT {
        return bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    }
    memchr2(b'\n', b'\r', bytes)
}
