//! nginx as a reverse proxy in front of a server, started for one test.

use std::fmt::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::http_servers::child::{ServerProcess, TRIES, free_port};
use crate::{BOUND, Folder};

/// How long to wait before asking again. nginx tells nobody when it is ready.
const LOOK: Duration = Duration::from_millis(5);
/// What only this nginx answers, so that no other program on the port is taken for it.
const READY: &str = "/nginx-of-the-tests";

/// How the proxy treats what it forwards. The defaults are those of nginx, but for HTTP/1.1 to the
/// server.
#[derive(Clone, Debug)]
pub struct NginxOptions {
    /// Whether answers are collected before they go on (`proxy_buffering`). Chunks are handed on as
    /// they come all the same; what it keeps back is the head, until the first bytes of the body.
    pub buffering: bool,
    /// How long the server may be silent before the answer is cut (`proxy_read_timeout`).
    pub read_timeout: Duration,
    /// Whether JSON and events are compressed for clients that take it (`gzip`).
    pub gzip: bool,
    /// The longest body of a request, in bytes (`client_max_body_size`); a longer one gets 413.
    pub body_limit: usize,
    /// How long an idle connection of a client stays open (`keepalive_timeout`).
    pub keep_alive: Duration,
}

impl Default for NginxOptions {
    fn default() -> Self {
        Self {
            buffering: true,
            read_timeout: Duration::from_secs(60),
            gzip: false,
            body_limit: 1 << 20,
            keep_alive: Duration::from_secs(75),
        }
    }
}

/// A proxy that is ready. Dropping it kills it.
#[derive(Debug)]
pub struct Nginx {
    process: ServerProcess,
    address: SocketAddr,
    folder: Folder,
}

impl Nginx {
    /// Starts one that forwards to `to`; `None`, said plainly, where real servers are left out on
    /// purpose (`MCP_NO_PEERS`).
    ///
    /// # Panics
    ///
    /// If there is no nginx, or it does not start.
    pub async fn start(to: SocketAddr, options: &NginxOptions) -> Option<Self> {
        if std::env::var_os("MCP_NO_PEERS").is_some_and(|value| value == "1") {
            // Says so.
            crate::peers::folder()?;
        }
        let program = program();
        for _ in 0..TRIES {
            if let Some(nginx) = Self::try_start(&program, to, options).await {
                return Some(nginx);
            }
        }
        panic!("nginx found no port in {TRIES} tries");
    }

    async fn try_start(program: &Path, to: SocketAddr, options: &NginxOptions) -> Option<Self> {
        let (folder, address) = (Folder::new(), free_port());
        let config = folder.path("nginx.conf");
        std::fs::write(&config, configuration(address, to, options)).expect("a file for the configuration");
        let mut command = Command::new(program);
        command.arg("-p").arg(folder.path("")).arg("-c").arg(config);
        // What it says before it has read that is not to go to the system's log.
        command.arg("-e").arg("stderr");
        let mut nginx = Self { process: ServerProcess::start(command), address, folder };
        let ready = tokio::time::timeout(BOUND, nginx.ready());
        match ready.await {
            Ok(true) => Some(nginx),
            Ok(false) if nginx.printed().contains("Address already in use") => None,
            ended => panic!("nginx does not serve ({ended:?}): {}", nginx.printed()),
        }
    }

    /// Asks until it answers; false if it ended instead.
    async fn ready(&mut self) -> bool {
        while !self.process.has_ended() {
            if answers(self.address).await {
                return true;
            }
            tokio::time::sleep(LOOK).await;
        }
        false
    }

    /// A URL of the proxy; `path` begins with `/`.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its folder, with the configuration.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// What it printed so far: its errors.
    pub fn printed(&self) -> String {
        self.process.printed()
    }
}

/// Debian keeps it out of the path of plain users.
fn program() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).collect::<Vec<_>>();
    places.push("/usr/sbin".into());
    let found = places.into_iter().map(|place| place.join("nginx")).find(|program| program.is_file());
    found.expect("there is no nginx: install it, or leave these tests out with --no-peers")
}

async fn answers(address: SocketAddr) -> bool {
    let Ok(mut stream) = TcpStream::connect(address).await else {
        return false;
    };
    let request = format!("GET {READY} HTTP/1.0\r\n\r\n");
    let mut answer = String::new();
    stream.write_all(request.as_bytes()).await.is_ok()
        && stream.read_to_string(&mut answer).await.is_ok()
        && answer.contains(READY)
}

