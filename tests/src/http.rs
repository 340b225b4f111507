//! HTTP transports as most tests want them.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{CallError, GaveUp, Handler, Notice, Phase, Raw, RequestId, RequestOptions, Transport};
use mcp_transport_http::{HttpConfig, HttpTransport};
use serde_json::json;

use crate::Recorder;
use crate::http_peer::{Exchange, Exchanges, Received};

/// The configuration of a server, whose calls have no deadline: what fails then does not fail by one.
///
/// # Panics
///
/// If `url` is none.
pub fn config(url: &str) -> HttpConfig {
    let mut config = HttpConfig::new(url).expect("the address of a peer");
    config.name = Some("peer".to_owned());
    config.timeout = Duration::ZERO;
    config
}

/// A transport to `url`, and what it reports.
///
/// # Panics
///
/// If it cannot be made.
pub fn connect(url: &str) -> (Arc<HttpTransport>, Arc<Recorder>) {
    connect_with(config(url))
}

/// A transport with a configuration of the test's own, and what it reports.
///
/// # Panics
///
/// If it cannot be made.
pub fn connect_with(config: HttpConfig) -> (Arc<HttpTransport>, Arc<Recorder>) {
    let recorder = Recorder::new();
    (connect_to(config, recorder.clone()), recorder)
}

/// A transport with a handler of the test's own.
///
/// # Panics
///
/// If it cannot be made.
pub fn connect_to(config: HttpConfig, handler: Arc<dyn Handler>) -> Arc<HttpTransport> {
    let transport = Arc::new(HttpTransport::new(config, handler));
    transport.connect().expect("nothing is opened yet");
    transport
}

/// Tells a transport that the handshake is done, with this version.
pub fn ready(transport: &HttpTransport, version: &str) {
    transport.enter(Phase::Negotiated { version });
    transport.enter(Phase::Ready);
}

/// One request without params, bounded by the test's patience.
///
/// # Errors
///
/// As the transport's.
#[track_caller]
pub fn request<'a>(
    transport: &'a HttpTransport,
    method: &'a str,
) -> impl Future<Output = Result<Raw, CallError>> + use<'a> {
    crate::within(transport.request(method, None, RequestOptions::default()))
}

/// The options of a call with this timeout in milliseconds (zero: none), whose giving up the server is
/// told of, as `mcp-client` does.
pub fn options(timeout: u64) -> RequestOptions {
    let mut options = RequestOptions::default();
    options.timeout = Some(Duration::from_millis(timeout));
    options.cancel_notice = Some(notice);
    options
}

fn notice(id: &RequestId, why: &GaveUp) -> Notice {
    let params = crate::raw(&json!({ "requestId": id, "reason": why.to_string() }));
    Notice { method: "notifications/cancelled", params }
}

/// Waits until so many calls are in flight.
pub fn until_pending(transport: &HttpTransport, number: usize) -> impl Future<Output = ()> + use<'_> {
    crate::within(async move {
        while transport.status().pending != number {
            tokio::task::yield_now().await;
        }
    })
}

/// Polls a call until its request is with the server, which `seen` waits for; the call goes on.
///
/// # Panics
///
/// If the call ends before that.
pub async fn until<C: Future + ?Sized, S: Future>(call: Pin<&mut C>, seen: S) -> S::Output {
    tokio::select! {
        biased;
        seen = seen => seen,
        _ = call => panic!("the call ended too early"),
    }
}

/// How many of these requests bring a message with this method.
pub fn sent(requests: &[Received], method: &str) -> usize {
    requests.iter().filter(|request| request.rpc_method().as_deref() == Some(method)).count()
}

/// Answers a request with the result `1`.
///
/// # Panics
///
/// If it is none.
pub async fn answer(exchange: Exchange) {
    let answer = exchange.answer("1");
    exchange.respond_json(answer).await;
}

/// Makes the first call of a connection, for which all others wait, and answers it.
///
/// # Panics
///
/// If it fails.
pub async fn greeted(transport: &HttpTransport, exchanges: &mut Exchanges) {
    let (greeted, ()) = tokio::join!(request(transport, "hello"), async {
        answer(exchanges.take().await).await;
    });
    greeted.expect("it is answered");
}
