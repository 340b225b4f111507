//! A tool as a host sees it.

use std::sync::Arc;

use mcp_types::Tool;

use crate::server::Server;

/// One tool of one server. It can be called whether or not the server is connected yet.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolEntry {
    /// The server.
    pub server: Arc<str>,
    /// The name to give a model: unique among all tools, and made of characters that models take.
    pub exposed: Arc<str>,
    /// The tool, with its own name.
    pub tool: Tool,
    /// Whether it comes from the cache, and the server has not confirmed it yet.
    pub is_cached: bool,
}

impl ToolEntry {
    pub(crate) fn new(server: &Server, tool: Tool, exposed: &str, is_cached: bool) -> Self {
        Self { server: server.spec.name.clone(), exposed: exposed.into(), tool, is_cached }
    }
}
