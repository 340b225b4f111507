//! Without a session (2026-07-28): what goes out, what is not kept, and what refusals mean.

use std::pin::pin;
use std::sync::Arc;

use mcp_jsonrpc::{CallError, FailureKind, Mirrored, NotifyOptions, Phase, RequestOptions, Transport};
use mcp_tests::http::{answer, config, connect, connect_with, ready, request};
use mcp_tests::http_peer::{Exchange, HttpPeer, Received};
use mcp_tests::{Recorder, within};
use mcp_transport_http::{Headers, HttpError, HttpTransport, MirrorError, Wire};
use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

pub(crate) const VERSION: &str = "2026-07-28";
const JSON: (&str, &str) = ("Content-Type", "application/json");

/// A transport that has gone over to requests that stand for themselves.
pub(crate) fn stateless(url: &str) -> (Arc<HttpTransport>, Arc<Recorder>) {
    let (transport, recorder) = connect(url);
    transport.enter(Phase::Stateless { version: VERSION });
    (transport, recorder)
}

fn mirroring(pairs: &[(&'static str, &str)]) -> RequestOptions {
    let mirrored = |(header, value): &(&'static str, &str)| Mirrored {
        header: (*header).into(),
        value: (*value).to_owned(),
    };
    let mut options = RequestOptions::default();
    options.mirrored = pairs.iter().map(mirrored).collect();
    options
}

/// The `Mcp-` headers of a request, in lower case and sorted.
fn heads(request: &Received) -> Vec<String> {
    let ours = request.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value));
    let ours = ours.filter(|(name, _)| name.starts_with("mcp-"));
    let mut heads: Vec<_> = ours.map(|(name, value)| format!("{name}: {value}")).collect();
    heads.sort();
    heads
}

async fn give(exchange: Exchange, session: &str) {
    let answer = exchange.answer("{}");
    exchange.respond("200 OK", &[JSON, ("Mcp-Session-Id", session)], answer).await;
}

fn status_of(error: &CallError) -> u16 {
    error.downcast_ref::<HttpError>().and_then(HttpError::status).expect("a status").status
}

/// C-122, C-140, C-142, C-143, C-145: the head as it stands on the wire, an empty value included.
#[tokio::test]
async fn the_head_of_a_request_is_exactly_this() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut config = config(&format!("http://{address}/mcp"));
    config.headers =
        Headers::new([("X-Api-Key", "key"), ("Mcp-Name", "mine"), ("mcp-param-a", "mine")]).unwrap();
    let (transport, _) = connect_with(config);
    transport.enter(Phase::Stateless { version: VERSION });
    let options = mirroring(&[
        ("Mcp-Name", "Zürich"),
        ("Mcp-Param-Region", "eu west"),
        ("Mcp-Param-Empty", ""),
        ("Mcp-Param-Tab", "a\tb"),
    ]);
    let server = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut seen = Vec::new();
        while !seen.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
            assert!(stream.read_buf(&mut seen).await.unwrap() > 0);
        }
        String::from_utf8(seen).unwrap()
    };
    let (called, seen) =
        within(async { tokio::join!(transport.request("tools/call", None, options), server) }).await;
    assert_eq!(called.unwrap_err().failure_kind(), Some(FailureKind::Reset));
    let (head, _) = seen.split_once("\r\n\r\n").unwrap();
    let mut lines: Vec<_> = head.split("\r\n").filter(|line| !line.starts_with("content-length: ")).collect();
    assert_eq!(lines.remove(0), "POST /mcp HTTP/1.1");
    lines.sort_unstable();
    let host = format!("host: {address}");
    assert_eq!(
        lines,
        [
            "accept-encoding: gzip",
            "accept: application/json, text/event-stream",
            "content-type: application/json",
            &host,
            "mcp-method: tools/call",
            "mcp-name: =?base64?WsO8cmljaA==?=",
            "mcp-param-empty: ",
            "mcp-param-region: eu west",
            "mcp-param-tab: =?base64?YQli?=",
            "mcp-protocol-version: 2026-07-28",
            "x-api-key: key",
        ]
    );
}

/// C-140, C-142, C-144, C-160, C-161: each POST says version and method; no id is kept, right or wrong;
/// nothing listens, and nothing is ended.
#[tokio::test]
async fn every_post_stands_for_itself() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, recorder) = stateless(&peer.url("/mcp"));
    assert!(transport.mirrors());
    for session in ["S1", "S2", "not an id", ""] {
        let call = async { request(&transport, "x/asked").await.unwrap() };
        let ((), _) = tokio::join!(async { give(exchanges.take().await, session).await }, call);
    }
    transport.listen();
    assert!(!within(transport.listening()).await);
    let told = async { within(transport.notify("x/told", None, NotifyOptions::default())).await.unwrap() };
    tokio::join!(async { exchanges.take().await.accepted().await }, told);
    within(transport.close()).await;
    peer.wait_for_open(0).await;
    let seen = peer.requests();
    assert_eq!(seen.len(), 5, "{seen:#?}");
    for request in &seen {
        let method = request.rpc_method().unwrap();
        assert_eq!(request.method, "POST");
        assert_eq!(
            heads(request),
            [format!("mcp-method: {method}"), format!("mcp-protocol-version: {VERSION}")]
        );
    }
    assert_eq!(recorder.events(), ["close the client closed the connection"]);
}

