//! Each way to fail has its exit status and says what helps.

use std::process::Stdio;

use crate::run::{config, on_demo, on_script, program, run, script};

// Field case 168: every status once.
#[test]
fn done_is_0() {
    run(&on_demo(&["call", "-", "echo", "text=x"])).check(0, "x\n", "");
}

#[test]
fn a_tool_that_fails_is_1_and_its_content_is_printed() {
    let ran = run(&on_demo(&["call", "-", "fail", "message=no paper"]));
    assert_eq!(ran.check_status(1).stdout, "no paper\n");
    assert!(ran.stderr.ends_with("error: mcp-cli: tool `fail` answered with an error\n"), "{ran:?}");
    let ran = run(&on_demo(&["--json", "call", "-", "fail"]));
    assert_eq!(ran.check_status(1).json()["isError"], true);
}

#[test]
fn wrong_usage_is_2() {
    for args in [
        &["call"][..],
        &["nope"],
        &["--timeout", "-1", "demo"],
        &["tools"],
        &["tools", "-"],
        &["ping", "x", "--", "sh"],
        &["ping", "https:///mcp"],
        &["ping", "ws://a.test/mcp"],
        &["request", "-", "x", "[]", "--", "sh"],
        &["call", "-", "x", "y", "--", "sh"],
        &["call", "-", "x", "--args", "{", "--", "sh"],
        &["call", "-", "x", "--args", "@/nonexistent", "--", "sh"],
    ] {
        let ran = run(args);
        assert!(
            ran.check_status(2).stderr.starts_with("error: ") && ran.stdout.is_empty(),
            "{args:?} {ran:?}"
        );
    }
}

#[test]
fn an_unknown_server_is_2_and_the_known_ones_are_named() {
    let file = config("unknown", r#"{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}"#);
    run(&["--config", &file, "ping", "c"]).check(2, "", "error: c: unknown server\n    configured: a, b\n");
    let ran = run(&["ping", "c"]);
    assert!(ran.check_status(2).stderr.contains("hint: --config FILE"), "{ran:?}");
}

#[test]
fn a_command_that_is_not_there_is_3() {
    let ran = run(&["ping", "-", "--", "/nonexistent/server"]);
    assert_eq!(
        ran.check_status(3).stderr.lines().next(),
        Some("error: server: cannot start `/nonexistent/server`")
    );
}

// Field case 36.
#[test]
fn a_server_that_exits_at_start_is_3_with_its_status_and_last_words() {
    let file = config(
        "exits",
        r#"{"mcpServers":{"s":{"command":"sh","env":{"T":"SECRET-1"},
            "args":["-c","echo \"config error: TOKEN not set, not $T\" >&2; exit 78"]}}}"#,
    );
    let ran = run(&["--config", &file, "ping", "s"]);
    let stderr = &ran.check_status(3).stderr;
    assert!(stderr.starts_with("error: s: Transport closed\n    command: sh\n"), "{stderr}");
    assert!(stderr.contains("(exit status: 78)\n"), "{stderr}");
    assert!(
        stderr.ends_with("    stderr ends with:\n      config error: TOKEN not set, not ***\n"),
        "{stderr}"
    );
}

#[test]
fn a_server_lost_in_the_middle_of_a_call_is_3() {
    let ran = run(&on_demo(&["call", "-", "crash", "code=7"]));
    let stderr = &ran.check_status(3).stderr;
    assert!(stderr.starts_with("error: mcp-cli: Transport closed\n"), "{stderr}");
    assert!(stderr.contains("exit status: 7") && stderr.contains("told to crash"), "{stderr}");
}

// Field cases 43 and 160.
#[test]
fn usual_mistakes_in_a_config_are_named() {
    let file = config(
        "mistakes",
        r#"{"mcpServers":{"dir":{"command":"sh","cwd":"no-such-folder"},"line":{"command":"srv --x 1"}}}"#,
    );
    let ran = run(&["--config", &file, "ping", "dir"]);
    assert!(ran.check_status(3).stderr.contains("no-such-folder` as the working directory"), "{ran:?}");
    let ran = run(&["--config", &file, "ping", "line"]);
    assert!(ran.check_status(3).stderr.contains("hint: put the program alone into `command`"), "{ran:?}");
}

