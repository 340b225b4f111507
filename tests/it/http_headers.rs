//! What goes out with a request: protocol headers, configured headers, addresses; and what of it people
//! get to see.

use std::error::Error;
use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex};

use mcp_client::CallOptions;
use mcp_jsonrpc::{CallError, Cancel, FailureKind, NotifyOptions, RequestOptions, Transport};
use mcp_tests::http::{config, connect, connect_with, options, ready, request};
use mcp_tests::http_peer::{Exchange, HttpPeer, Listen, McpBehaviour, PeerOptions, Received, has_ipv6};
use mcp_tests::{Recorder, client, within};
use mcp_transport_http::{Headers, HttpConfig, HttpError, HttpTransport, Wire};
use serde_json::json;

const JSON: (&str, &str) = ("Content-Type", "application/json");

/// A server that keeps each GET open with a ping of its own, and does all else as `behaviour` says;
/// `refuses` gives the status of what it does not like.
fn strict(refuses: fn(&Received) -> Option<&'static str>) -> HttpPeer {
    let behaviour = McpBehaviour::new().with_version("2025-06-18").with_session("S1");
    HttpPeer::mcp_after(behaviour, move |exchange| async move {
        if let Some(status) = refuses(&exchange) {
            exchange.respond(status, &[], "").await;
            return None;
        }
        match (exchange.method.as_str(), exchange.rpc_method().as_deref()) {
            ("GET", _) => {
                let mut events = exchange.start_sse(&[]).await;
                events.event(r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#).await;
                events.hold();
                None
            }
            ("POST", Some("tools/call")) => {
                exchange.hold();
                None
            }
            _ => Some(exchange),
        }
    })
}

/// Everything that a client sends: handshake, listener, list, reply, call, cancel, end.
async fn whole_session(peer: &HttpPeer, config: &HttpConfig) -> Vec<Received> {
    let mut options = client::options();
    options.listen = true;
    let client = client::connect_with(config, options).await;
    assert!(within(client.listening()).await);
    peer.wait_for(|requests| requests.iter().any(|request| request.text().contains(r#""result""#))).await;
    within(client.list_tools()).await.unwrap();
    let mut limited = CallOptions::default();
    limited.timeout = Some(std::time::Duration::from_millis(30));
    within(client.call_tool_with("echo", &json!({}), limited)).await.unwrap_err();
    let is_cancel = |request: &Received| request.rpc_method().as_deref() == Some("notifications/cancelled");
    peer.wait_for(|requests| requests.iter().any(is_cancel)).await;
    within(client.close()).await;
    let requests = peer.requests();
    let count = |method: &str| requests.iter().filter(|request| request.method == method).count();
    assert_eq!((count("POST"), count("GET"), count("DELETE")), (6, 1, 1), "{requests:#?}");
    requests
}

/// Case 94, C-138: the version that was agreed on, not our newest, on everything after `initialize`.
#[tokio::test]
async fn the_agreed_version_is_on_everything_after_initialize() {
    let peer = strict(|request| {
        let expected = (request.rpc_method().as_deref() != Some("initialize")).then_some("2025-06-18");
        let versions: Vec<_> = request.headers_named("mcp-protocol-version").collect();
        (versions != Vec::from_iter(expected)).then_some("400 Bad Request")
    });
    let requests = whole_session(&peer, &config(&peer.url("/mcp"))).await;
    assert_eq!(requests[0].rpc_method().as_deref(), Some("initialize"));
    assert_eq!(requests[1].rpc_method().as_deref(), Some("notifications/initialized"));
}

/// Cases 97 and 98, D-10: exactly the types that must be there, whatever is configured.
#[tokio::test]
async fn types_are_exactly_right_whatever_is_configured() {
    let peer = strict(|request| {
        let is = |name: &str, expected: &[&str]| request.headers_named(name).eq(expected.iter().copied());
        let (kinds, accepted): (&[_], &[_]) = match request.method.as_str() {
            "POST" => (&["application/json"], &["application/json, text/event-stream"]),
            "GET" => (&[], &["text/event-stream"]),
            _ => (&[], &[]),
        };
        match () {
            () if !is("content-type", kinds) => Some("415 Unsupported Media Type"),
            () if !is("accept", accepted) => Some("406 Not Acceptable"),
            () => None,
        }
    });
    let pairs = [
        ("accept", "application/json"),
        ("Content-Type", "text/plain"),
        ("Mcp-Session-Id", "mine"),
        ("MCP-Protocol-Version", "mine"),
        ("Last-Event-ID", "mine"),
        ("X-Mine", "1"),
    ];
    let headers = Headers::new(pairs).unwrap();
    assert_eq!(headers.ignored().len(), 5);
    let requests = whole_session(&peer, &config(&peer.url("/")).with_headers(headers)).await;
    for request in &requests {
        assert!(!request.headers.iter().any(|(_, value)| value == "mine"), "{request:#?}");
        assert_eq!(request.header("x-mine"), Some("1"));
    }
}

fn with_key(url: &str) -> HttpConfig {
    config(url).with_headers(Headers::new([("X-Api-Key", "SECRET-1")]).unwrap())
}

fn without_key(request: &Received) -> Option<&'static str> {
    let keys: Vec<_> = request.headers_named("x-api-key").collect();
    (keys != ["SECRET-1"]).then_some("401 Unauthorized")
}

/// Case 99: configured headers are on POST, GET and DELETE, on replies and cancels.
#[tokio::test]
async fn configured_headers_are_on_every_request() {
    let peer = strict(without_key);
    whole_session(&peer, &with_key(&peer.url("/"))).await;
}

/// Case 99: so they are where a stream is resumed.
#[tokio::test]
async fn configured_headers_are_on_a_resumption() {
    let answer = Arc::new(Mutex::new(String::new()));
    let peer = HttpPeer::start(move |exchange| {
        let answer = answer.clone();
        async move {
            if let Some(status) = without_key(&exchange) {
                return exchange.respond(status, &[], "").await;
            }
            if exchange.method == "POST" {
                *answer.lock().unwrap() = exchange.answer("1");
                let mut events = exchange.start_sse(&[]).await;
                events.raw("id: e1\nretry: 1\ndata:\n\n").await;
                return events.finish().await;
            }
            let answer = answer.lock().unwrap().clone();
            let mut events = exchange.start_sse(&[]).await;
            events.event(&answer).await;
            events.finish().await;
        }
    });
    let mut config = with_key(&peer.url("/"));
    config.resume.min_delay = std::time::Duration::from_millis(1);
    let (transport, _) = connect_with(config);
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), "1");
    let resumption = peer.requests().pop().unwrap();
    assert_eq!((resumption.method.as_str(), resumption.header("last-event-id")), ("GET", Some("e1")));
}

/// Case 99: so they are on the stream and the messages of the older transport.
#[tokio::test]
async fn configured_headers_are_on_requests_of_the_older_transport() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let mut config = with_key(&peer.url("/sse"));
    config.wire = Wire::Sse;
    let (transport, _) = connect_with(config);
    let (answer, ()) = tokio::join!(request(&transport, "m"), async {
        let exchange = exchanges.take().await;
        assert_eq!((exchange.method.as_str(), without_key(&exchange)), ("GET", None));
        let mut events = exchange.start_sse(&[]).await;
        events.event_of_type("endpoint", "/messages").await;
        let exchange = exchanges.take().await;
        assert_eq!((exchange.target.as_str(), without_key(&exchange)), ("/messages", None));
        let answer = exchange.answer("1");
        exchange.accepted().await;
        events.event(&answer).await;
        events.hold();
    });
    assert_eq!(answer.unwrap().as_str(), "1");
}