/// C-160, 6.4: a session from before is not carried over; and a handshake after it begins clean.
#[tokio::test]
async fn the_session_ends_where_statelessness_begins_and_the_other_way_round() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, _) = connect(&peer.url("/mcp"));
    let mut ask = async |session: &str, options: RequestOptions| {
        let (answer, request) = tokio::join!(within(transport.request("m", None, options)), async {
            let exchange = exchanges.take().await;
            let request = exchange.request().clone();
            give(exchange, session).await;
            request
        });
        answer.unwrap();
        heads(&request)
    };
    assert_eq!(ask("S1", mirroring(&[("Mcp-Name", "x")])).await, [""; 0]);
    ready(&transport, "2025-11-25");
    assert_eq!(
        ask("S1", mirroring(&[("Mcp-Name", "x")])).await,
        ["mcp-protocol-version: 2025-11-25", "mcp-session-id: S1"]
    );
    transport.enter(Phase::Stateless { version: VERSION });
    for _ in 0..2 {
        assert_eq!(
            ask("S2", mirroring(&[("Mcp-Name", "x")])).await,
            ["mcp-method: m", "mcp-name: x", "mcp-protocol-version: 2026-07-28"]
        );
    }
    transport.enter(Phase::Initial);
    assert_eq!(ask("S3", mirroring(&[("Mcp-Name", "x")])).await, [""; 0]);
    assert_eq!(ask("S3", RequestOptions::default()).await, ["mcp-session-id: S3"]);
    ready(&transport, "2025-11-25");
    let closing = async { within(transport.close()).await };
    let ((), ended) = tokio::join!(closing, async {
        let exchange = exchanges.take().await;
        let request = exchange.request().clone();
        exchange.respond("204 No Content", &[], "").await;
        request
    });
    assert_eq!((ended.method.as_str(), ended.header("mcp-session-id")), ("DELETE", Some("S3")));
}

/// An answer that comes late, after a change of phase, gives no session.
#[tokio::test]
async fn an_answer_from_before_the_handshake_gives_no_session() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, _) = stateless(&peer.url("/mcp"));
    let mut late = pin!(transport.request("late", None, RequestOptions::default()));
    let exchange = mcp_tests::http::until(late.as_mut(), exchanges.take()).await;
    transport.enter(Phase::Initial);
    give(exchange, "S1").await;
    within(late).await.unwrap();
    tokio::join!(async { request(&transport, "m").await.unwrap() }, async {
        let exchange = exchanges.take().await;
        assert_eq!(exchange.header("mcp-session-id"), None);
        answer(exchange).await;
    });
}

