//! Which dialect a schema is written in.

use jsonschema::Draft;
use mcp_jsonrpc::Sample;
use serde_json::Value;

use super::error::SchemaError;

/// The dialect that `$schema` names; 2020-12 where it is absent (C-198, C-199).
pub(super) fn of(schema: &Value) -> Result<Draft, SchemaError> {
    let name = match schema.get("$schema") {
        None => return Ok(Draft::Draft202012),
        Some(Value::String(name)) => name,
        Some(other) => return Err(SchemaError::Dialect(Sample::of(other.to_string().as_bytes()))),
    };
    let bare = name.strip_suffix('#').unwrap_or(name);
    let path = bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://"));
    match path {
        Some("json-schema.org/draft/2020-12/schema") => Ok(Draft::Draft202012),
        Some("json-schema.org/draft/2019-09/schema") => Ok(Draft::Draft201909),
        Some("json-schema.org/draft-07/schema") => Ok(Draft::Draft7),
        Some("json-schema.org/draft-06/schema") => Ok(Draft::Draft6),
        Some("json-schema.org/draft-04/schema") => Ok(Draft::Draft4),
        _ => Err(SchemaError::Dialect(Sample::of(name.as_bytes()))),
    }
}
