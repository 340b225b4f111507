//! What can be seen of the way to a server before it is gone: the route, the file of its command, the
//! addresses of its name.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use mcp_manager::config::TransportConfig;
use mcp_transport_http::connector::Connector;
use mcp_transport_http::{HttpConfig, Scheme};
use mcp_transport_stdio::{LocateError, StdioConfig};

use super::step::{Route, Step};

/// Most addresses that are shown.
const SHOWN: usize = 8;

/// What was seen.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) route: Route,
    pub(crate) seen: HashMap<Step, Seen>,
    /// Why the command cannot be run, if that shows.
    pub(crate) missing: Option<LocateError>,
}

/// What was seen of one step, and how long that took.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) detail: String,
    pub(crate) time: Option<Duration>,
}

impl Survey {
    /// Looks along the way. Nothing is started, and nothing is sent to the server.
    pub(crate) async fn of(transport: &TransportConfig) -> Self {
        match transport {
            TransportConfig::Stdio(config) => Self::of_command(config),
            TransportConfig::Http(config) => Self::of_address(config).await,
            _ => Self::new(Route::Command),
        }
    }

    fn new(route: Route) -> Self {
        Self { route, seen: HashMap::new(), missing: None }
    }

    fn see(&mut self, step: Step, detail: String, time: Option<Duration>) {
        self.seen.insert(step, Seen { detail, time });
    }

    fn of_command(config: &StdioConfig) -> Self {
        let mut survey = Self::new(Route::Command);
        let start = Instant::now();
        let found = tokio::task::block_in_place(|| config.locate());
        match found {
            Ok(found) => {
                let interpreter = found.interpreter.map(|it| format!(", run by {}", it.display()));
                let detail = format!("{}{}", found.path.display(), interpreter.unwrap_or_default());
                survey.see(Step::Command, detail, Some(start.elapsed()));
            }
            Err(problem) => survey.missing = Some(problem),
        }
        survey
    }

    async fn of_address(config: &HttpConfig) -> Self {
        let origin = config.endpoint.origin();
        let tls = origin.is_secure();
        if origin.scheme() == Scheme::Unix {
            let mut survey = Self::new(Route::Socket);
            survey.see(Step::Socket, origin.to_string(), None);
            return survey;
        }
        // One that cannot be made is what the attempt will fail at.
        let Ok(connector) = Connector::new(&config.connector) else {
            return Self::new(Route::Direct { tls });
        };
        match connector.proxy(origin) {
            Ok(None) => {
                let mut survey = Self::new(Route::Direct { tls });
                survey.see_addresses(&connector, config).await;
                survey
            }
            Ok(Some(proxy)) => {
                let mut survey = Self::new(Route::Proxy { tls });
                survey.see(Step::Proxy, format!("through the proxy {proxy}"), None);
                survey
            }
            Err(_) => Self::new(Route::Proxy { tls }),
        }
    }

    async fn see_addresses(&mut self, connector: &Connector, config: &HttpConfig) {
        let start = Instant::now();
        let Ok(found) = connector.resolve(config.endpoint.origin()).await else { return };
        let shown: Vec<_> = found.iter().take(SHOWN).map(ToString::to_string).collect();
        let more = found.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        self.see(Step::Dns, format!("{}{more}", shown.join(", ")), Some(start.elapsed()));
    }
}
