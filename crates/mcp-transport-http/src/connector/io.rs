//! The one type of all streams to a server.

use std::fmt;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;
#[cfg(feature = "tls")]
use tokio_rustls::client::TlsStream;

/// A stream to a server or a proxy: TCP, TLS over TCP, or a Unix socket.
pub struct Io(Stream);

enum Stream {
    Tcp(TcpStream),
    #[cfg(feature = "tls")]
    Tls(Box<TlsStream<TcpStream>>),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// Runs one expression on whichever stream it is.
macro_rules! on_stream {
    ($io:expr, $stream:ident => $call:expr) => {
        match $io {
            Stream::Tcp($stream) => $call,
            #[cfg(feature = "tls")]
            Stream::Tls($stream) => $call,
            #[cfg(unix)]
            Stream::Unix($stream) => $call,
        }
    };
}

impl AsyncRead for Io {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        on_stream!(&mut self.0, stream => Pin::new(stream).poll_read(cx, buf))
    }
}

impl AsyncWrite for Io {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        on_stream!(&mut self.0, stream => Pin::new(stream).poll_write(cx, buf))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        on_stream!(&mut self.0, stream => Pin::new(stream).poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        on_stream!(&self.0, stream => stream.is_write_vectored())
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        on_stream!(&mut self.0, stream => Pin::new(stream).poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        on_stream!(&mut self.0, stream => Pin::new(stream).poll_shutdown(cx))
    }
}

impl From<TcpStream> for Io {
    fn from(stream: TcpStream) -> Self {
        Self(Stream::Tcp(stream))
    }
}

#[cfg(feature = "tls")]
impl From<TlsStream<TcpStream>> for Io {
    fn from(stream: TlsStream<TcpStream>) -> Self {
        Self(Stream::Tls(Box::new(stream)))
    }
}

#[cfg(unix)]
impl From<UnixStream> for Io {
    fn from(stream: UnixStream) -> Self {
        Self(Stream::Unix(stream))
    }
}

impl fmt::Debug for Io {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Stream::Tcp(_) => "Io(Tcp)",
            #[cfg(feature = "tls")]
            Stream::Tls(_) => "Io(Tls)",
            #[cfg(unix)]
            Stream::Unix(_) => "Io(Unix)",
        })
    }
}
