//! Structured results of tools, checked against the `outputSchema` of the tool (C-184).
//!
//! Behind the feature `output-schema`.
//!
//! ```
//! use mcp_client::output::{OutputError, OutputSchema, SchemaLimits};
//! use mcp_types::CallToolResult;
//! use serde_json::value::RawValue;
//!
//! let schema: Box<RawValue> = serde_json::from_str(r#"{"type":"object","required":["sum"]}"#)?;
//! let schema = OutputSchema::compile(&schema, &SchemaLimits::default())?;
//! let result: CallToolResult = serde_json::from_str(r#"{"content":[],"structuredContent":{}}"#)?;
//! assert!(matches!(schema.check(&result), Err(OutputError::Mismatch(_))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//!   outputSchema ──► size, depth, dialect ──► Graph: subschemas, local references ──► the library
//!   result ────────► size, parse ───────────► a walk that counts what it will cost ─► the library
//! ```
//!
//! Dialects (C-198 to C-201): 2020-12, which is meant where `$schema` is absent, 2019-09, draft-07,
//! draft-06 and draft-04. `format` is an annotation in all of them. Patterns run on an engine without
//! backtracking, so that one with a lookaround or a back-reference is refused with its schema.
//!
//! A reference may point into its own schema, by a JSON pointer or an anchor. Any other is refused, and
//! nothing is ever fetched (C-202, C-207); so is a part with an `$id` of its own. Everything is bounded
//! by [`SchemaLimits`] (C-208): schemas and results are a server's.

mod cache;
mod call;
mod dialect;
mod error;
mod graph;
mod limits;
mod node;
mod reference;
mod schema;
mod walk;

pub use cache::OutputSchemas;
pub use error::{CheckedCallError, Mismatch, OutputError, SchemaError};
pub use limits::SchemaLimits;
pub use schema::OutputSchema;

#[cfg(test)]
mod tests;
