//! A client of plain bytes, with which the peers test themselves.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::within;

/// One connection to a server.
pub(crate) struct RawClient<S = TcpStream> {
    stream: S,
    unread: Vec<u8>,
}

impl RawClient {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self::over(within(TcpStream::connect(address)).await.unwrap())
    }

    /// Whether nothing has come that was not read yet.
    pub(crate) fn got_nothing(&mut self) -> bool {
        let came = self.stream.try_read_buf(&mut self.unread);
        self.unread.is_empty() && came.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> RawClient<S> {
    pub(crate) fn over(stream: S) -> Self {
        Self { stream, unread: Vec::new() }
    }

    pub(crate) async fn send(&mut self, text: impl AsRef<[u8]>) {
        within(self.stream.write_all(text.as_ref())).await.unwrap();
        within(self.stream.flush()).await.unwrap();
    }

    /// Reads up to `end` and returns what came, with it.
    #[track_caller]
    pub(crate) fn read_until(&mut self, end: &str) -> impl Future<Output = String> {
        within(async move {
            loop {
                let part = end.as_bytes();
                if let Some(at) = self.unread.windows(part.len()).position(|window| window == part) {
                    let rest = self.unread.split_off(at + part.len());
                    let text = std::mem::replace(&mut self.unread, rest);
                    return String::from_utf8_lossy(&text).into_owned();
                }
                let count = self.stream.read_buf(&mut self.unread).await.unwrap();
                let seen = String::from_utf8_lossy(&self.unread);
                assert_ne!(count, 0, "the server closed before `{end}`, after `{seen}`");
            }
        })
    }

    /// Reads to the end of the connection.
    pub(crate) async fn rest(&mut self) -> io::Result<Vec<u8>> {
        within(self.stream.read_to_end(&mut self.unread)).await?;
        Ok(std::mem::take(&mut self.unread))
    }
}

/// A request with a JSON body.
pub(crate) fn post(path: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost:1\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// The body of an `initialize` request, with the id 1.
pub(crate) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#;