/// A request that cannot be put into headers fails here, and nothing of it is sent or left.
#[tokio::test]
async fn what_no_header_can_hold_is_never_sent() {
    let peer = HttpPeer::start(answer);
    let (transport, _) = stateless(&peer.url("/"));
    let cases: [(&str, &[(&'static str, &str)]); 5] = [
        ("a\nb", &[]),
        ("é", &[]),
        ("m", &[("Mcp-Param-a b", "SECRET-1")]),
        ("m", &[("", "SECRET-1")]),
        ("m", &[("Content-Length", "SECRET-1")]),
    ];
    for (method, pairs) in cases {
        let error = within(transport.request(method, None, mirroring(pairs))).await.unwrap_err();
        assert_eq!(error.failure_kind(), Some(FailureKind::Unsendable), "{method:?} {pairs:?}");
        let HttpError::Mirror(problem) = error.downcast_ref().unwrap() else { panic!("{error:?}") };
        assert!(!format!("{error} {error:?} {problem}").contains("SECRET-1"));
        assert!(error.is_safe_to_retry(), "it was not run");
    }
    let error = within(transport.notify("a\nb", None, NotifyOptions::default())).await.unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(HttpError::Mirror(MirrorError::Method(_)))));
    assert_eq!((transport.status().pending, peer.connections()), (0, 0));
    request(&transport, "m").await.unwrap();
}

/// C-163, C-164: the error in the body of a refusal is that of the request, whatever id it has, and it
/// keeps its data.
#[tokio::test]
async fn an_error_in_the_body_of_a_refusal_is_the_answer() {
    let peer = HttpPeer::start(|exchange| async move {
        let method = exchange.rpc_method().unwrap();
        let (status, rest) = method.split_once('/').unwrap();
        let (code, id) = rest.split_once('/').unwrap();
        let id = match id {
            "same" => format!(r#""id":{},"#, exchange.id().unwrap()),
            "null" => r#""id":null,"#.to_owned(),
            _ => String::new(),
        };
        let error = format!(r#"{{"code":{code},"message":"no","data":{{"supported":["{VERSION}"]}}}}"#);
        let body = format!(r#"{{"jsonrpc":"2.0",{id}"error":{error}}}"#);
        let status = if status == "404" { "404 Not Found" } else { "400 Bad Request" };
        exchange.respond(status, &[JSON, ("Mcp-Session-Id", "S1")], body).await;
    });
    let (transport, recorder) = stateless(&peer.url("/"));
    for (status, code) in [(400, -32020), (400, -32021), (400, -32022), (400, -32602), (404, -32601)] {
        for id in ["same", "null", "none"] {
            let method = format!("{status}/{code}/{id}");
            let CallError::Rpc(error) = request(&transport, &method).await.unwrap_err() else {
                panic!("{method}")
            };
            assert_eq!(error.code, code, "{method}");
            let data: Value = serde_json::from_str(error.data.unwrap().get()).unwrap();
            assert_eq!(data["supported"][0], VERSION);
        }
    }
    assert_eq!(recorder.events(), [""; 0]);
    assert!(peer.requests().iter().all(|request| request.method == "POST"));
}

/// 5.5: without such a body, a refusal is its status; 202 is no answer to a request.
#[tokio::test]
async fn a_refusal_without_an_error_is_its_status() {
    let peer = HttpPeer::start(|exchange| async move {
        let method = exchange.rpc_method().unwrap();
        match method.as_str() {
            "202" => exchange.accepted().await,
            "html" => exchange.respond("404 Not Found", &[("Content-Type", "text/html")], "<p>").await,
            "json" => exchange.respond("400 Bad Request", &[JSON], r#"{"error":"what?"}"#).await,
            status => exchange.respond(&format!("{status} No"), &[], "").await,
        }
    });
    let (transport, _) = stateless(&peer.url("/"));
    for (method, status) in
        [("400", 400), ("404", 404), ("405", 405), ("403", 403), ("503", 503), ("html", 404), ("json", 400)]
    {
        let error = request(&transport, method).await.unwrap_err();
        assert_eq!((error.failure_kind(), status_of(&error)), (Some(FailureKind::Status(status)), status));
    }
    let error = request(&transport, "401").await.unwrap_err();
    assert_eq!(error.failure_kind(), Some(FailureKind::Unauthorized));
    let error = request(&transport, "202").await.unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(HttpError::NoAnswer { status: 202 })), "{error:?}");
    assert!(peer.requests().iter().all(|request| request.method == "POST"));
}

/// 6.4, 6.5, D-17: whatever a probe meets, the handshake after it may still find HTTP+SSE; once a request
/// was answered, it does not look for it.
#[tokio::test]
async fn a_probe_decides_about_the_transport_only_by_success() {
    for wire in [Wire::Streamable, Wire::Sse] {
        for (probe, decides) in
            [("400", false), ("rpc", false), ("404", false), ("error", false), ("202", false), ("ok", true)]
        {
            let peer = HttpPeer::start(|exchange| async move {
                let error = || exchange.error(-32601, "no");
                match exchange.rpc_method().as_deref() {
                    Some("400") => exchange.respond("400 Bad Request", &[], "").await,
                    Some("404") => exchange.respond("404 Not Found", &[], "").await,
                    Some("202") => exchange.accepted().await,
                    Some("rpc") => {
                        let error = error();
                        exchange.respond("400 Bad Request", &[JSON], error).await;
                    }
                    Some("error") => {
                        let error = error();
                        exchange.respond_json(error).await;
                    }
                    Some("ok") => answer(exchange).await,
                    _ => exchange.respond("405 Method Not Allowed", &[], "").await,
                }
            });
            let mut config = config(&peer.url("/"));
            config.wire = wire;
            let (transport, _) = connect_with(config);
            transport.enter(Phase::Stateless { version: VERSION });
            assert_eq!(request(&transport, probe).await.is_ok(), decides, "{probe}");
            assert_eq!(peer.requests().len(), 1, "no probe opens a stream");
            transport.enter(Phase::Initial);
            request(&transport, "initialize").await.unwrap_err();
            let seen: Vec<_> = peer.requests().into_iter().skip(1).map(|request| request.method).collect();
            let expected: &[&str] = match (decides, wire) {
                (true, _) => &["POST"],
                (false, Wire::Sse) => &["GET", "POST"],
                (false, _) => &["POST", "GET"],
            };
            assert_eq!(seen, expected, "{probe} {wire:?}");
        }
    }
}
