//! The tools that servers had the last time, in the user's cache folder: what completions are made of.
//!
//! A cache that cannot be used is none, and nothing is said about it.

use mcp_client::Client;
use mcp_jsonrpc::Raw;
use mcp_manager::cache::{CachedTools, FileCache, ToolCache};
use mcp_types::Tool;

use crate::server::Server;

/// The user's cache. `None` if the environment names no folder for it.
pub(crate) fn of_user() -> Option<FileCache> {
    FileCache::in_platform_folder().ok()
}

/// Keeps the tools that a server just listed, all of them, whatever the config lets through.
pub(crate) async fn remember(server: &Server, client: &Client, tools: &[Raw]) {
    if let (Some(cache), Some(key)) = (of_user(), server.cache_key()) {
        let tools: Vec<Tool> = tools.iter().filter_map(|tool| tool.parse().ok()).collect();
        cache.store(&key, &CachedTools::of(client.agreed(), &tools)).await;
    }
}

/// The names of the tools that a server had the last time, as far as the config lets them through.
pub(crate) async fn names(server: &Server) -> Vec<String> {
    let (Some(cache), Some(key)) = (of_user(), server.cache_key()) else { return Vec::new() };
    let cached = cache.load(&key).await.map_or_else(Vec::new, |cached| cached.tools);
    cached.into_iter().map(|tool| tool.name).filter(|name| server.filter().shows(name)).collect()
}
