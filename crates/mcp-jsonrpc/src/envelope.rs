//! The envelope of a message: which kind it is, its id and its method. Payloads stay raw.
//!
//! This is the only envelope parser of the workspace (invariant 11). It reads a frame once, from
//! bytes, and borrows from it; `params`, `result` and `error` are validated as JSON and otherwise
//! left alone (invariant 12).

use std::borrow::Cow;
use std::fmt;

use mcp_types::{ErrorObject, RequestId};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::sample::Sample;

/// One message from the peer, borrowed from its frame.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    /// `method` and `id`: a request, which wants an answer.
    Request { id: Id<'a>, method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// `method` without `id`: a notification, which must not be answered.
    Notification { method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// Neither: a response. Without an id (or with `null`) it can only be an error.
    Response { id: Option<Id<'a>>, outcome: Outcome<'a> },
}

/// What a response says.
#[derive(Debug)]
pub(crate) enum Outcome<'a> {
    Result(&'a RawValue),
    Error(&'a RawValue),
    /// Both or neither: a response, but not one that can be used.
    Unusable(&'static str),
}

/// An id as it stands in the message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Id<'a>(&'a RawValue);

impl<'a> Id<'a> {
    /// An id out of a message that was not parsed; `None` if it is not JSON.
    pub(crate) fn from_text(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok().map(Self)
    }

    /// The JSON text of the id, for sending it back unchanged.
    pub(crate) fn raw(self) -> &'a RawValue {
        self.0
    }

    /// The id as text, if it is a string without escapes: the ids we make are.
    pub(crate) fn plain_text(self) -> Option<&'a str> {
        let text = self.0.get().strip_prefix('"')?.strip_suffix('"')?;
        (!text.contains('\\')).then_some(text)
    }

    /// The id as a value, if it has one of the forms an id can have.
    pub(crate) fn value(self) -> Option<RequestId> {
        serde_json::from_str(self.0.get()).ok()
    }
}

/// Why a frame, or one member of a batch, is not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// The bytes are not UTF-8.
    #[error("not UTF-8")]
    Utf8,
    /// The text is not JSON; says what the parser found, and where.
    #[error("not JSON: {0}")]
    Json(String),
    /// JSON, but not a JSON-RPC message; says what is wrong with it.
    #[error("not a JSON-RPC message: {0}")]
    Shape(String),
}

impl Malformed {
    /// A wrong shape. The parser quotes strings that it did not expect, which a peer can make as
    /// long as it likes, so the text is bounded and escaped (invariant 10).
    pub(crate) fn shape(problem: &impl fmt::Display) -> Self {
        Self::Shape(Sample::of(problem.to_string().as_bytes()).to_string())
    }
}

/// Most members of a batch that are read. We send no batches, so none is owed a long one; and a
/// frame full of `{}` would keep the reader from everything else for seconds.
const LONGEST_BATCH: usize = 1024;

/// Reads all messages of a frame: one, or the members of a batch, each handed to `each`.
///
/// A bad member of a batch is reported alone, the others are read (case 66). A frame that is not
/// JSON yields exactly one error, after the members of a batch that could be read before it. Each
/// message or error comes with the bytes it stands for.
pub(crate) fn read<'a>(frame: &'a [u8], mut each: impl FnMut(&'a [u8], Result<Message<'a>, Malformed>)) {
    let is_batch = frame.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    if !is_batch {
        return each(frame, message(frame));
    }
    let mut json = serde_json::Deserializer::from_slice(frame);
    let done = Batch(&mut each).deserialize(&mut json).and_then(|members| json.end().map(|()| members));
    match done {
        Ok(0) => each(frame, Err(Malformed::Shape("an empty batch".to_owned()))),
        Ok(_) => {}
        Err(error) => each(frame, Err(explain(&error, frame))),
    }
}

/// The error object of a frame that is an error response, whatever its id; `None` if it is none.
///
/// For exchanges of their own, such as HTTP, where an error body answers the request it came with
/// (D-03).
pub fn error_in(frame: &[u8]) -> Option<ErrorObject> {
    match message(frame) {
        Ok(Message::Response { outcome: Outcome::Error(error), .. }) => {
            serde_json::from_str(error.get()).ok()
        }
        _ => None,
    }
}

