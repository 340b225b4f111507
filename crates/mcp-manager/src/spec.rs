//! A server as the manager takes it: how to connect to it, and what is to be made of it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::Protocol;
use mcp_jsonrpc::Connect;

use crate::cache::CacheKey;
use crate::names::ToolFilter;
use crate::policy::ServerKind;

/// One server.
#[derive(Clone)]
#[non_exhaustive]
pub struct ServerSpec {
    /// Its name, which is unique among the servers of a manager.
    pub name: Arc<str>,
    /// How to connect to it.
    pub connect: Arc<dyn Connect>,
    /// Longest time from the start of a connection to the list of its tools; `None` takes
    /// [`ManagerOptions::start_timeout`](crate::ManagerOptions::start_timeout).
    pub start_timeout: Option<Duration>,
    /// Which revision of the protocol it speaks, and which way that is found out; `None` takes that of
    /// [`ManagerOptions::client`](crate::ManagerOptions::client). What a server spoke the last time is
    /// kept, and tried first the next time.
    pub protocol: Option<Protocol>,
    /// Whether it is connected only when something of it is needed. False.
    pub lazy: bool,
    /// What an attempt to connect it costs, for the policy that brings it back.
    /// [`ServerKind::Remote`].
    pub kind: ServerKind,
    /// Which of its tools are shown. All.
    pub tools: ToolFilter,
    /// What its tools are cached under; `None` does not cache them.
    pub cache_key: Option<CacheKey>,
    /// Bytes that change when the server must be started anew, for a reload; a secret hash.
    pub fingerprint: Vec<u8>,
}

impl ServerSpec {
    /// A server of this name, everything else at its default.
    pub fn new(name: impl Into<Arc<str>>, connect: Arc<dyn Connect>) -> Self {
        Self {
            name: name.into(),
            connect,
            start_timeout: None,
            protocol: None,
            lazy: false,
            kind: ServerKind::Remote,
            tools: ToolFilter::default(),
            cache_key: None,
            fingerprint: Vec::new(),
        }
    }
}

impl fmt::Debug for ServerSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ServerSpec")
            .field("name", &self.name)
            .field("connect", &self.connect.label())
            .field("start_timeout", &self.start_timeout)
            .field("lazy", &self.lazy)
            .finish_non_exhaustive()
    }
}
