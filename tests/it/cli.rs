//! The program against scripted servers: exit statuses, what goes where, what is left running.

use mcp_tests::{Folder, Scripted, cli, within};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

/// `mcp-cli ARGS... -- PEER`, for a peer that is given as `-`.
fn with_peer<'a>(args: &[&'a str], peer: &'a Scripted) -> Vec<&'a str> {
    let server =
        [peer.config.command.as_str()].into_iter().chain(peer.config.args.iter().map(String::as_str));
    args.iter().copied().chain(["--"]).chain(server).collect()
}

async fn run(args: &[&str], script: &str) -> cli::Run {
    let peer = Scripted::new(script);
    let run = cli::run(with_peer(args, &peer)).await;
    assert_eq!(peer.processes(), [], "nothing is left running");
    run
}

/// A config file with these entries.
fn config(folder: &Folder, servers: &[(&str, Value)]) -> String {
    let servers: Value = servers.iter().map(|(name, entry)| ((*name).to_owned(), entry.clone())).collect();
    let path = folder.path("config.json");
    std::fs::write(&path, json!({ "mcpServers": servers }).to_string()).unwrap();
    path.display().to_string()
}

fn entry(script: &str) -> Value {
    let peer = Scripted::new(script);
    json!({ "command": peer.config.command, "args": peer.config.args })
}

/// Case 168: each failure has its status, one line on stderr, and nothing on stdout.
#[tokio::test]
async fn each_failure_of_a_call_has_a_status_of_its_own() {
    for (tool, script, status, text) in [
        ("error", "serve", 5, "MCP error -32000: it went wrong"),
        ("unknown", "serve", 5, "MCP error -32601: Method not found"),
        ("never", "serve", 4, "Request timeout after 400ms"),
        ("die", "serve", 3, "Transport closed"),
        ("echo", "exit 78", 3, "Transport closed"),
        ("echo", "init 1999-01-01\neof", 3, "1999-01-01"),
        ("echo", "recv\nsend ERR(1,-32603)\neof", 5, "MCP error -32603: m"),
        (
            "echo",
            "handshake\nrecv\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":<ff>}\neof",
            3,
            "cannot be read",
        ),
    ] {
        let run = run(&["--timeout", "400", "--json", "call", "-", tool], script).await;
        assert_eq!(run.status, Some(status), "{tool} {script}: {run:#?}");
        assert_eq!(run.stdout, "", "{tool} {script}: stdout holds results only");
        let line = run.stderr.lines().next().unwrap_or_default();
        assert!(
            line.starts_with("error: scripted-peer: ") && line.contains(text),
            "{tool} {script}: {run:#?}"
        );
    }
}

/// Case 168: `isError` is told apart from a failure to call, and its content is printed.
#[tokio::test]
async fn a_tool_that_fails_prints_its_content_and_status_one() {
    let run = run(&["--json", "call", "-", "failed"], "serve").await;
    assert_eq!(run.status, Some(1), "{run:#?}");
    assert_eq!(run.json(), json!({ "content": [{ "type": "text", "text": "it failed" }], "isError": true }));
    assert!(run.stderr.starts_with("error: scripted-peer: "), "{run:#?}");
}

