//! One compiled schema.

use jsonschema::{PatternOptions, ValidationError, Validator};
use mcp_jsonrpc::Sample;
use mcp_types::CallToolResult;
use serde_json::Value;
use serde_json::value::RawValue;

use super::error::{Mismatch, OutputError, SchemaError};
use super::graph::Graph;
use super::limits::SchemaLimits;
use super::{dialect, walk};

/// The `outputSchema` of a tool, compiled. Can be used any number of times, from any thread.
#[derive(Debug)]
pub struct OutputSchema {
    validator: Validator,
    graph: Graph,
    limits: SchemaLimits,
}

impl OutputSchema {
    /// Compiles a schema as its dialect says. Takes time with the size of the schema, and fetches nothing.
    ///
    /// # Errors
    ///
    /// If it is beyond the limits, in a dialect that is not supported, refers to what is not in it, or is not
    /// valid.
    pub fn compile(schema: &RawValue, limits: &SchemaLimits) -> Result<Self, SchemaError> {
        let (bytes, limit) = (schema.get().len(), limits.max_schema_bytes);
        if bytes > limit {
            return Err(SchemaError::TooLarge { bytes, limit });
        }
        if nesting(schema.get()) > limits.max_nesting {
            return Err(SchemaError::TooDeep { limit: limits.max_nesting });
        }
        let mut schema: Value = serde_json::from_str(schema.get()).map_err(SchemaError::Unreadable)?;
        let draft = dialect::of(&schema)?;
        forget_id(&mut schema);
        let graph = Graph::of(&schema, limits)?;
        let (most, pattern) = (limits.max_pattern_bytes, PatternOptions::regex());
        let options = jsonschema::options()
            .with_draft(draft)
            .should_validate_formats(false)
            .with_pattern_options(pattern.size_limit(most).dfa_size_limit(most));
        let validator = options.build(&schema).map_err(|error| invalid(&error))?;
        Ok(Self { validator, graph, limits: limits.clone() })
    }

    /// Checks the structured content of a result. One with `isError` passes, whatever it has.
    ///
    /// # Errors
    ///
    /// If there is none, if it does not fit, or if finding that out is beyond the limits.
    pub fn check(&self, result: &CallToolResult) -> Result<(), OutputError> {
        if result.is_error() {
            return Ok(());
        }
        let content = result.structured_content.as_deref().ok_or(OutputError::Missing)?;
        let (bytes, limit) = (content.get().len(), self.limits.max_result_bytes);
        if bytes > limit {
            return Err(OutputError::TooLarge { bytes, limit });
        }
        let value: Value = serde_json::from_str(content.get()).map_err(OutputError::Unreadable)?;
        walk::measure(&self.graph, &value, &self.limits)?;
        self.validator.validate(&value).map_err(|error| OutputError::Mismatch(mismatch(&error)))
    }
}

/// A schema's own address says nothing to us, and the library knows schemas by address, which a server could
/// make use of.
fn forget_id(schema: &mut Value) {
    if let Value::Object(members) = schema {
        for keyword in ["$id", "id"] {
            members.remove(keyword);
        }
    }
}

/// How deep JSON nests, without reading it.
fn nesting(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_text, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn invalid(error: &ValidationError<'_>) -> SchemaError {
    let at = Sample::of(error.instance_path().as_str().as_bytes());
    SchemaError::Invalid { at, problem: Sample::of(error.masked().to_string().as_bytes()) }
}

fn mismatch(error: &ValidationError<'_>) -> Mismatch {
    Mismatch {
        path: Sample::of(error.instance_path().as_str().as_bytes()),
        keyword: Sample::of(error.kind().keyword().as_bytes()),
        problem: Sample::of(error.masked().to_string().as_bytes()),
    }
}