/// Case 112: brackets stay where they belong.
#[tokio::test]
async fn an_ipv6_address_is_reached_and_named_with_brackets() {
    if !has_ipv6() {
        return;
    }
    let peer = HttpPeer::start_with(PeerOptions::on(Listen::V6), McpBehaviour::new().after(pass));
    let client = client::connect(&config(&peer.url("/mcp"))).await;
    within(client.close()).await;
    let expected = format!("[::1]:{}", peer.address().port());
    assert!(peer.requests().iter().all(|request| request.header("host") == Some(&expected)));
}

async fn pass(exchange: Exchange) -> Option<Exchange> {
    Some(exchange)
}

/// Case 112: a name with addresses of both families, of which only one is served.
#[tokio::test]
async fn localhost_is_reached_where_only_ipv4_is_served() {
    let peer = HttpPeer::mcp(McpBehaviour::new());
    let port = peer.address().port();
    let client = client::connect(&config(&format!("http://localhost:{port}/mcp"))).await;
    within(client.close()).await;
    let expected = format!("localhost:{port}");
    assert!(peer.requests().iter().all(|request| request.header("host") == Some(&expected)));
}

/// Case 112: the query goes with each request; spaces around the address are passed over, a fragment is
/// dropped, and without a path there is `/`.
#[tokio::test]
async fn odd_addresses_are_sent_as_they_are_meant() {
    for (address, target) in [
        ("/mcp?key=SECRET-1&b=%20x", "/mcp?key=SECRET-1&b=%20x"),
        ("", "/"),
        ("?key=SECRET-1", "/?key=SECRET-1"),
        ("/mcp/ \n", "/mcp/"),
        ("/a//b/?#fragment", "/a//b/?"),
    ] {
        let peer = strict(|_| None);
        let requests = whole_session(&peer, &config(&format!(" http://{}{address}", peer.address()))).await;
        assert!(requests.iter().all(|request| request.target == target), "{address}: {requests:#?}");
    }
}

