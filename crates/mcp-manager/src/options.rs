//! What can be chosen for a manager.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::{ClientOptions, Delegate};

use crate::cache::ToolCache;
use crate::names::NameStyle;
use crate::policy::ReconnectPolicy;

/// Makes the delegate of one server, by its name.
pub type DelegateFactory = Arc<dyn Fn(&str) -> Option<Arc<dyn Delegate>> + Send + Sync>;

/// Options of a manager. Make them with [`new`](Self::new) and assign fields.
#[derive(Clone)]
#[non_exhaustive]
pub struct ManagerOptions {
    /// Who we say we are, and the limits of each client. Its `server` and `delegate` are set for
    /// each server.
    pub client: ClientOptions,
    /// Who answers each server. Nobody.
    pub delegate: Option<DelegateFactory>,
    /// How long [`Manager::start`](crate::Manager::start) waits for servers before it returns with
    /// those that are ready (D-20). 250 ms; zero does not wait.
    pub gate: Duration,
    /// Longest time from the start of a connection to the list of its tools, for servers that have
    /// none of their own. 30 s; zero means none.
    pub start_timeout: Duration,
    /// Most connections that are being made at once; more wait their turn. 64, and at least one.
    pub max_starts: usize,
    /// Where lists of tools are kept from one run to the next. Nowhere.
    pub cache: Option<Arc<dyn ToolCache>>,
    /// How tools are named for a model.
    pub names: NameStyle,
    /// Whether and how lost servers come back. Off (S-105).
    pub reconnect: ReconnectPolicy,
    /// Most events that wait for one listener. 1024.
    pub event_capacity: usize,
    /// How long closing a server may take before it is left to end by itself. 10 s.
    pub close_timeout: Duration,
}

impl ManagerOptions {
    /// The defaults, with these for each client.
    pub fn new(client: ClientOptions) -> Self {
        Self {
            client,
            delegate: None,
            gate: Duration::from_millis(250),
            start_timeout: Duration::from_secs(30),
            max_starts: 64,
            cache: None,
            names: NameStyle::default(),
            reconnect: ReconnectPolicy::off(),
            event_capacity: 1024,
            close_timeout: Duration::from_secs(10),
        }
    }
}

impl fmt::Debug for ManagerOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ManagerOptions")
            .field("client", &self.client)
            .field("gate", &self.gate)
            .field("start_timeout", &self.start_timeout)
            .field("max_starts", &self.max_starts)
            .field("has_cache", &self.cache.is_some())
            .field("reconnect", &self.reconnect)
            .finish_non_exhaustive()
    }
}
