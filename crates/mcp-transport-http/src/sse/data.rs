//! The data of one event: a window into a chunk for as long as that suffices, then a buffer.

use std::mem;

use bytes::{Bytes, BytesMut};

/// A buffer larger than this goes away with its event; a smaller one serves the next event too.
const KEPT: usize = 128 * 1024;

#[derive(Debug, Default)]
pub(super) struct Data {
    /// All of the data, while that is one piece of a chunk.
    window: Bytes,
    /// All of the data otherwise. One of the two is empty.
    buffer: BytesMut,
    /// The length of the last data in `buffer`: with that much room from the start, nothing moves.
    last: usize,
}

impl Data {
    /// Adds a part of a chunk.
    #[inline]
    pub(super) fn push(&mut self, chunk: &Bytes, part: &[u8]) {
        if self.buffer.is_empty() {
            self.push_first(chunk, part);
        } else {
            self.buffer.extend_from_slice(part);
        }
    }

    /// Adds a part while there is no more than a window.
    ///
    /// This comes once or twice an event, but `push` with each chunk, which inlining would make slower.
    #[inline(never)]
    fn push_first(&mut self, chunk: &Bytes, part: &[u8]) {
        if part.is_empty() {
            return;
        }
        if self.window.is_empty() {
            self.window = chunk.slice_ref(part);
            return;
        }
        let first = mem::take(&mut self.window);
        self.buffer.reserve(self.last.max(first.len() + part.len()));
        self.buffer.extend_from_slice(&first);
        self.buffer.extend_from_slice(part);
    }

    pub(super) fn take(&mut self) -> Bytes {
        if self.buffer.is_empty() {
            return mem::take(&mut self.window);
        }
        let is_kept = self.buffer.capacity() <= KEPT;
        self.last = if is_kept { self.buffer.len() } else { 0 };
        let data = if is_kept { self.buffer.split() } else { mem::take(&mut self.buffer) };
        data.freeze()
    }

    pub(super) fn len(&self) -> usize {
        self.window.len() + self.buffer.len()
    }
}
