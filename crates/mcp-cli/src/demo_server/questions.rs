//! What `ask` asks where the caller leaves the params to it.

use serde_json::{Value, json};

/// Params that make a sensible request of `method`, if it needs any.
pub(super) fn params(method: &str) -> Option<Value> {
    match method {
        "elicitation/create" => Some(json!({
            "message": "What shall the demo server call you?",
            "requestedSchema": {
                "type": "object",
                "properties": { "name": { "type": "string", "title": "Name" } },
                "required": ["name"]
            }
        })),
        "sampling/createMessage" => Some(json!({
            "messages": [{ "role": "user", "content": { "type": "text", "text": "Say hello." } }],
            "maxTokens": 100
        })),
        _ => None,
    }
}
