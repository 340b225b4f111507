//! A request as it came over the wire.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::Value;
use serde_json::value::RawValue;

/// One request.
#[derive(Clone, Debug)]
pub struct Received {
    /// `GET`, `POST`, ...
    pub method: String,
    /// What stands behind the method: the path with its query, or a whole URL.
    pub target: String,
    /// In order, with the names as they were written.
    pub headers: Vec<(String, String)>,
    /// The body, without chunks if it came in some.
    pub body: Bytes,
    /// The number of its connection, from 0, in the order of acceptance.
    pub connection: usize,
    /// Its number on that connection, from 0.
    pub on_connection: usize,
    /// Its number among all requests of the peer, from 0, in the order in which their ends came.
    pub number: usize,
}

impl Received {
    /// The first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers_named(name).next()
    }

    /// All headers of this name, in any case.
    pub fn headers_named<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let named = self.headers.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    /// The target without its query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    ///
    /// # Panics
    ///
    /// If it is none.
    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_slice(&self.body) {
            Ok(value) => value,
            Err(error) => panic!("the body is no JSON ({error}): {self:#?}"),
        }
    }

    /// The method of the message in the body, if it is a request or a notification.
    pub fn rpc_method(&self) -> Option<String> {
        serde_json::from_str(&self.member("method")?).ok()
    }

    /// The id of the message in the body, as it was written.
    pub fn id(&self) -> Option<String> {
        self.member("id")
    }

    /// The text of a member of the body.
    fn member(&self, name: &str) -> Option<String> {
        let members: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(&self.body).ok()?;
        members.get(name).map(|value| value.get().to_owned())
    }

    /// A response to the message in the body; `result` is JSON.
    ///
    /// # Panics
    ///
    /// If the message has no id.
    #[track_caller]
    pub fn answer(&self, result: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, self.asked_id())
    }

    /// A response with an error to the message in the body.
    ///
    /// # Panics
    ///
    /// If the message has no id.
    #[track_caller]
    pub fn error(&self, code: i64, message: &str) -> String {
        let (id, message) = (self.asked_id(), Value::from(message));
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#)
    }

    #[track_caller]
    fn asked_id(&self) -> String {
        self.id().unwrap_or_else(|| panic!("the message has no id to answer to: {self:#?}"))
    }
}
