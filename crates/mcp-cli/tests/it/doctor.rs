//! The doctor against real processes and sockets: which step fails, what to try, with which status.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::run::{PROGRAM, Ran, config, on_demo, on_script, run, script};

/// The steps of the only server, as `step=status`.
fn steps(server: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let steps = server["steps"].as_array().unwrap().iter();
    steps.map(|step| format!("{}={}", text(&step["step"]), text(&step["status"]))).collect()
}

/// Checks which step failed, parts of its detail, and a part of what to try.
#[track_caller]
fn check(ran: &Ran, status: i32, step: &str, detail: &[&str], next: &str) {
    let document = ran.check_status(status).json();
    let server = &document["servers"][0];
    assert_eq!(server["ok"], false);
    let failed: Vec<_> =
        server["steps"].as_array().unwrap().iter().filter(|step| step["status"] == "failed").collect();
    assert_eq!((failed.len(), failed[0]["step"].as_str()), (1, Some(step)), "{server:#}");
    for part in detail {
        assert!(failed[0]["detail"].as_str().unwrap().contains(part), "{part} in {server:#}");
    }
    assert!(failed[0]["next"].as_str().unwrap().contains(next), "{next} in {server:#}");
    let line = ran.stderr.lines().next().unwrap();
    assert!(line.starts_with("error: "), "{ran:?}");
}

fn doctor<'a>(server: &[&'a str]) -> Vec<&'a str> {
    [&["--json", "doctor"], server].concat()
}

#[test]
fn a_server_that_works_passes_every_step() {
    let ran = run(&on_demo(&["--json", "doctor", "-"]));
    let document = ran.check_status(0).json();
    let server = &document["servers"][0];
    assert_eq!((&server["name"], &server["ok"], ran.stderr.as_str()), (&json!("mcp-cli"), &json!(true), ""));
    assert_eq!(steps(server), ["config=ok", "command=ok", "handshake=ok", "protocol=ok", "tools=ok"]);
    let details: Vec<_> = server["steps"].as_array().unwrap().iter().map(|step| &step["detail"]).collect();
    assert_eq!(details[1..], [PROGRAM, "Demo server 0.1.0", "2025-11-25", "15 tools"]);
    assert!(server["steps"].as_array().unwrap().iter().all(|step| step.get("next").is_none()), "{server}");
}

#[test]
fn people_get_a_line_a_step_with_what_to_try() {
    let ran = run(&on_demo(&["doctor", "-"]));
    let page = &ran.check_status(0).stdout;
    assert!(page.starts_with("mcp-cli: ok\n  config     ok"), "{page}");
    assert!(page.contains(" ms  Demo server 0.1.0\n  protocol   ok"), "{page}");
    let ran = run(&["doctor", "-", "--", "/nonexistent/server"]);
    let page = &ran.check_status(3).stdout;
    assert!(page.starts_with("server: fails at command\n  config     ok"), "{page}");
    assert!(page.contains("\n  command    FAILED") && page.contains("what to try: check the path"), "{page}");
    assert!(page.ends_with("  handshake  skipped\n  protocol   skipped\n  tools      skipped\n"), "{page}");
    assert_eq!(ran.stderr, "error: server: cannot start `/nonexistent/server`\n");
}

#[test]
fn a_command_that_cannot_be_found_says_where_was_looked() {
    let ran = run(&doctor(&["-", "--", "no-such-program-x"]));
    check(&ran, 3, "command", &["cannot start `no-such-program-x`", "no directory of PATH has"], "PATH");
    let file = config(
        "doctor-relative",
        r#"{"mcpServers":{"s":{"command":"./gone","cwd":"/usr"},"d":{"command":"sh","cwd":"gone"}}}"#,
    );
    let ran = run(&[&["--config", &file], &doctor(&["s"])[..]].concat());
    check(&ran, 3, "command", &["there is no file `"], "a relative one starts from `cwd`");
    let ran = run(&[&["--config", &file], &doctor(&["d"])[..]].concat());
    check(&ran, 3, "command", &["as the working directory"], "create the directory");
}

#[test]
fn a_script_without_its_interpreter_is_told_from_a_missing_command() {
    let file = format!("{}/doctor-script", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&file, "#!/nonexistent/node\n").unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
    let ran = run(&doctor(&["-", "--", &file]));
    check(&ran, 3, "command", &["is run by `/nonexistent/node`, which is not there"], "interpreter");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    check(&run(&doctor(&["-", "--", &file])), 3, "command", &["is not executable"], "chmod +x");
}

#[test]
fn a_server_that_ends_shows_its_last_words() {
    let ran = run(&doctor(&["-", "--", "sh", "-c", "echo 'no TOKEN\u{1b}[2J' >&2; exit 78"]));
    check(&ran, 3, "handshake", &["Transport closed", "exit status: 78", r"no TOKEN\u{1b}[2J"], "stderr");
    let ran = run(&doctor(&["-", "--", "sh", "-c", "no-such-launcher-x"]));
    check(&ran, 3, "command", &["exit status: 127"], "install");
}

