//! Files that are found without being named, and which of them counts.

use crate::run::config;
use crate::world::{World, demo, marker};

const USER: &str = "home/.config/mcp/servers.json";

#[test]
fn files_of_the_user_are_found_without_being_named() {
    let world = World::new("user");
    world.write(USER, demo(&["s"]));
    world.write("home/.cursor/mcp.json", demo(&["t"]));
    world.run(&["call", "s", "echo", "text=x"]).check(0, "x\n", "");
    world.run(&["call", "t", "echo", "text=x"]).check(0, "x\n", "");
    assert_eq!(
        world.run(&["--json", "tools"]).check_status(0).json()["servers"].as_array().unwrap().len(),
        2
    );
}

#[test]
fn with_a_named_file_nothing_else_is_loaded_and_no_trust_is_needed() {
    let world = World::new("named");
    world.write(USER, demo(&["user"]));
    world.write("project/.mcp.json", demo(&["project"]));
    let file = config("named-only", &demo(&["given"]));
    let ran = world.run(&["--config", &file, "--json", "servers"]);
    let document = ran.check_status(0).json();
    let names: Vec<_> =
        document["servers"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!((names, ran.stderr.as_str()), (vec!["given"], ""));
    // The file of a project as well, if it is named.
    world.run(&["--config", ".mcp.json", "call", "project", "echo", "text=x"]).check(0, "x\n", "");
}

// Field case 175.
#[test]
fn a_project_starts_nothing_that_is_not_trusted() {
    let world = World::new("untrusted");
    let mark = world.path("started");
    let file = world.write("project/.mcp.json", marker("evil", &mark));
    world.write(USER, demo(&["s"]));
    let ran = world.run(&["--json", "tools"]);
    assert_eq!(ran.check_status(0).json()["servers"].as_array().unwrap().len(), 1);
    let note = format!("note: {file} is left out: it is not trusted; to trust it: mcp-cli trust {file}\n");
    assert_eq!(ran.stderr, note);
    let ran = world.run(&["ping", "evil"]);
    let expected = format!(
        "error: evil: the server is in a file of this project that is not trusted\n    in {file}\n    \
         hint: look at it, then run: mcp-cli trust {file}\n"
    );
    ran.check(2, "", &expected);
    // What has nothing to do with the project hears nothing of it.
    world.run(&["call", "s", "echo", "text=x"]).check(0, "x\n", "");
    world.run(&["ping", "-", "--", "sh", "-c", "exit 1"]).check_status(3);
    assert_eq!(world.run(&["servers"]).check_status(0).stderr, note);
    assert!(!std::fs::exists(mark).unwrap());
}

#[test]
fn a_trusted_project_counts_more_than_the_user() {
    let world = World::new("precedence");
    world.write(USER, r#"{"mcpServers":{"s":{"command":"/nonexistent"}}}"#);
    world.write("project/.mcp.json", demo(&["s"]));
    let ran = world.run(&["ping", "s"]);
    assert!(ran.check_status(3).stderr.contains("is left out"), "{ran:?}");
    world.run(&["trust"]).check_status(0);
    world.run(&["call", "s", "echo", "text=x"]).check(0, "x\n", "");
}

#[test]
fn servers_tells_the_source_of_each_and_why_one_is_off() {
    let world = World::new("sources");
    let user = world.write(USER, demo(&["mine"]));
    let gemini = r#"{"mcp":{"excluded":["off"]},"mcpServers":{"off":{"command":"c"}}}"#;
    let gemini = world.write("home/.gemini/settings.json", gemini);
    let ran = world.run(&["--json", "servers"]);
    let document = ran.check_status(0).json();
    let expected = serde_json::json!({ "servers": [
        { "name": "mine", "type": "stdio", "source": user, "scope": "user", "host": "own", "enabled": true,
          "status": "pending" },
        { "name": "off", "type": "stdio", "source": gemini, "scope": "user", "host": "gemini-cli",
          "enabled": false, "reason": "by the host's setting \"mcp.excluded\"", "status": "disabled" },
    ] });
    assert_eq!(document, expected);
    let page = world.run(&["servers"]).stdout;
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(":1 user own off stdio disabled"), "{page}");
    assert!(words.ends_with("disabled: by the host's setting \"mcp.excluded\""), "{page}");
    let ran = world.run(&["ping", "off"]);
    assert!(ran.check_status(2).stderr.contains("disabled: by the host's setting"), "{ran:?}");
}

#[test]
fn a_server_that_its_host_has_not_approved_is_off() {
    let world = World::new("approved");
    world.write("project/.mcp.json", demo(&["s"]));
    world.write("home/.claude/settings.json", r#"{"enabledMcpjsonServers":[]}"#);
    world.run(&["trust"]).check_status(0);
    let ran = world.run(&["ping", "s"]);
    let reason = "disabled: not approved in the host's setting \"enabledMcpjsonServers\"\n";
    assert!(ran.check_status(2).stderr.contains(reason), "{ran:?}");
}

#[test]
fn a_broken_file_that_is_found_is_told_and_spoils_no_other() {
    let world = World::new("broken");
    world.write(USER, demo(&["s"]));
    let broken = world.write("home/.cursor/mcp.json", "{");
    let ran = world.run(&["call", "s", "echo", "text=x"]);
    ran.check(0, "x\n", &format!("note: config file {broken} is not valid JSON; it is left out\n"));
}

#[test]
fn where_nothing_is_found_it_says_what_to_do() {
    let world = World::new("nothing");
    for args in [&["tools"][..], &["servers"], &["ping", "s"]] {
        let ran = world.run(args);
        assert!(ran.check_status(2).stderr.contains("hint: --config FILE"), "{ran:?}");
    }
}
