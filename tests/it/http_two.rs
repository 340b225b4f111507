//! HTTP/2, which a server chooses by ALPN: one connection for all exchanges.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use mcp_jsonrpc::{Mirrored, NotifyOptions, Phase, RequestOptions, Transport};
use mcp_tests::http::{self, config, connect_with, request};
use mcp_tests::tls_front::{TlsFront, TlsOptions};
use mcp_tests::within;
use mcp_transport_http::connector::Pem;
use mcp_transport_http::{Headers, HttpConfig};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// A server that speaks HTTP/2 only.
struct Server {
    address: SocketAddr,
    /// Requests that are being answered.
    open: Arc<AtomicUsize>,
    /// Cuts the connections that are there.
    cut: Arc<Notify>,
}

impl Server {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (open, cut) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        let (counter, end) = (open.clone(), cut.clone());
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (counter, end) = (counter.clone(), end.clone());
                tokio::spawn(async move {
                    let service = service_fn(move |request| answer(request, counter.clone()));
                    let connection = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                        .serve_connection(TokioIo::new(stream), service);
                    tokio::select! {
                        _ = connection => {}
                        () = end.notified() => {}
                    }
                });
            }
        });
        Self { address, open, cut }
    }

    fn behind_tls(&self) -> (TlsFront, HttpConfig) {
        let options = TlsOptions { alpn: vec!["h2".to_owned()], ..TlsOptions::default() };
        let front = TlsFront::start_with(self.address, &options);
        let mut config = config(&front.url("/mcp?k=1"));
        config.connector.extra_roots = vec![Pem::File(front.ca_file())];
        config.headers = Headers::new([("X-Api-Key", "key")]).unwrap();
        (front, config)
    }
}

/// Counts while it is there.
struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn answer(
    request: Request<Incoming>,
    counter: Arc<AtomicUsize>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    counter.fetch_add(1, Ordering::SeqCst);
    let _open = Open(counter);
    assert_eq!(request.version(), Version::HTTP_2);
    assert_eq!(request.uri().path_and_query().unwrap().as_str(), "/mcp?k=1");
    assert_eq!(request.headers()["x-api-key"], "key");
    assert!(!request.headers().contains_key("host"), "HTTP/2 has the authority in its place");
    if request.method() != Method::POST {
        return Ok(Response::builder().status(405).body(Full::default()).unwrap());
    }
    let (parts, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let message: Value = serde_json::from_slice(&body).unwrap();
    let Some(id) = message.get("id") else {
        return Ok(Response::builder().status(202).body(Full::default()).unwrap());
    };
    let answer = serde_json::json!({ "jsonrpc": "2.0", "id": id, "result": { "of": id } }).to_string();
    let (kind, text) = match message["method"].as_str() {
        Some("never") => std::future::pending().await,
        Some("events") => ("text/event-stream", format!("data: {answer}\n\n")),
        Some("mirrored") => {
            let heads = parts.headers.iter().filter(|(name, _)| name.as_str().starts_with("mcp-"));
            let heads: Vec<_> =
                heads.map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
            let result = serde_json::json!({ "jsonrpc": "2.0", "id": id, "result": heads });
            ("application/json", result.to_string())
        }
        Some("long") => {
            let pad = "x".repeat(3 << 20);
            let result = serde_json::json!({ "jsonrpc": "2.0", "id": id, "result": { "pad": pad } });
            ("application/json", result.to_string())
        }
        _ => ("application/json", answer),
    };
    Ok(Response::builder().header("content-type", kind).body(Full::new(text.into())).unwrap())
}

#[tokio::test]
async fn all_exchanges_share_one_connection_of_http2() {
    let server = Server::start().await;
    let (front, config) = server.behind_tls();
    let (transport, _) = connect_with(config);
    let mut calls = tokio::task::JoinSet::new();
    for n in 0..200 {
        let transport = transport.clone();
        let method = if n % 2 == 0 { "json" } else { "events" };
        calls.spawn(async move { request(&transport, method).await.map(drop) });
    }
    for outcome in within(calls.join_all()).await {
        outcome.unwrap();
    }
    within(transport.notify("n", None, NotifyOptions::default())).await.unwrap();
    let long = request(&transport, "long").await.unwrap();
    assert!(long.as_bytes().len() > 3 << 20);
    assert_eq!(front.handshakes().done, 1);
    within(transport.close()).await;
}

#[tokio::test]
async fn a_call_that_is_given_up_resets_its_stream_alone() {
    let server = Server::start().await;
    let (front, config) = server.behind_tls();
    let (transport, _) = connect_with(config);
    request(&transport, "json").await.unwrap();
    let mut options = RequestOptions::default();
    options.timeout = Some(Duration::from_millis(50));
    let error = within(transport.request("never", None, options)).await.unwrap_err();
    assert_eq!(error.to_string(), "Request timeout after 50ms");
    within(async {
        while server.open.load(Ordering::SeqCst) > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    request(&transport, "events").await.unwrap();
    assert_eq!(front.handshakes().done, 1);
    within(transport.close()).await;
}

#[tokio::test]
async fn a_connection_that_is_lost_is_made_anew_for_the_next_call() {
    let server = Server::start().await;
    let (front, config) = server.behind_tls();
    let (transport, _) = connect_with(config);
    request(&transport, "json").await.unwrap();
    let waiting = tokio::spawn({
        let transport = transport.clone();
        async move { request(&transport, "never").await }
    });
    within(async {
        while server.open.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    server.cut.notify_waiters();
    // It may have been run, so it is not sent again.
    let error = within(waiting).await.unwrap().unwrap_err();
    assert!(!error.is_safe_to_retry(), "{error:?}");
    request(&transport, "json").await.unwrap();
    assert_eq!(front.handshakes().done, 2);
    within(transport.close()).await;
}

/// C-140 to C-145: the same over HTTP/2, where giving up resets the stream of the call and nothing else.
#[tokio::test]
async fn without_a_session_http2_carries_the_same_headers_and_resets_are_the_cancel() {
    let server = Server::start().await;
    let (front, config) = server.behind_tls();
    let (transport, _) = connect_with(config);
    transport.enter(Phase::Stateless { version: "2026-07-28" });
    let mut options = RequestOptions::default();
    for (header, value) in [("Mcp-Name", "é"), ("Mcp-Param-Empty", "")] {
        options.mirrored.push(Mirrored { header: header.into(), value: value.to_owned() });
    }
    let answer = within(transport.request("mirrored", None, options)).await.unwrap();
    let mut heads: Vec<String> = serde_json::from_str(answer.as_str()).unwrap();
    heads.sort();
    assert_eq!(
        heads,
        [
            "mcp-method: mirrored",
            "mcp-name: =?base64?w6k=?=",
            "mcp-param-empty: ",
            "mcp-protocol-version: 2026-07-28",
        ]
    );
    let error = within(transport.request("never", None, http::options(50))).await.unwrap_err();
    assert_eq!(error.to_string(), "Request timeout after 50ms");
    within(async {
        while server.open.load(Ordering::SeqCst) > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    request(&transport, "events").await.unwrap();
    assert_eq!(front.handshakes().done, 1);
    within(transport.close()).await;
}
