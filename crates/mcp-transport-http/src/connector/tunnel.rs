//! `CONNECT`: a proxy becomes a pipe to the server.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;

use hyper::header::HeaderValue;
use memchr::memmem;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::Origin;
use super::failure::ProxyFailure;
use crate::endpoint::host_and_port;

/// How large the head of the proxy's answer may be.
const MAX_HEAD: usize = 16 * 1024;

/// Asks the proxy for a tunnel and reads its answer.
pub(super) async fn tunnel<S>(
    stream: &mut S,
    origin: &Origin,
    authorization: Option<&HeaderValue>,
) -> Result<(), ProxyFailure>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let place = host_and_port(origin.host(), origin.port());
    let mut request = format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n").into_bytes();
    if let Some(authorization) = authorization {
        request.extend_from_slice(b"Proxy-Authorization: ");
        request.extend_from_slice(authorization.as_bytes());
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"\r\n");
    write_all(stream, &request).await.map_err(ProxyFailure::Io)?;

    let mut answer = [0; MAX_HEAD];
    let mut filled = 0;
    loop {
        let read = read_some(stream, &mut answer[filled..]).await.map_err(ProxyFailure::Io)?;
        if read == 0 {
            return Err(ProxyFailure::Io(io::ErrorKind::UnexpectedEof.into()));
        }
        // The end of the head may have begun in what was there before.
        let from = filled.saturating_sub(3);
        filled += read;
        if let Some(end) = memmem::find(&answer[from..filled], b"\r\n\r\n") {
            // In TLS the client speaks first, so nothing may follow yet.
            return verdict(&answer[..filled], from + end + 4 == filled);
        }
        if filled == MAX_HEAD {
            return Err(ProxyFailure::HeadTooLarge { limit: MAX_HEAD });
        }
    }
}

fn verdict(answer: &[u8], ends_here: bool) -> Result<(), ProxyFailure> {
    match status(answer) {
        Some(200..=299) if ends_here => Ok(()),
        Some(200..=299) | None => Err(ProxyFailure::NotHttp),
        Some(407) => Err(ProxyFailure::AuthenticationRequired),
        Some(status) => Err(ProxyFailure::Status(status)),
    }
}

/// Of `HTTP/1.x NNN ...`.
fn status(answer: &[u8]) -> Option<u16> {
    let rest = answer.strip_prefix(b"HTTP/1.")?;
    let (&[b'0' | b'1', b' ', a, b, c], rest) = rest.split_first_chunk()? else { return None };
    if !matches!(rest.first(), Some(b' ' | b'\r')) {
        return None;
    }
    [a, b, c]
        .iter()
        .try_fold(0, |status, digit| digit.is_ascii_digit().then(|| status * 10 + u16::from(digit - b'0')))
}

async fn write_all(stream: &mut (impl AsyncWrite + Unpin), mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match poll_fn(|cx| Pin::new(&mut *stream).poll_write(cx, bytes)).await? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => bytes = &bytes[written..],
        }
    }
    poll_fn(|cx| Pin::new(&mut *stream).poll_flush(cx)).await
}

async fn read_some(stream: &mut (impl AsyncRead + Unpin), buffer: &mut [u8]) -> io::Result<usize> {
    let mut buffer = ReadBuf::new(buffer);
    poll_fn(|cx| Pin::new(&mut *stream).poll_read(cx, &mut buffer)).await?;
    Ok(buffer.filled().len())
}

#[cfg(test)]
mod tests;