// Field cases 46 and 72.
#[test]
fn a_server_that_never_speaks_is_4() {
    let ran = run(&["--timeout", "50", "ping", "-", "--", "sh", "-c", "cat >/dev/null"]);
    let text = "error: sh: Connection to MCP server \"sh\" timed out after 50ms\n    \
                the server was still running: still starting, no output yet\n";
    assert!(ran.check_status(4).stderr.starts_with(text), "{ran:?}");
}

// Field case 72.
#[test]
fn the_timeout_of_the_line_wins_over_that_of_the_config() {
    let call = r#""args":["-c","SCRIPT"],"start_timeout":60000"#.replace(
        "SCRIPT",
        &script("hello; next; cat >/dev/null")
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n"),
    );
    let file =
        config("timeout", &format!(r#"{{"mcpServers":{{"s":{{"command":"sh","timeout":40,{call}}}}}}}"#));
    let args = ["--config", &file, "call", "s", "x", "--args", "{}"];
    let first = |args: &[&str]| {
        let ran = run(args);
        ran.check_status(4).stderr.lines().next().unwrap().to_owned()
    };
    assert_eq!(first(&args), "error: s: Request timeout after 40ms");
    assert_eq!(first(&[&["--timeout", "30"], &args[..]].concat()), "error: s: Request timeout after 30ms");
}

// Field case 75.
#[test]
fn a_timeout_of_zero_is_none() {
    let program = crate::run::PROGRAM;
    let server = |timeout| format!(r#"{{"command":"{program}","args":["demo-server"],"timeout":{timeout}}}"#);
    let file = config("zero", &format!(r#"{{"mcpServers":{{"s":{}}}}}"#, server(0)));
    let slept = "Slept 20 ms in 4 steps.\n";
    run(&["--config", &file, "call", "s", "sleep", "ms=20"]).check(0, slept, "");
    let file = config("over-zero", &format!(r#"{{"mcpServers":{{"s":{}}}}}"#, server(60_000)));
    run(&["--config", &file, "--timeout", "0", "call", "s", "sleep", "ms=20"]).check(0, slept, "");
}

#[test]
fn an_error_of_the_server_is_5() {
    let stderr = "error: mcp-cli: MCP error -32602: Unknown tool: nope\n";
    run(&on_demo(&["call", "-", "nope"])).check(5, "", stderr);
    run(&on_demo(&["call", "-", "nope", "a=1"])).check(5, "", stderr);
    let server = script(r#"hello; next; refuse '{"code":-1,"message":"no\\nway","data":{"x": 1}}'; next"#);
    let stderr = "error: sh: MCP error -1: no\\nway\n    data: {\"x\":1}\n";
    run(&on_script(&["request", "-", "x/y"], &server)).check(5, "", stderr);
}

// C-353: nothing is opened by itself.
#[test]
fn addresses_that_a_server_wants_opened_first_are_shown_in_full() {
    let error = r#"{"code":-32042,"message":"Sign in","data":{"elicitations":[{"mode":"url","message":"m","url":"https://example.com/a?b=c","elicitationId":"1"}]}}"#;
    let server = script(&format!("hello; next; refuse '{error}'; next"));
    let ran = run(&on_script(&["request", "-", "x/y"], &server));
    ran.check_status(5);
    let shown =
        "    to open first, at example.com: https://example.com/a?b=c\n    hint: open that in your browser";
    assert!(ran.stderr.starts_with("error: sh: MCP error -32042: Sign in\n"), "{ran:?}");
    assert!(ran.stderr.contains(shown), "{ran:?}");
}

#[test]
fn a_closed_stdout_ends_the_program_quietly() {
    let mut child =
        program(&on_demo(&["call", "-", "big", "bytes=1000000"])).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
}
