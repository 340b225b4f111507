//! Why a tool is left out of the list, and why a call cannot be sent.

use mcp_jsonrpc::Sample;
use thiserror::Error;

use super::value::ParamType;

/// Why the annotations of an input schema make its tool invalid.
///
/// `at` is a JSON pointer to the annotated schema. Names and pointers are samples: bounded, escaped.
#[derive(Debug, Error)]
pub(crate) enum Misannotated {
    /// Rule 1.
    #[error("the `x-mcp-header` at `{at}` is no string")]
    NoString {
        /// The annotated schema.
        at: Sample,
    },
    /// Rule 1.
    #[error("the `x-mcp-header` at `{at}` is empty")]
    Empty {
        /// The annotated schema.
        at: Sample,
    },
    /// Rule 2.
    #[error("the `x-mcp-header` `{name}` at `{at}` has characters that no header has")]
    NoToken {
        /// The annotation.
        name: Sample,
        /// The annotated schema.
        at: Sample,
    },
    /// Rule 3.
    #[error("the `x-mcp-header` `{name}` at `{at}` is there twice")]
    Duplicate {
        /// The annotation.
        name: Sample,
        /// The annotated schema, the later of the two.
        at: Sample,
    },
    /// Rule 4.
    #[error("the `x-mcp-header` `{name}` at `{at}` is on no string, integer or boolean")]
    WrongType {
        /// The annotation.
        name: Sample,
        /// The annotated schema.
        at: Sample,
    },
    /// Rule 5.
    #[error("the `x-mcp-header` `{name}` at `{at}` is not on a property reached by `properties` alone")]
    OutOfReach {
        /// The annotation, as JSON.
        name: Sample,
        /// The annotated schema.
        at: Sample,
    },
    /// A limit of ours, [`MAX_NAME`](super::ParamHeaders::MAX_NAME).
    #[error("the `x-mcp-header` `{name}` at `{at}` is longer than {limit} bytes")]
    TooLong {
        /// The annotation.
        name: Sample,
        /// The annotated schema.
        at: Sample,
        /// The limit.
        limit: usize,
    },
    /// A limit of ours, [`MAX_HEADERS`](super::ParamHeaders::MAX_HEADERS).
    #[error("the schema has more than {limit} `x-mcp-header`")]
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// The schema is nested too deeply, or is no JSON.
    #[error("the schema cannot be searched for `x-mcp-header`")]
    Unreadable(#[source] serde_json::Error),
}

/// Why the arguments of a call cannot be mirrored. Nothing was sent.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ParamError {
    /// The argument is no such value. That includes a string that is no Unicode text.
    #[error("the argument for `{header}` (schema `{at}`) is no {expected}")]
    WrongType {
        /// The header.
        header: Sample,
        /// The property in the schema, as a JSON pointer.
        at: Sample,
        /// What the schema says.
        expected: ParamType,
    },
    /// The integer is beyond 2^53 - 1, either way.
    #[error("the argument for `{header}` (schema `{at}`) is beyond the integers that headers can hold")]
    OutOfRange {
        /// The header.
        header: Sample,
        /// The property in the schema, as a JSON pointer.
        at: Sample,
    },
    /// The arguments are nested too deeply, have a number beyond all floats where an object should be,
    /// or are no JSON.
    #[error("the arguments cannot be searched for what goes into headers")]
    Unreadable(#[source] serde_json::Error),
}
