//! The built-in server over HTTP, and a client of it that knows sockets and little more.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::run::program;

/// Longest wait for anything: a test that gets there has failed.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// `demo-server --http`, running.
pub(crate) struct Peer {
    child: Child,
    #[cfg_attr(not(unix), expect(dead_code, reason = "it is only kept open there"))]
    stderr: BufReader<ChildStderr>,
    /// Where it listens.
    pub(crate) address: String,
}

impl Peer {
    pub(crate) fn start() -> Self {
        Self::start_at("127.0.0.1:0")
    }

    pub(crate) fn start_at(address: &str) -> Self {
        Self::start_with(&["demo-server", "--http", address])
    }

    /// A server of this era.
    pub(crate) fn of(era: &str) -> Self {
        Self::start_with(&["demo-server", "--http", "0", "--era", era])
    }

    fn start_with(args: &[&str]) -> Self {
        let mut child = program(args).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let address =
            line.trim_end().strip_prefix("listening on http://").unwrap().strip_suffix("/mcp").unwrap();
        Self { address: address.to_owned(), child, stderr }
    }

    /// Sends one request and reads the head of its response.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let length = body.len().to_string();
        let headers = [headers, &[("Content-Length", length.as_str())]].concat();
        self.send_raw(method, path, &headers, body)
    }

    /// The same without a length; in version 1.0, where the end of a body is the end of the stream.
    pub(crate) fn send_raw(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Response {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut request = format!("{method} {path} HTTP/1.0\r\nHost: {}\r\n", self.address);
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{request}\r\n{body}").as_bytes()).unwrap();
        Response::read(stream)
    }

    /// Posts a request of 2026-07-28 with the headers that it must have, and these.
    pub(crate) fn modern(&self, request: &Value, headers: &[(&str, &str)]) -> Response {
        let method = request["method"].as_str().unwrap();
        let always = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
        self.post(request, &[&always, headers].concat())
    }

    /// Posts a message with these headers.
    pub(crate) fn post(&self, message: &Value, headers: &[(&str, &str)]) -> Response {
        let always =
            [("Accept", "application/json, text/event-stream"), ("Content-Type", "application/json")];
        self.send("POST", "/mcp", &[&always, headers].concat(), &message.to_string())
    }

    /// Opens a session that is ready for calls.
    pub(crate) fn session(&self) -> Session<'_> {
        self.session_of("2025-11-25")
    }

    /// The same of this revision.
    pub(crate) fn session_of(&self, revision: &str) -> Session<'_> {
        let hello = INITIALIZE.replace("2025-11-25", revision);
        let hello = Session { peer: self, id: String::new() }.post(&hello);
        let session = Session { peer: self, id: hello.header("mcp-session-id").unwrap().to_owned() };
        assert_eq!(session.post(INITIALIZED).status, 202);
        session
    }

    /// Sends a signal; the exit status, and the rest of stderr.
    #[cfg(unix)]
    pub(crate) fn end(mut self, signal: &str) -> (Option<i32>, String) {
        let sent =
            std::process::Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A session, or what sends no id of one.
pub(crate) struct Session<'a> {
    pub(crate) peer: &'a Peer,
    pub(crate) id: String,
}

impl Session<'_> {
    pub(crate) fn post(&self, message: &str) -> Response {
        let headers =
            [("Accept", "application/json, text/event-stream"), ("Content-Type", "application/json")];
        self.with("POST", &headers, message)
    }

    pub(crate) fn listen(&self) -> Response {
        self.with("GET", &[("Accept", "text/event-stream")], "")
    }

    pub(crate) fn delete(&self) -> Response {
        self.with("DELETE", &[], "")
    }

    /// From here on a call that has nothing to say is answered without a stream.
    pub(crate) fn silence(&self) {
        let level = r#"{"jsonrpc":"2.0","id":"l","method":"logging/setLevel","params":{"level":"error"}}"#;
        assert_eq!(self.post(level).status, 200);
    }

    fn with(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let mut headers = headers.to_vec();
        if !self.id.is_empty() {
            headers.extend([("Mcp-Session-Id", self.id.as_str()), ("MCP-Protocol-Version", "2025-11-25")]);
        }
        self.peer.send(method, "/mcp", &headers, body)
    }
}

/// A response, read as far as its head.
pub(crate) struct Response {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    stream: BufReader<TcpStream>,
}

impl Response {
    fn read(stream: TcpStream) -> Self {
        let mut stream = BufReader::new(stream);
        let mut next = || {
            let mut line = String::new();
            stream.read_line(&mut line).unwrap();
            line.trim_end().to_owned()
        };
        let status = next().split(' ').nth(1).unwrap().parse().unwrap();
        let lines = std::iter::repeat_with(next).take_while(|line| !line.is_empty());
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_ascii_lowercase(), value.to_owned())
        });
        Self { status, headers: headers.collect(), stream }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The whole body. A server that does not read a body to its end may cut the connection.
    pub(crate) fn text(mut self) -> String {
        let mut text = String::new();
        match self.stream.read_to_string(&mut text) {
            Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("{error}"),
            _ => text,
        }
    }

    /// The one message of a response without a stream.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_str(&self.text()).unwrap()
    }

    /// The next message of a stream; `None` at its end.
    #[track_caller]
    pub(crate) fn event(&mut self) -> Option<Value> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"));
        let mut data = String::new();
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line).unwrap() == 0 {
                assert_eq!(data, "", "an event without its end");
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("data", value)) => data.push_str(value),
                Some(("event", "message")) => {}
                Some(_) => panic!("{line:?}"),
                None => return Some(serde_json::from_str(&data).unwrap()),
            }
        }
    }

    /// All messages of a stream.
    #[track_caller]
    pub(crate) fn events(mut self) -> Vec<Value> {
        std::iter::from_fn(|| self.event()).collect()
    }
}
