//! From a configuration to connections: which transport a server is reached by.

use std::sync::Arc;

use mcp_jsonrpc::Connect;

use crate::config::{DiscoverOptions, Discovered, ServerConfig, TransportConfig, Values, discover};
use crate::manager::Manager;
use crate::options::ManagerOptions;
use crate::report::StartReport;

/// The transport of a server (S-14 to S-17): `stdio` starts a program, `http` and `sse` are the same
/// transport, which begins with Streamable HTTP or with HTTP+SSE.
pub fn create_transport(config: &ServerConfig) -> Arc<dyn Connect> {
    match config.transport() {
        TransportConfig::Stdio(config) => Arc::new(*config),
        TransportConfig::Http(config) => Arc::new(*config),
    }
}

/// Finds the configured servers, and starts those that are on and in order. What is off or broken
/// is in what was found.
///
/// # Cancel safety
///
/// As [`Manager::start`].
pub async fn discover_and_connect(
    what: &DiscoverOptions,
    values: &Values<'_>,
    options: ManagerOptions,
) -> (Manager, StartReport, Discovered) {
    let found = discover(what, values);
    let specs: Vec<_> =
        found.entries.iter().filter_map(|entry| entry.ready()).map(ServerConfig::spec).collect();
    let (manager, report) = Manager::start(specs, options).await;
    (manager, report, found)
}
