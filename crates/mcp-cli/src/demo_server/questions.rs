//! What tools ask where the caller leaves the params to them.

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

/// Asks somebody whose name is known for more.
pub(super) fn colour(name: &str) -> Value {
    json!({
        "message": format!("Which colour do you like, {name}?"),
        "requestedSchema": {
            "type": "object",
            "properties": { "colour": { "type": "string", "enum": ["red", "green", "blue"], "title": "Colour" } },
            "required": ["colour"]
        }
    })
}
