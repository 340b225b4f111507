//! Real servers that speak MCP over HTTP, each in a process of its own.
//!
//! Each function starts one and returns when it serves, or returns `None`, said plainly, where the
//! real servers are left out on purpose, as in [`peers`]. The two on the official SDKs
//! are ours, in `tests/peers`, with the same tools: `echo` (text), `slow` (ms; log and progress
//! notifications come before the answer), `ask` (kind: `elicitation` or `sampling`, asked during the
//! call) and `fail`.

pub(crate) mod child;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Command;

use self::child::ServerProcess;
use crate::peers;

/// A server that is ready. Dropping it kills its process group.
#[derive(Debug)]
pub struct HttpServer {
    process: ServerProcess,
    address: SocketAddr,
    path: &'static str,
}

impl HttpServer {
    /// The URL of its endpoint.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.path)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The path of its endpoint.
    pub fn path(&self) -> &str {
        self.path
    }

    /// Its process id, which is that of its process group too.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// The end of what it printed so far.
    pub fn printed(&self) -> String {
        self.process.printed()
    }
}

/// How a server on an SDK answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SdkOptions {
    /// Plain JSON in place of events.
    pub json: bool,
    /// No sessions: each request stands alone. Then `ask` fails.
    pub stateless: bool,
}

impl SdkOptions {
    /// All four.
    pub const ALL: [Self; 4] = [
        Self { json: false, stateless: false },
        Self { json: false, stateless: true },
        Self { json: true, stateless: false },
        Self { json: true, stateless: true },
    ];

    fn flags(self) -> [&'static str; 2] {
        [
            if self.json { "--json" } else { "--sse" },
            if self.stateless { "--stateless" } else { "--stateful" },
        ]
    }
}

/// `server-everything` over Streamable HTTP: sessions, events that can be resumed.
///
/// # Panics
///
/// If it does not start.
pub async fn everything() -> Option<HttpServer> {
    everything_as("streamableHttp", "/mcp", "MCP Streamable HTTP Server listening on port ").await
}

/// `server-everything` over the transport of 2024-11-05, with its two endpoints.
///
/// # Panics
///
/// If it does not start.
pub async fn everything_sse() -> Option<HttpServer> {
    everything_as("sse", "/sse", "Server is running on port ").await
}

/// The server on the TypeScript SDK.
///
/// # Panics
///
/// If it does not start.
pub async fn typescript(options: SdkOptions) -> Option<HttpServer> {
    let script = found(peers::folder()?.join("npm").join("sdk-server.mjs"));
    let mut command = Command::new("node");
    command.arg(script).args(options.flags());
    Some(start(command, "/mcp").await)
}

/// The server on the Python SDK. It speaks 2026-07-28 too.
///
/// # Panics
///
/// If it does not start.
pub async fn python(options: SdkOptions) -> Option<HttpServer> {
    let mut command = python_command(&peers::folder()?);
    command.args(options.flags());
    Some(start(command, "/mcp").await)
}

/// The server on the Python SDK over the transport of 2024-11-05, with its two endpoints.
///
/// # Panics
///
/// If it does not start.
pub async fn python_sse() -> Option<HttpServer> {
    let mut command = python_command(&peers::folder()?);
    command.arg("--legacy-sse");
    Some(start(command, "/sse").await)
}

/// It is told its port and reports what it was told, so the port is chosen here. Should another
/// program take it first, the server says so and ends, and the next port is tried.
async fn everything_as(kind: &str, path: &'static str, ready: &str) -> Option<HttpServer> {
    let package = peers::folder()?.join("npm").join("node_modules").join("@modelcontextprotocol");
    let script = found(package.join("server-everything").join("dist").join("index.js"));
    for _ in 0..child::TRIES {
        let address = child::free_port();
        let mut command = Command::new("node");
        command.arg(&script).arg(kind).env("PORT", address.port().to_string());
        let mut process = ServerProcess::start(command);
        if process.line(ready).await.is_some() {
            return Some(HttpServer { process, address, path });
        }
        let printed = process.printed();
        let is_taken = ["EADDRINUSE", "already in use"].iter().any(|text| printed.contains(text));
        assert!(is_taken, "server-everything does not serve:\n{printed}");
    }
    panic!("server-everything found no port in {} tries", child::TRIES);
}

/// One of ours, which chooses its port and tells it.
pub(crate) async fn start(command: Command, path: &'static str) -> HttpServer {
    let mut process = ServerProcess::start(command);
    let Some(port) = process.line("listening on ").await else {
        panic!("the server does not serve:\n{}", process.printed());
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse().expect("the number of a port")));
    HttpServer { process, address, path }
}

fn python_command(folder: &Path) -> Command {
    let home = folder.join("python");
    let program = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let mut command = Command::new(found(home.join(program)));
    command.arg(found(home.join("sdk_server.py")));
    command
}

