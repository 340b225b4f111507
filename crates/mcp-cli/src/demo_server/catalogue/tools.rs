//! The tools as `tools/list` describes them. The first seven are for calls; the others in `more` show
//! what else there is to a server.

mod more;

use serde_json::{Value, json};

use super::super::revision::Revision;
use super::super::world::Shelf;

/// All tools, in a stable order. Output schemas came with 2025-06-18; older clients get none.
pub(in super::super) fn all(shelf: &Shelf, revision: Revision) -> Vec<Value> {
    let mut tools = everything(shelf);
    if !revision.has_structure() {
        for tool in tools.iter_mut().filter_map(Value::as_object_mut) {
            tool.remove("outputSchema");
        }
    }
    tools
}

/// The tool of this name.
pub(in super::super) fn find(shelf: &Shelf, name: &str) -> Option<Value> {
    everything(shelf).into_iter().find(|tool| tool["name"] == name)
}

fn everything(shelf: &Shelf) -> Vec<Value> {
    let mut tools = vec![echo(), add(), sleep(), big(), fail(), crash(), ask()];
    tools.extend(more::tools());
    tools.extend((1..=shelf.tools).map(more::grown));
    tools
}

fn echo() -> Value {
    json!({
        "name": "echo",
        "description": "Sends a text back.",
        "inputSchema": {
            "type": "object",
            "properties": { "text": { "type": "string", "description": "What to send back." } },
            "required": ["text"]
        },
        "annotations": { "readOnlyHint": true }
    })
}

fn add() -> Value {
    json!({
        "name": "add",
        "description": "Adds two numbers; integers exactly.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "a": { "type": "number", "description": "The first one." },
                "b": { "type": "number", "description": "The second one." }
            },
            "required": ["a", "b"]
        },
        "outputSchema": {
            "type": "object",
            "properties": { "sum": { "type": "number" } },
            "required": ["sum"]
        },
        "annotations": { "readOnlyHint": true }
    })
}

fn sleep() -> Value {
    json!({
        "name": "sleep",
        "description": "Waits, and tells how far it is if the client asks for progress. \
                        It can be cancelled.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "ms": { "type": "integer", "minimum": 0, "maximum": 3_600_000,
                        "description": "How long, in milliseconds." },
                "steps": { "type": "integer", "minimum": 1, "maximum": 1000, "default": 4,
                           "description": "In how many steps." }
            },
            "required": ["ms"]
        },
        "annotations": { "readOnlyHint": true }
    })
}

fn big() -> Value {
    json!({
        "name": "big",
        "description": "Sends a long text.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "bytes": { "type": "integer", "minimum": 0, "maximum": 268_435_456,
                           "description": "Its length in bytes." }
            },
            "required": ["bytes"]
        },
        "annotations": { "readOnlyHint": true }
    })
}

fn fail() -> Value {
    json!({
        "name": "fail",
        "description": "Fails, as a tool does: the result says `isError`.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "message": { "type": "string", "default": "This tool always fails.",
                             "description": "What it says." }
            }
        },
        "annotations": { "readOnlyHint": true }
    })
}

fn crash() -> Value {
    json!({
        "name": "crash",
        "description": "Ends the server in the middle of the call.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "code": { "type": "integer", "minimum": 0, "maximum": 255, "default": 1,
                          "description": "Its exit status." }
            }
        },
        "annotations": { "destructiveHint": true }
    })
}

fn ask() -> Value {
    json!({
        "name": "ask",
        "description": "Asks the client something and tells what it answered.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "method": { "type": "string", "default": "roots/list",
                            "description": "The method of the request." },
                "params": { "type": "object",
                            "description": "Its params; elicitation and sampling have some by themselves." }
            }
        },
        "annotations": { "readOnlyHint": true }
    })
}
