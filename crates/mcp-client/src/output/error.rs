//! Why a schema cannot be used, and why a result does not pass.

use std::sync::Arc;

use mcp_jsonrpc::Sample;
use mcp_types::CallToolResult;
use thiserror::Error;

use crate::error::ClientError;

/// Why a schema cannot be used. Such a schema is never taken for one that accepts everything (C-207).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// It is longer than [`max_schema_bytes`](super::SchemaLimits::max_schema_bytes).
    #[error("the schema has {bytes} bytes, more than {limit}")]
    TooLarge {
        /// How long it is.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// It cannot be read as JSON.
    #[error("the schema cannot be read")]
    Unreadable(#[source] serde_json::Error),
    /// It nests deeper than [`max_nesting`](super::SchemaLimits::max_nesting).
    #[error("the schema nests deeper than {limit} levels")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// It, or a part where a schema has to be, is neither an object nor a boolean.
    #[error("the schema has `{0}` where a schema has to be")]
    NoSchema(Sample),
    /// `$schema` names a dialect that is not supported (C-200).
    #[error("the dialect `{0}` is not supported")]
    Dialect(Sample),
    /// It has more subschemas than [`max_subschemas`](super::SchemaLimits::max_subschemas).
    #[error("the schema has more than {limit} subschemas")]
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// A reference leads out of the schema (C-207). Nothing was fetched (C-202).
    #[error("the reference `{0}` leads out of the schema")]
    External(Sample),
    /// A reference leads to nothing.
    #[error("the reference `{0}` leads nowhere")]
    Dangling(Sample),
    /// A part has an `$id` of its own, so that references in it would mean something else.
    #[error("a part of the schema has the id `{0}` of its own")]
    EmbeddedId(Sample),
    /// Its references go round without ever coming to another value.
    #[error("the references of the schema go round in a circle")]
    Circle,
    /// More schemas stand behind one another than [`max_chain`](super::SchemaLimits::max_chain).
    #[error("more than {limit} schemas stand behind one another")]
    Chain {
        /// The limit.
        limit: usize,
    },
    /// It is not a valid schema of its dialect, or has a pattern that is not supported.
    #[error("the schema is not valid at `{at}`: {problem}")]
    Invalid {
        /// Where, as a JSON pointer.
        at: Sample,
        /// What is wrong.
        problem: Sample,
    },
}

/// Why a result does not pass.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OutputError {
    /// There is no structured result, although the tool has a schema for one.
    #[error("the result has no structured content")]
    Missing,
    /// It is longer than [`max_result_bytes`](super::SchemaLimits::max_result_bytes).
    #[error("the structured content has {bytes} bytes, more than {limit}")]
    TooLarge {
        /// How long it is.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// It cannot be read as a value: it nests too deep, or has a number beyond all ranges.
    #[error("the structured content cannot be read")]
    Unreadable(#[source] serde_json::Error),
    /// The check would recurse deeper than [`max_depth`](super::SchemaLimits::max_depth).
    #[error("the check would go deeper than {limit} levels")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// The check could take more than [`max_steps`](super::SchemaLimits::max_steps).
    #[error("the check could take more than {limit} steps")]
    TooCostly {
        /// The limit.
        limit: u64,
    },
    /// It does not fit.
    #[error("the structured content does not fit its schema")]
    Mismatch(#[source] Mismatch),
}

/// Where a structured result does not fit, and how. No value of the result is repeated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("at `{path}`: {problem}")]
#[non_exhaustive]
pub struct Mismatch {
    /// The value that does not fit, as a JSON pointer; empty for the whole.
    pub path: Sample,
    /// The keyword of the schema that it does not fit.
    pub keyword: Sample,
    /// What is wrong, without the value.
    pub problem: Sample,
}

/// Why a checked call failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckedCallError {
    /// The schema of the tool cannot be used. Nothing was sent.
    #[error("the output schema of tool `{tool}` of server `{server}` cannot be used")]
    Schema {
        /// The name of the server.
        server: Arc<str>,
        /// The name of the tool.
        tool: Sample,
        /// Why.
        source: SchemaError,
    },
    /// The call failed.
    #[error(transparent)]
    Call(#[from] ClientError),
    /// The tool ran, and its result does not pass.
    #[error("the result of tool `{tool}` of server `{server}` is not as its output schema says")]
    Output {
        /// The name of the server.
        server: Arc<str>,
        /// The name of the tool.
        tool: Sample,
        /// Why.
        source: OutputError,
        /// The result as it came: the tool ran, and what it did is done.
        result: Box<CallToolResult>,
    },
}
