//! Which files are found and which entry of a name counts.

use super::*;
use crate::config::{DisabledBy, DiscoverOptions, Discovered, Platform, State, discover, discover_with};

pub(super) fn find(folder: &Folder, change: impl FnOnce(&mut DiscoverOptions)) -> Discovered {
    let mut options = DiscoverOptions {
        platform: Platform::Linux,
        managed_folder: folder.0.join("etc"),
        project_files: true,
        ..DiscoverOptions::default()
    };
    change(&mut options);
    let values = Values {
        home: Some(folder.0.join("h")),
        workspace: Some(folder.0.join("p")),
        ..Values::of_env(&env)
    };
    discover(&options, &values)
}

/// `NAME=FILE` of all entries that count, the file without the test's folder.
fn counting(folder: &Folder, found: &Discovered) -> Vec<String> {
    let show = |entry: &Entry| {
        let file = entry.origin.file.strip_prefix(&folder.0).unwrap();
        format!("{}={}", entry.name, file.display())
    };
    found.entries.iter().map(show).collect()
}

pub(super) fn servers(names: &[&str]) -> String {
    let servers: Vec<_> = names.iter().map(|name| format!(r#""{name}":{{"command":"c"}}"#)).collect();
    format!(r#"{{"mcpServers":{{{}}}}}"#, servers.join(","))
}

#[test]
fn project_files_are_read_only_when_asked_for() {
    let folder = Folder::new("asked");
    folder.write("h/.cursor/mcp.json", &servers(&["mine"]));
    folder.write("p/.cursor/mcp.json", &servers(&["theirs"]));
    folder.write("p/.mcp.json", "broken");
    let found = find(&folder, |options| options.project_files = false);
    assert_eq!(counting(&folder, &found), ["mine=h/.cursor/mcp.json"]);
    assert!(found.failed.is_empty());
    let found = find(&folder, |_| {});
    assert_eq!(counting(&folder, &found), ["theirs=p/.cursor/mcp.json", "mine=h/.cursor/mcp.json"]);
    assert_eq!(found.failed.len(), 1);
    assert_eq!(found.files.len(), 2);
    assert!(!DiscoverOptions::default().project_files);
}

#[test]
fn the_nearest_scope_counts_and_then_the_earlier_host() {
    let folder = Folder::new("scopes");
    let project = folder.0.join("p").to_str().unwrap().replace('\\', "\\\\");
    let claude = format!(
        r#"{{"mcpServers":{{"a":{{"command":"user"}},"d":{{"command":"user"}}}},
            "projects":{{"{project}":{{"mcpServers":{{"a":{{"command":"local"}}}}}}}}}}"#
    );
    folder.write("h/.claude.json", &claude);
    folder.write("p/.mcp.json", &servers(&["a", "b"]));
    folder.write("p/mcp-servers.json", &servers(&["b", "c"]));
    folder.write("h/.config/mcp/servers.json", &servers(&["c", "d", "e"]));
    folder.write("p/opencode.json", r#"{"mcp":{"e":{"enabled":false}}}"#);
    let found = find(&folder, |_| {});
    let expected = [
        "a=h/.claude.json",
        "b=p/mcp-servers.json",
        "c=p/mcp-servers.json",
        "e=p/opencode.json",
        "d=h/.config/mcp/servers.json",
    ];
    assert_eq!(counting(&folder, &found), expected);
    assert_eq!(stdio(&found.entries, "a").command, "local");
    // What is off near by is not turned on from afar.
    assert!(named(&found.entries, "e").is_disabled());
    let shadowed: Vec<_> = found.shadowed.iter().map(|it| it.entry.name.as_str()).collect();
    assert_eq!(shadowed, ["a", "b", "c", "e", "a", "d"]);
    assert!(found.shadowed[0].by.file.ends_with(".claude.json"));

    let found = find(&folder, |options| options.hosts = vec![Host::ClaudeCode, Host::Own]);
    assert!(counting(&folder, &found).contains(&"b=p/.mcp.json".to_owned()));
}

#[test]
fn a_bad_entry_does_not_let_a_weaker_one_through() {
    let folder = Folder::new("bad");
    folder.write("p/mcp-servers.json", r#"{"mcpServers":{"a":{"command":"${NOPE}"}}}"#);
    folder.write("h/.config/mcp/servers.json", &servers(&["a"]));
    let found = find(&folder, |_| {});
    assert!(named(&found.entries, "a").error().is_some());
    assert_eq!(found.shadowed.len(), 1);
}

#[test]
fn an_administrators_file_turns_other_servers_of_its_host_off() {
    let folder = Folder::new("managed");
    folder.write("etc/managed-mcp.json", &servers(&["theirs"]));
    folder.write("h/.claude.json", &servers(&["mine", "theirs"]));
    folder.write("h/.cursor/mcp.json", &servers(&["cursor"]));
    let found = find(&folder, |_| {});
    assert!(named(&found.entries, "theirs").ready().is_some());
    assert!(matches!(named(&found.entries, "mine").state, State::Disabled(DisabledBy::Managed)));
    assert!(named(&found.entries, "cursor").ready().is_some());
    // One that cannot be read may have said anything.
    folder.write("etc/managed-mcp.json", "{");
    let found = find(&folder, |_| {});
    assert!(named(&found.entries, "mine").is_disabled() && !found.failed.is_empty());
}

#[test]
fn lists_hold_across_the_files_of_a_host() {
    let folder = Folder::new("lists");
    folder.write("etc/managed-settings.json", r#"{"deniedMcpServers":[{"serverName":"denied"}]}"#);
    folder.write(
        "h/.claude/settings.json",
        r#"{"disabledMcpjsonServers":["no"],"mcpServers":{"x":{"command":"c"}}}"#,
    );
    folder.write("h/.claude.json", &servers(&["denied", "mine"]));
    folder.write("p/.mcp.json", &servers(&["no", "yes"]));
    let found = find(&folder, |_| {});
    let off: Vec<_> = found.entries.iter().filter(|it| it.is_disabled()).map(|it| it.name.as_str()).collect();
    assert_eq!(off, ["no", "denied"]);
    assert!(found.entries.iter().all(|entry| entry.name != "x"));
    folder.write("h/.gemini/settings.json", r#"{"mcp":{"excluded":["g"]}}"#);
    folder.write("p/.gemini/settings.json", &servers(&["g"]));
    assert!(named(&find(&folder, |_| {}).entries, "g").is_disabled());
}

#[test]
fn a_project_that_codex_does_not_trust_starts_nothing() {
    let folder = Folder::new("trust");
    folder.write("p/.codex/config.toml", "[mcp_servers.a]\ncommand = 'c'\n");
    let user =
        |level: &str| format!("[projects.'{}']\ntrust_level = '{level}'\n", folder.0.join("p").display());
    folder.write("h/.codex/config.toml", &user("trusted"));
    assert!(named(&find(&folder, |_| {}).entries, "a").ready().is_some());
    folder.write("h/.codex/config.toml", &user("untrusted"));
    assert!(named(&find(&folder, |_| {}).entries, "a").is_disabled());
}

#[test]
fn without_files_nothing_is_found() {
    let found = find(&Folder::new("nothing"), |_| {});
    assert!(found.entries.is_empty() && found.failed.is_empty() && found.files.is_empty());
    let found = discover(
        &DiscoverOptions { hosts: vec![Host::Own], ..DiscoverOptions::default() },
        &Values::default(),
    );
    assert!(found.entries.is_empty());
}

#[test]
fn a_file_of_the_project_counts_only_if_it_is_admitted_and_as_it_was_then() {
    let folder = Folder::new("admit");
    let file = folder.write("p/.mcp.json", &servers(&["a"]));
    folder.write("p/.cursor/mcp.json", "broken");
    folder.write("h/.cursor/mcp.json", &servers(&["a"]));
    let mut options = DiscoverOptions::default();
    (options.platform, options.project_files) = (Platform::Linux, true);
    options.managed_folder = folder.0.join("etc");
    let values = Values {
        home: Some(folder.0.join("h")),
        workspace: Some(folder.0.join("p")),
        ..Values::of_env(&env)
    };
    let found = discover_with(&options, &values, &mut |_, _, _| false);
    assert_eq!(counting(&folder, &found), ["a=h/.cursor/mcp.json"]);
    assert_eq!((found.refused.len(), found.failed.len()), (2, 0));
    let mut seen = Vec::new();
    let found = discover_with(&options, &values, &mut |path, host, bytes| {
        seen.push((host, bytes.len()));
        // It changes after it was seen.
        std::fs::write(&file, "{").unwrap();
        path == file
    });
    assert_eq!(counting(&folder, &found), ["a=p/.mcp.json"]);
    assert_eq!(seen, [(Host::ClaudeCode, servers(&["a"]).len()), (Host::Cursor, 6)]);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_holds_nobody_up() {
    let folder = Folder::new("pipe");
    folder.write("p/keep", "");
    let made = std::process::Command::new("mkfifo").arg(folder.0.join("p/.mcp.json")).status().unwrap();
    assert!(made.success());
    assert_eq!(find(&folder, |_| {}).failed.len(), 1);
}
