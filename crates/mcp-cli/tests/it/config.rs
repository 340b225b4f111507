//! Config files: good entries work whatever stands beside them.

use crate::run::{PROGRAM, config, run};

/// One good server and each kind of bad one.
fn mixed(test: &str) -> String {
    let text = format!(
        r#"{{"mcpServers":{{
            "good": {{"command":"{PROGRAM}","args":["demo-server"],"colour":"red"}},
            "none": {{}},
            "both": {{"command":"x","url":"http://a.test"}},
            "args": {{"command":"x","args":"-y"}},
            "env": {{"command":"x","env":{{"N":1}}}},
            "list": [],
            "kind": {{"type":"ws","url":"ws://a.test"}},
            "off": {{"command":"x","enabled":false}}
        }}}}"#
    );
    config(test, &text)
}

// Field case 146.
#[test]
fn one_bad_entry_does_not_disturb_the_others() {
    let file = mixed("mixed-call");
    let ran = run(&["--config", &file, "call", "good", "echo", "text=x"]);
    ran.check(0, "x\n", "warning: good: unknown key \"colour\" is ignored\n");
}

// Field case 146.
#[test]
fn each_bad_entry_is_an_error_that_names_file_server_and_field() {
    let file = mixed("mixed-servers");
    let ran = run(&["--config", &file, "servers"]);
    let stderr = &ran.check_status(6).stderr;
    for expected in [
        format!(
            "warning: good: unknown key \"colour\" is ignored\nerror: none: Server \"none\": stdio server requires \"command\" field\n    in {file}, line 3, column 21, field \"command\"\n"
        ),
        format!(
            "error: both: Server \"both\": both \"command\" and \"url\" are set - server should be either stdio (command) OR http/sse (url), not both\n    in {file}, line 4, column 21\n"
        ),
        format!(
            "error: args: Server \"args\": \"args\" must be an array of strings, not a string\n    in {file}, line 5, column 43, field \"args\"\n"
        ),
        format!(
            "error: env: Server \"env\": \"env.N\" must be a string, not a number\n    in {file}, line 6, column 46, field \"env.N\"\n"
        ),
        format!(
            "error: list: Server \"list\": must be an object, not an array\n    in {file}, line 7, column 21\n"
        ),
        format!("error: kind: Unknown server type: ws\n    in {file}, line 8, column 29, field \"type\"\n"),
    ] {
        assert!(stderr.contains(&expected), "{expected} in {stderr}");
    }
    assert!(!stderr.contains("off:"), "{stderr}");
}

#[test]
fn servers_says_what_there_is_and_starts_nothing() {
    let file = config(
        "servers",
        r#"{"mcpServers":{"a":{"command":"/nonexistent"},"b":{"url":"http://a.test"},"c":{"command":"x","disabled":true}}}"#,
    );
    let ran = run(&["--config", &file, "--json", "servers"]);
    let row = |name: &str, kind: &str, enabled: bool, status: &str| serde_json::json!({ "name": name, "type": kind, "source": file, "scope": "given", "host": "own", "enabled": enabled, "status": status });
    let mut remote = row("b", "http", true, "pending");
    remote["url"] = "http://a.test/".into();
    let mut off = row("c", "stdio", false, "disabled");
    off["reason"] = "its entry says so".into();
    let rows = [row("a", "stdio", true, "pending"), remote, off];
    assert_eq!(ran.check_status(0).json(), serde_json::json!({ "servers": rows }));
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_later_file_wins_server_by_server() {
    let first = config(
        "first",
        &format!(
            r#"{{"mcpServers":{{"a":{{"command":"/nonexistent"}},"b":{{"command":"{PROGRAM}","args":["demo-server"]}}}}}}"#
        ),
    );
    let second = config(
        "second",
        &format!(r#"{{"mcpServers":{{"a":{{"command":"{PROGRAM}","args":["demo-server"]}}}}}}"#),
    );
    for server in ["a", "b"] {
        run(&["--config", &first, "--config", &second, "call", server, "echo", "text=x"]).check(0, "x\n", "");
    }
}

// Field case 158.
#[test]
fn a_broken_file_is_2_and_never_empty() {
    let check = |test: &str, text: &str, expected: &str| {
        let file = config(test, text);
        let ran = run(&["--config", &file, "servers"]);
        assert!(ran.check_status(2).stderr.starts_with(&expected.replace("FILE", &file)), "{ran:?}");
        assert_eq!(ran.stdout, "");
    };
    check("empty", "", "error: config file FILE is empty\n");
    check(
        "broken",
        "{\n  // servers\n  7}",
        "error: config file FILE is not valid JSON\n    key must be a string at line 3 column 3\n    hint: ",
    );
    let folder = env!("CARGO_TARGET_TMPDIR");
    let ran = run(&["--config", folder, "servers"]);
    assert!(
        ran.check_status(2).stderr.starts_with(&format!("error: cannot read config file {folder}\n    "))
    );
}

// Field case 41.
#[test]
fn configured_variables_are_added_to_the_environment() {
    let file = config(
        "env",
        r#"{"mcpServers":{"s":{"command":"sh","env":{"X":"added","HOME":null},
            "args":["-c","echo \"$X $${PATH:+path} $${HOME:-no home}\" >&2"]}}}"#,
    );
    let ran = run(&["--config", &file, "ping", "s"]);
    assert!(ran.check_status(3).stderr.contains("      added path no home\n"), "{ran:?}");
}

