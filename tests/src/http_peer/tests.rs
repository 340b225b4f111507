//! The peer against a client of plain bytes.

use std::io::ErrorKind;

use super::raw_client::{INITIALIZE, RawClient, post};
use super::*;
use crate::within;

#[tokio::test]
async fn requests_are_recorded_as_they_were_written() {
    let peer = HttpPeer::start(|exchange| async move { exchange.respond_json("{}").await });
    let mut client = RawClient::connect(peer.address()).await;
    client.send("GET /a?b=c HTTP/1.1\r\nhOsT: x\r\nTwice: 1\r\nTWICE:2\r\n\r\n").await;
    let answer = client.read_until("{}").await;
    assert_eq!(answer, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
    client.send(post("/d", r#"{"id": 1.50, "method": "ping"}"#)).await;
    client.read_until("{}").await;
    let mut other = RawClient::connect(peer.address()).await;
    other.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\n\r\n\r\n").await;
    other.send("0\r\nTrailer: 1\r\n\r\n").await;
    other.read_until("{}").await;

    let first = peer.next_request().await;
    assert_eq!((first.method.as_str(), first.target.as_str(), first.path()), ("GET", "/a?b=c", "/a"));
    let headers = first.headers.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
    assert_eq!(headers, ["hOsT=x", "Twice=1", "TWICE=2"]);
    assert_eq!(first.headers_named("twice").collect::<Vec<_>>(), ["1", "2"]);
    let second = peer.next_request().await;
    assert_eq!((second.id().as_deref(), second.rpc_method().as_deref()), (Some("1.50"), Some("ping")));
    assert_eq!(peer.next_request().await.text(), "abc\r\n");
    let places = peer.requests();
    let places = places.iter().map(|it| (it.connection, it.on_connection, it.number)).collect::<Vec<_>>();
    assert_eq!(places, [(0, 0, 0), (0, 1, 1), (1, 0, 2)]);
    assert_eq!((peer.connections(), peer.faults().len()), (2, 0));
}

#[tokio::test]
async fn events_come_in_chunks_and_the_connection_goes_on() {
    let peer = HttpPeer::start(|exchange| async move {
        let mut events = exchange.start_sse(&[("X", "y")]).await;
        events.event_with_id("7", "a\nb").await;
        events.raw(": hi\n").await;
        events.finish().await;
    });
    let mut client = RawClient::connect(peer.address()).await;
    for _ in 0..2 {
        client.send("GET / HTTP/1.1\r\n\r\n").await;
        let answer = client.read_until("0\r\n\r\n").await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with("Transfer-Encoding: chunked\r\nX: y"), "{head}");
        assert_eq!(body, "17\r\nid: 7\ndata: a\ndata: b\n\n\r\n5\r\n: hi\n\r\n0\r\n\r\n");
    }
    assert_eq!(peer.connections(), 1);
}

#[tokio::test]
async fn a_test_plays_the_peer_by_hand() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let mut client = RawClient::connect(peer.address()).await;
    client.send(post("/", INITIALIZE)).await;
    let mut exchange = exchanges.take().await;
    let answer = exchange.answer("true");
    assert_eq!(answer, r#"{"jsonrpc":"2.0","id":1,"result":true}"#);
    exchange.write("HTTP/1.1 200 OK\r\n").await;
    assert_eq!(client.read_until("\r\n").await, "HTTP/1.1 200 OK\r\n");
    exchange.write("Content-Length: 0\r\n\r\n").await;
    exchange.done();
    client.read_until("\r\n\r\n").await;
    client.send("GET / HTTP/1.1\r\n\r\n").await;
    let exchange = exchanges.take().await;
    assert_eq!(exchange.on_connection, 1);
    exchange.close();
    assert_eq!(client.rest().await.unwrap(), b"");
    peer.wait_for_open(0).await;
}

#[tokio::test]
async fn a_reset_is_one_and_a_close_is_none() {
    let peer = HttpPeer::start(|exchange| async move {
        let reset = exchange.path() == "/reset";
        let mut events = exchange.start_sse(&[]).await;
        events.event("x").await;
        if reset { events.reset() } else { events.close() }
    });
    for (path, expected) in [("/reset", Some(ErrorKind::ConnectionReset)), ("/close", None)] {
        let mut client = RawClient::connect(peer.address()).await;
        client.send(format!("GET {path} HTTP/1.1\r\n\r\n")).await;
        assert_eq!(client.rest().await.err().map(|error| error.kind()), expected, "{path}");
    }
}

#[tokio::test]
async fn the_end_of_the_client_is_noticed() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let mut client = RawClient::connect(peer.address()).await;
    client.send("GET / HTTP/1.1\r\n\r\n").await;
    let mut events = exchanges.take().await.start_sse(&[]).await;
    drop(client);
    within(events.client_closed()).await;
    drop(events);

    let mut client = RawClient::connect(peer.address()).await;
    client.send("GET / HTTP/1.1\r\n\r\n").await;
    exchanges.take().await.hold();
    assert_eq!(peer.open_connections(), 1);
    drop(client);
    peer.wait_for_open(0).await;
}

#[tokio::test]
async fn connections_end_on_demand_and_with_the_peer() {
    let peer = HttpPeer::mcp(McpBehaviour::new());
    let mut client = RawClient::connect(peer.address()).await;
    client.send(post("/", INITIALIZE)).await;
    client.read_until("}}").await;
    peer.close_connections();
    client.rest().await.unwrap();

    let mut client = RawClient::connect(peer.address()).await;
    client.send(post("/", INITIALIZE)).await;
    client.read_until("}}").await;
    peer.stop_listening().await;
    let refused = tokio::net::TcpStream::connect(peer.address()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    client.send(post("/", r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#)).await;
    client.read_until(r#""id":2,"result":{}}"#).await;
    drop(peer);
    client.rest().await.unwrap();
}

#[tokio::test]
async fn the_behaviour_is_that_of_a_server_with_a_session() {
    let behaviour = McpBehaviour::new().with_session("s1").with_version("2025-06-18").with_sse();
    let peer = HttpPeer::mcp_after(behaviour, |exchange| async move {
        if exchange.rpc_method().as_deref() == Some("tools/list") {
            exchange.respond("503 Service Unavailable", &[], "").await;
            return None;
        }
        Some(exchange)
    });
    let mut client = RawClient::connect(peer.address()).await;
    client.send(post("/", INITIALIZE)).await;
    let answer = client.read_until("0\r\n\r\n").await;
    assert!(answer.contains("Mcp-Session-Id: s1\r\n"), "{answer}");
    assert!(answer.contains(r#""protocolVersion":"2025-06-18""#), "{answer}");
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}"#;
    let listing = r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#;
    let notice = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let with = |session: &str, body| {
        post("/", body).replace("Host: localhost:1", &format!("Mcp-Session-Id: {session}"))
    };
    for (request, expected) in [
        (with("s1", call), "200 OK"),
        (with("s1", notice), "202 Accepted"),
        (with("s1", listing), "503 Service Unavailable"),
        (with("s2", call), "404 Not Found"),
        (post("/", call), "400 Bad Request"),
        ("DELETE / HTTP/1.1\r\nMcp-Session-Id: s1\r\n\r\n".to_owned(), "200 OK"),
        ("GET / HTTP/1.1\r\nMcp-Session-Id: s1\r\n\r\n".to_owned(), "405 Method Not Allowed"),
    ] {
        client.send(request).await;
        let answer = client.read_until("\r\n\r\n").await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {expected}\r\n")), "{answer}");
        if answer.contains("chunked") {
            assert!(client.read_until("0\r\n\r\n").await.contains(r#""text":"hi""#));
        }
    }
}

#[tokio::test]
async fn an_answer_may_come_before_the_body() {
    let options = PeerOptions { read_bodies: false, ..PeerOptions::default() };
    let peer = HttpPeer::start_with(options, |exchange| async move {
        exchange.respond("413 Content Too Large", &[], "").await;
    });
    let mut client = RawClient::connect(peer.address()).await;
    client.send("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n").await;
    let answer = client.rest().await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 413 "), "{answer:?}");
}

#[tokio::test]
async fn nonsense_long_bodies_and_panics_are_faults() {
    let options = PeerOptions { body_limit: 9, ..PeerOptions::default() };
    let peer = HttpPeer::start_with(options, |_| async { panic!("as the test wants") });
    for request in [
        "nonsense\r\n\r\n",
        "GET / HTTP/1.1\r\nnone\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "GET / HTTP/1.1\r\n\r\n",
    ] {
        let mut client = RawClient::connect(peer.address()).await;
        client.send(request).await;
        client.rest().await.unwrap();
    }
    peer.shared.wait("the faults", |state| state.faults.len() == 5).await;
    assert_eq!(peer.requests().len(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn it_listens_elsewhere_too() {
    let folder = crate::Folder::new();
    let path = folder.path("socket");
    let peer = HttpPeer::start_with(PeerOptions::on(Listen::Unix(path.clone())), |exchange| async move {
        exchange.accepted().await;
    });
    let mut client = RawClient::over(tokio::net::UnixStream::connect(&path).await.unwrap());
    client.send("GET / HTTP/1.1\r\n\r\n").await;
    client.read_until("202 Accepted").await;
    assert_eq!(peer.url("/x"), "http://localhost/x");

    if has_ipv6() {
        let peer = HttpPeer::start_with(PeerOptions::on(Listen::V6), |exchange| async move {
            exchange.accepted().await;
        });
        assert!(peer.url("/").starts_with("http://[::1]:"));
        let mut client = RawClient::connect(peer.address()).await;
        client.send("GET / HTTP/1.1\r\n\r\n").await;
        client.read_until("202 Accepted").await;
    }
}
