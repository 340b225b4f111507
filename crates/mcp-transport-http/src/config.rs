//! What an HTTP server is: its address, what goes with every request, and every limit.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{IdFormat, Mask};

use crate::authorize::Authorize;
use crate::connector::ConnectorConfig;
use crate::endpoint::{Endpoint, EndpointError};
use crate::headers::Headers;
use crate::resume::ResumeLimits;

/// 30 s: the timeout of a request or notification that names none (S-67).
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// 64 MiB: the longest message a server may send (D-16).
pub const DEFAULT_MAX_MESSAGE: usize = 64 * 1024 * 1024;

/// 64 KiB: how much of the body of a failed status is read.
pub const DEFAULT_MAX_ERROR_BODY: usize = 64 * 1024;

/// 256 KiB: the longest head of a response.
pub const DEFAULT_MAX_HEAD: usize = 256 * 1024;

/// 64: the most connections for calls.
pub const DEFAULT_MAX_CONNECTIONS: usize = 64;

/// 64: the most connections for calls whose event stream goes on.
pub const DEFAULT_MAX_STREAMS: usize = 64;

/// An HTTP server and how to talk to it. Make one with [`new`](Self::new) and assign fields.
///
/// `Debug` shows no header value, no user info and no query value.
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpConfig {
    /// The address of the server's MCP endpoint.
    pub endpoint: Endpoint,
    /// What messages call the server; `None` is its host.
    pub name: Option<String>,
    /// Which of the two HTTP transports to try first. [`Wire::Streamable`].
    pub wire: Wire,
    /// Headers for every request to the origin, and never to another (D-10). None.
    pub headers: Headers,
    /// Gets the server's challenges, and may answer them. None: they are errors.
    pub authorize: Option<Arc<dyn Authorize>>,
    /// How connections are made: TLS, proxies.
    pub connector: ConnectorConfig,
    /// Whether gzip is offered, where the feature `gzip` is on. True.
    pub gzip: bool,

    /// Timeout of each request and notification that names none of its own, over everything:
    /// connecting, head, body, event stream, resumption. [`DEFAULT_TIMEOUT`]; zero means none
    /// (D-04).
    pub timeout: Duration,
    /// Longest time of a request in all, whatever progress extends. Zero, meaning none.
    pub max_total_timeout: Duration,
    /// The form of request ids. [`IdFormat::Text`].
    pub ids: IdFormat,

    /// Longest message from the server in bytes, after decompression: a JSON body, or the data of
    /// one event. A longer one fails its call and is reported through `Handler::on_error`; memory
    /// stays near this. [`DEFAULT_MAX_MESSAGE`].
    pub max_message: usize,
    /// How much of the body of a failed status is read, in bytes; the rest is not.
    /// [`DEFAULT_MAX_ERROR_BODY`].
    pub max_error_body: usize,
    /// Longest head of a response in bytes, and the size of a connection's read buffer; at least
    /// 8 KiB. A longer head fails its call, and so does one of more than 100 headers.
    /// [`DEFAULT_MAX_HEAD`].
    pub max_head: usize,

    /// Most connections for calls and notifications at once, at least one; more of them wait. Up to
    /// four more serve replies, cancel notices and the end of the session, and one each listener or
    /// resumed stream. With HTTP/2 one connection serves all, and what bounds them is how many
    /// streams the server takes. [`DEFAULT_MAX_CONNECTIONS`].
    pub max_connections: usize,
    /// Most connections beyond these for calls without a session (2026-07-28) whose event stream
    /// goes on: one that brought a message other than the answer, as a subscription does. It leaves
    /// its place to other calls, so that those never wait for a stream that ends in hours. Once so
    /// many go on, further ones keep their places among `max_connections`; zero: all do.
    /// [`DEFAULT_MAX_STREAMS`].
    pub max_streams: usize,
    /// How long an idle connection is kept; less where the server says so. 30 s.
    pub idle_timeout: Duration,
    /// Most redirects of one request; zero follows none. 5.
    pub max_redirects: usize,
    /// How broken event streams are resumed.
    pub resume: ResumeLimits,
    /// Whether the listener stream comes back after it was lost, within `resume`; otherwise the
    /// loss is reported and it stays down (S-88). False.
    pub resume_listener: bool,
    /// How long an event stream that brought its answer is read on, so that its connection can be
    /// used again, before it is closed. 1 s.
    pub drain: Duration,
    /// Most replies and cancel notices that are on their way at once; more are dropped and
    /// reported. 256.
    pub max_replies: usize,
    /// How long `close` waits for the server to take note of the end of the session. 2 s.
    pub close_timeout: Duration,
}

/// Which HTTP transport a server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wire {
    /// Streamable HTTP (2025-03-26 and later). If the first POST is answered 400, 404 or 405
    /// without a JSON-RPC error, HTTP+SSE is tried (D-17). Requests without a session
    /// (2026-07-28) are no such first POST: they decide nothing by failing.
    #[default]
    Streamable,
    /// HTTP+SSE (2024-11-05): a GET that opens with an `endpoint` event. If the server answers it
    /// with something else, Streamable HTTP is tried. It has no form without a session, so
    /// requests of that kind are POSTs as ever.
    Sse,
}

impl HttpConfig {
    /// A server at `url` (`http://`, `https://`, `http+unix://`), everything else at its default.
    ///
    /// # Errors
    ///
    /// [`EndpointError`] if it is no such address.
    pub fn new(url: &str) -> Result<Self, EndpointError> {
        Ok(Self {
            endpoint: Endpoint::parse(url)?,
            name: None,
            wire: Wire::default(),
            headers: Headers::default(),
            authorize: None,
            connector: ConnectorConfig::default(),
            gzip: true,
            timeout: DEFAULT_TIMEOUT,
            max_total_timeout: Duration::ZERO,
            ids: IdFormat::Text,
            max_message: DEFAULT_MAX_MESSAGE,
            max_error_body: DEFAULT_MAX_ERROR_BODY,
            max_head: DEFAULT_MAX_HEAD,
            max_connections: DEFAULT_MAX_CONNECTIONS,
            max_streams: DEFAULT_MAX_STREAMS,
            idle_timeout: Duration::from_secs(30),
            max_redirects: 5,
            resume: ResumeLimits::default(),
            resume_listener: false,
            drain: Duration::from_secs(1),
            max_replies: 256,
            close_timeout: Duration::from_secs(2),
        })
    }

    /// The same with these headers.
    #[must_use]
    pub fn with_headers(mut self, headers: Headers) -> Self {
        self.headers = headers;
        self
    }

    pub(crate) fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.endpoint.origin().host().to_owned())
    }

    pub(crate) fn mask(&self) -> Mask {
        Mask::new(self.endpoint.secrets().into_iter().chain(self.headers.secrets()))
    }
}

impl fmt::Debug for HttpConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpConfig")
            .field("endpoint", &self.endpoint)
            .field("name", &self.name)
            .field("wire", &self.wire)
            .field("headers", &self.headers)
            .field("connector", &self.connector)
            .field("timeout", &self.timeout)
            .field("max_total_timeout", &self.max_total_timeout)
            .field("max_message", &self.max_message)
            .field("max_connections", &self.max_connections)
            .field("max_streams", &self.max_streams)
            .field("resume", &self.resume)
            .field("resume_listener", &self.resume_listener)
            .finish_non_exhaustive()
    }
}