/// Reads a frame that is no batch.
fn message(frame: &[u8]) -> Result<Message<'_>, Malformed> {
    // Checked once here, so that the parser need not check each string and payload again.
    let text = std::str::from_utf8(frame).map_err(|_| Malformed::Utf8)?;
    let mut json = serde_json::Deserializer::from_str(text);
    let members = json.deserialize_map(Envelope).and_then(|members| json.end().map(|()| members));
    members.map_err(|error| explain(&error, frame))?.classify()
}

fn explain(error: &serde_json::Error, frame: &[u8]) -> Malformed {
    if std::str::from_utf8(frame).is_err() {
        Malformed::Utf8
    } else if error.is_data() {
        Malformed::shape(error)
    } else {
        Malformed::Json(error.to_string())
    }
}

/// The members of an envelope that matter, as they came; others are skipped.
#[derive(Default)]
struct Members<'a> {
    version: Option<bool>,
    id: Option<&'a RawValue>,
    method: Option<Cow<'a, str>>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

impl<'a> Members<'a> {
    /// Decides by `method` first, then by `id` (D-02).
    fn classify(self) -> Result<Message<'a>, Malformed> {
        let shape = |what: &str| Err(Malformed::Shape(what.to_owned()));
        let is_null = |value: &&RawValue| value.get() == "null";
        let id = self.id.filter(|id| !is_null(id)).map(Id);
        if let Some(method) = self.method {
            let params = self.params.filter(|params| !is_null(params));
            return match (self.version, self.id, id) {
                (Some(true), None, _) => Ok(Message::Notification { method, params }),
                (Some(true), Some(_), Some(id)) => Ok(Message::Request { id, method, params }),
                (Some(true), Some(_), None) => shape("a request whose `id` is null"),
                _ => shape("`jsonrpc` is not \"2.0\""),
            };
        }
        let error = self.error.filter(|error| !is_null(error));
        let outcome = match (self.version, self.result, error) {
            (Some(true), Some(result), None) => Outcome::Result(result),
            (Some(true), None, Some(error)) => Outcome::Error(error),
            // Some servers write the unused one of the two as null.
            (Some(true), Some(result), Some(error)) if is_null(&result) => Outcome::Error(error),
            (Some(true), Some(_), Some(_)) => Outcome::Unusable("both `result` and `error`"),
            (Some(true), None, None) => Outcome::Unusable("neither `method`, `result` nor `error`"),
            // Nothing says that this is JSON-RPC: a log line with an `id` of its own, say (case 4).
            (_, None, None) => return shape("neither `jsonrpc`, `method`, `result` nor `error`"),
            _ => Outcome::Unusable("`jsonrpc` is not \"2.0\""),
        };
        match (id, outcome) {
            (None, Outcome::Result(_)) => shape("a result without an `id`"),
            (None, Outcome::Unusable(what)) => shape(what),
            (id, outcome) => Ok(Message::Response { id, outcome }),
        }
    }
}

struct Envelope;

impl<'de> Visitor<'de> for Envelope {
    type Value = Members<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON-RPC message object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Members::default();
        while let Some(name) = map.next_key()? {
            match name {
                Name::Jsonrpc => members.version = Some(map.next_value::<&RawValue>()?.get() == "\"2.0\""),
                Name::Id => members.id = Some(map.next_value()?),
                Name::Method => members.method = map.next_value::<Option<Text<'_>>>()?.map(|text| text.0),
                Name::Params => members.params = Some(map.next_value()?),
                Name::Result => members.result = Some(map.next_value()?),
                Name::Error => members.error = Some(map.next_value()?),
                Name::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(members)
    }
}

/// The name of a member of an envelope.
#[derive(serde::Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Name {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    #[serde(other)]
    Other,
}

/// A string, borrowed where it holds no escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de> serde::Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// Hands each member of an array to the function; yields how many there were.
struct Batch<'f, F>(&'f mut F);

impl<'de, F: FnMut(&'de [u8], Result<Message<'de>, Malformed>)> DeserializeSeed<'de> for Batch<'_, F> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(&'de [u8], Result<Message<'de>, Malformed>)> Visitor<'de> for Batch<'_, F> {
    type Value = usize;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a batch of JSON-RPC messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<usize, A::Error> {
        let mut count = 0;
        while let Some(member) = members.next_element::<&'de RawValue>()? {
            count += 1;
            let member = member.get().as_bytes();
            if count > LONGEST_BATCH {
                while members.next_element::<IgnoredAny>()?.is_some() {}
                let what = format!("a batch of more than {LONGEST_BATCH} messages, cut there");
                (self.0)(member, Err(Malformed::Shape(what)));
                break;
            }
            (self.0)(member, message(member));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests;
