//! The `_meta` of a request, which says what a handshake said before.

use serde_json::{Map, Value};

use super::super::level::Level;
use super::super::message::Params;
use super::super::outcome::RpcError;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
const LEVEL: &str = "io.modelcontextprotocol/logLevel";

#[derive(Debug)]
pub(in super::super) struct Meta {
    pub(in super::super) version: String,
    pub(super) capabilities: Map<String, Value>,
    /// The least important log messages that the client wants, if any.
    pub(super) level: Option<Level>,
}

/// Whether params have anything to say about a version, right or wrong.
pub(super) fn is_in(params: &Params) -> bool {
    params.get("_meta").is_some_and(|meta| meta.get(VERSION).is_some())
}

impl Meta {
    pub(super) fn read(params: &Params) -> Result<Self, RpcError> {
        let meta = params.get("_meta").and_then(Value::as_object);
        let meta = meta.ok_or_else(|| RpcError::invalid("`_meta` must be an object"))?;
        let wrong = |name: &str, what: &str| RpcError::invalid(format!("`_meta` needs `{name}`, {what}"));
        let version = meta.get(VERSION).and_then(Value::as_str).ok_or_else(|| wrong(VERSION, "a string"))?;
        let capabilities = meta.get(CAPABILITIES).and_then(Value::as_object);
        let capabilities = capabilities.ok_or_else(|| wrong(CAPABILITIES, "an object"))?;
        let is_info = |info: &Value| info["name"].is_string() && info["version"].is_string();
        if meta.get(CLIENT).is_some_and(|info| !is_info(info)) {
            return Err(RpcError::invalid(format!("`{CLIENT}` must have a name and a version")));
        }
        let level = match meta.get(LEVEL) {
            None => None,
            Some(level) => {
                let level = level.as_str().and_then(Level::parse);
                Some(level.ok_or_else(|| RpcError::invalid(format!("`{LEVEL}` must be a log level")))?)
            }
        };
        Ok(Self { version: version.to_owned(), capabilities: capabilities.clone(), level })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(meta: Value) -> Result<Meta, RpcError> {
        let mut params = Params::new();
        params.insert("_meta".to_owned(), meta);
        Meta::read(&params)
    }

    #[test]
    fn version_and_capabilities_are_enough() {
        let meta = read(json!({ VERSION: "x", CAPABILITIES: { "roots": {} } })).unwrap();
        assert_eq!((meta.version.as_str(), meta.level), ("x", None));
        assert_eq!(Value::Object(meta.capabilities), json!({ "roots": {} }));
        let meta = read(json!({ VERSION: "x", CAPABILITIES: {}, LEVEL: "warning" })).unwrap();
        assert_eq!(meta.level, Some(Level::WARNING));
    }

    #[test]
    fn what_is_missing_or_of_another_shape_is_refused() {
        assert_eq!(Meta::read(&Params::new()).unwrap_err().code, -32602);
        for wrong in [
            Value::Null,
            json!([]),
            json!({}),
            json!({ CAPABILITIES: {} }),
            json!({ VERSION: 1, CAPABILITIES: {} }),
            json!({ VERSION: "x" }),
            json!({ VERSION: "x", CAPABILITIES: null }),
            json!({ VERSION: "x", CAPABILITIES: {}, CLIENT: { "name": "c" } }),
            json!({ VERSION: "x", CAPABILITIES: {}, CLIENT: "c" }),
            json!({ VERSION: "x", CAPABILITIES: {}, LEVEL: "loud" }),
            json!({ VERSION: "x", CAPABILITIES: {}, LEVEL: null }),
        ] {
            assert_eq!(read(wrong.clone()).unwrap_err().code, -32602, "{wrong}");
        }
    }
}
