//! What the fields between two blank lines add up to, and what of them outlives the event.

use std::mem;
use std::time::Duration;

use bytes::Bytes;
use memchr::memchr;

use super::data::Data;
use super::scanner::Step;
use super::{Event, Item};

/// The type of an event that names none.
pub(super) const DEFAULT_KIND: &[u8] = b"message";

/// The length of `event` and `retry`.
pub(super) const LONGEST_NAME: usize = 5;

/// The most room that is kept for the next value of a field other than `data`.
const KEPT: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Data,
    Event,
    Id,
    Retry,
}

/// The event at hand, and what the connection remembers of those before.
#[derive(Debug)]
pub(super) struct Block {
    max_event: usize,
    /// What counts against the limit so far.
    size: usize,
    is_too_large: bool,
    /// Whether there was a `data` line; the data may be empty all the same.
    has_data: bool,
    data: Data,
    kind: Vec<u8>,
    id: Vec<u8>,
    has_id: bool,
    /// The beginning of a value that was cut. Never of `data`.
    value: Vec<u8>,
    last_id: Option<Vec<u8>>,
    retry: Option<Duration>,
}

impl Field {
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        match name {
            b"data" => Some(Self::Data),
            b"event" => Some(Self::Event),
            b"id" => Some(Self::Id),
            b"retry" => Some(Self::Retry),
            _ => None,
        }
    }
}

impl Block {
    pub(super) fn new(max_event: usize) -> Self {
        Self {
            max_event,
            size: 0,
            is_too_large: false,
            has_data: false,
            data: Data::default(),
            kind: Vec::new(),
            id: Vec::new(),
            has_id: false,
            value: Vec::new(),
            last_id: None,
            retry: None,
        }
    }

    /// A field begins.
    pub(super) fn begin(&mut self, field: Field) -> Option<Step> {
        if field == Field::Data && mem::replace(&mut self.has_data, true) {
            let joint = Bytes::from_static(b"\n");
            return self.push_data(&joint, &joint);
        }
        None
    }

    /// Takes a part of the value of the field: a part of `chunk`, and the last one if `is_end`.
    #[inline]
    pub(super) fn push(&mut self, field: Field, chunk: &Bytes, part: &[u8], is_end: bool) -> Option<Step> {
        if field == Field::Data {
            return self.push_data(chunk, part);
        }
        self.push_value(field, part, is_end)
    }

    /// What there is to hand out after a step.
    pub(super) fn item(&mut self, step: Step) -> Option<Item> {
        match step {
            Step::Ended => self.end(),
            Step::TooLarge => Some(Item::TooLarge(self.data.take())),
            Step::More => Some(Item::More(self.data.take())),
        }
    }

    /// A blank line ends the event.
    fn end(&mut self) -> Option<Item> {
        if mem::take(&mut self.has_id) {
            let id = mem::take(&mut self.id);
            self.id = self.last_id.replace(id).unwrap_or_default();
            empty(&mut self.id);
        }
        self.size = 0;
        let (has_data, is_too_large) = (mem::take(&mut self.has_data), mem::take(&mut self.is_too_large));
        let data = self.data.take();
        let item = (has_data && !is_too_large).then(|| Item::Event(Event { kind: self.kind(), data }));
        empty(&mut self.kind);
        item
    }

    pub(super) fn last_id(&self) -> Option<&[u8]> {
        self.last_id.as_deref()
    }

    pub(super) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    pub(super) fn buffered(&self) -> usize {
        self.data.len() + self.kind.len() + self.id.len() + self.value.len()
    }

    fn push_value(&mut self, field: Field, part: &[u8], is_end: bool) -> Option<Step> {
        let step = self.count(part.len());
        if is_end && self.value.is_empty() {
            self.set(field, part);
            return step;
        }
        // One byte over the limit is enough to know that the value is too long.
        let room = self.max_event.saturating_add(1) - self.value.len();
        self.value.extend_from_slice(&part[..part.len().min(room)]);
        if is_end {
            let mut value = mem::take(&mut self.value);
            self.set(field, &value);
            empty(&mut value);
            self.value = value;
        }
        step
    }

    #[inline]
    fn push_data(&mut self, chunk: &Bytes, part: &[u8]) -> Option<Step> {
        self.data.push(chunk, part);
        if self.is_too_large && !part.is_empty() {
            return Some(Step::More);
        }
        self.count(part.len())
    }

    fn count(&mut self, length: usize) -> Option<Step> {
        self.size = self.size.saturating_add(length);
        if self.size <= self.max_event || mem::replace(&mut self.is_too_large, true) {
            return None;
        }
        Some(Step::TooLarge)
    }

    /// Takes the whole value of a field. One that is longer than an event may be is passed over.
    fn set(&mut self, field: Field, value: &[u8]) {
        if value.len() > self.max_event {
            return;
        }
        match field {
            Field::Event => refill(&mut self.kind, value),
            Field::Id if memchr(0, value).is_none() => {
                refill(&mut self.id, value);
                self.has_id = true;
            }
            Field::Retry => self.retry = milliseconds(value).or(self.retry),
            Field::Data | Field::Id => {}
        }
    }

    fn kind(&self) -> Bytes {
        match self.kind.as_slice() {
            b"" | DEFAULT_KIND => Bytes::from_static(DEFAULT_KIND),
            kind => Bytes::copy_from_slice(kind),
        }
    }
}

fn milliseconds(digits: &[u8]) -> Option<Duration> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = digits
        .iter()
        .fold(0u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')));
    Some(Duration::from_millis(number))
}

fn refill(buffer: &mut Vec<u8>, value: &[u8]) {
    empty(buffer);
    buffer.extend_from_slice(value);
}

/// Empties the buffer, and gives room back that a usual value has no use for.
fn empty(buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.shrink_to(KEPT);
}
