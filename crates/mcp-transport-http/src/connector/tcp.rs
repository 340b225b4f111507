//! Names to addresses, addresses to TCP connections.

use std::error::Error;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use std::vec;

use hyper::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::{GaiResolver, InvalidNameError, Name};
use tokio::net::TcpStream;
use tower_service::Service;

use super::failure::{ConnectFailure, ConnectKind};
use crate::endpoint::{host_and_port, is_localhost};

/// Opens TCP connections, trying the addresses of both families in parallel if the first are slow.
#[derive(Clone)]
pub(super) struct Tcp(HttpConnector<Resolver>);

/// The system's resolver, but for `localhost`.
#[derive(Clone, Debug)]
struct Resolver(GaiResolver);

/// The name has no address. A type of its own, to tell it from the errors of connecting.
#[derive(Debug, thiserror::Error)]
#[error("no address was found")]
struct NoAddress(#[source] io::Error);

impl Tcp {
    /// With a limit for one connection, shared evenly among the addresses that are tried.
    pub(super) fn new(limit: Duration) -> Self {
        let mut http = HttpConnector::new_with_resolver(Resolver(GaiResolver::new()));
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_connect_timeout((!limit.is_zero()).then_some(limit));
        Self(http)
    }

    /// Opens a connection to a name or address, which is an IPv6 one without brackets.
    pub(super) async fn open(&self, host: &str, port: u16) -> Result<TcpStream, ConnectFailure> {
        let failed = |kind| ConnectFailure::to_host(host, port, kind);
        let uri = uri(host, port).map_err(|error| failed(ConnectKind::Resolve).caused_by(error))?;
        let opened = self.0.clone().call(uri).await;
        Ok(opened.map_err(|error| failed(kind_of(&error)).caused_by(error))?.into_inner())
    }
}

/// The addresses of a name, with this port.
pub(super) async fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, ConnectFailure> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let failed = |error| ConnectFailure::to_host(host, port, ConnectKind::Resolve).caused_by(error);
    let name: Name = host.parse().map_err(|error: InvalidNameError| failed(error.into()))?;
    let found = Resolver(GaiResolver::new()).call(name).await.map_err(failed)?;
    Ok(found.map(|address| SocketAddr::new(address.ip(), port)).collect())
}

pub(super) fn uri(host: &str, port: u16) -> Result<Uri, hyper::http::Error> {
    Uri::builder().scheme("http").authority(host_and_port(host, port)).path_and_query("/").build()
}

fn kind_of(error: &(dyn Error + 'static)) -> ConnectKind {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.is::<NoAddress>() {
            return ConnectKind::Resolve;
        }
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return match error.kind() {
                io::ErrorKind::ConnectionRefused => ConnectKind::Refused,
                io::ErrorKind::TimedOut => ConnectKind::TimedOut,
                io::ErrorKind::NetworkUnreachable
                | io::ErrorKind::HostUnreachable
                | io::ErrorKind::NetworkDown
                | io::ErrorKind::AddrNotAvailable => ConnectKind::Unreachable,
                _ => ConnectKind::Other,
            };
        }
        next = error.source();
    }
    ConnectKind::Other
}

impl Service<Name> for Resolver {
    type Response = vec::IntoIter<SocketAddr>;
    type Error = Box<dyn Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        // Both addresses, whatever the hosts file says: servers listen on either. And no name server is
        // asked, as it could send us elsewhere, past the rule that the loopback needs no proxy.
        if is_localhost(name.as_str()) {
            let both = [(Ipv6Addr::LOCALHOST, 0).into(), (Ipv4Addr::LOCALHOST, 0).into()];
            return Box::pin(async move { Ok(Vec::from(both).into_iter()) });
        }
        let lookup = self.0.call(name);
        Box::pin(async move {
            let found: Vec<SocketAddr> = lookup.await.map_err(NoAddress)?.collect();
            if found.is_empty() {
                return Err(NoAddress(io::ErrorKind::NotFound.into()).into());
            }
            Ok(found.into_iter())
        })
    }
}
