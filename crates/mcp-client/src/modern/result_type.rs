//! What kind of result a result says it is.

use std::borrow::Cow;

use mcp_jsonrpc::{Raw, Sample};
use mcp_types::ResultType;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The kinds of results.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The final one; also what does not say (C-038).
    Complete,
    /// The server needs something first.
    InputRequired,
    /// The work became a task.
    Task,
    /// A kind that nobody knows, which makes the result invalid (C-037).
    Unknown(Sample),
}

impl Kind {
    /// Its name, as it came.
    pub(super) fn name(&self) -> Sample {
        match self {
            Self::Complete => Sample::of(ResultType::COMPLETE.as_bytes()),
            Self::InputRequired => Sample::of(ResultType::INPUT_REQUIRED.as_bytes()),
            Self::Task => Sample::of(ResultType::TASK.as_bytes()),
            Self::Unknown(name) => name.clone(),
        }
    }
}

/// Reads the kind, in one pass over the result. What cannot be read counts as complete: then it is the
/// reader of the result who says what is wrong with it.
pub(super) fn of(result: &Raw) -> Kind {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Typed<'a> {
        #[serde(borrow)]
        result_type: Option<&'a RawValue>,
    }
    let Ok(Typed { result_type: Some(kind) }) = serde_json::from_str::<Typed<'_>>(result.as_str()) else {
        return Kind::Complete;
    };
    match serde_json::from_str::<Cow<'_, str>>(kind.get()).as_deref() {
        Ok(ResultType::COMPLETE) => Kind::Complete,
        Ok(ResultType::INPUT_REQUIRED) => Kind::InputRequired,
        Ok(ResultType::TASK) => Kind::Task,
        _ => Kind::Unknown(Sample::of(kind.get().as_bytes())),
    }
}