fn found(path: PathBuf) -> PathBuf {
    assert!(path.is_file(), "there is no `{}`: run `cargo xtask peers`", path.display());
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http_peer::raw_client::{INITIALIZE, RawClient, post};

    /// The answer to `initialize`, up to the name of the server, and what must stand in it.
    async fn check(server: Option<HttpServer>, expected: &[&str]) {
        let Some(server) = server else { return };
        let mut client = RawClient::connect(server.address()).await;
        client.send(post(server.path(), INITIALIZE)).await;
        let answer = client.read_until("serverInfo").await.to_ascii_lowercase();
        for text in expected {
            assert!(answer.contains(text), "{answer}");
        }
        // A stateless server gives no session.
        let has_session = answer.contains("mcp-session-id: ");
        assert_eq!(has_session, expected.contains(&"mcp-session-id: "), "{answer}");
    }

    fn expected(options: SdkOptions) -> Vec<&'static str> {
        let kind = if options.json { "application/json" } else { "text/event-stream" };
        let session = (!options.stateless).then_some("mcp-session-id: ");
        ["http/1.1 200 ok", kind].into_iter().chain(session).collect()
    }

    #[tokio::test]
    async fn server_everything_answers() {
        check(everything().await, &["text/event-stream", "mcp-session-id: "]).await;
    }

    #[tokio::test]
    async fn the_typescript_sdk_answers_in_each_mode() {
        for options in SdkOptions::ALL {
            check(typescript(options).await, &expected(options)).await;
        }
    }

    #[tokio::test]
    async fn the_python_sdk_answers_in_each_mode() {
        for options in SdkOptions::ALL {
            check(python(options).await, &expected(options)).await;
        }
    }

    #[tokio::test]
    async fn servers_of_the_old_transport_name_their_second_endpoint() {
        for server in [everything_sse().await, python_sse().await] {
            let Some(server) = server else { return };
            let mut events = RawClient::connect(server.address()).await;
            events.send(format!("GET {} HTTP/1.1\r\nHost: localhost:1\r\n\r\n", server.path())).await;
            events.read_until("event: endpoint").await;
            events.read_until("data: ").await;
            let endpoint = events.read_until("\n").await;
            let mut requests = RawClient::connect(server.address()).await;
            requests.send(post(endpoint.trim(), INITIALIZE)).await;
            requests.read_until("HTTP/1.1 202 Accepted").await;
            events.read_until("serverInfo").await;
        }
    }

    /// A session of a client of plain bytes, which sends each message on a connection of its own.
    struct Session<'a> {
        server: &'a HttpServer,
        id: String,
    }

    impl<'a> Session<'a> {
        async fn begin(server: &'a HttpServer, capabilities: &str) -> Self {
            let mut client = RawClient::connect(server.address()).await;
            let capable = format!(r#""capabilities":{capabilities}"#);
            let request = INITIALIZE.replace(r#""capabilities":{}"#, &capable);
            client.send(post(server.path(), &request)).await;
            let head = client.read_until("\r\n\r\n").await;
            let id = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
            let session = Self { server, id: id.unwrap().to_owned() };
            let notice = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
            session.send(notice).await.read_until("202 Accepted").await;
            session
        }

        async fn send(&self, message: &str) -> RawClient {
            let mut client = RawClient::connect(self.server.address()).await;
            let headers =
                format!("Mcp-Session-Id: {}\r\nMCP-Protocol-Version: 2025-11-25\r\nHost: ", self.id);
            client.send(post(self.server.path(), message).replacen("Host: ", &headers, 1)).await;
            client
        }

        async fn call(&self, tool: &str, arguments: &str) -> RawClient {
            let params =
                format!(r#"{{"name":"{tool}","arguments":{arguments},"_meta":{{"progressToken":"t"}}}}"#);
            let call = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{params}}}"#);
            self.send(&call).await
        }
    }

    #[tokio::test]
    async fn the_tools_of_the_sdk_servers_do_what_they_are_for() {
        let options = SdkOptions::default();
        for server in [typescript(options).await, python(options).await] {
            let Some(server) = server else { return };
            let session = Session::begin(&server, r#"{"elicitation":{},"sampling":{}}"#).await;

            session.call("echo", r#"{"text":"h\u00e9"}"#).await.read_until("hé").await;
            let failure = session.call("fail", "{}").await.read_until("0\r\n\r\n").await;
            assert!(
                failure.contains("failed as asked") && failure.contains(r#""isError":true"#),
                "{failure}"
            );

            let mut slow = session.call("slow", r#"{"ms":40}"#).await;
            for text in ["slow: begun", "notifications/progress", r#""progress":4"#, "slow: 40"] {
                slow.read_until(text).await;
            }

            for (kind, method, result) in [
                ("elicitation", "elicitation/create", r#"{"action":"accept","content":{"name":"Ada"}}"#),
                (
                    "sampling",
                    "sampling/createMessage",
                    r#"{"role":"assistant","model":"m","content":{"type":"text","text":"Ada"}}"#,
                ),
            ] {
                let mut call = session.call("ask", &format!(r#"{{"kind":"{kind}"}}"#)).await;
                // The question comes as one line of data.
                call.read_until("data: {").await;
                let question = format!("{{{}", call.read_until("\n").await);
                assert!(question.contains(method), "{question}");
                let question: serde_json::Value = serde_json::from_str(question.trim()).unwrap();
                let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, question["id"]);
                session.send(&answer).await.read_until("202 Accepted").await;
                call.read_until("Ada").await;
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_server_ends_with_its_value() {
        let Some(server) = typescript(SdkOptions::default()).await else { return };
        let process = crate::processes::Process::find(server.id()).unwrap();
        drop(server);
        process.wait_until_gone();
    }
}
