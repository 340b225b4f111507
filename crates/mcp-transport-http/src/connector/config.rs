//! What a connector is told, and what can be wrong with it.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// How connections are made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConnectorConfig {
    /// Certificates of authorities that are trusted beside the platform's. None by default.
    pub extra_roots: Vec<Pem>,
    /// The certificate to show to servers that ask for one. None by default.
    pub client_identity: Option<Identity>,
    /// Which proxy to use. Those of the environment by default.
    pub proxy: ProxyPolicy,
    /// How long a connection may take, from the lookup of its name to the end of the TLS handshake: 30 s
    /// by default, and zero means no limit. After it, the attempt fails with
    /// [`ConnectKind::TimedOut`](super::ConnectKind::TimedOut).
    pub connect_timeout: Duration,
    /// Whether HTTP/2 is offered to `https://` servers. It is by default, if the feature `http2` is on.
    pub http2: bool,
}

/// Certificates or a key in PEM form.
#[derive(Clone)]
#[non_exhaustive]
pub enum Pem {
    /// The text itself.
    Text(String),
    /// A file with it, read when the connector is made.
    File(PathBuf),
}

/// A certificate to show to servers, and its key.
#[derive(Clone)]
pub struct Identity {
    /// The certificate, followed by those that lead to its authority.
    pub certificates: Pem,
    /// Its private key, which may stand in the same file.
    pub key: Pem,
}

/// Which proxy connections go through.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum ProxyPolicy {
    /// That of `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` (or the same in lower case), but for hosts in
    /// `NO_PROXY`. Servers on this machine are never reached through a proxy.
    #[default]
    Environment,
    /// None, whatever the environment says.
    None,
    /// This one, for all servers but Unix sockets: `http://user:password@proxy:3128`, or
    /// `socks5://proxy:1080`, where the proxy looks the names up.
    Url(String),
}

/// Why a connector cannot be made. No message shows a key, a password or a proxy's URL.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectorError {
    /// A PEM file that cannot be read.
    #[error("cannot read `{}`", .path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A PEM text without a usable certificate.
    #[error("{origin} holds no usable certificate in PEM form")]
    Certificate {
        /// Where the text is from.
        origin: PemOrigin,
    },
    /// A PEM text without a usable private key.
    #[error("{origin} holds no usable private key in PEM form")]
    Key {
        /// Where the text is from.
        origin: PemOrigin,
    },
    /// The key is not that of the certificate.
    #[error("the private key does not belong to the client certificate")]
    KeyMismatch,
    /// The TLS library rejects its own settings.
    #[error("TLS cannot be set up")]
    Tls {
        /// What it says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The text is not the URL of a proxy.
    #[error("the proxy is not given as a URL such as `http://proxy:3128`")]
    ProxyUrl,
    /// A kind of proxy that is not supported.
    #[error("proxies of the kind `{0}` are not supported, only `http` and `socks5`")]
    ProxyScheme(String),
    /// Certificates are configured, and this build has no TLS.
    #[error("this build has no TLS, so certificates cannot be used")]
    NoTls,
    /// A proxy is configured, and this build has none.
    #[error("this build has no support for proxies")]
    NoProxies,
}

/// Where a PEM text is from, as messages say it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PemOrigin {
    /// The configuration itself.
    Text,
    /// A file.
    File(PathBuf),
}

impl Default for ConnectorConfig {
    fn default() -> Self {
        Self {
            extra_roots: Vec::new(),
            client_identity: None,
            proxy: ProxyPolicy::default(),
            connect_timeout: Duration::from_secs(30),
            http2: true,
        }
    }
}

#[cfg(feature = "tls")]
impl Pem {
    pub(super) fn read(&self) -> Result<Vec<u8>, ConnectorError> {
        match self {
            Self::Text(text) => Ok(text.clone().into_bytes()),
            Self::File(path) => {
                std::fs::read(path).map_err(|source| ConnectorError::File { path: path.clone(), source })
            }
        }
    }

    pub(super) fn origin(&self) -> PemOrigin {
        match self {
            Self::Text(_) => PemOrigin::Text,
            Self::File(path) => PemOrigin::File(path.clone()),
        }
    }
}

impl fmt::Debug for Pem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => f.write_str("Text(***)"),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("certificates", &self.certificates).finish_non_exhaustive()
    }
}

impl fmt::Debug for ProxyPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Environment => "Environment",
            Self::None => "None",
            Self::Url(_) => "Url(***)",
        })
    }
}

impl fmt::Display for PemOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("the text"),
            Self::File(path) => write!(f, "`{}`", path.display()),
        }
    }
}
