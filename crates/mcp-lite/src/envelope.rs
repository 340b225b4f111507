//! A JSON-RPC envelope as the server sent it, and what a caller wants to know of it.

use std::fmt;

use mcp_types::{ErrorObject, RequestId};
use serde::de::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The envelope of a message, exactly as it was sent (S-96).
///
/// An error is not taken out of it: [`error`](Self::error) tells whether the server refused.
/// Where the server answered with a batch to [`parse_sse`](crate::parse_sse), this is the whole
/// array, which has none of the members.
#[derive(Clone, Debug)]
pub struct Envelope {
    raw: Box<RawValue>,
}

impl Envelope {
    /// The text, if it is a JSON object or array.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        raw(text).map(|raw| Self { raw: raw.to_owned() })
    }

    /// Whether [`read`](Self::read) takes the text.
    pub(crate) fn is_one(text: &[u8]) -> bool {
        raw(text).is_some()
    }

    /// The `id`; `None` if there is none, or it is no string and no integer.
    pub fn id(&self) -> Option<RequestId> {
        self.members().id()
    }

    /// The `result`, whatever it is: `null` and `false` are results.
    pub fn result(&self) -> Option<&RawValue> {
        self.members().result
    }

    /// The `error`, with its code, message and data; `None` if it lacks the first two.
    pub fn error(&self) -> Option<ErrorObject> {
        serde_json::from_str(self.members().error?.get()).ok()
    }

    /// The JSON text, without space around it.
    pub fn as_str(&self) -> &str {
        self.raw.get()
    }

    fn members(&self) -> Members<'_> {
        Members::read(self.raw.get().as_bytes()).unwrap_or_default()
    }
}

/// The text, as it was sent.
impl fmt::Display for Envelope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

fn raw(text: &[u8]) -> Option<&RawValue> {
    let raw: &RawValue = serde_json::from_slice(text).ok()?;
    raw.get().starts_with(['{', '[']).then_some(raw)
}

/// The members of an envelope that matter here, as they stand in it.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize)]
pub(crate) struct Members<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

impl<'a> Members<'a> {
    /// `None` if the text is no JSON object, or names one of the members twice.
    pub(crate) fn read(text: &'a [u8]) -> Option<Self> {
        // An array would be taken for the members in order.
        let is_object = text.trim_ascii_start().first() == Some(&b'{');
        is_object.then(|| serde_json::from_slice(text).ok())?
    }

    pub(crate) fn id(&self) -> Option<RequestId> {
        serde_json::from_str(self.id?.get()).ok()
    }

    /// Whether this answers a request: some servers send their own requests with ids like ours.
    pub(crate) fn is_answer(&self) -> bool {
        self.method.is_none() && (self.result.is_some() || self.error.is_some())
    }

    /// Whether this is the error of a server that did not understand the request, or its id.
    pub(crate) fn is_error_without_id(&self) -> bool {
        let is_null = |value: &RawValue| value.get() == "null";
        self.is_answer() && self.id.is_none_or(is_null) && self.error.is_some_and(|error| !is_null(error))
    }
}

/// Reads a member that is there, be it `null`.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Envelope {
        Envelope::read(text.as_bytes()).unwrap()
    }

    // Field case 139.
    #[test]
    fn falsy_results_are_results() {
        for result in ["null", "false", "0", "\"\"", "[]", "{}"] {
            let envelope = read(&format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#));
            assert_eq!(envelope.result().map(RawValue::get), Some(result));
            assert_eq!(envelope.error(), None);
        }
        assert!(read(r#"{"jsonrpc":"2.0","id":1}"#).result().is_none());
    }

    // Field case 139.
    #[test]
    fn errors_keep_code_message_and_data() {
        let error =
            read(r#"{"id":1,"error":{"code":-32602,"message":"m","data":{"a":[1.0]}}}"#).error().unwrap();
        assert_eq!((error.code, error.message.as_str()), (-32602, "m"));
        assert_eq!(error.data.unwrap().get(), r#"{"a":[1.0]}"#);
        assert_eq!(read(r#"{"id":1,"error":null}"#).error(), None);
    }

    #[test]
    fn the_text_stays_as_it_was_sent() {
        let text = "{ \"x\" : 1e2, \"id\":\t\"a\\u0062\" }";
        let envelope = read(&format!("\n {text} \r\n"));
        assert_eq!((envelope.as_str(), envelope.to_string().as_str()), (text, text));
        assert_eq!(envelope.id(), Some("ab".into()));
    }

    #[test]
    fn ids_keep_their_type() {
        for (id, expected) in
            [("7", Some(7.into())), ("7.0", Some(7.into())), ("\"7\"", Some("7".into())), ("null", None)]
        {
            assert_eq!(read(&format!(r#"{{"id":{id}}}"#)).id(), expected);
        }
    }

    #[test]
    fn what_is_no_object_has_no_members() {
        let batch = read(r#"["2.0",1,"m",2,{"code":1,"message":"m"}]"#);
        assert!(batch.id().is_none() && batch.result().is_none() && batch.error().is_none());
        for text in ["", "1", "null", "\"x\"", "{", "{} {}", "[DONE]"] {
            assert!(Envelope::read(text.as_bytes()).is_none(), "{text}");
        }
        assert!(Envelope::read(b"{\"a\":\"\xff\"}").is_none());
    }

    #[test]
    fn twice_the_same_member_is_none() {
        let envelope = read(r#"{"id":1,"id":2,"result":{}}"#);
        assert!(envelope.id().is_none() && envelope.result().is_none());
    }
}
