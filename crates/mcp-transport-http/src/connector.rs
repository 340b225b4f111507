//! Opens connections: names, TCP, proxies, TLS, Unix sockets. It sends no request but `CONNECT`.
//!
//! ```text
//!     Origin ──► proxy or not ──► name ──► TCP ──► CONNECT ──► TLS, ALPN ──► Connection
//!           └──► Unix socket ───────────────────────────────────────────────────┘
//! ```

mod config;
mod failure;
mod io;
#[cfg(feature = "proxy")]
mod proxy;
#[cfg(feature = "tls")]
mod roots;
mod tcp;
#[cfg(feature = "tls")]
mod tls;
#[cfg(feature = "proxy")]
mod tunnel;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::header::HeaderValue;
use tokio::net::TcpStream;

pub use self::config::{ConnectorConfig, ConnectorError, Identity, Pem, PemOrigin, ProxyPolicy};
pub use self::failure::{
    ConnectFailure, ConnectKind, Identification, NoRoots, ProxyFailure, TlsProblem, tls_problem,
};
pub use self::io::Io;
pub use crate::endpoint::Scheme;

use self::tcp::Tcp;
use crate::endpoint::Origin;

/// Opens connections as one [`ConnectorConfig`] says. Clones share everything.
#[derive(Clone)]
pub struct Connector(Arc<Inner>);

struct Inner {
    connect_timeout: Duration,
    tcp: Tcp,
    #[cfg(feature = "proxy")]
    proxies: proxy::Proxies,
    #[cfg(feature = "tls")]
    tls: tls::Tls,
}

/// A connection on which nothing was sent yet.
#[derive(Debug)]
#[non_exhaustive]
pub struct Connection {
    /// What to read from and write to.
    pub io: Io,
    /// What to speak on it.
    pub protocol: Protocol,
    /// There, when a proxy takes the requests.
    pub forward: Option<Forward>,
}

/// What is spoken on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1.
    Http1,
    /// HTTP/2, which the server chose by ALPN.
    Http2,
}

/// Marks a connection to a proxy that passes plain requests on: their request line has to name the
/// whole URL.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Forward {
    /// The value of `Proxy-Authorization`, marked as sensitive, if the proxy wants one.
    pub authorization: Option<HeaderValue>,
}

impl Connector {
    /// Makes a connector. This is cheap: the platform's certificates are not read before the first
    /// `https://` connection, and then once in a process. Proxy variables of the environment are read
    /// here.
    ///
    /// # Errors
    ///
    /// [`ConnectorError`]: a certificate, a key or a proxy of the configuration cannot be used.
    pub fn new(config: &ConnectorConfig) -> Result<Self, ConnectorError> {
        #[cfg(not(feature = "tls"))]
        if !config.extra_roots.is_empty() || config.client_identity.is_some() {
            return Err(ConnectorError::NoTls);
        }
        #[cfg(not(feature = "proxy"))]
        if let ProxyPolicy::Url(_) = config.proxy {
            return Err(ConnectorError::NoProxies);
        }
        Ok(Self(Arc::new(Inner {
            connect_timeout: config.connect_timeout,
            tcp: Tcp::new(config.connect_timeout),
            #[cfg(feature = "proxy")]
            proxies: proxy::Proxies::new(&config.proxy)?,
            #[cfg(feature = "tls")]
            tls: tls::Tls::new(config)?,
        })))
    }

    /// The addresses that a server's name has, in the order in which they are tried. `connect` looks them
    /// up for itself: this is for explanations. Empty for a Unix socket.
    ///
    /// # Errors
    ///
    /// [`ConnectFailure`] if there is none within the limit for connections.
    ///
    /// # Cancel safety
    ///
    /// As that of [`connect`](Self::connect).
    pub async fn resolve(&self, origin: &Origin) -> Result<Vec<SocketAddr>, ConnectFailure> {
        if origin.scheme() == Scheme::Unix {
            return Ok(Vec::new());
        }
        let limit = self.0.connect_timeout;
        let found = tcp::resolve(origin.host(), origin.port());
        if limit.is_zero() {
            return found.await;
        }
        let late = || Err(ConnectFailure::new(origin, ConnectKind::TimedOut));
        tokio::time::timeout(limit, found).await.unwrap_or_else(|_| late())
    }

