//! Why a connection could not be opened.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;

use crate::endpoint::{Origin, host_and_port};

/// Why a connection could not be opened. Nothing was sent to the server.
///
/// Its message is one line for people, its cause is the error below, and [`hint`](Self::hint) says what
/// may help.
#[derive(Clone, Debug)]
pub struct ConnectFailure {
    origin: String,
    host: String,
    kind: ConnectKind,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// At which step it failed, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConnectKind {
    /// The host's name has no address.
    Resolve,
    /// Nothing listens there.
    Refused,
    /// No way leads to the host or its network.
    Unreachable,
    /// It took longer than the configured limit, or than the system waits.
    TimedOut,
    /// The TLS handshake failed.
    Tls(TlsProblem),
    /// The proxy; the cause is a [`ProxyFailure`].
    Proxy,
    /// The Unix socket.
    Socket,
    /// Another error of the network.
    Other,
}

/// What was wrong in a TLS handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TlsProblem {
    /// The server's certificate is too old.
    Expired,
    /// The server's certificate is not valid yet.
    NotYetValid,
    /// The server's certificate is for another name.
    WrongName,
    /// No known authority issued the server's certificate.
    UnknownIssuer,
    /// The server's certificate was revoked.
    Revoked,
    /// The server wants a certificate from the client, and says what it lacks.
    ClientCertificate(Identification),
    /// The answer was not TLS; most likely the server speaks plain HTTP.
    NotTls,
    /// There is no authority to trust: the platform has no certificates, and none are configured.
    NoRoots,
    /// This build has no TLS.
    NotBuilt,
    /// Something else; the cause tells.
    Other,
}

/// What a server says about the client's certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identification {
    /// It wants one, and was shown none.
    Needed,
    /// It does not accept the one that it was shown.
    Refused,
}

/// Why a proxy was of no help. Its messages never show what is in the proxy's URL but host and port.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProxyFailure {
    /// No connection to the proxy.
    #[error("the proxy cannot be reached")]
    Connect(#[source] ConnectFailure),
    /// It wants a user name and password, or others than it got.
    #[error("the proxy wants a user name and a password (status 407)")]
    AuthenticationRequired,
    /// It does not open a tunnel.
    #[error("the proxy opens no tunnel: it answered with status {0}")]
    Status(u16),
    /// Its answer is not HTTP, or goes on after its head.
    #[error("the proxy's answer is not one to `CONNECT`")]
    NotHttp,
    /// The head of its answer is too large.
    #[error("the head of the proxy's answer is larger than {limit} bytes")]
    HeadTooLarge {
        /// How large it may be.
        limit: usize,
    },
    /// It closed the connection, or the connection broke.
    #[error("the connection to the proxy broke")]
    Io(#[source] io::Error),
    /// A SOCKS proxy opens no connection.
    #[error("the SOCKS proxy opens no connection")]
    Socks(#[source] Box<dyn Error + Send + Sync>),
    /// A kind of proxy that is not supported.
    #[error("the proxy in `{variable}` is of the kind `{scheme}`, which is not supported")]
    Scheme {
        /// The environment variable.
        variable: &'static str,
        /// Which kind.
        scheme: String,
    },
    /// The environment has something that is not a proxy's URL.
    #[error("`{variable}` does not hold the URL of a proxy")]
    Variable {
        /// The environment variable.
        variable: &'static str,
    },
}

/// The cause of [`TlsProblem::NoRoots`].
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("neither the platform nor `SSL_CERT_FILE` nor the configuration has a usable certificate")]
pub struct NoRoots;

impl ConnectFailure {
    pub(super) fn new(origin: &Origin, kind: ConnectKind) -> Self {
        Self { origin: origin.to_string(), host: origin.host().to_owned(), kind, source: None }
    }

    pub(super) fn to_host(host: &str, port: u16, kind: ConnectKind) -> Self {
        Self { origin: host_and_port(host, port), host: host.to_owned(), kind, source: None }
    }

    #[cfg(feature = "proxy")]
    pub(super) fn through_proxy(origin: &Origin, failure: ProxyFailure) -> Self {
        Self::new(origin, ConnectKind::Proxy).caused_by(failure)
    }

    pub(super) fn caused_by(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into().into()), ..self }
    }

    /// The server's `host:port`, or the path of its socket.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// At which step it failed, and how.
    pub fn kind(&self) -> ConnectKind {
        self.kind
    }

    /// What to try, where there is something to say.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self.kind {
            ConnectKind::Resolve => "check the spelling of the host, and whether this machine is online",
            ConnectKind::Refused => "check the port, and whether the server is running",
            ConnectKind::Unreachable => "check whether this machine is online, or needs a VPN or a proxy",
            ConnectKind::TimedOut => "check whether a firewall is in between, or a proxy is needed",
            ConnectKind::Tls(problem) => return problem.hint(),
            ConnectKind::Proxy => return self.proxy_hint(),
            ConnectKind::Socket => "check the path of the socket, and whether the server is running",
            ConnectKind::Other => return None,
        })
    }

    fn proxy_hint(&self) -> Option<&'static str> {
        let failure = self.source.as_ref()?.downcast_ref::<ProxyFailure>()?;
        Some(match failure {
            ProxyFailure::AuthenticationRequired => {
                "put user name and password into the proxy's URL: `http://user:password@host:port`"
            }
            ProxyFailure::Connect(_) => "check `HTTPS_PROXY` and the like, or set `NO_PROXY` for this host",
            ProxyFailure::Scheme { .. } | ProxyFailure::Variable { .. } => {
                "give a proxy such as `http://proxy:3128`, or unset the variable"
            }
            _ => "set `NO_PROXY` for this host if it needs no proxy",
        })
    }
}

