//! What can be chosen for a client and for one call.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::Cancel;
use mcp_types::{ClientCapabilities, Implementation, LoggingLevel, ProgressParams};

use crate::answering::{ElicitationHandler, RootsProvider, SamplingHandler};
use crate::delegate::Delegate;
use crate::protocol::Protocol;
use crate::tasks::TaskPolling;

/// Options of a client.
///
/// ```
/// use std::time::Duration;
/// use mcp_client::ClientOptions;
///
/// let mut options = ClientOptions::new("acme-agent", "3.1");
/// options.initialize_timeout = Some(Duration::from_secs(120));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct ClientOptions {
    /// Who we say we are.
    pub info: Implementation,
    /// What we can do for the server beside what the handlers below do, which is declared by itself
    /// and in place of what stands here of it. Defaults to nothing; what is declared here, the
    /// [`delegate`](Self::delegate) has to do.
    pub capabilities: ClientCapabilities,
    /// The name of the server in errors. Defaults to [`Connect::label`](mcp_jsonrpc::Connect::label).
    pub server: Option<String>,
    /// Which revision of the protocol is spoken, and which way that is found out. Defaults to
    /// [`Protocol::Auto`].
    pub protocol: Protocol,
    /// How long a server that shares one channel for all (stdio) may be silent when it is asked by
    /// `server/discover` first, before it gets `initialize`; see [`Protocol::Discover`]. Defaults to
    /// 10 s; zero means no limit. A shorter [`initialize_timeout`](Self::initialize_timeout) holds for it too.
    pub probe_timeout: Duration,
    /// Longest time for each message of the handshake, and for `server/discover`. Defaults to `None`, which takes the
    /// timeout of the transport; zero means no limit.
    ///
    /// Some servers download themselves on the first start; they need minutes.
    pub initialize_timeout: Option<Duration>,
    /// Longest time of a call without a sign of life. Defaults to `None`, which takes the timeout
    /// of the transport; zero means no limit. A call can have its own.
    pub timeout: Option<Duration>,
    /// Longest time of a call in all. Defaults to `None`, which takes the limit of the transport;
    /// zero means no limit. A call can have its own.
    pub max_total_timeout: Option<Duration>,
    /// Whether progress for a call restarts its [`timeout`](Self::timeout). Defaults to false. If
    /// true, each call asks the server for progress. A call can have its own.
    pub progress_extends_timeout: bool,
    /// Whether the server is told when a call is given up: by timeout, by cancel, or because its
    /// future was dropped. Defaults to true.
    pub send_cancelled: bool,
    /// Whether calls of methods whose capability the server did not declare, or that the agreed
    /// revision does not have, fail without being sent; notifications of other revisions as well. Defaults to true. [`Client::request`](crate::Client::request) is exempt.
    pub require_capabilities: bool,
    /// Tells the server which folders it may work on, which declares `roots`. Defaults to nobody.
    pub roots: Option<Arc<dyn RootsProvider>>,
    /// Lets the server use the host's model, which declares `sampling`. Defaults to nobody.
    pub sampling: Option<Arc<dyn SamplingHandler>>,
    /// Lets the server ask the user, which declares `elicitation`. Defaults to nobody.
    pub elicitation: Option<Arc<dyn ElicitationHandler>>,
    /// Who answers what no handler above does, and hears the server's notifications. Defaults to
    /// nobody: then such requests other than `ping` get `-32601`.
    pub delegate: Option<Arc<dyn Delegate>>,
    /// Whether to open a stream for what the server says by itself, where that takes one of its own
    /// (HTTP; other transports hear it anyway). Defaults to false (S-83). It is opened once the
    /// handshake is done and never holds anything up; see [`Client::listening`](crate::Client::listening).
    ///
    /// In 2026-07-28 it is a request, `subscriptions/listen`, for all changes of lists that the server
    /// says it can tell of. It is sent over other transports in any case, and sent again if it is lost.
    pub listen: bool,
    /// Most events that wait for one listener. Defaults to 1024, and is at least 1. The oldest go
    /// first; the listener gets [`Event::Missed`](crate::Event::Missed) in their place.
    pub event_capacity: usize,
    /// Most bytes of events that wait for one listener. Defaults to 16 MiB. At the limit it is as
    /// with [`event_capacity`](Self::event_capacity); an event larger than that
    /// is missed itself, with all that wait before it.
    pub event_bytes: usize,
    /// Most requests of the server that the handlers and the delegate work on at once. Defaults to 64.
    /// More get `-32603`. It is all that bounds the rate of elicitations and samplings (C-308, C-336).
    pub max_server_requests: usize,
    /// Most resources that one connection can be subscribed to where they share one request
    /// (2026-07-28). Defaults to 1,000.
    pub max_subscriptions: usize,
    /// Most results that are kept for as long as the server says that they hold (2026-07-28): of
    /// `server/discover`, of lists, and of resources that were read. Defaults to 512; 0 keeps none.
    /// They are dropped when the server tells of a change.
    pub max_cached_results: usize,
    /// Most bytes of those results. Defaults to 16 MiB.
    pub max_cached_bytes: usize,
    /// Longest time that a result is kept, whatever the server says. Defaults to 24 h.
    pub max_cached_ttl: Duration,
    /// Most rounds of one call in which the server asks for something before it answers (2026-07-28).
    /// Defaults to 10; a call that takes more fails with [`ClientError::Input`]. Within a round it may
    /// ask for at most [`max_server_requests`](Self::max_server_requests) things.
    ///
    /// [`ClientError::Input`]: crate::ClientError::Input
    pub max_rounds: usize,
    /// How a tool call that became a task is followed (2026-07-28), where
    /// [`capabilities`](Self::capabilities) declare the extension
    /// [`io.modelcontextprotocol/tasks`](mcp_types::task_extension::ID); without that a task for an answer
    /// is an error. The defaults are those of [`TaskPolling`].
    ///
    /// What the task asks goes to the handlers, each key once, within the limits of
    /// [`max_rounds`](Self::max_rounds) and [`max_server_requests`](Self::max_server_requests).
    pub task_polling: TaskPolling,
    /// Most addresses that the user was asked to open and that may still be told to be done; see
    /// [`Event::ElicitationComplete`](crate::Event::ElicitationComplete). Defaults to 256. At the limit
    /// the oldest is forgotten.
    pub max_open_elicitations: usize,
    /// Most pages of one listing. Defaults to 1,000. A longer one fails.
    pub max_pages: usize,
    /// Most items of one listing. Defaults to 100,000. A longer one fails.
    pub max_items: usize,
    /// Most bytes of all pages of one listing. Defaults to 256 MiB. A longer one fails.
    pub max_list_bytes: usize,
}

