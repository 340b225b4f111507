//! Codex: TOML, seconds, tokens by the names of variables, modes of approval.

use std::time::Duration;

use mcp_transport_stdio::EnvPolicy;

use super::*;
use crate::config::Approval;

const TEXT: &str = r#"
model = "x"
[projects."/p"]
trust_level = "trusted"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-server"]
env = { MODE = "fast", "QUOTED NAME" = "${KEY}" }
env_vars = ["KEY", { name = "EMPTY" }, { name = "UNSET", source = "local" }]
startup_timeout_sec = 20
tool_timeout_sec = 90.5
enabled_tools = ["search", "open", "wr*"]
disabled_tools = ["open"]
required = true
supports_parallel_tool_calls = false

[mcp_servers.docs.tools.search]
approval_mode = "approve"
[mcp_servers.docs.tools.write]
approval_mode = "prompt"

[mcp_servers.web]
url = "https://web.test/mcp"
bearer_token_env_var = "KEY"
http_headers = { "X-Region" = "eu" }
env_http_headers = { "X-Extra" = "KEY" }
startup_timeout_ms = 15_000
default_tools_approval_mode = "prompt"
scopes = ["read"]

[mcp_servers.inline]
url = "https://web.test/mcp"
bearer_token = "SECRET-1"

[mcp_servers.unset]
url = "https://web.test/mcp"
bearer_token_env_var = "NOPE"

[mcp_servers.empty]
url = "https://web.test/mcp"
bearer_token_env_var = "EMPTY"

[mcp_servers.far]
command = "x"
experimental_environment = "remote"

[mcp_servers.far_variable]
command = "x"
env_vars = [{ name = "KEY", source = "remote" }]

[mcp_servers.off]
command = "x"
enabled = false
"#;

#[test]
fn a_file_is_read() {
    let entries = entries("/h/.codex/config.toml", Host::Codex, TEXT);
    let names: Vec<_> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["docs", "web", "inline", "unset", "empty", "far", "far_variable", "off"]);

    let docs = ready(&entries, "docs");
    assert_eq!(docs.start_timeout, Some(Duration::from_secs(20)));
    assert_eq!(docs.timeout, Some(Duration::from_millis(90_500)));
    assert!(docs.tools.shows("search") && !docs.tools.shows("open") && !docs.tools.shows("write"));
    assert_eq!(docs.extra.keys().collect::<Vec<_>>(), ["required", "supports_parallel_tool_calls"]);
    let program = stdio(&entries, "docs");
    assert_eq!(program.env_policy, EnvPolicy::Clean);
    let env: Vec<_> = program.env.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect();
    // Nothing is filled in: Codex knows no variables in values.
    assert_eq!(env, [("KEY", Some("SECRET-1")), ("MODE", Some("fast")), ("QUOTED NAME", Some("${KEY}"))]);

    let (kind, _, headers) = remote(&entries, "web");
    assert_eq!(kind, "http");
    assert_eq!(headers, ["x-region: eu", "x-extra: SECRET-1", "authorization: Bearer SECRET-1"]);
    assert_eq!(ready(&entries, "web").start_timeout, Some(Duration::from_secs(15)));
    assert!(named(&entries, "off").is_disabled());
    assert!(entries.iter().all(|entry| entry.warnings.is_empty()));
}

#[test]
fn a_name_with_a_star_does_not_become_a_pattern() {
    let entries = entries("/h/.codex/config.toml", Host::Codex, TEXT);
    let allow = ready(&entries, "docs").tools.allow.as_ref().unwrap();
    assert_eq!(allow.iter().map(|glob| glob.as_str()).collect::<Vec<_>>(), ["search", "open"]);
}

#[test]
fn what_would_widen_or_leak_is_refused() {
    let entries = entries("/h/.codex/config.toml", Host::Codex, TEXT);
    let inline = r#"Server "inline": "bearer_token" is a secret in the file, which Codex rejects: use "bearer_token_env_var""#;
    fails(&entries, "inline", inline);
    assert!(!format!("{:?}", named(&entries, "inline")).contains("SECRET-1"));
    fails(&entries, "unset", r#"Server "unset": "bearer_token_env_var": the variable `NOPE` is not set"#);
    fails(&entries, "empty", r#"Server "empty": "bearer_token_env_var": the variable `EMPTY` is empty"#);
    let far = r#"Server "far": "experimental_environment" wants the server on another machine, and it would be on this one"#;
    fails(&entries, "far", far);
    fails(
        &entries,
        "far_variable",
        r#"Server "far_variable": "env_vars" names a variable of another machine"#,
    );
}

#[test]
fn modes_of_approval_are_not_lost() {
    let entries = entries("/h/.codex/config.toml", Host::Codex, TEXT);
    let docs = &ready(&entries, "docs").approvals;
    assert_eq!((docs.of("search"), docs.of("write")), (Approval::Granted, Approval::Required));
    assert_eq!(docs.of("other"), Approval::Unstated);
    assert!(docs.requires_approval("write") && !docs.requires_approval("search"));
    assert!(ready(&entries, "web").approvals.requires_approval("anything"));
}

#[test]
fn a_project_cannot_grant_itself_approval_and_an_unknown_mode_requires_it() {
    let text = "[mcp_servers.a]\ncommand = 'c'\ndefault_tools_approval_mode = 'approve'\n\
                [mcp_servers.a.tools.t]\napproval_mode = 'ask-twice'\n";
    let path = Path::new("/p/.codex/config.toml");
    let file = crate::config::parse(path, text.as_bytes(), None, Scope::Project, &values()).unwrap();
    let approvals = &ready(&file.entries, "a").approvals;
    assert_eq!((approvals.default, approvals.of("t")), (Approval::Unstated, Approval::Required));
}

#[test]
fn a_file_without_servers_has_none() {
    for text in ["", "# nothing\n", "model = 'x'\n", "\u{feff}model = 'x'\n"] {
        assert!(parse("config.toml", None, text).unwrap().entries.is_empty(), "{text:?}");
    }
}

#[test]
fn numbers_of_all_forms_are_read() {
    let text = "[mcp_servers.a]\ncommand = 'c'\nstartup_timeout_sec = 0x10\ntool_timeout_sec = 1_0.5\nx = 0b11\ny = 1979-05-27\n";
    let entries = entries("config.toml", Host::Codex, text);
    let server = ready(&entries, "a");
    assert_eq!(server.start_timeout, Some(Duration::from_secs(16)));
    assert_eq!(server.timeout, Some(Duration::from_millis(10_500)));
    assert_eq!((&server.extra["x"], &server.extra["y"]), (&3.into(), &"1979-05-27".into()));
    let entries = super::entries(
        "config.toml",
        Host::Codex,
        "[mcp_servers.a]\ncommand = 'c'\ntool_timeout_sec = nan\n",
    );
    fails(&entries, "a", r#"Server "a": "tool_timeout_sec" must be a number of seconds, 0 or more, not nan"#);
}