impl Error for ConnectFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl fmt::Display for ConnectFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, host, .. } = self;
        match self.kind {
            ConnectKind::Resolve => write!(f, "cannot resolve `{host}`"),
            ConnectKind::Refused => write!(f, "connection to {origin} refused"),
            ConnectKind::Unreachable => write!(f, "{origin} is unreachable"),
            ConnectKind::TimedOut => write!(f, "connection to {origin} timed out"),
            ConnectKind::Proxy => write!(f, "no connection to {origin} through the proxy"),
            ConnectKind::Socket => write!(f, "cannot connect to the socket `{origin}`"),
            ConnectKind::Other => write!(f, "connection to {origin} failed"),
            ConnectKind::Tls(problem) => problem.write(f, origin, host),
        }
    }
}

impl TlsProblem {
    /// What to try, where there is something to say.
    pub fn hint(self) -> Option<&'static str> {
        Some(match self {
            Self::Expired => "check this machine's clock; else the server needs a new certificate",
            Self::NotYetValid => "check this machine's clock",
            Self::WrongName => "use the name for which the certificate was issued",
            Self::UnknownIssuer => {
                "add the certificate of its authority with `ca`, or by the variable `SSL_CERT_FILE`"
            }
            Self::ClientCertificate(Identification::Needed) => "configure a client certificate and its key",
            Self::ClientCertificate(Identification::Refused) => {
                "check whether the certificate is still valid"
            }
            Self::NotTls => "use `http://` if the server has no TLS, and check the port",
            Self::NoRoots => "install the system's CA certificates, or set `SSL_CERT_FILE`",
            Self::NotBuilt => "use a build that has the feature `tls`",
            Self::Revoked | Self::Other => return None,
        })
    }

    fn write(self, f: &mut fmt::Formatter<'_>, origin: &str, host: &str) -> fmt::Result {
        let certificate = match self {
            Self::Expired => "has expired",
            Self::NotYetValid => "is not valid yet",
            Self::WrongName => "is for another name",
            Self::UnknownIssuer => "was issued by an unknown authority",
            Self::Revoked => "was revoked",
            Self::ClientCertificate(Identification::Needed) => {
                return write!(f, "{origin} wants a client certificate");
            }
            Self::ClientCertificate(Identification::Refused) => {
                return write!(f, "{origin} refuses the client certificate");
            }
            Self::NotTls => return write!(f, "{origin} does not speak TLS"),
            Self::NoRoots => return write!(f, "no authority is known that could vouch for `{host}`"),
            Self::NotBuilt => return write!(f, "{origin} needs TLS, which this build does not have"),
            Self::Other => return write!(f, "the TLS handshake with {origin} failed"),
        };
        write!(f, "the TLS certificate of `{host}` {certificate}")
    }
}

/// The problem with TLS that an error has among its causes, if it has any. It is meant for errors from
/// reading a connection, such as the refusal of a client certificate, which TLS 1.3 brings late.
pub fn tls_problem(error: &(dyn Error + 'static)) -> Option<TlsProblem> {
    #[cfg(feature = "tls")]
    return super::tls::problem(error);
    #[cfg(not(feature = "tls"))]
    {
        let _ = error;
        None
    }
}