/// One process in the foreground, which writes to its folder and to stderr alone.
fn configuration(address: SocketAddr, to: SocketAddr, options: &NginxOptions) -> String {
    let on_off = |on| if on { "on" } else { "off" };
    let mut http = String::new();
    for (directive, value) in [
        ("access_log", "off".to_owned()),
        ("client_body_temp_path", "client_body".to_owned()),
        ("proxy_temp_path", "proxy".to_owned()),
        ("fastcgi_temp_path", "fastcgi".to_owned()),
        ("uwsgi_temp_path", "uwsgi".to_owned()),
        ("scgi_temp_path", "scgi".to_owned()),
        ("client_max_body_size", options.body_limit.to_string()),
        ("keepalive_timeout", milliseconds(options.keep_alive)),
        ("proxy_http_version", "1.1".to_owned()),
        ("proxy_set_header", "Host $http_host".to_owned()),
        ("proxy_set_header", "Connection \"\"".to_owned()),
        ("proxy_buffering", on_off(options.buffering).to_owned()),
        ("proxy_read_timeout", milliseconds(options.read_timeout)),
        ("gzip", on_off(options.gzip).to_owned()),
        ("gzip_types", "application/json text/event-stream".to_owned()),
        ("gzip_min_length", "1".to_owned()),
        ("gzip_proxied", "any".to_owned()),
    ] {
        writeln!(http, "  {directive} {value};").expect("a text grows");
    }
    format!(
        "daemon off;\nmaster_process off;\npid nginx.pid;\nerror_log stderr warn;\n\
         events {{\n  worker_connections 256;\n}}\n\
         http {{\n{http}  server {{\n    listen {address};\n    \
         location = {READY} {{\n      return 200 \"{READY}\";\n    }}\n    \
         location / {{\n      proxy_pass http://{to};\n    }}\n  }}\n}}\n"
    )
}

fn milliseconds(duration: Duration) -> String {
    format!("{}ms", duration.as_millis())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http_peer::raw_client::{INITIALIZE, RawClient, post};
    use crate::http_peer::{HttpPeer, McpBehaviour};

    #[tokio::test]
    async fn what_comes_is_forwarded() {
        let peer = HttpPeer::mcp(McpBehaviour::new());
        let Some(nginx) = Nginx::start(peer.address(), &NginxOptions::default()).await else { return };
        let mut client = RawClient::connect(nginx.address()).await;
        for _ in 0..2 {
            client.send(post("/mcp?x=y", INITIALIZE)).await;
            let answer = client.read_until("serverInfo").await;
            assert!(answer.contains("Server: nginx"), "{answer}");
            client.read_until("}}}").await;
        }
        assert_eq!(peer.next_request().await.target, "/mcp?x=y");
    }

    #[tokio::test]
    async fn a_silent_stream_is_cut() {
        let peer = HttpPeer::start(|exchange| async move {
            let mut events = exchange.start_sse(&[]).await;
            events.event("first").await;
            events.hold();
        });
        let options = NginxOptions {
            buffering: false,
            read_timeout: Duration::from_millis(50),
            ..NginxOptions::default()
        };
        let Some(nginx) = Nginx::start(peer.address(), &options).await else { return };
        let mut client = RawClient::connect(nginx.address()).await;
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
        let answer = String::from_utf8(client.rest().await.unwrap()).unwrap();
        assert!(answer.contains("data: first") && !answer.ends_with("0\r\n\r\n"), "{answer}");
    }

    #[tokio::test]
    async fn json_and_events_are_compressed_as_they_come() {
        let (peer, mut exchanges) = HttpPeer::by_hand();
        let options = NginxOptions { buffering: false, gzip: true, ..NginxOptions::default() };
        let Some(nginx) = Nginx::start(peer.address(), &options).await else { return };
        let get = "GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n";
        let mut client = RawClient::connect(nginx.address()).await;
        client.send(get).await;
        exchanges.take().await.respond_json("[1, 2, 3]").await;
        let head = client.read_until("\r\n\r\n").await;
        assert!(head.contains("Content-Encoding: gzip"), "{head}");

        let mut client = RawClient::connect(nginx.address()).await;
        client.send(get).await;
        let mut events = exchanges.take().await.start_sse(&[]).await;
        events.event("first").await;
        let head = client.read_until("\r\n\r\n").await;
        assert!(head.contains("Content-Encoding: gzip"), "{head}");
        // The first block goes out, though the stream stays open: a chunk that is not empty.
        assert_ne!(client.read_until("\r\n").await, "0\r\n");
        events.finish().await;
    }

    #[tokio::test]
    async fn a_proxy_that_buffers_keeps_the_head_back_until_the_first_event() {
        let (peer, mut exchanges) = HttpPeer::by_hand();
        let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
        for buffering in [true, false] {
            let options = NginxOptions { buffering, ..NginxOptions::default() };
            let Some(nginx) = Nginx::start(peer.address(), &options).await else { return };
            let mut client = RawClient::connect(nginx.address()).await;
            client.send(get).await;
            let mut events = exchanges.take().await.start_sse(&[]).await;
            if buffering {
                // nginx does one thing after another: what it hands on now, it has had later.
                let mut other = RawClient::connect(nginx.address()).await;
                other.send(get).await;
                exchanges.take().await.accepted().await;
                other.read_until("202 Accepted").await;
                assert!(client.got_nothing());
            } else {
                client.read_until("\r\n\r\n").await;
            }
            for text in ["data: first\n\n", "data: second\n\n"] {
                events.raw(text).await;
                client.read_until(text).await;
            }
        }
    }
}
