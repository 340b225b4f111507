//! Tools that ask, that change the server, and that show kinds of content and headers.

use serde_json::{Value, json};

pub(super) fn tools() -> Vec<Value> {
    vec![interview(), survey(), later(), grow(), count(), hang_up(), media(), route()]
}

/// A tool that `grow` added.
pub(super) fn grown(number: usize) -> Value {
    json!({
        "name": format!("grown_{number}"),
        "description": "Says its name. It was added by `grow`.",
        "inputSchema": { "type": "object", "additionalProperties": false },
        "annotations": { "readOnlyHint": true }
    })
}

fn interview() -> Value {
    json!({
        "name": "interview",
        "title": "Interview",
        "description": "Asks the user for a name, then, knowing it, for a colour: two rounds.",
        "inputSchema": { "type": "object", "additionalProperties": false },
        "annotations": { "readOnlyHint": true }
    })
}

fn survey() -> Value {
    json!({
        "name": "survey",
        "title": "Survey",
        "description": "Asks all that the client says it answers, at once where the revision has that.",
        "inputSchema": { "type": "object", "additionalProperties": false },
        "annotations": { "readOnlyHint": true }
    })
}

fn later() -> Value {
    json!({
        "name": "later",
        "title": "Later",
        "description": "With 2026-07-28 it wants to be called again without any question; then it answers.",
        "inputSchema": { "type": "object", "additionalProperties": false },
        "annotations": { "readOnlyHint": true }
    })
}

fn grow() -> Value {
    json!({
        "name": "grow",
        "title": "Grow",
        "description": "Adds a tool, a resource or a prompt, which its list and a notification then tell.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "kind": { "type": "string", "enum": ["tool", "resource", "prompt"], "default": "tool",
                          "description": "What to add." }
            }
        },
        "annotations": { "destructiveHint": false }
    })
}

fn count() -> Value {
    json!({
        "name": "count",
        "title": "Count",
        "description": "Counts one further, which changes the resource demo://counter.",
        "inputSchema": { "type": "object", "additionalProperties": false },
        "outputSchema": {
            "type": "object",
            "properties": { "counter": { "type": "integer" } },
            "required": ["counter"]
        },
        "annotations": { "destructiveHint": false }
    })
}

fn hang_up() -> Value {
    json!({
        "name": "hang_up",
        "title": "Hang up",
        "description": "Ends all subscriptions of 2026-07-28, as a server does that is about to end.",
        "inputSchema": { "type": "object", "additionalProperties": false },
        "annotations": { "destructiveHint": true }
    })
}

fn media() -> Value {
    json!({
        "name": "media",
        "title": "Media",
        "description": "Sends one content of each kind that the revision has.",
        "inputSchema": { "type": "object", "additionalProperties": false },
        "annotations": { "readOnlyHint": true }
    })
}

fn route() -> Value {
    json!({
        "name": "route",
        "title": "Route",
        "description": "Has arguments that clients of 2026-07-28 repeat in headers over HTTP.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "region": { "type": "string", "x-mcp-header": "Region", "description": "Where to." },
                "priority": { "type": "integer", "x-mcp-header": "Priority", "description": "How urgent." },
                "dryRun": { "type": "boolean", "x-mcp-header": "Dry-Run", "description": "Only try." },
                "target": {
                    "type": "object",
                    "properties": {
                        "zone": { "type": "string", "x-mcp-header": "Zone", "description": "Which part." }
                    }
                },
                "note": { "type": "string", "description": "Not repeated." }
            },
            "required": ["region"]
        },
        "annotations": { "readOnlyHint": true }
    })
}