impl ClientOptions {
    /// The defaults, for a client of that name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            info: Implementation::new(name, version),
            capabilities: ClientCapabilities::default(),
            server: None,
            protocol: Protocol::Auto,
            probe_timeout: Duration::from_secs(10),
            initialize_timeout: None,
            timeout: None,
            max_total_timeout: None,
            progress_extends_timeout: false,
            send_cancelled: true,
            require_capabilities: true,
            roots: None,
            sampling: None,
            elicitation: None,
            delegate: None,
            listen: false,
            event_capacity: 1024,
            event_bytes: 16 << 20,
            max_server_requests: 64,
            max_subscriptions: 1_000,
            max_cached_results: 512,
            max_cached_bytes: 16 << 20,
            max_cached_ttl: Duration::from_secs(24 * 60 * 60),
            max_rounds: 10,
            task_polling: TaskPolling::default(),
            max_open_elicitations: 256,
            max_pages: 1_000,
            max_items: 100_000,
            max_list_bytes: 256 << 20,
        }
    }
}

impl fmt::Debug for ClientOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ClientOptions")
            .field("info", &self.info)
            .field("server", &self.server)
            .field("protocol", &self.protocol)
            .field("initialize_timeout", &self.initialize_timeout)
            .field("timeout", &self.timeout)
            .field("max_total_timeout", &self.max_total_timeout)
            .field("has_roots", &self.roots.is_some())
            .field("has_sampling", &self.sampling.is_some())
            .field("has_elicitation", &self.elicitation.is_some())
            .field("has_delegate", &self.delegate.is_some())
            .finish_non_exhaustive()
    }
}

/// Hears the progress of a call, on the task that reads: it must not block, and a panic in it ends
/// the connection.
pub type ProgressCallback = Arc<dyn Fn(&ProgressParams) + Send + Sync>;

/// Options of one call. The default is what the [`ClientOptions`] say.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct CallOptions {
    /// Longest time without a sign of life. `None` takes [`ClientOptions::timeout`]; zero means no
    /// limit.
    pub timeout: Option<Duration>,
    /// Longest time in all. `None` takes [`ClientOptions::max_total_timeout`]; zero means no limit.
    pub max_total_timeout: Option<Duration>,
    /// Gives the call up from outside. Defaults to nothing that could.
    pub cancel: Option<Cancel>,
    /// Hears the progress of the call. Defaults to nobody: then the server is not asked for any,
    /// unless it extends the timeout.
    pub progress: Option<ProgressCallback>,
    /// Whether progress restarts the timeout. `None` takes
    /// [`ClientOptions::progress_extends_timeout`].
    pub progress_extends_timeout: Option<bool>,
    /// The least level of log messages that the server is to send for this call. `None` takes that of
    /// the connection, which is none unless it was set. Only 2026-07-28 has levels by call; otherwise
    /// it is ignored.
    pub log_level: Option<LoggingLevel>,
    /// Whether the server is asked even where an earlier result still holds; see
    /// [`ClientOptions::max_cached_results`]. Defaults to false.
    pub is_fresh: bool,
}

impl fmt::Debug for CallOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CallOptions")
            .field("timeout", &self.timeout)
            .field("max_total_timeout", &self.max_total_timeout)
            .field("can_be_cancelled", &self.cancel.is_some())
            .field("has_progress", &self.progress.is_some())
            .field("progress_extends_timeout", &self.progress_extends_timeout)
            .field("log_level", &self.log_level)
            .field("is_fresh", &self.is_fresh)
            .finish()
    }
}
