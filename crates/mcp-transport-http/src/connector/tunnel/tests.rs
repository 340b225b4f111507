//! What answers to `CONNECT` come to.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::endpoint::Endpoint;

/// The request that the proxy saw, and what came of its answer, which is written in the given parts.
async fn ask(
    url: &str,
    authorization: Option<&HeaderValue>,
    answer: &[&[u8]],
) -> (String, Result<(), ProxyFailure>) {
    let endpoint = Endpoint::parse(url).unwrap();
    let (mut client, mut proxy) = tokio::io::duplex(1024);
    let serve = async move {
        let mut seen = Vec::new();
        while !seen.ends_with(b"\r\n\r\n") {
            assert_ne!(proxy.read_buf(&mut seen).await.unwrap(), 0);
        }
        for part in answer {
            // Fails, once the client has read enough and left.
            let _ = proxy.write_all(part).await;
            tokio::task::yield_now().await;
        }
        String::from_utf8(seen).unwrap()
    };
    let asked = async move { tunnel(&mut client, endpoint.origin(), authorization).await };
    tokio::join!(serve, asked)
}

async fn answered(answer: &[u8]) -> Result<(), ProxyFailure> {
    let whole = ask("https://a.test/", None, &[answer]).await.1;
    let bytes: Vec<&[u8]> = answer.chunks(1).collect();
    let cut = ask("https://a.test/", None, &bytes).await.1;
    assert_eq!(format!("{whole:?}"), format!("{cut:?}"));
    whole
}

#[tokio::test]
async fn the_request_names_host_and_port() {
    let ok: &[&[u8]] = &[b"HTTP/1.1 200 OK\r\n\r\n"];
    let (seen, result) = ask("https://a.test/mcp?key=SECRET", None, ok).await;
    assert_eq!(seen, "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n");
    result.unwrap();

    let value = HeaderValue::from_static("Basic abc");
    let (seen, result) = ask("https://[::2]:8443/", Some(&value), ok).await;
    assert_eq!(
        seen,
        "CONNECT [::2]:8443 HTTP/1.1\r\nHost: [::2]:8443\r\nProxy-Authorization: Basic abc\r\n\r\n"
    );
    result.unwrap();
}

#[tokio::test]
async fn the_status_decides() {
    answered(b"HTTP/1.0 200 Connection established\r\nVia: x\r\n\r\n").await.unwrap();
    answered(b"HTTP/1.1 204\r\n\r\n").await.unwrap();
    let failed = answered(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n").await;
    assert!(matches!(failed, Err(ProxyFailure::AuthenticationRequired)));
    let failed = answered(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n").await;
    assert!(matches!(failed, Err(ProxyFailure::Status(502))));
}

#[tokio::test]
async fn what_is_no_answer_to_connect_is_refused() {
    for answer in [
        "SSH-2.0-x\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/2 200\r\n\r\n",
        "HTTP/1.1 2x0 \r\n\r\n",
        "\r\n\r\n",
    ] {
        assert!(matches!(answered(answer.as_bytes()).await, Err(ProxyFailure::NotHttp)), "{answer}");
    }
    let (_, result) = ask("https://a.test/", None, &[b"HTTP/1.1 200 OK\r\n\r\nmore"]).await;
    assert!(matches!(result, Err(ProxyFailure::NotHttp)));
}

#[tokio::test]
async fn an_endless_head_is_cut_off() {
    let line = [b'a'; 1000];
    let (_, result) = ask("https://a.test/", None, &vec![&line[..]; 40]).await;
    assert!(matches!(result, Err(ProxyFailure::HeadTooLarge { limit: MAX_HEAD })));
}

#[tokio::test]
async fn an_end_before_the_answer_is_an_error() {
    let (_, result) = ask("https://a.test/", None, &[b"HTTP/1.1 200 OK\r\n"]).await;
    assert!(matches!(result, Err(ProxyFailure::Io(error)) if error.kind() == io::ErrorKind::UnexpectedEof));
}
