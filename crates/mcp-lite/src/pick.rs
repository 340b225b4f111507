//! Picks the answer to one request out of a response body, as its bytes come in.

use std::fmt;

use bytes::{Bytes, BytesMut};
use mcp_transport_http::sse::{Item, SseDecoder};
use mcp_types::RequestId;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::envelope::{Envelope, Members};
use crate::error::{LiteError, ParseProblem};
use crate::parse::{END_OF_EVENT, texts};

/// Most characters of a foreign id that an error shows.
const SHOWN: usize = 64;

/// Reads a body that is JSON or an event stream: which one, its first character says, since
/// servers get the type wrong. No more of it is held than the limit.
#[derive(Debug)]
pub(crate) struct Picker {
    id: RequestId,
    limit: usize,
    /// Bytes that came so far.
    size: usize,
    form: Form,
    seen: Seen,
}

#[derive(Debug)]
enum Form {
    /// Nothing came but these, which can begin either form.
    Unknown(BytesMut),
    Json(BytesMut),
    Events(Box<SseDecoder>),
}

/// What was met on the way.
#[derive(Debug, Default)]
struct Seen {
    is_json: bool,
    /// An error without an id, which answers the only request there is.
    error: Option<Envelope>,
    /// The id of another answer.
    other: Option<RequestId>,
}

impl Picker {
    /// For the answer to request `id`, in a body of at most `limit` bytes.
    pub(crate) fn new(id: RequestId, limit: usize) -> Self {
        Self { id, limit, size: 0, form: Form::Unknown(BytesMut::new()), seen: Seen::default() }
    }

    /// Takes the next bytes; the answer, as soon as it is there.
    pub(crate) fn push(&mut self, chunk: Bytes) -> Result<Option<Envelope>, LiteError> {
        self.size = self.size.saturating_add(chunk.len());
        match &mut self.form {
            Form::Unknown(start) => {
                let Some(first) = chunk.iter().find(|byte| !can_begin_both(**byte)) else {
                    start.extend_from_slice(&chunk);
                    return self.check_size();
                };
                let is_json = matches!(first, b'{' | b'[');
                start.extend_from_slice(&chunk);
                let start = std::mem::take(start);
                self.form = if is_json {
                    Form::Json(start)
                } else {
                    let mut decoder = SseDecoder::new(self.limit);
                    decoder.push(start.freeze());
                    Form::Events(Box::new(decoder))
                };
            }
            Form::Json(text) => text.extend_from_slice(&chunk),
            Form::Events(decoder) => decoder.push(chunk),
        }
        match self.search_events() {
            Some(answer) => Ok(Some(answer)),
            None => self.check_size(),
        }
    }

    /// The body ended. An event that is not ended by a blank line counts too: what was cut off is
    /// not JSON, or not complete.
    pub(crate) fn finish(mut self) -> Result<Envelope, LiteError> {
        let answer = match &mut self.form {
            Form::Unknown(_) => None,
            Form::Json(text) => {
                let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
                self.seen.look(text, &self.id)
            }
            Form::Events(decoder) => {
                decoder.push(END_OF_EVENT);
                self.search_events()
            }
        };
        let Self { id, seen, .. } = self;
        answer.or(seen.error).ok_or_else(|| {
            LiteError::Parse(match seen.other {
                Some(other) => {
                    let found = other.to_string().chars().take(SHOWN).collect();
                    ParseProblem::OtherId { expected: id, found }
                }
                None if seen.is_json => ParseProblem::NoAnswer,
                None => ParseProblem::NotJson,
            })
        })
    }

    fn search_events(&mut self) -> Option<Envelope> {
        let Form::Events(decoder) = &mut self.form else { return None };
        while let Some(item) = decoder.next_event() {
            // What is too large for an event is too large for all.
            let Item::Event(event) = item else { continue };
            let answer = texts(&event.data).find_map(|text| self.seen.look(text, &self.id));
            if answer.is_some() {
                return answer;
            }
        }
        None
    }

    fn check_size(&self) -> Result<Option<Envelope>, LiteError> {
        if self.size > self.limit { Err(LiteError::TooLarge { limit: self.limit }) } else { Ok(None) }
    }
}

impl Seen {
    /// The answer to `id`, if the text is one or a batch with it.
    fn look(&mut self, text: &[u8], id: &RequestId) -> Option<Envelope> {
        if text.trim_ascii_start().first() != Some(&b'[') {
            return self.look_at_one(text, id);
        }
        let mut seen = Self::default();
        let mut json = serde_json::Deserializer::from_slice(text);
        let answer = json.deserialize_seq(Search { seen: &mut seen, id }).ok()?;
        // Half a batch is none.
        json.end().ok()?;
        self.is_json |= seen.is_json;
        self.error = self.error.take().or(seen.error);
        self.other = self.other.take().or(seen.other);
        answer
    }

    fn look_at_one(&mut self, text: &[u8], id: &RequestId) -> Option<Envelope> {
        let members = Members::read(text)?;
        self.is_json = true;
        if members.is_error_without_id() {
            if self.error.is_none() {
                self.error = Envelope::read(text);
            }
            return None;
        }
        let found = members.id().filter(|_| members.is_answer())?;
        if found == *id {
            return Envelope::read(text);
        }
        self.other.get_or_insert(found);
        None
    }
}

/// Goes through a batch without holding its members.
struct Search<'a> {
    seen: &'a mut Seen,
    id: &'a RequestId,
}

impl<'de> Visitor<'de> for Search<'_> {
    type Value = Option<Envelope>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a batch")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut answer = None;
        while let Some(member) = members.next_element::<&RawValue>()? {
            if answer.is_none() {
                answer = self.seen.look_at_one(member.get().as_bytes(), self.id);
            }
        }
        Ok(answer)
    }
}

/// Space and the parts of a byte order mark.
fn can_begin_both(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0xef | 0xbb | 0xbf)
}

#[cfg(test)]
mod tests;
