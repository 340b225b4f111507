//! Multi round-trip requests: a result that asks back (2026-07-28).

use serde_json::value::RawValue;

use crate::extra::Extra;
use crate::meta::Meta;
use crate::object::object;

/// Result of `tools/call`, `prompts/get` or `resources/read` that is not there yet: the server needs
/// something of the client first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InputRequiredResult {
    /// What is asked: a key of the server's choice, and a [`InputRequest`].
    pub input_requests: Option<Extra>,
    /// To be sent back byte for byte; it means something to the server only. Kept as raw JSON so
    /// that also its escapes stay as they are.
    pub request_state: Option<Box<RawValue>>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(InputRequiredResult {
    "inputRequests" => input_requests: optional,
    "requestState" => request_state: optional,
    "_meta" => meta: optional,
});

/// One thing that a server asks in a result, where it sent a request of its own before.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InputRequest {
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: String,
    /// Its params, as they came.
    pub params: Option<Box<RawValue>>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(InputRequest {
    "method" => method: required,
    "params" => params: optional,
});

/// The `resultType` values that the specification names.
#[derive(Debug)]
pub enum ResultType {}

impl ResultType {
    /// An ordinary result. It is what a result without the member is.
    pub const COMPLETE: &str = "complete";
    /// An [`InputRequiredResult`].
    pub const INPUT_REQUIRED: &str = "input_required";
    /// The work became a task (tasks extension).
    pub const TASK: &str = "task";
}

#[cfg(test)]
mod tests {
    use super::{InputRequest, InputRequiredResult};

    #[test]
    fn the_state_and_the_requests_are_kept_as_they_came() {
        let json = r#"{"inputRequests":{"b":{"method":"roots/list"},"a":{"method":"x","params":{"n":1e400}}},"requestState":"v1.\u0041\/","resultType":"input_required"}"#;
        let result: InputRequiredResult = serde_json::from_str(json).unwrap();
        assert_eq!(result.request_state.as_ref().unwrap().get(), r#""v1.\u0041\/""#);
        let requests = result.input_requests.as_ref().unwrap();
        let keys: Vec<_> = requests.iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["b", "a"]);
        let asked: InputRequest = serde_json::from_str(requests.get("a").unwrap().get()).unwrap();
        assert_eq!((asked.method.as_str(), asked.params.unwrap().get()), ("x", r#"{"n":1e400}"#));
        assert_eq!(serde_json::to_string(&result).unwrap(), json);
    }
}
