//! The doctor of the program, where the way leads over HTTP and TLS.

use mcp_tests::cli;
use mcp_tests::http_peer::{HttpPeer, McpBehaviour};
use mcp_tests::tls_front::{TlsFront, TlsOptions};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

/// The only server of the report.
async fn doctor(args: &[&str]) -> (Option<i32>, Value) {
    let run = cli::run(["--json", "doctor"].iter().chain(args)).await;
    (run.status, run.json()["servers"][0].clone())
}

/// Checks which step failed, parts of its detail, and a part of what to try; returns the step before it.
#[track_caller]
fn check(server: &Value, step: &str, detail: &[&str], next: &str) -> Value {
    let steps = server["steps"].as_array().unwrap();
    let at = steps.iter().position(|it| it["status"] == "failed").unwrap_or_else(|| panic!("{server:#}"));
    assert_eq!(steps[at]["step"], step, "{server:#}");
    for part in detail {
        assert!(steps[at]["detail"].as_str().unwrap().contains(part), "{part} in {server:#}");
    }
    assert!(steps[at]["next"].as_str().unwrap().contains(next), "{next} in {server:#}");
    assert!(steps[..at].iter().all(|it| it["status"] == "ok"), "{server:#}");
    assert!(steps[at + 1..].iter().all(|it| it["status"] == "skipped"), "{server:#}");
    steps[at - 1].clone()
}

/// Answers every request in this way.
fn answering(status: &'static str, headers: &'static [(&str, &str)], body: &'static str) -> HttpPeer {
    HttpPeer::start(move |exchange| async move { exchange.respond(status, headers, body).await })
}

#[tokio::test]
async fn a_server_behind_tls_passes_every_step() {
    let peer = HttpPeer::mcp(McpBehaviour::new());
    let front = TlsFront::start(peer.address());
    let ca = front.ca_file().display().to_string();
    let (status, server) = doctor(&["--ca", &ca, &front.url("/mcp")]).await;
    assert_eq!((status, &server["ok"]), (Some(0), &true.into()), "{server:#}");
    let steps: Vec<_> =
        server["steps"].as_array().unwrap().iter().map(|it| it["step"].as_str().unwrap()).collect();
    assert_eq!(steps, ["config", "dns", "tcp", "tls", "http", "handshake", "protocol", "tools"]);
}

#[tokio::test]
async fn a_wrong_certificate_fails_at_tls_and_says_what_is_wrong_with_it() {
    let peer = HttpPeer::mcp(McpBehaviour::new());
    let trusted = TlsFront::start(peer.address());
    let (status, server) = doctor(&[&trusted.url("/mcp")]).await;
    assert_eq!(status, Some(3));
    check(&server, "tls", &["was issued by an unknown authority"], "`ca`");

    let options = TlsOptions { names: vec!["another.example".to_owned()], ..TlsOptions::default() };
    let other = TlsFront::start_with(peer.address(), &options);
    let (_, server) = doctor(&["--ca", &other.ca_file().display().to_string(), &other.url("/mcp")]).await;
    check(&server, "tls", &["is for another name", "another.example"], "name");

    let options = TlsOptions { expired: true, ..TlsOptions::default() };
    let old = TlsFront::start_with(peer.address(), &options);
    let (_, server) = doctor(&["--ca", &old.ca_file().display().to_string(), &old.url("/mcp")]).await;
    check(&server, "tls", &["has expired", "certificate expired"], "clock");
    assert_eq!(peer.connections(), 0);
}

#[tokio::test]
async fn plain_http_where_tls_is_meant_fails_at_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/mcp", listener.local_addr().unwrap());
    let plain = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n").await.unwrap();
        stream
    };
    let args = [url.as_str()];
    let ((status, server), _stream) = tokio::join!(doctor(&args), plain);
    assert_eq!(status, Some(3));
    check(&server, "tls", &["does not speak TLS"], "`http://`");
}

#[tokio::test]
async fn a_status_or_a_page_fails_at_http() {
    let challenge: &[(&str, &str)] = &[("WWW-Authenticate", r#"Bearer scope="tools""#)];
    for (status, headers, body, detail, next) in [
        ("401 Unauthorized", challenge, "no token", &["HTTP 401: no token", "tools"][..], "--header"),
        ("404 Not Found", &[], "nothing", &["HTTP 404: nothing"], "path"),
        ("503 Service Unavailable", &[], "later\u{1b}[2J", &[r"HTTP 503: later\u{1b}[2J"], "log"),
        ("200 OK", &[("Content-Type", "text/html")], "<html>", &["text/html"], "MCP endpoint"),
        ("302 Found", &[("Location", "https://b.test/?k=SECRET-1")], "", &["redirects to"], "redirects to"),
    ] {
        let peer = answering(status, headers, body);
        let (exit, server) = doctor(&[&peer.url("/mcp")]).await;
        assert_eq!(exit, Some(3), "{status}");
        let before = check(&server, "http", detail, next);
        assert_eq!(before["step"], "tcp");
        assert!(!server.to_string().contains("SECRET-1"), "{server:#}");
    }
}

#[tokio::test]
async fn a_server_that_takes_the_post_and_is_silent_is_4_at_http() {
    let peer = HttpPeer::start(|exchange| async move { exchange.hold() });
    let (status, server) = doctor(&["--timeout", "100", &peer.url("/mcp")]).await;
    assert_eq!(status, Some(4));
    check(&server, "http", &["timed out after 100ms"], "--timeout");
}

#[tokio::test]
async fn a_connection_that_is_not_made_in_time_is_4_before_http() {
    // It takes the connection and says nothing to the handshake of TLS.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/mcp", listener.local_addr().unwrap());
    let (status, server) = doctor(&["--timeout", "100", &url]).await;
    assert_eq!(status, Some(4));
    check(&server, "tcp", &["timed out after 100ms"], "firewall");
}

#[tokio::test]
async fn an_error_in_the_answer_is_5_at_the_handshake() {
    let peer = HttpPeer::start(|exchange| async move {
        let error = exchange.error(-32603, "no way");
        exchange.respond_json(error).await;
    });
    let (status, server) = doctor(&[&peer.url("/mcp")]).await;
    assert_eq!(status, Some(5));
    check(&server, "handshake", &["MCP error -32603: no way"], "server says");
}
