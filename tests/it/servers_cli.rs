//! The servers that people run, through the program.

use mcp_tests::http_servers::{self, SdkOptions};
use mcp_tests::tls_front::TlsFront;
use mcp_tests::{Folder, cli, peers};
use mcp_transport_stdio::StdioConfig;
use serde_json::{Value, json};

/// `mcp-cli ARGS... -- SERVER`.
async fn run(args: &[&str], server: &StdioConfig) -> cli::Run {
    let server = [server.command.as_str()].into_iter().chain(server.args.iter().map(String::as_str));
    cli::run(args.iter().copied().chain(["--"]).chain(server)).await
}

fn entry(server: &StdioConfig) -> Value {
    json!({ "command": server.command, "args": server.args, "env": server.env })
}

#[tokio::test]
async fn everything_is_listed_called_pinged_and_asked() {
    let Some(server) = peers::everything() else { return };
    let listed = run(&["--json", "tools", "-"], &server).await;
    assert_eq!(listed.status, Some(0), "{listed:#?}");
    let tools = &listed.json()["servers"][0]["tools"];
    assert!(tools.as_array().unwrap().iter().any(|tool| tool["name"] == "get-sum"), "{tools}");
    let people = run(&["tools", "-"], &server).await;
    assert!(people.status == Some(0) && people.stdout.contains("get-sum"), "{people:#?}");

    // Typed by the tool's schema: a number, and a text of digits.
    let sum = run(&["--json", "call", "-", "get-sum", "a=40", "b=2"], &server).await;
    assert_eq!(sum.status, Some(0), "{sum:#?}");
    assert_eq!(sum.json()["content"][0]["text"], "The sum of 40 and 2 is 42.");
    let echo = run(&["--json", "call", "-", "echo", "message=40"], &server).await;
    assert_eq!(echo.json()["content"][0]["text"], "Echo: 40");
    let wrong = run(&["--json", "call", "-", "get-sum", "--args", "{\"a\":\"x\"}"], &server).await;
    assert_eq!((wrong.status, &wrong.json()["isError"]), (Some(1), &json!(true)), "{wrong:#?}");

    let ping = run(&["ping", "-"], &server).await;
    assert_eq!(ping.status, Some(0), "{ping:#?}");
    let raw = run(&["--json", "request", "-", "prompts/list"], &server).await;
    assert!(raw.json()["prompts"].is_array(), "{raw:#?}");
    let refused = run(&["--json", "request", "-", "no/such"], &server).await;
    assert_eq!((refused.status, refused.stdout.as_str()), (Some(5), ""), "{refused:#?}");
    assert!(refused.stderr.contains("MCP error -32601"), "{refused:#?}");
}

#[tokio::test]
async fn filesystem_and_memory_and_time_are_used_from_a_config_file() {
    let folder = Folder::new();
    let root = folder.text("");
    let servers = [
        ("files", peers::filesystem(&root)),
        ("memory", peers::memory(&folder.text("memory.jsonl"))),
        ("time", peers::time()),
    ];
    let servers: Option<serde_json::Map<_, _>> =
        servers.into_iter().map(|(name, server)| Some((name.to_owned(), entry(&server?)))).collect();
    let Some(servers) = servers else { return };
    let file = folder.text("servers.json");
    std::fs::write(&file, json!({ "mcpServers": servers }).to_string()).unwrap();

    let listed = cli::run(["--config", &file, "--json", "tools"]).await;
    assert_eq!(listed.status, Some(0), "{listed:#?}");
    for server in listed.json()["servers"].as_array().unwrap() {
        assert_eq!(server["status"], "connected");
        assert!(!server["tools"].as_array().unwrap().is_empty(), "{server}");
    }
    let connected = cli::run(["--config", &file, "--json", "servers", "--connect"]).await;
    assert_eq!(connected.json()["servers"][0]["protocolVersion"], "2025-11-25", "{connected:#?}");

    let path = format!("path={}", folder.text("x.txt"));
    let write = cli::run(["--config", &file, "call", "files", "write_file", &path, "content=hello"]).await;
    assert_eq!(write.status, Some(0), "{write:#?}");
    assert_eq!(std::fs::read_to_string(folder.path("x.txt")).unwrap(), "hello");
    let read = cli::run(["--config", &file, "--json", "call", "files", "read_text_file", &path]).await;
    assert_eq!(read.json()["structuredContent"]["content"], "hello", "{read:#?}");

    let arguments = r#"{"source_timezone":"UTC","target_timezone":"Asia/Tokyo","time":"12:00"}"#;
    let time =
        cli::run(["--config", &file, "--json", "call", "time", "convert_time", "--args", arguments]).await;
    assert_eq!(time.json()["structuredContent"]["time_difference"], "+9.0h", "{time:#?}");
    let graph = cli::run(["--config", &file, "--json", "call", "memory", "read_graph"]).await;
    assert_eq!(graph.json()["structuredContent"]["entities"], json!([]), "{graph:#?}");
    let unknown = cli::run(["--config", &file, "call", "nobody", "read_graph"]).await;
    assert_eq!(unknown.status, Some(2), "{unknown:#?}");
}

/// All HTTP modes of a server on the official SDK, and the older transport, plain and over TLS.
#[tokio::test]
async fn servers_over_http_and_tls_are_reached_by_their_address() {
    for options in SdkOptions::ALL {
        let Some(server) = http_servers::typescript(options).await else { return };
        let front = TlsFront::start(server.address());
        let (ca, secure) = (front.ca_file().display().to_string(), front.url(server.path()));
        let plain = server.url();
        for address in [&["--json", "call", &plain][..], &["--json", "--ca", &ca, "call", &secure]] {
            let called = cli::run(address.iter().copied().chain(["echo", "text=héllo"])).await;
            assert_eq!(called.status, Some(0), "{called:#?}");
            assert_eq!(called.json()["content"][0]["text"], "héllo");
        }
        let unknown = cli::run(["tools", &secure]).await;
        assert_eq!(unknown.status, Some(3), "{unknown:#?}");
        assert!(unknown.stderr.contains("unknown authority"), "{unknown:#?}");
    }
    let Some(older) = http_servers::everything_sse().await else { return };
    let listed = cli::run(["tools", &older.url()]).await;
    assert!(listed.status == Some(0) && listed.stdout.contains("get-sum"), "{listed:#?}");
}