/// Case 112: user info becomes `Authorization`, and a configured one wins over it.
#[tokio::test]
async fn user_info_is_sent_as_basic_authorization() {
    let peer = strict(|_| None);
    let url = format!("http://me:SECRET%2D1@{}/mcp", peer.address());
    let requests = whole_session(&peer, &config(&url)).await;
    for request in &requests {
        assert_eq!(request.header("authorization"), Some("Basic bWU6U0VDUkVULTE="));
        assert_eq!(request.header("host"), Some(peer.address().to_string().as_str()));
    }
    let peer = strict(|_| None);
    let url = format!("http://me:SECRET%2D1@{}/mcp", peer.address());
    let headers = Headers::new([("authorization", "Bearer own")]).unwrap();
    let requests = whole_session(&peer, &config(&url).with_headers(headers)).await;
    assert!(requests.iter().all(|request| request.headers_named("authorization").eq(["Bearer own"])));
}

/// A log that keeps all that is written to it.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Log {
    fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}

struct Fields<'a>(&'a mut String);

impl tracing::field::Visit for Fields<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn fmt::Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl tracing::Subscriber for Log {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("mcp")
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        span.record(&mut Fields(&mut self.0.lock().unwrap()));
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        values.record(&mut Fields(&mut self.0.lock().unwrap()));
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let mut text = self.0.lock().unwrap();
        event.record(&mut Fields(&mut text));
        text.push('\n');
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// Everything that an error has to say.
fn said(error: &(dyn Error + 'static)) -> String {
    let mut text = format!("{error:?}");
    let mut next = Some(error);
    while let Some(error) = next {
        let _ = write!(text, " / {error}");
        next = error.source();
    }
    text
}

const SECRET: &str = "SECRET-1";

/// A server that tells what it was told in every way there is.
async fn echoes(exchange: Exchange) {
    let method = exchange.rpc_method().unwrap_or_default();
    let status = |status: &'static str, headers: &'static [(&'static str, &'static str)]| (status, headers);
    let (status, headers) = match method.as_str() {
        "401" => status(
            "401 Unauthorized",
            &[("WWW-Authenticate", "Bearer realm=\"SECRET-1\", scope=\"SECRET-1\"")],
        ),
        "auth-server" => status("403 Forbidden", &[("Mcp-Auth-Server", "https://b.test/?k=SECRET-1")]),
        "404" => status("404 Not Found", &[]),
        "500" => status("500 Oh", &[("Content-Type", "application/json")]),
        "type" => status("200 OK", &[("Content-Type", "text/x-SECRET-1; a=SECRET-1")]),
        "encoding" => status("200 OK", &[JSON, ("Content-Encoding", "x-SECRET-1")]),
        "session" => status("200 OK", &[JSON, ("Mcp-Session-Id", "SECRET-1 \u{e9}")]),
        "redirect" => status("307 There", &[("Location", "http://me:SECRET-1@b.test/?k=SECRET-1&SECRET-1")]),
        "nowhere" => status("307 There", &[("Location", "ftp://SECRET-1")]),
        "303" => status("303 There", &[("Location", "/x?k=SECRET-1")]),
        "gzip" => status("200 OK", &[JSON, ("Content-Encoding", "gzip")]),
        "202" => status("202 Accepted", &[]),
        "head" => return exchange.respond_raw("HTTP/1.1 SECRET-1\r\n\r\n").await,
        "reset" => return exchange.reset(),
        "silent" => return exchange.hold(),
        "events" => {
            let mut events = exchange.start_sse(&[]).await;
            events.event_with_id(SECRET, r#"{"jsonrpc":"2.0","method":"n"}"#).await;
            return events.finish().await;
        }
        "hello" => {
            let answer = exchange.answer("{}");
            return exchange.respond("200 OK", &[JSON, ("Mcp-Session-Id", "SESSION-1")], answer).await;
        }
        _ => return exchange.reset(),
    };
    exchange.respond(status, headers, "you said SECRET-1 and SECRET-1%20").await;
}

fn secretive(peer: &HttpPeer) -> HttpConfig {
    let url = format!("http://me:{SECRET}@{}/mcp?key={SECRET}&{SECRET}", peer.address());
    let pairs = [("X-Api-Key", SECRET), ("Authorization", "Bearer SECRET-1")];
    config(&url).with_headers(Headers::new(pairs).unwrap())
}

/// Case 172, case 112: no configured secret and no session id is in an error, a debug text or the log.
#[tokio::test]
async fn no_secret_is_in_an_error_a_debug_text_or_the_log() {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let peer = HttpPeer::start(echoes);
    let mut config = secretive(&peer);
    config.resume.max_attempts = 0;
    let (transport, recorder) = connect_with(config.clone());
    let mut said_so_far = format!("{config:?} {transport:?}");
    request(&transport, "hello").await.unwrap();
    ready(&transport, "2025-06-18");
    let methods = [
        "401",
        "auth-server",
        "500",
        "type",
        "encoding",
        "session",
        "redirect",
        "nowhere",
        "303",
        "gzip",
        "202",
        "head",
        "reset",
        "events",
        "silent",
        "404",
    ];
    for method in methods {
        let limit = if method == "silent" { 30 } else { 0 };
        let error = within(transport.request(method, None, options(limit))).await.unwrap_err();
        let text = said(&error);
        assert!(!text.contains(SECRET), "{method}: {text}");
        said_so_far += &text;
    }
    for method in ["401", "500", "redirect", "head", "reset"] {
        let error = within(transport.notify(method, None, NotifyOptions::default())).await.unwrap_err();
        said_so_far += &said(&error);
    }
    transport.listen();
    assert!(!within(transport.listening()).await);
    within(transport.close()).await;
    let error = request(&transport, "m").await.unwrap_err();
    let _ = write!(said_so_far, "{} {transport:?} {recorder:?} {}", said(&error), log.text());
    for secret in [SECRET, "SESSION-1", "bWU6U0VDUkVULTE="] {
        assert!(!said_so_far.contains(secret), "{said_so_far}");
    }
    assert!(said_so_far.contains("key=***"), "where it was, is shown: {said_so_far}");
    assert!(log.text().contains("listening for the server's own messages failed"), "{}", log.text());
}

/// Case 172: nor where no connection comes about, or none any more.
#[tokio::test]
async fn no_secret_is_in_the_error_of_a_connection() {
    let peer = HttpPeer::start(echoes);
    let config = secretive(&peer);
    let before = HttpTransport::new(config.clone(), Recorder::new());
    let mut said_so_far = said(&request(&before, "m").await.unwrap_err());
    peer.stop_listening().await;
    let (transport, _) = connect_with(config.clone());
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!(error.failure_kind(), Some(FailureKind::Refused));
    said_so_far += &said(&error);
    let cancel = Cancel::new();
    cancel.cancel();
    let mut options = RequestOptions::default();
    options.cancel = Some(cancel);
    said_so_far += &said(&within(transport.request("m", None, options)).await.unwrap_err());
    let error = within(mcp_client::Client::connect(&config, client::options())).await.unwrap_err();
    let _ = write!(said_so_far, "{} {}", said(&error), error.server());
    for url in
        ["http://me:SECRET-1@/x?SECRET-1", "http://a b/SECRET-1", "http://me:SECRET-1@a.test:SECRET-1/"]
    {
        said_so_far += &said(&HttpConfig::new(url).unwrap_err());
    }
    for pair in [("X-Api-Key", "SECRET-1\n"), ("X Key", SECRET), ("Host", SECRET)] {
        said_so_far += &said(&Headers::new([pair]).unwrap_err());
    }
    assert!(!said_so_far.contains(SECRET), "{said_so_far}");
}

/// Case 172: nor in those of the older transport.
#[tokio::test]
async fn no_secret_is_in_an_error_of_the_older_transport() {
    for endpoint in
        ["http://b.test/SECRET-1?k=SECRET-1", "ftp://SECRET-1/", "SECRET-1 x", "//me:SECRET-1@b.test/"]
    {
        let peer = HttpPeer::start(move |exchange| async move {
            if exchange.method == "POST" {
                return exchange.respond("405 Not Here", &[], SECRET).await;
            }
            let mut events = exchange.start_sse(&[]).await;
            events.event_of_type("endpoint", endpoint).await;
            events.finish().await;
        });
        let (transport, _) = connect_with(secretive(&peer));
        let error: CallError = request(&transport, "m").await.unwrap_err();
        assert!(matches!(error.downcast_ref(), Some(HttpError::Neither { .. })), "{error:?}");
        let text = said(&error);
        assert!(!text.contains(SECRET), "{endpoint}: {text}");
    }
}

/// Case 172: a client shows none either.
#[tokio::test]
async fn no_secret_is_in_the_debug_text_of_a_client() {
    let peer = HttpPeer::mcp(McpBehaviour::new().with_session("SESSION-1"));
    let client = client::connect(&secretive(&peer)).await;
    let text = format!("{client:?} {} {:?}", client.server(), client.status());
    assert!(!text.contains(SECRET) && !text.contains("SESSION-1"), "{text}");
    within(client.close()).await;
}

/// D-10: names that would break the framing are refused when they are configured.
#[tokio::test]
async fn headers_of_the_connection_are_refused() {
    for name in ["Host", "content-length", "Transfer-Encoding", "Connection"] {
        assert!(Headers::new([(name, "x")]).is_err(), "{name}");
    }
    let peer = HttpPeer::mcp(McpBehaviour::new());
    let (transport, _) = connect(&peer.url("/"));
    request(&transport, "ping").await.unwrap();
    assert_eq!(peer.requests()[0].headers_named("host").count(), 1);
}
