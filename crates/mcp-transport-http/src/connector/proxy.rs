//! Which proxy a server is reached through, if any, and how.

use std::fmt;
use std::future::{Ready, ready};
use std::io;
use std::task::{Context, Poll};

use hyper::Uri;
use hyper::header::HeaderValue;
use hyper_util::client::legacy::connect::proxy::SocksV5;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower_service::Service;

use super::config::{ConnectorError, ProxyPolicy};
use super::failure::ProxyFailure;
use super::tcp::{Tcp, uri};
use super::tunnel::tunnel;
use super::{Forward, Origin, Scheme};
use crate::endpoint::host_and_port;

/// The proxies of a connector.
pub(super) enum Proxies {
    None,
    One(Proxy),
    Environment(Box<Environment>),
}

/// One proxy.
#[derive(Clone)]
pub(super) struct Proxy {
    host: String,
    port: u16,
    way: Way,
}

#[derive(Clone)]
enum Way {
    Http { authorization: Option<HeaderValue> },
    Socks { login: Option<(String, String)> },
}

/// The proxies of the environment, by the scheme of the server.
pub(super) struct Environment {
    http: Slot,
    https: Slot,
    /// Asked only whether a host needs no proxy.
    exceptions: Matcher,
    no_exceptions_but_all: bool,
}

enum Slot {
    Empty,
    Proxy(Proxy),
    /// A server that needs this proxy cannot be reached: going past a proxy that is set would be worse.
    Broken {
        variable: &'static str,
        scheme: Option<String>,
    },
}

/// Why a text is no proxy.
#[derive(Debug, PartialEq, Eq)]
enum BadProxy {
    Url,
    Scheme(String),
}

impl Proxies {
    pub(super) fn new(policy: &ProxyPolicy) -> Result<Self, ConnectorError> {
        match policy {
            ProxyPolicy::None => Ok(Self::None),
            ProxyPolicy::Url(url) => match Proxy::parse(url) {
                Ok(proxy) => Ok(Self::One(proxy)),
                Err(BadProxy::Url) => Err(ConnectorError::ProxyUrl),
                Err(BadProxy::Scheme(scheme)) => Err(ConnectorError::ProxyScheme(scheme)),
            },
            ProxyPolicy::Environment => {
                Ok(Self::Environment(Box::new(Environment::read(|name| std::env::var(name).ok()))))
            }
        }
    }

    pub(super) fn choose(&self, origin: &Origin) -> Result<Option<&Proxy>, ProxyFailure> {
        match self {
            Self::None => Ok(None),
            Self::One(proxy) => Ok(Some(proxy)),
            Self::Environment(environment) => environment.choose(origin),
        }
    }
}

impl Environment {
    /// From the variables, of which the name in upper case counts first.
    pub(super) fn read(variable: impl Fn(&'static str) -> Option<String>) -> Self {
        let first = |names: [&'static str; 2]| {
            names
                .into_iter()
                .find_map(|name| Some((name, variable(name)?)))
                .filter(|(_, value)| !value.is_empty())
        };
        let all = first(["ALL_PROXY", "all_proxy"]);
        // In a CGI program, clients can set `HTTP_PROXY` by a header `Proxy`.
        let is_cgi = variable("REQUEST_METHOD").is_some();
        let slot = |own: Option<(&'static str, String)>| match own.as_ref().or(all.as_ref()) {
            Some((name, value)) if !is_cgi => Slot::new(name, value),
            _ => Slot::Empty,
        };
        let no = first(["NO_PROXY", "no_proxy"]).map_or_else(String::new, |(_, value)| value);
        Self {
            http: slot(first(["HTTP_PROXY", "http_proxy"])),
            https: slot(first(["HTTPS_PROXY", "https_proxy"])),
            // The matcher takes `*` for all names, but not for all addresses.
            no_exceptions_but_all: no.split(',').any(|entry| entry.trim() == "*"),
            exceptions: Matcher::builder().all("http://proxy").no(no).build(),
        }
    }

    fn choose(&self, origin: &Origin) -> Result<Option<&Proxy>, ProxyFailure> {
        let slot = if origin.scheme() == Scheme::Https { &self.https } else { &self.http };
        if matches!(slot, Slot::Empty) || origin.is_loopback() || self.is_exception(origin) {
            return Ok(None);
        }
        match slot {
            Slot::Empty => Ok(None),
            Slot::Proxy(proxy) => Ok(Some(proxy)),
            &Slot::Broken { variable, ref scheme } => Err(match scheme {
                Some(scheme) => ProxyFailure::Scheme { variable, scheme: scheme.clone() },
                None => ProxyFailure::Variable { variable },
            }),
        }
    }

    fn is_exception(&self, origin: &Origin) -> bool {
        let intercepted =
            uri(origin.host(), origin.port()).is_ok_and(|uri| self.exceptions.intercept(&uri).is_some());
        self.no_exceptions_but_all || !intercepted
    }
}

impl Slot {
    fn new(variable: &'static str, value: &str) -> Self {
        match Proxy::parse(value) {
            Ok(proxy) => Self::Proxy(proxy),
            Err(BadProxy::Url) => Self::Broken { variable, scheme: None },
            Err(BadProxy::Scheme(scheme)) => Self::Broken { variable, scheme: Some(scheme) },
        }
    }
}

impl Proxy {
    fn parse(url: &str) -> Result<Self, BadProxy> {
        let url = url.trim();
        if let Some((scheme, _)) = url.split_once("://") {
            let scheme = scheme.to_ascii_lowercase();
            let is_name = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if !matches!(scheme.as_str(), "http" | "socks5" | "socks5h") {
                return Err(if is_name { BadProxy::Scheme(scheme) } else { BadProxy::Url });
            }
        }
        let matcher = Matcher::builder().all(url).build();
        let intercept = uri("server", 80).ok().and_then(|uri| matcher.intercept(&uri));
        Self::from_intercept(&intercept.ok_or(BadProxy::Url)?).ok_or(BadProxy::Url)
    }

