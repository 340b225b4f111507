//! A connection: reads requests off it, writes bytes to it.

use std::io;

use bytes::{Bytes, BytesMut};

use super::Received;
use super::listen::Stream;
use super::state::Open;

/// The longest head of a request, and the longest line between chunks, in bytes.
const HEAD_LIMIT: usize = 256 << 10;

/// One connection.
#[derive(Debug)]
pub(super) struct Wire {
    stream: Stream,
    buffer: BytesMut,
    open: Open,
    requests: usize,
}

impl Wire {
    pub(super) fn new(stream: Stream, open: Open) -> Self {
        Self { stream, buffer: BytesMut::new(), open, requests: 0 }
    }

    /// Reads a request up to its body; `None` if the client closed the connection instead.
    ///
    /// Cancel safety: what was read stays in the buffer.
    pub(super) async fn read_head(&mut self) -> io::Result<Option<Received>> {
        let head = loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                break self.buffer.split_to(end + 4);
            }
            if self.buffer.len() > HEAD_LIMIT {
                return Err(invalid("the head of a request is too long"));
            }
            if self.stream.read(&mut self.buffer).await? == 0 {
                return match self.buffer.is_empty() {
                    true => Ok(None),
                    false => Err(io::ErrorKind::UnexpectedEof.into()),
                };
            }
        };
        let mut request = parse_head(&head)?;
        request.connection = self.open.number;
        request.on_connection = self.requests;
        self.requests += 1;
        Ok(Some(request))
    }

    /// Reads the body that belongs to `head`.
    pub(super) async fn read_body(&mut self, head: &Received, limit: usize) -> io::Result<Bytes> {
        let is_chunked =
            head.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
        if is_chunked {
            return self.read_chunks(limit).await;
        }
        let Some(length) = head.header("content-length") else {
            return Ok(Bytes::new());
        };
        let length = length.parse().map_err(|_| invalid("the length of a body is no number"))?;
        self.read_exactly(length, limit).await
    }

    async fn read_chunks(&mut self, limit: usize) -> io::Result<Bytes> {
        let mut body = BytesMut::new();
        loop {
            let line = self.read_line().await?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16).map_err(|_| invalid("a chunk has no size"))?;
            if size == 0 {
                // Trailers, up to an empty line.
                while !self.read_line().await?.is_empty() {}
                return Ok(body.freeze());
            }
            body.extend_from_slice(&self.read_exactly(size, limit - body.len()).await?);
            if !self.read_line().await?.is_empty() {
                return Err(invalid("a chunk is longer than its size"));
            }
        }
    }

    async fn read_line(&mut self) -> io::Result<String> {
        loop {
            if let Some(end) = find(&self.buffer, b"\r\n") {
                let line = self.buffer.split_to(end + 2);
                return Ok(String::from_utf8_lossy(&line[..end]).into_owned());
            }
            if self.buffer.len() > HEAD_LIMIT {
                return Err(invalid("a line between chunks is too long"));
            }
            self.read_more().await?;
        }
    }

    async fn read_exactly(&mut self, length: usize, limit: usize) -> io::Result<Bytes> {
        if length > limit {
            return Err(invalid("a body is too long"));
        }
        while self.buffer.len() < length {
            self.read_more().await?;
        }
        Ok(self.buffer.split_to(length).freeze())
    }

    async fn read_more(&mut self) -> io::Result<()> {
        match self.stream.read(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    /// Waits until the client closes the connection or resets it.
    ///
    /// Cancel safety: bytes that the client sends meanwhile are kept, up to a limit.
    pub(super) async fn closed(&mut self) {
        while let Ok(1..) = self.stream.read(&mut self.buffer).await {
            if self.buffer.len() > HEAD_LIMIT {
                self.buffer.clear();
            }
        }
    }

    /// Writes all of it; false if the client is gone.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> bool {
        self.stream.write(bytes).await.is_ok()
    }

    /// Ends the connection by a reset.
    pub(super) fn reset(self) {
        self.stream.reset_on_drop();
    }
}

fn parse_head(head: &[u8]) -> io::Result<Received> {
    // A header may hold any byte; Latin-1 keeps them apart.
    let text = head.iter().map(|&byte| char::from(byte)).collect::<String>();
    let mut lines = text.split("\r\n").take_while(|line| !line.is_empty());
    let mut start = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some("HTTP/1.1"), None) =
        (start.next(), start.next(), start.next(), start.next())
    else {
        return Err(invalid("this is no request of HTTP/1.1"));
    };
    let headers = lines.map(|line| {
        let (name, value) = line.split_once(':').ok_or_else(|| invalid("a header has no colon"))?;
        Ok((name.to_owned(), value.trim().to_owned()))
    });
    Ok(Received {
        method: method.to_owned(),
        target: target.to_owned(),
        headers: headers.collect::<io::Result<_>>()?,
        body: Bytes::new(),
        connection: 0,
        on_connection: 0,
        number: 0,
    })
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn invalid(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}
