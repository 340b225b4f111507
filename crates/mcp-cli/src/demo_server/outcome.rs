//! What a request comes to: a result, or an error object.

use serde_json::{Value, json};

pub(super) const PARSE_ERROR: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const INTERNAL_ERROR: i64 = -32603;
/// What servers without 2026-07-28 say about a version header that they do not know.
pub(super) const BAD_VERSION_HEADER: i64 = -32000;
/// The legacy revisions only; 2026-07-28 has invalid params for it.
pub(super) const RESOURCE_NOT_FOUND: i64 = -32002;
pub(super) const HEADER_MISMATCH: i64 = -32020;
pub(super) const MISSING_CAPABILITY: i64 = -32021;
pub(super) const UNSUPPORTED_VERSION: i64 = -32022;

/// The result of a request, or why there is none.
pub(super) type Outcome = Result<Value, RpcError>;

/// An error object.
#[derive(Debug)]
pub(super) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl RpcError {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(super) fn with(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }

    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    pub(super) fn no_method(method: &str) -> Self {
        Self::new(METHOD_NOT_FOUND, format!("Method not found: {method}"))
    }
}

/// Why something that was asked for did not come to its result.
#[derive(Debug)]
pub(super) enum Ended {
    /// A tool failed, which its caller's model should see.
    Failed(String),
    /// The client is to answer first: the result that says so.
    Asks(Value),
    Refused(RpcError),
}

impl Ended {
    pub(super) fn into_outcome(self) -> Outcome {
        match self {
            Self::Failed(text) => Ok(failure(text)),
            Self::Asks(result) => Ok(result),
            Self::Refused(error) => Err(error),
        }
    }
}

impl From<String> for Ended {
    fn from(text: String) -> Self {
        Self::Failed(text)
    }
}

impl From<&str> for Ended {
    fn from(text: &str) -> Self {
        Self::Failed(text.to_owned())
    }
}

impl From<RpcError> for Ended {
    fn from(error: RpcError) -> Self {
        Self::Refused(error)
    }
}

/// The result of a tool that has text to give.
pub(super) fn text(text: impl Into<String>) -> Value {
    json!({ "content": [{ "type": "text", "text": text.into() }] })
}

/// The result of a tool that failed: not an error object, since the model should see it.
fn failure(text: impl Into<String>) -> Value {
    json!({ "content": [{ "type": "text", "text": text.into() }], "isError": true })
}