    /// Its `host:port`.
    pub(super) fn address(&self) -> String {
        host_and_port(&self.host, self.port)
    }

    fn from_intercept(intercept: &Intercept) -> Option<Self> {
        let uri = intercept.uri();
        let host = uri.host().filter(|host| !host.is_empty())?;
        // A number that is no port reads as if there were none.
        let has_port = uri.authority()?.as_str() != host;
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host).to_owned();
        let (way, default_port) = if uri.scheme_str() == Some("http") {
            (Way::Http { authorization: intercept.basic_auth().cloned() }, 80)
        } else {
            let login = intercept.raw_auth().map(|(user, password)| (user.to_owned(), password.to_owned()));
            (Way::Socks { login }, 1080)
        };
        let port = if has_port { uri.port_u16()? } else { default_port };
        Some(Self { host, port, way })
    }

    /// A stream to the server through the proxy, or to the proxy itself if it forwards requests.
    pub(super) async fn open(
        &self,
        tcp: &Tcp,
        origin: &Origin,
    ) -> Result<(TcpStream, Option<Forward>), ProxyFailure> {
        match &self.way {
            Way::Http { authorization } => {
                let mut stream = tcp.open(&self.host, self.port).await.map_err(ProxyFailure::Connect)?;
                if origin.scheme() != Scheme::Https {
                    return Ok((stream, Some(Forward { authorization: authorization.clone() })));
                }
                tunnel(&mut stream, origin, authorization.as_ref()).await?;
                Ok((stream, None))
            }
            Way::Socks { login } => {
                let stream = tcp.open(&self.host, self.port).await.map_err(ProxyFailure::Connect)?;
                Ok((self.ask_socks(stream, origin, login.as_ref()).await?, None))
            }
        }
    }

    async fn ask_socks(
        &self,
        stream: TcpStream,
        origin: &Origin,
        login: Option<&(String, String)>,
    ) -> Result<TcpStream, ProxyFailure> {
        // The proxy looks the name up: here it would be done in the way of all other tasks.
        let place = |host, port| uri(host, port).map_err(|error| ProxyFailure::Socks(error.into()));
        let mut socks = SocksV5::new(place(&self.host, self.port)?, Opened(Some(TokioIo::new(stream))));
        if let Some((user, password)) = login {
            socks = socks.with_auth(user.clone(), password.clone());
        }
        let opened = socks.call(place(origin.host(), origin.port())?).await;
        Ok(opened.map_err(|error| ProxyFailure::Socks(error.to_string().into()))?.into_inner())
    }
}

/// A connector that has connected already, so that its errors need not pass through the proxy's.
struct Opened(Option<TokioIo<TcpStream>>);

impl Service<Uri> for Opened {
    type Response = TokioIo<TcpStream>;
    type Error = io::Error;
    type Future = Ready<io::Result<TokioIo<TcpStream>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        ready(self.0.take().ok_or_else(|| io::ErrorKind::NotConnected.into()))
    }
}

/// Without the login.
impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if matches!(self.way, Way::Http { .. }) { "http" } else { "socks5" };
        write!(f, "{kind}://{}", crate::endpoint::host_and_port(&self.host, self.port))
    }
}

#[cfg(test)]
mod tests;
