//! Commands that ask several servers.

use crate::run::{PROGRAM, config, on_demo, on_script, run, script};

fn three(test: &str, last: &str) -> String {
    let good = format!(r#"{{"command":"{PROGRAM}","args":["demo-server","--page","2"]}}"#);
    config(test, &format!(r#"{{"mcpServers":{{"a":{good},"b":{good},"c":{last}}}}}"#))
}

// Field case 168.
#[test]
fn one_of_three_servers_down_is_6_and_the_others_are_printed() {
    let file = three("down", r#"{"command":"sh","args":["-c","exit 9"]}"#);
    let ran = run(&["--config", &file, "--json", "tools"]);
    let document = ran.check_status(6).json();
    let servers = document["servers"].as_array().unwrap();
    let states: Vec<_> = servers.iter().map(|it| (it["name"].as_str(), it["status"].as_str())).collect();
    let expected = [("a", "connected"), ("b", "connected"), ("c", "failed")];
    assert_eq!(states, expected.map(|(name, status)| (Some(name), Some(status))));
    assert_eq!(servers[0]["tools"].as_array().unwrap().len(), 15, "from all pages");
    assert_eq!(
        (&servers[2]["error"], &servers[2]["tools"]),
        (&"Transport closed".into(), &serde_json::json!([]))
    );
    assert!(ran.stderr.starts_with("error: c: Transport closed\n"), "{ran:?}");
}

#[test]
fn a_disabled_server_is_no_failure() {
    let file = three("off", r#"{"command":"sh","disabled":true}"#);
    let ran = run(&["--config", &file, "--json", "tools"]);
    assert_eq!(ran.check_status(0).json()["servers"][2]["status"], "disabled");
    assert_eq!(ran.stderr, "");
}

#[test]
fn one_server_alone_speaks_for_itself() {
    let file = config("alone", r#"{"mcpServers":{"a":{"command":"/nonexistent"}}}"#);
    run(&["--config", &file, "tools"]).check_status(3);
    run(&["--config", &file, "tools", "a"]).check_status(3);
}

#[test]
fn connecting_tells_who_the_servers_are() {
    let file = three("connect", r#"{"url":"http://127.0.0.1:1/"}"#);
    let ran = run(&["--config", &file, "--json", "servers", "--connect"]);
    let document = ran.check_status(6).json();
    let server = &document["servers"][0];
    assert_eq!((&server["status"], &server["protocolVersion"]), (&"connected".into(), &"2025-11-25".into()));
    assert_eq!(server["serverInfo"]["name"], "mcp-demo");
    assert!(document["servers"][2]["error"].as_str().unwrap().contains("127.0.0.1:1 refused"));
}

#[test]
fn tool_objects_are_as_the_server_sent_them() {
    let tools = r#"[{ "name":"a", "x":1e400, "inputSchema":{}},{"name":"b"}]"#;
    let server = script(&format!(r#"hello; next; answer '{{"tools":{tools}}}'; next"#));
    let expected = r#"{"servers":[{"name":"sh","status":"connected","tools":[{ "name":"a", "x":1e400, "inputSchema":{}},{"name":"b"}]}]}"#;
    run(&on_script(&["--json", "tools", "-"], &server)).check(0, &format!("{expected}\n"), "");
}

#[test]
fn tools_are_a_table_for_people() {
    let ran = run(&on_demo(&["tools", "-"]));
    let expected = "mcp-cli: 15 tools (Demo server 0.1.0, protocol 2025-11-25)\n  \
                    echo       Sends a text back.\n               text  string  required  What to send back.\n";
    assert!(ran.check_status(0).stdout.starts_with(expected), "{}", ran.stdout);
    assert!(
        !ran.stdout.contains('\u{1b}') && ran.stdout.lines().all(|line| line.len() <= 80),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_lazy_server_is_started_for_its_tools() {
    let file = three("lazy", &format!(r#"{{"command":"{PROGRAM}","args":["demo-server"],"lazy":true}}"#));
    let ran = run(&["--config", &file, "--json", "tools"]);
    assert_eq!(ran.check_status(0).json()["servers"][2]["status"], "connected");
}

#[test]
fn a_filter_holds_for_one_server_of_several() {
    let last = format!(r#"{{"command":"{PROGRAM}","args":["demo-server"],"tools":{{"allow":["echo"]}}}}"#);
    let ran = run(&["--config", &three("several-filter", &last), "--json", "tools"]);
    let document = ran.check_status(0).json();
    let counts = [0, 2].map(|at| document["servers"][at]["tools"].as_array().unwrap().len());
    assert_eq!(counts, [15, 1]);
}

// Field case 168.
#[test]
fn a_server_that_never_answers_is_a_timeout_among_several() {
    let file = three("silent", r#"{"command":"sh","args":["-c","cat >&2"],"start_timeout":300}"#);
    let ran = run(&["--config", &file, "--json", "tools"]);
    let text = "Connection to MCP server \"c\" timed out after 300ms";
    assert_eq!(ran.check_status(6).json()["servers"][2]["error"], text);
    let expected = format!(
        "error: c: {text}\n    command: sh\n    hint: --timeout MS gives it longer, --timeout 0 any time\n"
    );
    assert_eq!(ran.stderr, expected);
}
