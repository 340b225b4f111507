//! Cuts a byte stream into lines: the framing of the stdio transport, without any IO.

use bytes::{Buf, Bytes, BytesMut};
use memchr::memchr;

/// How much is asked from the operating system at once.
const READ: usize = 64 * 1024;

/// With less room than this in the buffer, more is reserved before a read.
const LEAST_ROOM: usize = 8 * 1024;

/// A line of this length leaves a buffer behind that is worth releasing.
const LARGE: usize = 256 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Splits a stream at byte `0x0A` and nothing else.
///
/// One trailing CR is taken off, blank lines are skipped, a UTF-8 byte order mark is taken off
/// the start of the stream. A line longer than the limit is handed out in parts, so that no
/// more than the limit plus one read is held (in a buffer that doubles as it grows), and the line after it decodes again. No byte is looked at
/// twice, however the stream is cut. The buffer of a large line is kept for the next one until
/// [`release`](Self::release).
#[derive(Debug)]
pub struct LineDecoder {
    buffer: BytesMut,
    /// Bytes at the start of `buffer` that hold no line end.
    scanned: usize,
    max_line: usize,
    state: State,
    /// Whether the buffer grew for a large line.
    is_large: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before the first line, where a byte order mark may stand.
    Start,
    Between,
    /// Inside a line longer than the limit.
    TooLong,
}

/// What the decoder found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line, without its end. Never blank.
    Whole(Bytes),
    /// The beginning of a line longer than the limit.
    TooLong(Bytes),
    /// More of the line that began with [`TooLong`](Self::TooLong).
    More(Bytes),
}

impl LineDecoder {
    /// A decoder at the start of a stream, for lines of at most `max_line` bytes before their LF.
    pub fn new(max_line: usize) -> Self {
        Self { buffer: BytesMut::new(), scanned: 0, max_line, state: State::Start, is_large: false }
    }

    /// The buffer to read into, with room for one read.
    pub fn space(&mut self) -> &mut BytesMut {
        if self.buffer.capacity() - self.buffer.len() < LEAST_ROOM {
            self.buffer.reserve(READ);
        }
        &mut self.buffer
    }

    /// Adds bytes that were read elsewhere.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next line, or part of an overlong one; `None` if more bytes are needed.
    pub fn next_line(&mut self) -> Option<Line> {
        loop {
            let found = memchr(b'\n', &self.buffer[self.scanned..]).map(|at| self.scanned + at);
            if self.state == State::TooLong {
                if let Some(more) = self.rest_of_overlong(found) {
                    return Some(more);
                } else if found.is_none() {
                    return None;
                }
                continue;
            }
            let Some(end) = found else {
                self.scanned = self.buffer.len();
                if self.scanned <= self.max_line {
                    return None;
                }
                self.state = State::TooLong;
                return Some(Line::TooLong(self.take(self.scanned)));
            };
            let line = self.take(end);
            self.buffer.advance(1);
            if let Some(line) = self.finish_line(line) {
                return Some(line);
            }
        }
    }

    /// The last line, if the stream ended without a line end behind it.
    ///
    /// To be called once, after the end of the stream, when `next_line` gives nothing more.
    pub fn finish(&mut self) -> Option<Line> {
        let line = self.take(self.buffer.len());
        match self.state {
            State::TooLong => None,
            State::Start | State::Between => self.finish_line(line),
        }
    }

    /// Bytes held back for a line that has not ended.
    pub fn buffered(&self) -> usize {
        self.buffer.len()
    }

    /// Whether the buffer grew for a large line and holds nothing now.
    pub fn is_idle_and_large(&self) -> bool {
        self.is_large && self.buffer.is_empty()
    }

    /// Lets go of a large buffer; to be called when nothing came for a while.
    pub fn release(&mut self) {
        if self.is_idle_and_large() {
            self.buffer = BytesMut::new();
            self.is_large = false;
        }
    }

    fn rest_of_overlong(&mut self, end: Option<usize>) -> Option<Line> {
        let more = self.take(end.unwrap_or(self.buffer.len()));
        if end.is_some() {
            self.buffer.advance(1);
            self.state = State::Between;
        }
        (!more.is_empty()).then_some(Line::More(more))
    }

    fn finish_line(&mut self, mut line: Bytes) -> Option<Line> {
        if line.len() > self.max_line {
            self.state = State::Between;
            return Some(Line::TooLong(line));
        }
        if line.last() == Some(&b'\r') {
            line.truncate(line.len() - 1);
        }
        if std::mem::replace(&mut self.state, State::Between) == State::Start
            && line.starts_with(BYTE_ORDER_MARK)
        {
            line.advance(BYTE_ORDER_MARK.len());
        }
        (!line.trim_ascii_start().is_empty()).then_some(Line::Whole(line))
    }

    fn take(&mut self, length: usize) -> Bytes {
        self.scanned = 0;
        self.is_large |= length >= LARGE;
        self.buffer.split_to(length).freeze()
    }
}

#[cfg(test)]
mod tests;