/// Case 168: usage and configuration, before anything is started.
#[tokio::test]
async fn usage_and_configuration_errors_have_status_two() {
    let folder = Folder::new();
    let file = config(&folder, &[("good", entry("serve"))]);
    for args in [
        &["call"][..],
        &["no-such-command"],
        &["--timeout", "x", "demo"],
        &["--config", &file, "call", "unknown", "echo"],
        &["call", "unknown", "echo"],
        &["--config", "does-not-exist.json", "servers"],
        &["--config", &file, "call", "good", "echo", "--args", "{"],
    ] {
        let run = cli::run(args).await;
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{args:?}: {run:#?}");
        assert!(run.stderr.starts_with("error: "), "{args:?}: {run:#?}");
    }
}

/// Case 75, D-04: 0 is none; what is no timeout is an error that names the field, of that server.
#[tokio::test]
async fn a_timeout_that_is_none_is_a_configuration_error() {
    let folder = Folder::new();
    for wrong in [json!(-1), json!("soon"), json!(1.5e300), json!(true)] {
        let mut bad = entry("serve");
        bad["timeout"] = wrong.clone();
        let file = config(&folder, &[("bad", bad), ("good", entry("serve"))]);
        let run = cli::run(["--config", &file, "--json", "call", "bad", "echo"]).await;
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{wrong}: {run:#?}");
        assert!(run.stderr.contains("bad") && run.stderr.contains("timeout"), "{wrong}: {run:#?}");
        let run = cli::run(["--config", &file, "--json", "call", "good", "echo"]).await;
        assert_eq!(run.status, Some(0), "{wrong}: {run:#?}");
    }
    let mut none = entry("serve");
    none["timeout"] = json!(0);
    let file = config(&folder, &[("none", none)]);
    let run = cli::run(["--config", &file, "--json", "call", "none", "late"]).await;
    assert_eq!(run.status, Some(0), "{run:#?}");
}

/// Case 72: that of the config reaches the call, and that of the command line wins over it.
#[tokio::test]
async fn a_configured_timeout_reaches_the_call() {
    let folder = Folder::new();
    let mut slow = entry("serve");
    slow["timeout"] = json!(300);
    let file = config(&folder, &[("slow", slow)]);
    let run = cli::run(["--config", &file, "call", "slow", "never"]).await;
    assert_eq!(run.status, Some(4), "{run:#?}");
    assert!(run.stderr.starts_with("error: slow: Request timeout after 300ms"), "{run:#?}");
    let run = cli::run(["--config", &file, "--timeout", "500", "call", "slow", "never"]).await;
    assert!(run.stderr.starts_with("error: slow: Request timeout after 500ms"), "{run:#?}");
}

/// Case 168: one of three servers down; the others are printed, as they were sent.
#[tokio::test]
async fn one_of_several_servers_down_has_status_six_and_hides_no_other() {
    let folder = Folder::new();
    let odd = r#"{"name":"odd","inputSchema":{"type":"object","x":1},"x":[1]}"#;
    // Asked by the manager, and once more for the objects as they are sent.
    let list = format!("recv\nsend {{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"tools\":[{odd}]}}}}\n");
    let script = format!("handshake\n{list}{list}eof");
    let servers = [("one", entry("serve")), ("bad", entry("err boom\nexit 3")), ("odd", entry(&script))];
    let file = config(&folder, &servers);
    let run = cli::run(["--config", &file, "--json", "tools"]).await;
    assert_eq!(run.status, Some(6), "{run:#?}");
    let printed = run.json();
    let of = |name: &str| {
        let servers = printed["servers"].as_array().unwrap();
        servers.iter().find(|server| server["name"] == name).unwrap().clone()
    };
    assert_eq!(
        (&of("one")["status"], of("one")["tools"].as_array().unwrap().len()),
        (&json!("connected"), 8)
    );
    assert_eq!((&of("bad")["status"], &of("bad")["error"]), (&json!("failed"), &json!("Transport closed")));
    assert_eq!(of("odd")["tools"][0], serde_json::from_str::<Value>(odd).unwrap());
    assert!(run.stdout.contains(odd), "as the server sent them: {}", run.stdout);
    assert!(run.stderr.contains("error: bad: Transport closed") && run.stderr.contains("boom"), "{run:#?}");
    let run = cli::run(["--config", &file, "--json", "tools", "one"]).await;
    assert_eq!(run.status, Some(0), "{run:#?}");
    let run = cli::run(["--config", &file, "--json", "tools", "bad"]).await;
    assert_eq!(run.status, Some(3), "one server alone speaks for itself: {run:#?}");
}

/// Case 38: a chatty server leaves stdout alone, and stderr too unless it is asked for.
#[tokio::test]
async fn the_stderr_of_a_server_is_not_mixed_into_the_output() {
    let result = run(&["--json", "call", "-", "echo", "a=1"], "err started <1b>[31mred\nserve 200000").await;
    assert_eq!((result.status, result.stderr.as_str()), (Some(0), ""), "{result:#?}");
    assert_eq!(result.json()["structuredContent"]["a"].to_string().trim_matches('"'), "1");
    let result = run(&["-v", "--json", "call", "-", "echo", "a=1"], "err started <1b>[31mred\nserve").await;
    assert!(result.stderr.contains("started"), "{result:#?}");
    assert!(!result.stderr.contains('\u{1b}'), "{result:#?}");
    result.json();
}

/// Case 36.
#[tokio::test]
async fn a_server_that_cannot_start_is_explained() {
    let run = run(&["tools", "-"], "err config error: TOKEN not set\nexit 78").await;
    assert_eq!(run.status, Some(3));
    assert!(run.stderr.starts_with("error: scripted-peer: Transport closed\n"), "{run:#?}");
    assert!(
        run.stderr.contains("exit status: 78") && run.stderr.contains("config error: TOKEN not set"),
        "{run:#?}"
    );
}

/// Case 32: the command is named, and why.
#[tokio::test]
async fn a_command_that_is_not_there_is_explained() {
    let run = cli::run(["ping", "-", "--", "does-not-exist-x"]).await;
    assert_eq!((run.status, run.stdout.as_str()), (Some(3), ""));
    assert!(run.stderr.starts_with("error: does-not-exist-x: cannot start `does-not-exist-x`\n"), "{run:#?}");
}

/// Case 164: `--json` prints what the server sent, and sends what was typed, digit by digit.
#[tokio::test]
async fn json_goes_through_the_program_exactly() {
    let numbers = r#"{"n":[9007199254740993,18446744073709551615,-0,1e400,0.10]}"#;
    let script = "handshake\nrecv\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$line}\neof";
    let run = run(&["--json", "request", "-", "x/y", numbers], script).await;
    assert_eq!(run.status, Some(0), "{run:#?}");
    assert!(run.stdout.contains(&format!("\"params\":{numbers}")), "{run:#?}");
}

/// Case 2, for people: what a server sends cannot drive the terminal.
#[tokio::test]
async fn control_characters_of_a_server_are_escaped() {
    let script = "handshake\nrecv\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[{\"type\":\"text\",\
                  \"text\":\"a\\u001b[31mred\\u0007\"}]}}\neof";
    let run = run(&["call", "-", "x"], script).await;
    assert_eq!(run.status, Some(0), "{run:#?}");
    assert!(run.stdout.contains("[31mred") && !run.stdout.contains(['\u{1b}', '\u{7}']), "{run:#?}");
}

/// Ping, and a timeout that is 0 (case 75).
#[tokio::test]
async fn a_server_can_be_pinged() {
    let run = run(&["--timeout", "0", "ping", "-"], "serve").await;
    assert_eq!(run.status, Some(0), "{run:#?}");
    assert!(run.stdout.contains("scripted-peer"), "{run:#?}");
}

/// Case 30: Ctrl+C reaches the program alone, which then takes its server down in order.
#[tokio::test]
async fn an_interrupt_does_not_reach_the_server_but_ends_it() {
    for (signal, status) in [(rustix::process::Signal::INT, 130), (rustix::process::Signal::TERM, 143)] {
        let folder = Folder::new();
        let script = format!("handshake\nsend NOTE(x/ready)\neof\nsleep 100\nfile {} done", folder.text("f"));
        let peer = Scripted::new(&script);
        let mut program = cli::start(with_peer(&["--json", "listen", "-"], &peer));
        let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
        let line = within(lines.next_line()).await.unwrap().expect("a line for the notification");
        assert!(line.contains("x/ready"), "{line}");
        let group = rustix::process::Pid::from_raw(program.id().unwrap().cast_signed()).unwrap();
        rustix::process::kill_process_group(group, signal).unwrap();
        let ended = within(program.wait()).await.unwrap();
        assert_eq!(ended.code(), Some(status), "{ended}");
        assert_eq!(std::fs::read_to_string(folder.path("f")).unwrap(), "done", "it had the time it needs");
        assert_eq!(peer.processes(), []);
    }
}

/// Case 21: a program that is killed leaves no server that minds the end of its input.
#[tokio::test]
async fn a_killed_program_leaves_no_server() {
    let peer = Scripted::new("handshake\nsend NOTE(x/ready)\neof");
    let mut program = cli::start(with_peer(&["--json", "listen", "-"], &peer));
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    within(lines.next_line()).await.unwrap().expect("a line for the notification");
    let family = peer.processes();
    assert_eq!(family.len(), 2, "the program has the tag on its command line too: {family:?}");
    within(program.kill()).await.unwrap();
    tokio::task::spawn_blocking(move || family.iter().for_each(|process| process.wait_until_gone()))
        .await
        .unwrap();
}

/// A closed stdout ends the program quietly, and its server with it.
#[tokio::test]
async fn a_closed_stdout_ends_the_program_quietly() {
    let peer = Scripted::new("handshake\nrepeat forever send NOTE(x/n,[\"<61*1000>\"])");
    let mut program = cli::start(with_peer(&["--json", "listen", "-"], &peer));
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    within(lines.next_line()).await.unwrap().expect("a line for the notification");
    drop(lines);
    let output = within(program.wait_with_output()).await.unwrap();
    assert!(output.status.code().is_some(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(peer.processes(), []);
}

/// Progress and logs go to stderr or nowhere; the result is alone on stdout.
#[tokio::test]
async fn progress_does_not_disturb_the_result() {
    let run = run(&["--json", "call", "-", "progress", "a=1"], "serve").await;
    assert_eq!(run.status, Some(0), "{run:#?}");
    run.json();
}

/// The main job on embedded defaults.
#[tokio::test]
async fn the_demo_runs_by_itself() {
    let run = cli::run(["demo"]).await;
    assert_eq!(run.status, Some(0), "{run:#?}");
    for part in ["initialize", "tools/list", "tools/call", "isError"] {
        assert!(run.stdout.contains(part), "{part}: {run:#?}");
    }
}

/// The demo server is a server like any other.
#[tokio::test]
async fn the_demo_server_can_be_called() {
    let program = cli::path().display().to_string();
    let run =
        cli::run(["--json", "call", "-", "add", "a=9007199254740992", "b=1", "--", &program, "demo-server"])
            .await;
    assert_eq!(run.status, Some(0), "{run:#?}");
    assert!(run.stdout.contains("9007199254740993"), "{run:#?}");
}