    /// The proxy that connections to a server go through, as `host:port`: for explanations. `None` if they
    /// go there directly.
    ///
    /// # Errors
    ///
    /// [`ConnectFailure`] if the environment names one that cannot be used.
    pub fn proxy(&self, origin: &Origin) -> Result<Option<String>, ConnectFailure> {
        #[cfg(feature = "proxy")]
        if origin.scheme() != Scheme::Unix {
            let proxy = self.0.proxies.choose(origin);
            let proxy = proxy.map_err(|error| ConnectFailure::through_proxy(origin, error))?;
            return Ok(proxy.map(proxy::Proxy::address));
        }
        let _ = origin;
        Ok(None)
    }

    /// Opens a connection to a server, through a proxy if there is one for it.
    ///
    /// # Errors
    ///
    /// [`ConnectFailure`], and then nothing was sent to the server. One thing comes too late for it: in
    /// TLS 1.3 a server refuses a client certificate, or the lack of one, at the first read.
    /// [`tls_problem`] tells what such a late error was.
    ///
    /// # Cancel safety
    ///
    /// A dropped future closes what it opened. The lookup of a name cannot be interrupted; its thread
    /// ends when the system answers, and the answer is thrown away.
    pub async fn connect(&self, origin: &Origin) -> Result<Connection, ConnectFailure> {
        let limit = self.0.connect_timeout;
        if limit.is_zero() {
            return self.0.open(origin).await;
        }
        tokio::time::timeout(limit, self.0.open(origin))
            .await
            .unwrap_or_else(|_| Err(ConnectFailure::new(origin, ConnectKind::TimedOut)))
    }
}

impl Inner {
    async fn open(&self, origin: &Origin) -> Result<Connection, ConnectFailure> {
        match origin.scheme() {
            Scheme::Unix => open_socket(origin).await,
            Scheme::Http => {
                let (tcp, forward) = self.open_tcp(origin).await?;
                Ok(Connection { io: tcp.into(), protocol: Protocol::Http1, forward })
            }
            #[cfg(feature = "tls")]
            Scheme::Https => {
                let (tcp, _) = self.open_tcp(origin).await?;
                let (io, protocol) = self.tls.handshake(origin, tcp).await?;
                Ok(Connection { io, protocol, forward: None })
            }
            #[cfg(not(feature = "tls"))]
            Scheme::Https => Err(ConnectFailure::new(origin, ConnectKind::Tls(TlsProblem::NotBuilt))),
        }
    }

    /// A stream whose other end is the server, or a proxy that forwards.
    async fn open_tcp(&self, origin: &Origin) -> Result<(TcpStream, Option<Forward>), ConnectFailure> {
        #[cfg(feature = "proxy")]
        match self.proxies.choose(origin) {
            Ok(None) => {}
            Ok(Some(proxy)) => {
                let opened = proxy.open(&self.tcp, origin).await;
                return opened.map_err(|error| ConnectFailure::through_proxy(origin, error));
            }
            Err(error) => return Err(ConnectFailure::through_proxy(origin, error)),
        }
        Ok((self.tcp.open(origin.host(), origin.port()).await?, None))
    }
}

#[cfg(unix)]
async fn open_socket(origin: &Origin) -> Result<Connection, ConnectFailure> {
    let path = origin.socket().unwrap_or("".as_ref());
    match tokio::net::UnixStream::connect(path).await {
        Ok(socket) => Ok(Connection { io: socket.into(), protocol: Protocol::Http1, forward: None }),
        Err(error) => Err(ConnectFailure::new(origin, ConnectKind::Socket).caused_by(error)),
    }
}

#[cfg(not(unix))]
async fn open_socket(origin: &Origin) -> Result<Connection, ConnectFailure> {
    Err(ConnectFailure::new(origin, ConnectKind::Socket))
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").field("connect_timeout", &self.0.connect_timeout).finish_non_exhaustive()
    }
}
