//! Where a peer listens, and the sockets that come of it.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
#[cfg(unix)]
use std::path::PathBuf;

use bytes::BytesMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

/// Where a peer listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// On a free port of 127.0.0.1.
    V4,
    /// On a free port of `[::1]`, where [`has_ipv6`] says so.
    V6,
    /// On this port: one that the test knows to be free.
    At(SocketAddr),
    /// On a Unix socket, at a path that does not exist yet.
    #[cfg(unix)]
    Unix(PathBuf),
}

/// Whether this machine has `[::1]`.
pub fn has_ipv6() -> bool {
    std::net::TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok()
}

/// A socket that listens.
pub(super) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

impl Listener {
    pub(super) fn bind(listen: &Listen) -> Self {
        let address = match listen {
            Listen::V4 => SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            Listen::V6 => SocketAddr::from((Ipv6Addr::LOCALHOST, 0)),
            Listen::At(address) => *address,
            #[cfg(unix)]
            Listen::Unix(path) => {
                return Self::Unix(UnixListener::bind(path).expect("a Unix socket to listen on"));
            }
        };
        let listener = std::net::TcpListener::bind(address).expect("a port to listen on");
        listener.set_nonblocking(true).expect("a socket that does not block");
        Self::Tcp(TcpListener::from_std(listener).expect("a runtime"))
    }

    pub(super) async fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // Each piece goes out as it is written.
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
            #[cfg(unix)]
            Self::Unix(listener) => Ok(Stream::Unix(listener.accept().await?.0)),
        }
    }

    pub(super) fn address(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(listener) => listener.local_addr().ok(),
            #[cfg(unix)]
            Self::Unix(_) => None,
        }
    }
}

/// A socket that is connected.
#[derive(Debug)]
pub(super) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Stream {
    pub(super) async fn read(&mut self, buffer: &mut BytesMut) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read_buf(buffer).await,
            #[cfg(unix)]
            Self::Unix(stream) => stream.read_buf(buffer).await,
        }
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.write_all(bytes).await,
            #[cfg(unix)]
            Self::Unix(stream) => stream.write_all(bytes).await,
        }
    }

    /// Makes the drop of this socket a reset. A Unix socket knows none and is just closed.
    pub(super) fn reset_on_drop(&self) {
        match self {
            Self::Tcp(stream) => stream.set_zero_linger().expect("a socket that can be reset"),
            #[cfg(unix)]
            Self::Unix(_) => {}
        }
    }
}
