//! The error object of a JSON-RPC response, and the codes with a meaning.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// The `error` member of a response (JSON-RPC 2.0 section 5.1). Unlike other objects it keeps no members that this
/// crate does not know: what a sender adds belongs into `data`, and errors are to stay small.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ErrorObject {
    /// What kind of error it is; [`ErrorCode`] names those that have a meaning.
    pub code: i64,
    /// One short sentence (C-013).
    pub message: String,
    /// Anything the sender adds, exactly as it was sent. An explicit `null` is `Some`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
}

impl ErrorObject {
    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The answer to a request whose method nobody implements (C-017).
    pub fn method_not_found(method: &str) -> Self {
        Self::new(ErrorCode::METHOD_NOT_FOUND, format!("Method not found: {method}"))
    }

    /// The answer to a request with unusable params (C-018).
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::INVALID_PARAMS, message)
    }

    /// The answer to a request whose handler failed (C-018).
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::INTERNAL_ERROR, message)
    }

    /// Adds data.
    #[must_use]
    pub fn with_data(mut self, data: Box<RawValue>) -> Self {
        self.data = Some(data);
        self
    }
}

/// What is there is a value, `null` too.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

/// `MCP error <code>: <message>`, the text of the contract.
impl fmt::Display for ErrorObject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "MCP error {}: {}", self.code, self.message)
    }
}

impl std::error::Error for ErrorObject {}

impl PartialEq for ErrorObject {
    fn eq(&self, other: &Self) -> bool {
        let data = |error: &Self| error.data.as_ref().map(|data| data.get().to_owned());
        self.code == other.code && self.message == other.message && data(self) == data(other)
    }
}

/// The error codes that have a meaning, as constants.
#[derive(Debug)]
pub enum ErrorCode {}

impl ErrorCode {
    /// The peer could not parse the JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// Not a valid request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// Unknown method, or a capability that was not offered.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// Unusable params; also an unknown tool, and a refused protocol version.
    pub const INVALID_PARAMS: i64 = -32602;
    /// A fault on the other side.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// The user has to open addresses first (2025-11-25 only); see
    /// [`UrlElicitationRequired`](crate::UrlElicitationRequired).
    pub const URL_ELICITATION_REQUIRED: i64 = -32042;
    /// There is no such resource (up to 2025-11-25; since then it is `INVALID_PARAMS` with the `uri`
    /// in its data).
    pub const RESOURCE_NOT_FOUND: i64 = -32002;
    /// The user refused a sampling request (C-310; up to 2025-11-25).
    pub const USER_REJECTED: i64 = -1;
    /// HTTP headers do not say the same as the body (2026-07-28).
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The request needs a capability that the client did not declare (2026-07-28).
    pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
    /// The server does not speak the version of the request; the data names those it speaks
    /// (2026-07-28).
    pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;

    /// Whether only a server of 2026-07-28 or later answers with `code`.
    pub const fn is_modern(code: i64) -> bool {
        matches!(
            code,
            Self::HEADER_MISMATCH | Self::MISSING_CLIENT_CAPABILITY | Self::UNSUPPORTED_PROTOCOL_VERSION
        )
    }
}
