//! A configured server: what it is, how it is reached, and what it may do.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use mcp_jsonrpc::IdFormat;
use mcp_transport_http::{HttpConfig, Wire};
use mcp_transport_stdio::StdioConfig;
use mcp_types::Revision;
use serde_json::Value as Json;

use super::host::{Host, Scope};
use super::lines::Place;
use super::origin::Origin;
use super::remote::HttpServer;
use super::stdio::StdioServer;
use crate::names::ToolFilter;

/// A server that can be started, all variables filled in. What a file leaves out is `None`, which means
/// the library's default.
///
/// `Debug` shows no header value, environment value or argument, no secret of an address and no value
/// of [`extra`](Self::extra).
#[derive(Clone)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Its name in the file.
    pub name: String,
    /// Where the entry stands.
    pub origin: Origin,
    /// How it is reached.
    pub kind: ServerKind,
    /// Longest time of each request; zero is no limit.
    pub timeout: Option<Duration>,
    /// Longest time of the handshake, which may have to wait for a download; absent, `timeout` holds for
    /// it; zero is no limit.
    pub start_timeout: Option<Duration>,
    /// Longest time of each request in all, whatever its progress; zero is no limit.
    pub max_total_timeout: Option<Duration>,
    /// The form of request ids.
    pub request_id_format: Option<IdFormat>,
    /// Which revision of the protocol to open with. [`Protocol::Auto`].
    pub protocol: Protocol,
    /// Which of its tools there are for us, where deny wins. All.
    pub tools: ToolFilter,
    /// Which calls of its tools the user has to approve.
    pub approvals: Approvals,
    /// Whether it is started only once one of its tools is called. False.
    pub lazy: bool,
    /// Keys that mean nothing here, as they are in the file: those of the host, and unknown ones.
    pub extra: BTreeMap<String, Json>,
    /// Where each value stands in the file of `origin`, by field: `url`, `args[1]`, `env.KEY`.
    pub places: BTreeMap<String, Place>,
}

/// How a server is reached.
#[derive(Clone)]
#[non_exhaustive]
pub enum ServerKind {
    /// A program, by its standard streams.
    Stdio(StdioServer),
    /// An address, by Streamable HTTP first.
    Http(HttpServer),
    /// An address, by HTTP+SSE first.
    Sse(HttpServer),
}

/// The kind of a server without what it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A program.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE.
    Sse,
}

impl Kind {
    /// `stdio`, `http` or `sse`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Sse => "sse",
        }
    }
}

/// Which revision of the protocol a connection speaks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Protocol {
    /// What the client and the server find out.
    #[default]
    Auto,
    /// The same, beginning with `server/discover`.
    Discover,
    /// This one, such as `2025-11-25`, and no other.
    Revision(String),
}

impl Protocol {
    /// The choice as a client takes it; `None` leaves it to the client, also where the revision is not
    /// known.
    pub fn choice(&self) -> Option<mcp_client::Protocol> {
        match self {
            Self::Auto => None,
            Self::Discover => Some(mcp_client::Protocol::Discover),
            Self::Revision(name) => Revision::parse(name).map(mcp_client::Protocol::Only),
        }
    }
}

/// Whether the user has to approve a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approval {
    /// The file does not say; whoever calls the tool decides.
    #[default]
    Unstated,
    /// Each call is to be approved. Also what a mode of approval means that is not known here.
    Required,
    /// No call needs it. A file of a project cannot say so.
    Granted,
}

/// What a file says about approval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Approvals {
    /// For all tools that are not named.
    pub default: Approval,
    /// For tools by name.
    pub tools: BTreeMap<String, Approval>,
}

impl Approvals {
    /// What the file says about calls of this tool.
    pub fn of(&self, tool: &str) -> Approval {
        self.tools.get(tool).copied().unwrap_or(self.default)
    }

    /// Whether the file wants each call of this tool approved.
    pub fn requires_approval(&self, tool: &str) -> bool {
        self.of(tool) == Approval::Required
    }
}

/// What a transport is made from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TransportConfig {
    /// A program.
    Stdio(Box<StdioConfig>),
    /// An address.
    Http(Box<HttpConfig>),
}

impl ServerConfig {
    /// A server that is in no file, everything else at its default.
    pub fn new(name: impl Into<String>, kind: ServerKind) -> Self {
        let place = Place { line: 1, column: 1 };
        let origin = Origin { file: PathBuf::new(), host: Host::Own, scope: Scope::Given, place };
        Self {
            name: name.into(),
            origin,
            kind,
            timeout: None,
            start_timeout: None,
            max_total_timeout: None,
            request_id_format: None,
            protocol: Protocol::Auto,
            tools: ToolFilter::default(),
            approvals: Approvals::default(),
            lazy: false,
            extra: BTreeMap::new(),
            places: BTreeMap::new(),
        }
    }

    /// Which kind it is.
    pub fn kind(&self) -> Kind {
        match &self.kind {
            ServerKind::Stdio(_) => Kind::Stdio,
            ServerKind::Http(_) => Kind::Http,
            ServerKind::Sse(_) => Kind::Sse,
        }
    }

    /// What the transport is to do. The limits that only the client knows are not in it:
    /// `start_timeout` and `protocol`.
    pub fn transport(&self) -> TransportConfig {
        match &self.kind {
            ServerKind::Stdio(server) => {
                let mut config = server.transport();
                config.name = Some(self.name.clone());
                config.timeout = self.timeout.unwrap_or(config.timeout);
                config.max_total_timeout = self.max_total_timeout.unwrap_or(config.max_total_timeout);
                config.ids = self.request_id_format.unwrap_or(config.ids);
                TransportConfig::Stdio(Box::new(config))
            }
            ServerKind::Http(server) | ServerKind::Sse(server) => {
                let mut config = server.transport();
                config.name = Some(self.name.clone());
                config.timeout = self.timeout.unwrap_or(config.timeout);
                config.max_total_timeout = self.max_total_timeout.unwrap_or(config.max_total_timeout);
                config.ids = self.request_id_format.unwrap_or(config.ids);
                if self.kind() == Kind::Sse {
                    config.wire = Wire::Sse;
                }
                TransportConfig::Http(Box::new(config))
            }
        }
    }
}

impl fmt::Debug for ServerConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ServerConfig")
            .field("name", &self.name)
            .field("origin", &format_args!("{}", self.origin))
            .field("kind", &self.kind)
            .field("timeout", &self.timeout)
            .field("start_timeout", &self.start_timeout)
            .field("max_total_timeout", &self.max_total_timeout)
            .field("request_id_format", &self.request_id_format)
            .field("protocol", &self.protocol)
            .field("tools", &self.tools)
            .field("approvals", &self.approvals)
            .field("lazy", &self.lazy)
            .field("extra", &self.extra.keys())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ServerKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio(server) => formatter.debug_tuple("Stdio").field(server).finish(),
            Self::Http(server) => formatter.debug_tuple("Http").field(server).finish(),
            Self::Sse(server) => formatter.debug_tuple("Sse").field(server).finish(),
        }
    }
}
