//! What a host has not approved is not started here either, and the reason names its setting.

use super::discovery::{find, servers};
use super::*;
use crate::config::DisabledBy;

#[track_caller]
fn off(folder: &Folder, name: &str) -> Option<String> {
    named(&find(folder, |_| {}).entries, name).disabled_by().map(|by| by.to_string())
}

fn project(folder: &Folder) -> String {
    folder.0.join("p").to_str().unwrap().replace('\\', "\\\\")
}

#[test]
fn what_claude_code_has_not_approved_is_off() {
    let folder = Folder::new("approve-claude");
    folder.write("p/.mcp.json", &servers(&["yes", "no"]));
    // It was never asked.
    assert_eq!(off(&folder, "no"), None);
    let project = project(&folder);
    let user = |lists: &str| format!(r#"{{"projects":{{"{project}":{{{lists}}}}}}}"#);
    folder.write("h/.claude.json", &user(r#""enabledMcpjsonServers":["yes"]"#));
    assert_eq!(off(&folder, "yes"), None);
    let reason = r#"not approved in the host's setting "enabledMcpjsonServers""#;
    assert_eq!(off(&folder, "no").as_deref(), Some(reason));
    folder.write("h/.claude.json", &user(r#""disabledMcpjsonServers":["no"]"#));
    assert_eq!(off(&folder, "no").as_deref(), Some(r#"by the host's setting "disabledMcpjsonServers""#));
    folder.write("h/.claude.json", &user(r#""enabledMcpjsonServers":[]"#));
    assert!(off(&folder, "yes").is_some());
    folder.write("h/.claude/settings.json", r#"{"enableAllProjectMcpServers":true}"#);
    assert_eq!(off(&folder, "yes"), None);
}

#[test]
fn a_project_approves_nothing_of_its_own() {
    let folder = Folder::new("approve-itself");
    folder.write("p/.mcp.json", &servers(&["a"]));
    folder.write("h/.claude/settings.json", r#"{"enabledMcpjsonServers":[]}"#);
    folder.write(
        "p/.claude/settings.json",
        r#"{"enableAllProjectMcpServers":true,"enabledMcpjsonServers":["a"]}"#,
    );
    assert!(off(&folder, "a").is_some());
    // There Claude Code keeps what its user answered.
    folder.write("p/.claude/settings.local.json", r#"{"enabledMcpjsonServers":["a"]}"#);
    assert_eq!(off(&folder, "a"), None);
}

#[test]
fn a_project_that_codex_does_not_know_is_not_approved_where_it_knows_others() {
    let folder = Folder::new("approve-codex");
    folder.write("p/.codex/config.toml", "[mcp_servers.a]\ncommand = 'c'\n");
    assert_eq!(off(&folder, "a"), None);
    folder.write("h/.codex/config.toml", "[projects.'/elsewhere']\ntrust_level = 'trusted'\n");
    let reason = r#"not approved in the host's setting "projects.PATH.trust_level""#;
    assert_eq!(off(&folder, "a").as_deref(), Some(reason));
    let itself = format!("[projects.'{}']\ntrust_level = 'trusted'\n", folder.0.join("p").display());
    folder.write("p/.codex/config.toml", &format!("[mcp_servers.a]\ncommand = 'c'\n{itself}"));
    assert_eq!(off(&folder, "a").as_deref(), Some(reason));
    folder.write("h/.codex/config.toml", &itself);
    assert_eq!(off(&folder, "a"), None);
}

#[test]
fn each_reason_names_its_setting() {
    let reason = |host: Host, path: &str, text: &str| {
        let found = entries(path, host, text);
        found[0].disabled_by().map(|by| by.to_string()).unwrap_or_default()
    };
    let gemini = r#"{"mcp":{"LIST":["LISTED"]},"mcpServers":{"a":{"command":"c"}}}"#;
    let gemini = |list: &str, name: &str| gemini.replace("LISTED", name).replace("LIST", list);
    let path = "h/.gemini/settings.json";
    assert!(reason(Host::GeminiCli, path, &gemini("excluded", "a")).contains(r#""mcp.excluded""#));
    assert!(reason(Host::GeminiCli, path, &gemini("allowed", "b")).contains(r#""mcp.allowed""#));
    let denied = r#"{"deniedMcpServers":[{"serverCommand":["c"]}],"mcpServers":{"a":{"command":"c"}}}"#;
    assert!(reason(Host::ClaudeCode, "h/.mcp.json", denied).contains(r#""deniedMcpServers""#));
    assert_eq!(DisabledBy::Entry.to_string(), "its entry says so");
}
