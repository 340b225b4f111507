//! Servers over HTTP: the built-in one, and sockets that are less of a server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};

use crate::http_peer::Peer;
use crate::run::{PROGRAM, Ran, program, run};

/// A server with one answer for each of some requests, a connection each; keeps what it was asked.
struct Canned {
    url: String,
    requests: JoinHandle<Vec<String>>,
}

impl Canned {
    fn new(answers: &[&'static str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let answers = answers.to_vec();
        let requests = thread::spawn(move || {
            let serve = |answer: &str| serve(listener.accept().unwrap().0, answer);
            answers.into_iter().map(serve).collect()
        });
        Self { url, requests }
    }

    /// The heads of the requests, once all have come.
    fn requests(self) -> Vec<String> {
        self.requests.join().unwrap()
    }
}

/// Reads one request and answers it; the head of the request.
fn serve(stream: TcpStream, answer: &str) -> String {
    let mut stream = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let mut line = String::new();
        assert_ne!(stream.read_line(&mut line).unwrap(), 0, "ended within a head: {head}");
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    stream.read_exact(&mut vec![0; length]).unwrap();
    stream.get_mut().write_all(answer.as_bytes()).unwrap();
    head
}

const UNAUTHORIZED: &str = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer scope=\"tools\"\r\n\
                            Content-Length: 8\r\nConnection: close\r\n\r\nno token";

fn url(peer: &Peer) -> String {
    format!("http://{}/mcp", peer.address)
}

fn config(test: &str, entry: &str) -> String {
    let path = format!("{}/http-{test}.json", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&path, format!(r#"{{"mcpServers":{{"s":{entry}}}}}"#)).unwrap();
    path
}

fn run_with(command: &mut Command) -> Ran {
    command.output().unwrap().into()
}

#[test]
fn an_address_stands_for_a_server() {
    let peer = Peer::start();
    let url = url(&peer);
    run(&["call", &url, "echo", "text=hello"]).check(0, "hello\n", "");
    run(&["request", &url, "ping"]).check(0, "{}\n", "");
    let ran = run(&["ping", &url]);
    assert!(ran.check_status(0).stdout.starts_with(&format!("{url} answered in ")), "{ran:?}");
    let ran = run(&["tools", &url]);
    assert!(ran.check_status(0).stdout.starts_with(&format!("{url}: 15 tools (Demo server ")), "{ran:?}");
}

// Field case 164.
#[test]
fn json_output_is_the_same_over_both_transports() {
    let peer = Peer::start();
    let url = url(&peer);
    let call = ["--json", "call", "-", "add", "a=9007199254740993", "b=1", "--", PROGRAM, "demo-server"];
    let over_stdio = run(&call);
    let call = ["--json", "call", &url, "add", "a=9007199254740993", "b=1"];
    run(&call).check(0, &over_stdio.check_status(0).stdout, "");
    assert!(over_stdio.stdout.contains("9007199254740994"), "{over_stdio:?}");
}

#[test]
fn progress_and_log_messages_come_with_a_call() {
    let peer = Peer::start();
    let url = url(&peer);
    let ran = run(&["-v", "call", &url, "sleep", "ms=1", "steps=2"]);
    assert!(ran.check_status(0).stderr.contains(&format!("{url}: progress 2/2: step 2 of 2\n")), "{ran:?}");
    let ran = run(&["call", &url, "fail", "message=no paper"]);
    assert_eq!(ran.check_status(1).stdout, "no paper\n");
    assert!(ran.stderr.contains("about to fail, as asked"), "{ran:?}");
}

#[test]
fn an_error_of_the_server_is_5_over_http_too() {
    let peer = Peer::start();
    let url = url(&peer);
    let stderr = format!("error: {url}: MCP error -32602: Unknown tool: nope\n");
    run(&["call", &url, "nope"]).check(5, "", &stderr);
}

#[test]
fn listening_opens_a_stream_of_its_own() {
    let peer = Peer::start();
    let mut child = program(&["--json", "listen", &url(&peer)]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let expected = "{\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"logger\":\"demo-server\",\"data\":\"hello, mcp-cli\"}}\n";
    assert_eq!(line, expected);
    // The server takes the stream away, after which nothing would ever come.
    drop(peer);
    let ran = Ran::from(child.wait_with_output().unwrap());
    let text = "listening for the server's own messages failed: ";
    assert!(ran.check_status(3).stderr.starts_with("error: http://127.0.0.1:"), "{ran:?}");
    assert!(ran.stderr.contains(text) && !ran.stderr.contains("warning"), "{ran:?}");
}

#[test]
fn a_server_without_a_stream_of_its_own_is_told_of_once() {
    let hello = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n\
        {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\
        \"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}";
    let accepted = "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let refused = "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let server = Canned::new(&[hello, accepted, refused]);
    let file = config("deaf", &format!(r#"{{"url":"{}","request_id_format":"number"}}"#, server.url));
    let stderr = "warning: s: it offers no stream for messages of its own: only what comes along with answers is heard\n";
    run(&["--config", &file, "listen", "s", "--for", "1000"]).check(0, "", stderr);
    assert!(server.requests()[2].starts_with("GET /mcp "));
}

// Field case 172.
#[test]
fn a_secret_in_an_address_is_never_shown() {
    let peer = Peer::start();
    let check = |path: &str, status: i32| {
        let url = format!("http://user:SECRET-1@{}/{path}?key=SECRET-2&SECRET-3", peer.address);
        let args = [
            "-vv",
            "--header",
            "X-Key: SECRET-4",
            "--header",
            "Accept: SECRET-5",
            "call",
            &url,
            "echo",
            "text=x",
        ];
        let ran = run(&args);
        let shown = format!("http://{}/{path}?key=***&***", peer.address);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("SECRET"), "{ran:?}");
        assert!(ran.check_status(status).stderr.contains(&shown), "{ran:?}");
        assert!(ran.stderr.contains("header `accept` is set by the protocol itself"), "{ran:?}");
    };
    check("mcp", 0);
    check("other", 5);
    for wrong in ["ws://user:SECRET-1@a.test/", "http://user:SECRET-1@/", "https://a.test:SECRET-1/"] {
        let ran = run(&["-vv", "ping", wrong]);
        assert!(
            ran.check_status(2).stderr.starts_with("error: SERVER is no address of a server: "),
            "{ran:?}"
        );
        assert!(!ran.stderr.contains("SECRET"), "{ran:?}");
    }
    for wrong in ["SECRET-1", "X: SECRET-1\n", "X Key SECRET-1: SECRET-2", ": SECRET-1", "Host: SECRET-1"] {
        let ran = run(&["-vv", "--header", wrong, "ping", "http://127.0.0.1:1/"]);
        assert!(ran.check_status(2).stderr.starts_with("error: --header"), "{ran:?}");
        assert!(!ran.stderr.contains("SECRET"), "{ran:?}");
    }
}

#[test]
fn a_path_that_is_not_there_is_3_with_its_status_and_what_to_look_at() {
    // The older transport is tried before the path counts as wrong.
    let answer =
        "HTTP/1.1 404 Not Found\r\nContent-Length: 26\r\nConnection: close\r\n\r\nnothing for key=SECRET-1 !";
    let server = Canned::new(&[answer, answer]);
    let ran = run(&["ping", &format!("{}?key=SECRET-1", server.url)]);
    let expected = format!(
        "error: {}?key=***: HTTP 404: nothing for key=*** ! (and as the other HTTP transport: \
         HTTP 404: nothing for key=*** !)\n    hint: is the path of the address right?\n",
        server.url
    );
    ran.check(3, "", &expected);
    let requests = server.requests();
    assert!(requests[0].starts_with("POST /mcp?key=SECRET-1 ") && requests[1].starts_with("GET "));
}

#[test]
fn an_error_object_counts_more_than_the_status_it_comes_with() {
    let peer = Peer::start();
    let url = format!("http://{}/other", peer.address);
    let stderr = format!("error: {url}: MCP error -32600: the endpoint is /mcp\n");
    run(&["ping", &url]).check(5, "", &stderr);
}

#[test]
fn a_refused_connection_is_3_and_its_one_line_names_the_address() {
    let ran = run(&["ping", "http://127.0.0.1:1/mcp"]);
    let line = "error: http://127.0.0.1:1/mcp: connection to 127.0.0.1:1 refused\n    ";
    assert!(ran.check_status(3).stderr.starts_with(line), "{ran:?}");
    let file = config("refused", r#"{"url":"http://127.0.0.1:1/mcp?key=SECRET-1"}"#);
    let ran = run(&["--config", &file, "ping", "s"]);
    let line = "error: s: connection to 127.0.0.1:1 refused\n    url: http://127.0.0.1:1/mcp?key=***\n";
    assert!(ran.check_status(3).stderr.starts_with(line), "{ran:?}");
}

// Field cases 46 and 72.
#[test]
fn a_server_that_never_answers_is_4() {
    // The system takes the connection, and nobody ever looks at it.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let expected = format!(
        "error: {url}: Connection to MCP server \"{url}\" timed out after 50ms\n    \
         nothing came from the server\n    hint: --timeout MS gives it longer, --timeout 0 any time\n"
    );
    run(&["--timeout", "50", "ping", &url]).check(4, "", &expected);
    let file = config("late", &format!(r#"{{"url":"{url}","timeout":60000,"start_timeout":40}}"#));
    let ran = run(&["--config", &file, "ping", "s"]);
    assert!(ran.check_status(4).stderr.contains("timed out after 40ms\n"), "{ran:?}");
}

#[test]
fn a_call_that_takes_too_long_is_4() {
    let peer = Peer::start();
    let file = config("slow", &format!(r#"{{"url":"{}","timeout":300,"start_timeout":0}}"#, url(&peer)));
    let ran = run(&["--config", &file, "call", "s", "sleep", "--args", r#"{"ms":3600000}"#]);
    let line = ran.check_status(4).stderr.lines().find(|line| line.starts_with("error: "));
    let texts = ["error: s: Request timeout after 300ms", "error: s: SSE response timeout after 300ms"];
    assert!(texts.map(Some).contains(&line), "{ran:?}");
}

#[test]
fn headers_of_an_entry_are_sent_with_their_variables_filled_in() {
    let server = Canned::new(&[UNAUTHORIZED]);
    let entry = format!(
        r#"{{"type":"http","url":"${{BASE:-{}}}?a=${{KEY}}","headers":{{"Authorization":"Bearer ${{KEY}}","X-Cost":"5$$ $KEY","X-Over":"config"}}}}"#,
        server.url
    );
    let file = config("headers", &entry);
    let args = ["-vv", "--config", &file, "--header", "x-over: line", "--header", "X-New:1", "ping", "s"];
    let ran = run_with(program(&args).env("KEY", "SECRET-1").env_remove("BASE"));
    let text = "error: s: HTTP 401: no token [WWW-Authenticate: Bearer scope=\"tools\"]\n";
    assert!(ran.check_status(3).stderr.contains(text), "{ran:?}");
    assert!(ran.stderr.contains("    hint: the server wants authorization"), "{ran:?}");
    assert!(!ran.stderr.contains("SECRET-1"), "{ran:?}");

    let request = &server.requests()[0];
    assert!(request.starts_with("POST /mcp?a=SECRET-1 HTTP/1.1\r\n"), "{request}");
    let lines: Vec<_> = request.lines().map(str::to_ascii_lowercase).collect();
    for expected in ["authorization: bearer secret-1", "x-cost: 5$ $key", "x-over: line", "x-new: 1"] {
        assert!(lines.iter().any(|line| line == expected), "{expected} in {request}");
    }
    assert_eq!(lines.iter().filter(|line| line.starts_with("x-over:")).count(), 1, "{request}");
}

#[test]
fn an_unset_variable_is_an_error_of_its_entry() {
    let file = config(
        "unset",
        r#"{"url":"http://a.test/","headers":{"X":"SECRET-1 ${MCP_CLI_TEST_UNSET}"}},"t":{"command":"x"}"#,
    );
    let ran = run_with(program(&["--config", &file, "servers"]).env_remove("MCP_CLI_TEST_UNSET"));
    let expected = format!(
        "error: s: Server \"s\": \"headers.X\": the variable `MCP_CLI_TEST_UNSET` is not set\n    \
         in {file}, line 1, column 59, field \"headers.X\"\n    \
         hint: set it, or give it a default: ${{NAME:-default}}\n"
    );
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(6), expected.as_str()));
    assert!(ran.stdout.lines().any(|line| line.starts_with("t  ") && line.contains("pending")), "{ran:?}");
}

#[test]
fn servers_shows_where_they_are_and_masks_secrets() {
    let peer = Peer::start();
    let file = config("shown", &format!(r#"{{"type":"sse","url":"{}?key=SECRET-1"}}"#, url(&peer)));
    let shown = format!("{}?key=***", url(&peer));
    let ran = run(&["--config", &file, "--json", "servers"]);
    let row = &ran.check_status(0).json()["servers"][0];
    assert_eq!((&row["type"], &row["url"]), (&"sse".into(), &shown.as_str().into()));
    let ran = run(&["--config", &file, "servers"]);
    assert!(ran.check_status(0).stdout.contains(&format!("  {shown}  ")), "{ran:?}");
    let ran = run(&["--config", &file, "--json", "servers", "--connect"]);
    assert_eq!(ran.check_status(0).json()["servers"][0]["serverInfo"]["name"], "mcp-demo");
}

#[test]
fn type_sse_falls_through_to_a_server_of_the_newer_kind() {
    let peer = Peer::start();
    let file = config("sse", &format!(r#"{{"type":"sse","url":"{}"}}"#, url(&peer)));
    run(&["--config", &file, "call", "s", "echo", "text=x"]).check(0, "x\n", "");
}

#[test]
fn certificates_and_proxies_that_cannot_be_used_are_2() {
    let check = |test: &str, members: &str, expected: &str| {
        let file = config(test, &format!(r#"{{"url":"https://127.0.0.1:1/",{members}}}"#));
        let ran = run(&["-vv", "--config", &file, "ping", "s"]);
        let expected = expected.replace("FOLDER", env!("CARGO_TARGET_TMPDIR"));
        assert!(ran.check_status(2).stderr.starts_with(&format!("error: s: {expected}")), "{ran:?}");
        assert!(!ran.stderr.contains("SECRET"), "{ran:?}");
    };
    check("ca", r#""ca":"no-such.pem""#, "cannot read `FOLDER/no-such.pem`\n");
    check("cas", r#""ca":["no-such.pem"]"#, "cannot read `FOLDER/no-such.pem`\n");
    check("pem", r#""ca":"http-pem.json""#, "`FOLDER/http-pem.json` holds no usable certificate");
    check("key", r#""client_key":"x""#, "Server \"s\": \"client_key\" needs \"client_cert\" beside it\n");
    check(
        "proxy",
        r#""proxy":"http://u:SECRET-1@/""#,
        "Server \"s\": \"proxy\": the proxy is not given as a URL",
    );
    let ran = run(&["--ca", "/nonexistent/ca.pem", "ping", "https://127.0.0.1:1/"]);
    let line = "error: https://127.0.0.1:1/: cannot read `/nonexistent/ca.pem`\n";
    assert!(ran.check_status(2).stderr.starts_with(line), "{ran:?}");
}

#[test]
fn a_proxy_of_an_entry_is_asked() {
    let proxy = Canned::new(&["HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"]);
    let address = proxy.url.strip_suffix("/mcp").unwrap().to_owned();
    let file = config("proxied", &format!(r#"{{"url":"http://127.0.0.1:1/","proxy":"{address}"}}"#));
    let ran = run(&["--config", &file, "ping", "s"]);
    assert!(ran.check_status(3).stderr.starts_with("error: s: HTTP 403: no\n"), "{ran:?}");
    assert!(proxy.requests()[0].starts_with("POST http://127.0.0.1:1/ HTTP/1.1\r\n"));
}

#[test]
fn what_is_for_one_server_over_http_goes_to_no_other() {
    let text = "error: s: --header and --ca are for servers over HTTP\n";
    let file = config("stdio", r#"{"command":"x"}"#);
    run(&["--config", &file, "--header", "X: 1", "ping", "s"]).check(2, "", text);
    run(&["--config", &file, "--ca", "x", "ping", "s"]).check(2, "", text);
    let text = "error: --header and --ca need a SERVER, which alone gets them\n";
    run(&["--config", &file, "--header", "X: 1", "tools"]).check(2, "", text);
    run(&["--config", &file, "--header", "X: 1", "servers", "--connect"]).check(2, "", text);
}

#[cfg(unix)]
#[test]
fn an_interrupted_listener_ends_its_session() {
    let peer = Peer::start();
    let mut child = program(&["--json", "listen", &url(&peer)]).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(130), ""));
}
