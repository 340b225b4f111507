//! What a client sends: one JSON-RPC message a line, told apart by its members.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::outcome::{INVALID_REQUEST, PARSE_ERROR, RpcError};

/// A message of the client.
#[derive(Debug)]
pub(super) enum Message {
    Request {
        id: Id,
        method: String,
        params: Params,
    },
    Notification {
        method: String,
        params: Params,
    },
    /// The answer to something this server asked.
    Answer {
        id: Id,
        outcome: Result<Box<RawValue>, Box<RawValue>>,
    },
}

/// An id, as the client wrote it.
pub(super) type Id = Box<RawValue>;

/// The params, by name; none is the same as empty.
pub(super) type Params = Map<String, Value>;

/// Why a line is no message, with the id to answer to where one can be read.
#[derive(Debug)]
pub(super) struct Unreadable {
    pub(super) id: Option<Id>,
    pub(super) error: RpcError,
}

/// What one line, or one body, holds.
#[derive(Debug)]
pub(super) enum Incoming {
    One(Result<Message, Unreadable>),
    /// An array, which only 2025-03-26 knows: neither empty nor longer than [`LONGEST_BATCH`].
    Batch(Vec<Result<Message, Unreadable>>),
}

impl Unreadable {
    fn new(code: i64, text: impl Into<String>) -> Self {
        Self { id: None, error: RpcError::new(code, text) }
    }

    /// What an array is to clients that agreed on no revision with batches.
    pub(super) fn no_object() -> Self {
        Self::new(INVALID_REQUEST, "not one JSON object")
    }
}

/// Messages in one batch; a longer one is refused as a whole.
const LONGEST_BATCH: usize = 256;

/// Reads one line.
pub(super) fn read(line: &[u8]) -> Incoming {
    let value: &RawValue = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            return Incoming::One(Err(Unreadable::new(PARSE_ERROR, format!("not JSON: {error}"))));
        }
    };
    if !value.get().starts_with('[') {
        return Incoming::One(read_one(value));
    }
    match serde_json::from_str::<Vec<&RawValue>>(value.get()) {
        Ok(members) if members.is_empty() => Incoming::One(Err(Unreadable::no_object())),
        Ok(members) if members.len() > LONGEST_BATCH => {
            let text = format!("a batch is longer than {LONGEST_BATCH} messages");
            Incoming::One(Err(Unreadable::new(INVALID_REQUEST, text)))
        }
        Ok(members) => Incoming::Batch(members.into_iter().map(read_one).collect()),
        Err(error) => Incoming::One(Err(Unreadable::new(PARSE_ERROR, format!("not JSON: {error}")))),
    }
}

fn read_one(value: &RawValue) -> Result<Message, Unreadable> {
    if !value.get().starts_with('{') {
        return Err(Unreadable::no_object());
    }
    let envelope: Envelope = serde_json::from_str(value.get())
        .map_err(|error| Unreadable::new(INVALID_REQUEST, format!("no message: {error}")))?;
    let id = envelope.id.clone().filter(|id| is_id(id));
    envelope.classify().map_err(|text| Unreadable { id, error: RpcError::new(INVALID_REQUEST, text) })
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(default, deserialize_with = "present")]
    jsonrpc: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    id: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    method: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    params: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    result: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    error: Option<Box<RawValue>>,
}

/// Keeps `null` apart from a member that is absent.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

impl Envelope {
    fn classify(self) -> Result<Message, &'static str> {
        if self.jsonrpc.is_none_or(|version| version.get() != r#""2.0""#) {
            return Err(r#""jsonrpc" must be "2.0""#);
        }
        if self.id.as_ref().is_some_and(|id| !is_id(id)) {
            return Err(r#""id" must be a string or an integer"#);
        }
        let Some(method) = self.method else {
            return match (self.id, self.result, self.error) {
                (Some(id), Some(result), None) => Ok(Message::Answer { id, outcome: Ok(result) }),
                (Some(id), None, Some(error)) => Ok(Message::Answer { id, outcome: Err(error) }),
                _ => Err("neither a request, nor a notification, nor an answer"),
            };
        };
        let method = serde_json::from_str(method.get()).map_err(|_| r#""method" must be a string"#)?;
        let params = match &self.params {
            Some(params) => {
                serde_json::from_str(params.get()).map_err(|_| r#""params" must be an object"#)?
            }
            None => Params::new(),
        };
        Ok(match self.id {
            Some(id) => Message::Request { id, method, params },
            None => Message::Notification { method, params },
        })
    }
}

fn is_id(id: &RawValue) -> bool {
    id.get().starts_with('"') || id.get().parse::<i64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::{Incoming, LONGEST_BATCH, Message, Unreadable, read};

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let found = match read(line.as_bytes()) {
            Incoming::One(message) => describe(message),
            Incoming::Batch(messages) => messages.into_iter().map(describe).collect::<Vec<_>>().join(", "),
        };
        assert_eq!(found, expected, "{line}");
    }

    fn describe(message: Result<Message, Unreadable>) -> String {
        match message {
            Ok(Message::Request { id, method, .. }) => format!("request {id} {method}"),
            Ok(Message::Notification { method, .. }) => format!("notification {method}"),
            Ok(Message::Answer { id, outcome: Ok(result) }) => format!("answer {id} {result}"),
            Ok(Message::Answer { id, outcome: Err(error) }) => format!("error {id} {error}"),
            Err(unreadable) => {
                let id = unreadable.id.map_or("none".to_owned(), |id| id.to_string());
                format!("{} for {id}", unreadable.error.code)
            }
        }
    }

    #[test]
    fn messages_are_told_apart_by_their_members() {
        check(r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, "request 1 a");
        check(r#"{"jsonrpc":"2.0","method":"a","params":{}}"#, "notification a");
        check(r#"{"jsonrpc":"2.0","id":"x","result":null}"#, r#"answer "x" null"#);
        check(r#"{"jsonrpc":"2.0","id":"x","error":{}}"#, r#"error "x" {}"#);
    }

    #[test]
    fn members_of_a_batch_are_read_each_by_itself() {
        check(
            r#"[{"jsonrpc":"2.0","id":1,"method":"a"},17,[]]"#,
            "request 1 a, -32600 for none, -32600 for none",
        );
        let message = r#"{"jsonrpc":"2.0","method":"a"}"#;
        let batch = |length: usize| format!("[{}]", vec![message; length].join(","));
        assert!(matches!(read(batch(LONGEST_BATCH).as_bytes()), Incoming::Batch(_)));
        check(&batch(LONGEST_BATCH + 1), "-32600 for none");
    }

    #[test]
    fn what_is_no_json_is_a_parse_error() {
        check("{", "-32700 for none");
        check("\u{1}", "-32700 for none");
    }

    #[test]
    fn json_that_is_no_message_is_an_invalid_request() {
        check("[]", "-32600 for none");
        check("17", "-32600 for none");
        check(r#"{"id":1,"method":"a"}"#, "-32600 for 1");
        check(r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, "-32600 for none");
        check(r#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#, "-32600 for none");
        check(r#"{"jsonrpc":"2.0","id":1,"method":"a","params":[]}"#, "-32600 for 1");
        check(r#"{"jsonrpc":"2.0","id":1,"method":2}"#, "-32600 for 1");
        check(r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#, "-32600 for 1");
    }
}
