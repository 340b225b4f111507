//! Counts what a check will cost at worst, before it is begun.
//!
//! The walk applies every subschema to every value it could meet, without memory of what it has seen, as
//! a validator without shortcuts would. So it is itself as costly as what it measures, and is itself stopped by
//! the limit.

use serde_json::Value;

use super::error::OutputError;
use super::graph::Graph;
use super::limits::SchemaLimits;
use super::node::{Id, Node};

/// How often subschemas are asked, at worst, by one that collects what they have looked at.
const ASKED_AGAIN: u64 = 3;
/// Characters of a text that are one step.
const CHARACTERS: u64 = 64;
/// What looking for equal items costs for each of them.
const COMPARED: u64 = 16;

/// Walks `value` as the whole schema would.
pub(super) fn measure(graph: &Graph, value: &Value, limits: &SchemaLimits) -> Result<(), OutputError> {
    Walk { graph, limits, steps: 0 }.apply(0, value, 1, limits.max_depth)
}

struct Walk<'a> {
    graph: &'a Graph,
    limits: &'a SchemaLimits,
    steps: u64,
}

impl Walk<'_> {
    /// Applies a subschema `times`. Recurses `left` times at most.
    fn apply(&mut self, id: Id, value: &Value, times: u64, left: usize) -> Result<(), OutputError> {
        let Some(node) = self.graph.node(id) else { return Ok(()) };
        let left = left.checked_sub(1).ok_or(OutputError::TooDeep { limit: self.limits.max_depth })?;
        self.count(times.saturating_mul(own_cost(node, value)))?;
        let times = if node.collects { times.saturating_mul(ASKED_AGAIN) } else { times };
        for next in &node.here {
            self.apply(*next, value, times, left)?;
        }
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let named = node.members.get(name);
                    for next in named.into_iter().chain(&node.every_member) {
                        self.apply(*next, member, times, left)?;
                    }
                    for next in &node.names {
                        self.apply(*next, &Value::String(name.clone()), times, left)?;
                    }
                }
            }
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    for next in node.prefix.get(at).into_iter().chain(&node.every_item) {
                        self.apply(*next, item, times, left)?;
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Ok(())
    }

    fn count(&mut self, steps: u64) -> Result<(), OutputError> {
        self.steps = self.steps.saturating_add(steps);
        let limit = self.limits.max_steps;
        if self.steps > limit { Err(OutputError::TooCostly { limit }) } else { Ok(()) }
    }
}

/// What a subschema costs apart from those that it applies.
fn own_cost(node: &Node, value: &Value) -> u64 {
    let size = match value {
        Value::String(text) => text.len() as u64 / CHARACTERS,
        Value::Array(items) => items.len() as u64 * COMPARED,
        Value::Object(members) => members.len() as u64,
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    1 + node.entries + size
}
