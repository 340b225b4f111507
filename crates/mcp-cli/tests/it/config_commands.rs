//! `config explain` and `config check`.

use crate::run::{config, run};
use crate::world::{World, demo};

#[test]
fn explain_tells_where_each_value_stands_and_what_does_not_count() {
    let world = World::new("explain");
    let text = r#"{"mcpServers":{"s":{
        "url":"https://u:SECRET-1@a.test/mcp?k=SECRET-1",
        "headers":{"X-Key":"SECRET-1"},
        "timeout":5}}}"#;
    let file = world.write("home/.config/mcp/servers.json", text);
    let other = world.write("home/.cursor/mcp.json", demo(&["s"]));
    let ran = world.run(&["--json", "config", "explain", "s"]);
    let document = ran.check_status(0).json();
    assert_eq!(document["server"]["origin"]["scope"], "user");
    let value = |field: &str| {
        let values = document["values"].as_array().unwrap();
        let value = values.iter().find(|it| it["field"] == field).unwrap();
        (value["value"].as_str().unwrap(), value["origin"]["line"].as_u64())
    };
    assert_eq!(value("headers.x-key"), ("***", Some(3)));
    assert_eq!(value("timeout"), ("5 ms", Some(4)));
    assert_eq!(value("start_timeout"), ("default", None));
    assert_eq!(value("url").1, Some(2));
    assert_eq!(document["shadowed"][0]["origin"]["file"], other.as_str());
    assert!(!ran.stdout.contains("SECRET-1"), "{ran:?}");
    let page = world.run(&["config", "explain", "s"]).stdout;
    assert!(page.contains(&format!("from {file}:1 (own, user)")), "{page}");
    assert!(page.contains(&format!("does not count: {other}:1 (cursor, user), stdio, enabled")), "{page}");
    assert!(!page.contains("SECRET-1"), "{page}");
}

#[test]
fn explain_shows_what_a_later_file_shadows() {
    let first = config("explain-first", r#"{"mcpServers":{"s":{"command":"a"}}}"#);
    let second =
        config("explain-second", r#"{"mcpServers":{"s":{"command":"b","args":["--token","SECRET-1"]}}}"#);
    let ran = run(&["--config", &first, "--config", &second, "--json", "config", "explain", "s"]);
    let document = ran.check_status(0).json();
    assert_eq!(document["server"]["origin"]["file"], second.as_str());
    assert_eq!(document["shadowed"][0]["origin"]["file"], first.as_str());
    assert!(!ran.stdout.contains("SECRET-1"), "{ran:?}");
}

// Field case 156.
#[test]
fn explain_of_a_broken_server_is_2_and_names_what_is_wrong() {
    let file = config("explain-broken", r#"{"mcpServers":{"s":{"command":"${NOPE_NOT_SET}"}}}"#);
    let ran = run(&["--config", &file, "config", "explain", "s"]);
    assert!(ran.check_status(2).stderr.contains("`NOPE_NOT_SET` is not set"), "{ran:?}");
    run(&["--config", &file, "config", "explain", "t"]).check_status(2);
}

// Field case 157.
#[test]
fn explain_of_a_server_that_is_off_asks_for_no_variable() {
    let file = config("explain-off", r#"{"mcpServers":{"s":{"command":"${NOPE_NOT_SET}","disabled":true}}}"#);
    let ran = run(&["--config", &file, "config", "explain", "s"]);
    assert!(ran.check_status(0).stdout.contains("disabled: its entry says so"), "{ran:?}");
}

// Field cases 159 and 160.
#[test]
fn check_lists_every_error_and_warning_with_its_place() {
    let text = r#"{"mcpServers":{
        "line":{"command":"srv --x 1"},
        "kind":{"type":"ws","url":"ws://a.test"},
        "args":{"command":"x","args":["a",7]}}}"#;
    let file = config("check", text);
    let ran = run(&["config", "check", &file]);
    let expected = format!(
        "{file}:2:27: warning: Server \"line\": \"command\" is one program name, spaces and all; its arguments go into \"args\"\n\
         {file}:3:24: error: Unknown server type: ws (field \"type\")\n    hint: the types are \"stdio\", \"http\" and \"sse\"\n\
         {file}:4:43: error: Server \"args\": \"args[1]\" must be a string, not a number (field \"args[1]\")\n"
    );
    ran.check(2, &expected, "");
    let document = run(&["--json", "config", "check", &file]).json();
    let problem = &document["problems"][2];
    assert_eq!((&problem["line"], &problem["field"]), (&4.into(), &"args[1]".into()));
}

// Field case 158.
#[test]
fn check_of_broken_files_is_2_and_of_odd_ones_0() {
    let broken = config("check-broken", "{\n  7}");
    let ran = run(&["config", "check", &broken]);
    let expected =
        format!("{broken}:2:3: error: config file {broken} is not valid JSON: key must be a string");
    assert!(ran.check_status(2).stdout.starts_with(&expected), "{ran:?}");
    let odd = config(
        "check-odd",
        "\u{feff}{ // ours\n\"mcpServers\": {\"a\": {\"command\": \"x\", \"colour\": 1,},},}",
    );
    let ran = run(&["config", "check", &odd]);
    assert!(ran.check_status(0).stdout.contains("warning: Server \"a\": unknown key \"colour\""), "{ran:?}");
    run(&["config", "check", "/nonexistent.json"]).check_status(2);
}

#[test]
fn check_looks_into_all_that_is_found_and_starts_nothing() {
    let world = World::new("check");
    world.write("home/.config/mcp/servers.json", demo(&["s"]));
    world.run(&["config", "check"]).check(0, "1 files, nothing is wrong\n", "");
    let file = world.write("project/.mcp.json", r#"{"mcpServers":{"a":{}}}"#);
    let ran = world.run(&["config", "check"]);
    assert!(ran.check_status(2).stdout.starts_with(&format!("{file}:1:")), "{ran:?}");
}

// Field case 155.
#[test]
fn variables_are_filled_in_once_in_every_field() {
    let program = crate::run::PROGRAM;
    let file = config(
        "filled",
        &format!(
            r#"{{"mcpServers":{{"s":{{"command":"${{SHELL_NAME:-sh}}","cwd":"${{NOWHERE:-/}}","env":{{"V":"$${{V}}"}},
                "args":["-c","echo \"$$V $$(pwd) ${{W:-w}}\" >&2; exec {program} demo-server"]}}}}}}"#
        ),
    );
    let ran = run(&["-v", "--config", &file, "ping", "s"]);
    assert!(ran.check_status(0).stderr.contains(" / w"), "{ran:?}");
    assert!(!ran.stderr.contains("${W"), "{ran:?}");
}