// Field case 172.
#[test]
fn secrets_stay_masked_at_the_highest_verbosity() {
    let file = config(
        "secret",
        r#"{"mcpServers":{"s":{"command":"sh","env":{"T":"SECRET-1"},"args":["-c","echo $T $0 >&2; read x; exit 1","--token=SECRET-1"]}}}"#,
    );
    let ran = run(&["-vv", "--config", &file, "ping", "s"]);
    assert!(!ran.check_status(3).stderr.contains("SECRET-1") && ran.stderr.contains("***"), "{ran:?}");
}

#[test]
fn comments_and_a_last_comma_are_fine() {
    let file = config(
        "comments",
        &format!(
            "{{ // ours\n\"mcpServers\": {{ /* one */ \"s\": {{\"command\": \"{PROGRAM}\", \"args\": [\"demo-server\",],}},}},}}"
        ),
    );
    run(&["--config", &file, "call", "s", "echo", "text=x"]).check(0, "x\n", "");
}

#[test]
fn a_key_of_the_other_transport_is_a_warning() {
    let entry = format!(r#"{{"command":"{PROGRAM}","args":["demo-server"],"headers":{{}}}}"#);
    let file = config("other-key", &format!(r#"{{"mcpServers":{{"s":{entry}}}}}"#));
    let warning = "warning: s: key \"headers\" means nothing for a stdio server\n";
    run(&["--config", &file, "call", "s", "echo", "text=x"]).check(0, "x\n", warning);
}

/// The demo server with these lists of tools.
fn filtered(test: &str, tools: &str) -> String {
    let entry = format!(r#"{{"command":"{PROGRAM}","args":["demo-server"],"tools":{tools}}}"#);
    config(test, &format!(r#"{{"mcpServers":{{"s":{entry}}}}}"#))
}

#[test]
fn tools_that_the_config_keeps_away_are_neither_listed_nor_called() {
    let file = filtered("filtered", r#"{"allow":["echo","a*"],"deny":["ask"]}"#);
    let ran = run(&["--config", &file, "--json", "tools", "s"]);
    let document = ran.check_status(0).json();
    let tools = document["servers"][0]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["echo", "add"]);
    run(&["--config", &file, "call", "s", "echo", "text=x"]).check(0, "x\n", "");
    let ran = run(&["--config", &file, "call", "s", "ask"]);
    let text =
        format!("error: s: the tool `ask` is not allowed by the config\n    in {file}, line 1, column ");
    assert!(ran.check_status(2).stderr.starts_with(&text), "{ran:?}");
    run(&["--config", &file, "request", "s", "tools/call", r#"{"name":"sleep"}"#]).check_status(2);
}

#[test]
fn a_revision_that_is_not_known_is_a_warning() {
    let entry = |protocol: &str| {
        let entry = format!(r#"{{"command":"{PROGRAM}","args":["demo-server"],"protocol":"{protocol}"}}"#);
        config(&format!("protocol-{protocol}"), &format!(r#"{{"mcpServers":{{"s":{entry}}}}}"#))
    };
    let call = |protocol: &str| run(&["--config", &entry(protocol), "call", "s", "echo", "text=x"]);
    call("auto").check(0, "x\n", "");
    call("2025-11-25").check(0, "x\n", "");
    let warning = "warning: s: \"protocol\": 2999-01-01 is not known here, so it is as for \"auto\" (newest: 2026-07-28)\n";
    call("2999-01-01").check(0, "x\n", warning);
}

#[test]
fn the_revision_of_the_command_line_wins_over_that_of_the_config() {
    let entry = format!(r#"{{"command":"{PROGRAM}","args":["demo-server"],"protocol":"2025-03-26"}}"#);
    let file = config("protocol-over", &format!(r#"{{"mcpServers":{{"s":{entry}}}}}"#));
    for (args, version) in [
        (&[][..], "2025-03-26"),
        (&["--protocol", "2025-06-18"], "2025-06-18"),
        (&["--protocol", "auto"], "2025-11-25"),
    ] {
        let all = run(&[&["--config", &file, "--json"], args, &["servers", "--connect"]].concat());
        assert_eq!(all.check_status(0).json()["servers"][0]["protocolVersion"], version);
        let tools = run(&[&["--config", &file], args, &["tools"]].concat());
        assert!(tools.check_status(0).stdout.contains(&format!("protocol {version})")), "{tools:?}");
    }
}

#[test]
fn an_unknown_revision_on_the_command_line_is_2_and_lists_the_known_ones() {
    let ran = run(&["--protocol", "2026-13-01", "demo"]);
    assert!(
        ran.check_status(2).stderr.contains("known are auto, discover, 2024-11-05, 2025-03-26"),
        "{ran:?}"
    );
}
