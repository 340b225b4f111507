//! `config import`: servers of other applications in our own format.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::run::PROGRAM;
use crate::world::{World, demo};

#[test]
fn servers_are_printed_with_their_variables_as_they_are_written() {
    let world = World::new("import");
    let text = r#"{"mcpServers":{
        "a":{"url":"https://a.test/${env:NOPE_NOT_SET}","headers":{"A":"Bearer ${env:NOPE_NOT_SET}"}},
        "off":{"command":"c","disabled":true,"auth":{}}}}"#;
    world.write("home/.cursor/mcp.json", text);
    let ran = world.run(&["config", "import", "--from", "cursor"]);
    let expected = json!({"mcpServers":{
        "a":{"type":"http","url":"https://a.test/${NOPE_NOT_SET}","headers":{"A":"Bearer ${NOPE_NOT_SET}"}},
        "off":{"command":"c","enabled":false}}});
    assert_eq!(ran.check_status(0).json(), expected);
    let warnings = "warning: off: \"auth\" has no counterpart and is left out\n\
                    warning: off: the server stays disabled: its entry says so\n";
    assert_eq!(ran.stderr, warnings);
}

#[test]
fn what_cannot_be_taken_over_is_told_and_left_out() {
    let world = World::new("import-refused");
    let text = r#"{"mcpServers":{"a":{"type":"http","url":"https://a.test","headersHelper":"x"},"b":{"command":"c"}}}"#;
    world.write("home/.claude.json", text);
    let ran = world.run(&["config", "import", "--from", "claude-code"]);
    assert_eq!(ran.check_status(6).json(), json!({"mcpServers":{"b":{"command":"c"}}}));
    assert!(ran.stderr.contains("headersHelper") && ran.stderr.contains("    it is left out\n"), "{ran:?}");
}

#[test]
fn every_host_has_its_name() {
    let world = World::new("import-names");
    for host in [
        "claude-code",
        "claude-desktop",
        "vscode",
        "cursor",
        "windsurf",
        "codex",
        "gemini",
        "zed",
        "opencode",
    ] {
        let ran = world.run(&["config", "import", "--from", host]);
        assert!(ran.check_status(2).stderr.contains(" has no servers here"), "{ran:?}");
    }
    for host in ["own", "emacs", ""] {
        let ran = world.run(&["config", "import", "--from", host]);
        assert!(ran.check_status(2).stderr.contains("the applications are claude-code"), "{ran:?}");
    }
}

#[test]
fn a_project_that_is_not_trusted_is_not_taken_over() {
    let world = World::new("import-project");
    world.write("project/.cursor/mcp.json", demo(&["theirs"]));
    world.write("home/.cursor/mcp.json", demo(&["mine"]));
    let ran = world.run(&["config", "import", "--from", "cursor"]);
    assert!(ran.stderr.contains("is left out") && !ran.stdout.contains("theirs"), "{ran:?}");
}

#[test]
fn servers_are_added_to_a_file_and_what_is_there_stays() {
    let world = World::new("import-to");
    world.write("home/.cursor/mcp.json", demo(&["a", "b"]));
    let file = world.path("project/servers.json");
    let import = |more: &[&str]| {
        let args = ["config", "import", "--from", "cursor", "--to", "servers.json"];
        world.run(&[&args[..], more].concat())
    };
    import(&[]).check(0, "", "note: 2 servers added to servers.json\n");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    world.run(&["--config", &file, "call", "b", "echo", "text=x"]).check(0, "x\n", "");
    let other = r#"{"disabledServers":["z"],"mcpServers":{"a":{"command":"kept"}}}"#;
    world.write("project/servers.json", other);
    let ran = import(&[]);
    assert!(
        ran.check_status(0).stderr.starts_with("warning: a: the file has a server of this name"),
        "{ran:?}"
    );
    let read = || serde_json::from_slice::<serde_json::Value>(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(
        (&read()["mcpServers"]["a"]["command"], &read()["disabledServers"]),
        (&"kept".into(), &json!(["z"]))
    );
    assert_eq!(read()["mcpServers"]["b"]["command"], PROGRAM);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    import(&["--force"]).check_status(0);
    assert_eq!(read()["mcpServers"]["a"]["command"], PROGRAM);
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640, "what is there keeps its permissions");
    let left: Vec<_> = std::fs::read_dir(world.path("project")).unwrap().collect();
    assert_eq!(left.len(), 1);
}

// Field case 158.
#[test]
fn a_file_that_would_lose_something_is_not_rewritten() {
    let world = World::new("import-kept");
    world.write("home/.cursor/mcp.json", demo(&["b"]));
    for text in [
        "{ // mine\n\"mcpServers\":{}}",
        "{",
        "",
        "[]",
        r#"{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}"#,
        r#"{"servers":{}}"#,
    ] {
        let file = world.write("project/servers.json", text);
        let ran = world.run(&["config", "import", "--from", "cursor", "--to", "servers.json"]);
        assert!(ran.check_status(2).stderr.starts_with("error: "), "{ran:?}");
        assert_eq!(std::fs::read_to_string(file).unwrap(), text);
    }
}

#[test]
fn lists_of_tools_and_inputs_are_taken_over() {
    let world = World::new("import-lists");
    let codex = "[mcp_servers.a]\ncommand = 'c'\nenabled_tools = ['x']\ndisabled_tools = ['y']\n";
    world.write("home/.codex/config.toml", codex);
    let document = world.run(&["config", "import", "--from", "codex"]).check_status(0).json();
    assert_eq!(document["mcpServers"]["a"]["tools"], json!({"allow":["x"],"deny":["y"]}));
    let vscode = r#"{"inputs":[{"id":"api-key","description":"Key","password":true}],
        "servers":{"a":{"command":"c","env":{"K":"${input:api-key}"}}}}"#;
    world.write(
        if cfg!(target_os = "macos") {
            "home/Library/Application Support/Code/User/mcp.json"
        } else {
            "home/.config/Code/User/mcp.json"
        },
        vscode,
    );
    let ran = world.run(&["config", "import", "--from", "vscode"]);
    assert_eq!(ran.check_status(0).json()["mcpServers"]["a"]["env"], json!({"K":"${MCP_INPUT_api_key}"}));
    assert_eq!(ran.stderr, "warning: a: set the variable MCP_INPUT_api_key, which the host asks for: Key\n");
}