#[test]
fn a_server_that_is_silent_is_4_and_one_that_refuses_is_5() {
    let ran = run(&[&["--timeout", "60"], &doctor(&["-", "--", "sh", "-c", "cat >/dev/null"])[..]].concat());
    check(&ran, 4, "handshake", &["timed out after 60ms", "no output yet"], "--timeout");
    let server = script(r#"next; refuse '{"code":-32603,"message":"no\\nway"}'; next"#);
    check(&run(&on_script(&doctor(&["-"]), &server)), 5, "handshake", &["MCP error -32603"], "server says");
}

#[test]
fn a_revision_that_nobody_knows_fails_at_the_protocol() {
    let hello =
        r#"{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#;
    let server = script(&format!("next; answer '{hello}'; next"));
    check(&run(&on_script(&doctor(&["-"]), &server)), 3, "protocol", &["1999-01-01"], "--protocol");
}

#[test]
fn tools_that_models_do_not_take_are_named_and_a_broken_list_fails() {
    let tools = r#"[{"name":"a.b","inputSchema":{"type":"object"}},{"name":"c","inputSchema":[]}]"#;
    let server = script(&format!(r#"hello; next; answer '{{"tools":{tools}}}'; next"#));
    let ran = run(&on_script(&doctor(&["-"]), &server));
    let document = ran.check_status(0).json();
    let step = &document["servers"][0]["steps"][4];
    let lines = "2 tools\nschema is no object: `c`\nname that models do not take as it is: `a.b`";
    assert_eq!((&step["status"], &step["detail"]), (&json!("ok"), &json!(lines)));
    assert!(step["next"].as_str().unwrap().contains("author"), "{step}");
    let server = script(r#"hello; next; refuse '{"code":-32603,"message":"no list"}'; next"#);
    check(&run(&on_script(&doctor(&["-"]), &server)), 5, "tools", &["no list"], "server says");
    let hello =
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#;
    let server = script(&format!("next; answer '{hello}'; next; next"));
    let ran = run(&on_script(&doctor(&["-"]), &server));
    let server = &ran.check_status(0).json()["servers"][0];
    assert_eq!(steps(server).last().unwrap(), "tools=skipped");
}

#[test]
fn an_address_that_refuses_fails_at_tcp_and_one_without_a_name_at_dns() {
    // Nobody listens there any more.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let ran = run(&doctor(&[&format!("http://127.0.0.1:{port}/mcp?key=SECRET-1")]));
    check(&ran, 3, "tcp", &["refused"], "check the port");
    let server = &ran.json()["servers"][0];
    assert_eq!(steps(server)[..3], ["config=ok", "dns=ok", "tcp=failed"]);
    assert_eq!(server["steps"][1]["detail"], format!("127.0.0.1:{port}"));
    assert!(!format!("{ran:?}").contains("SECRET-1"), "{ran:?}");
    check(&run(&doctor(&["http://no-such-host.invalid/"])), 3, "dns", &["cannot resolve"], "spelling");
    check(&run(&doctor(&["http+unix://%2Fnonexistent%2Fs/mcp"])), 3, "socket", &["/nonexistent/s"], "socket");
}

#[test]
fn a_proxy_that_is_not_there_fails_at_the_proxy() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let file = config(
        "doctor-proxy",
        &format!(
            r#"{{"mcpServers":{{"s":{{"url":"https://a.test/","proxy":"http://bob:SECRET-1@127.0.0.1:{port}"}}}}}}"#
        ),
    );
    let ran = run(&[&["--config", &file], &doctor(&["s"])[..]].concat());
    check(&ran, 3, "proxy", &[&format!("through the proxy 127.0.0.1:{port}"), "refused"], "NO_PROXY");
    assert!(!format!("{ran:?}").contains("SECRET-1"), "{ran:?}");
}

#[test]
fn an_entry_that_cannot_be_used_fails_at_the_config() {
    let text = r#"{"mcpServers":{"bad":{"command":"x","args":"-y"},"unset":{"command":"${NO_SUCH_VARIABLE_X}"},
        "off":{"command":"x","enabled":false}}}"#;
    let file = config("doctor-config", text);
    for (name, detail) in [
        ("bad", "must be an array of strings"),
        ("unset", "NO_SUCH_VARIABLE_X"),
        ("off", "disabled"),
        ("x", "unknown server"),
    ] {
        let ran = run(&[&["--config", &file], &doctor(&[name])[..]].concat());
        check(&ran, 2, "config", &[detail], "");
        assert_eq!(ran.json()["servers"][0]["name"], name);
    }
    check(&run(&doctor(&["x"])), 2, "config", &["configured: none"], "--config FILE");
}

#[test]
fn one_of_several_that_fails_is_6_and_one_that_is_off_does_not_count() {
    let good = json!({"command": PROGRAM, "args": ["demo-server"]});
    let off = json!({"command": "x", "enabled": false});
    let bad = json!({"command": "/nonexistent/server"});
    let servers = |it: Value| json!({ "mcpServers": it }).to_string();
    let file = config("doctor-several", &servers(json!({"good": good, "off": off, "bad": bad})));
    let ran = run(&["--config", &file, "--json", "doctor"]);
    let document = ran.check_status(6).json();
    let states: Vec<_> = document["servers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["name"].as_str(), it["ok"].as_bool()))
        .collect();
    let expected = [("good", true), ("off", true), ("bad", false)];
    assert_eq!(states, expected.map(|(name, is_ok)| (Some(name), Some(is_ok))));
    assert_eq!(steps(&document["servers"][1]), ["config=skipped"]);
    let file = config("doctor-fine", &servers(json!({"good": good, "off": off})));
    run(&["--config", &file, "doctor"]).check_status(0);
}
