//! What a connection is made to: scheme, host and port, or a socket.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::path::{Path, PathBuf};

use super::EndpointError;

/// The longest name that is repeated in an error about an unknown scheme.
const MAX_SCHEME: usize = 20;

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Plain HTTP.
    Http,
    /// HTTP over TLS.
    Https,
    /// Plain HTTP over a Unix socket.
    Unix,
}

/// Scheme, host and port of a server, or its socket: equal for all URLs that one connection can serve.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    pub(super) scheme: Scheme,
    host: String,
    port: u16,
    socket: Option<PathBuf>,
}

/// The part of a URL between `//` and the path, taken apart.
pub(super) struct Authority {
    pub(super) origin: Origin,
    /// As `Host` says it.
    pub(super) host: String,
    pub(super) user_info: Option<String>,
}

impl Scheme {
    pub(super) fn parse(text: &str) -> Result<Self, EndpointError> {
        let known = [("http", Self::Http), ("https", Self::Https), ("http+unix", Self::Unix)];
        if let Some((_, scheme)) = known.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
            return Ok(scheme);
        }
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        if text.is_empty() || text.len() > MAX_SCHEME || !text.bytes().all(is_name) {
            return Err(EndpointError::NotAUrl);
        }
        Err(EndpointError::Scheme(text.to_ascii_lowercase()))
    }

    fn default_port(self) -> u16 {
        if self == Self::Https { 443 } else { 80 }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http => "http",
            Self::Https => "https",
            Self::Unix => "http+unix",
        })
    }
}

impl Origin {
    /// How the server is spoken to.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Whether TLS protects what is sent.
    pub fn is_secure(&self) -> bool {
        self.scheme == Scheme::Https
    }

    /// The host in lower case, an IPv6 address without its brackets; `localhost` for Unix sockets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, which is the scheme's own when the URL has none.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The path of the Unix socket.
    pub fn socket(&self) -> Option<&Path> {
        self.socket.as_deref()
    }

    /// Whether the server is on this machine: `localhost`, names below it, loopback addresses, sockets.
    pub fn is_loopback(&self) -> bool {
        self.socket.is_some()
            || is_localhost(&self.host)
            || self.host.parse().is_ok_and(|ip: IpAddr| ip.to_canonical().is_loopback())
    }
}

/// `host:port`, an IPv6 address in brackets; of a Unix socket its path.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.socket {
            Some(path) => write!(f, "{}", path.display()),
            None => f.write_str(&host_and_port(&self.host, self.port)),
        }
    }
}

impl Authority {
    pub(super) fn parse(scheme: Scheme, text: &str) -> Result<Self, EndpointError> {
        if scheme == Scheme::Unix {
            return Self::of_socket(text);
        }
        let (user_info, text) = text.rsplit_once('@').map_or((None, text), |(user, rest)| (Some(user), rest));
        let (host, port) = match text.strip_prefix('[') {
            Some(text) => {
                let (host, port) = text.split_once(']').ok_or(EndpointError::Host)?;
                let host: Ipv6Addr = host.parse().map_err(|_| EndpointError::Host)?;
                (host.to_string(), port)
            }
            None => {
                let (host, port) = text.split_at(text.find(':').unwrap_or(text.len()));
                (host.to_ascii_lowercase(), port)
            }
        };
        let port = match port {
            "" | ":" => scheme.default_port(),
            // A sign would pass as part of the number.
            _ if !port[1..].bytes().all(|byte| byte.is_ascii_digit()) => return Err(EndpointError::Port),
            _ => port[1..].parse().ok().filter(|&port| port != 0).ok_or(EndpointError::Port)?,
        };
        if host.is_empty() {
            return Err(EndpointError::NoHost);
        }
        if !host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~:".contains(&byte)) {
            return Err(EndpointError::Host);
        }
        let mut shown = host_and_port(&host, port);
        if port == scheme.default_port() {
            shown.truncate(shown.rfind(':').unwrap_or(shown.len()));
        }
        let user_info = user_info.filter(|user| !user.is_empty()).map(str::to_owned);
        Ok(Self { origin: Origin { scheme, host, port, socket: None }, host: shown, user_info })
    }

    #[cfg(unix)]
    fn of_socket(text: &str) -> Result<Self, EndpointError> {
        use std::os::unix::ffi::OsStringExt;

        let path = super::mask::percent_decoded(text);
        if path.first() != Some(&b'/') || path.contains(&0) || text.contains(['@', ':', '[']) {
            return Err(EndpointError::Socket);
        }
        let socket = Some(std::ffi::OsString::from_vec(path).into());
        let host = "localhost".to_owned();
        let origin = Origin { scheme: Scheme::Unix, host: host.clone(), port: 80, socket };
        Ok(Self { origin, host, user_info: None })
    }

    #[cfg(not(unix))]
    fn of_socket(_: &str) -> Result<Self, EndpointError> {
        Err(EndpointError::NoSockets)
    }
}

/// Whether a name means this machine, whatever a name server says.
pub(crate) fn is_localhost(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let front = name.len().checked_sub("localhost".len()).and_then(|at| name.split_at_checked(at));
    front.is_some_and(|(front, end)| {
        end.eq_ignore_ascii_case("localhost") && (front.is_empty() || front.ends_with('.'))
    })
}

/// As URLs and `CONNECT` write it.
pub(crate) fn host_and_port(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}
