//! Claude Code: `.mcp.json`, `~/.claude.json` and its lists.

use super::*;
use crate::config::{DisabledBy, State};

#[test]
fn a_project_file_is_read() {
    let text = r#"{
      "mcpServers": {
        "db": {"type": "stdio", "command": "npx", "args": ["-y", "db-server", "${DSN:-sqlite:x.db}"],
               "env": {"TOKEN": "${KEY}", "PRICE": "$5 $$"}},
        "docs": {"type": "http", "url": "https://${HOST:-docs.test}/mcp",
                 "headers": {"Authorization": "Bearer ${KEY}"},
                 "oauth": {"clientId": "abc", "scopes": "read write"}, "alwaysLoad": true},
        "old": {"type": "sse", "url": "https://old.test/sse"},
        "helped": {"type": "http", "url": "https://a.test/mcp", "headersHelper": "/opt/headers.sh"},
        "missing": {"command": "x", "env": {"A": "${GITHUB_TOKEN}"}},
        "socket": {"type": "ws", "url": "wss://a.test"}
      }
    }"#;
    let entries = entries("/p/.mcp.json", Host::ClaudeCode, text);
    let db = stdio(&entries, "db");
    assert_eq!(db.args, ["-y", "db-server", "sqlite:x.db"]);
    assert_eq!((db.env["TOKEN"].as_deref(), db.env["PRICE"].as_deref()), (Some("SECRET-1"), Some("$5 $$")));
    let (kind, url, headers) = remote(&entries, "docs");
    assert_eq!((kind, url.as_str()), ("http", "https://docs.test/mcp"));
    assert_eq!(headers, ["authorization: Bearer SECRET-1"]);
    assert_eq!(ready(&entries, "docs").extra["oauth"]["scopes"], "read write");
    assert_eq!(ready(&entries, "docs").extra["alwaysLoad"], true);
    assert!(warnings(named(&entries, "docs")).is_empty());
    assert_eq!(remote(&entries, "old").0, "sse");
    let helper =
        r#"Server "helped": "headersHelper" names a program that makes headers, and it is not run here"#;
    fails(&entries, "helped", helper);
    fails(&entries, "missing", r#"Server "missing": "env.A": the variable `GITHUB_TOKEN` is not set"#);
    fails(&entries, "socket", "Unknown server type: ws");
}

#[test]
fn a_users_file_has_servers_for_all_projects_and_for_this_one() {
    let text = r#"{
      "numStartups": 7, "tipsHistory": {"x": 1},
      "mcpServers": {"both": {"command": "user"}, "mine": {"command": "user"}},
      "projects": {
        "/elsewhere": {"mcpServers": {"other": {"command": "x"}}},
        "/p": {"history": [{"display": "hello"}], "mcpServers": {"both": {"command": "./local", "cwd": "w"}},
               "disabledMcpServers": ["mine"]}
      }
    }"#;
    let entries = entries("/h/.claude.json", Host::ClaudeCode, text);
    let found: Vec<_> = entries.iter().map(|it| (it.name.as_str(), it.origin.scope)).collect();
    assert_eq!(found, [("both", Scope::Local), ("both", Scope::Given), ("mine", Scope::Given)]);
    let local = stdio(&entries, "both");
    assert_eq!((local.command.as_str(), local.cwd.as_deref()), ("/p/./local", Some(Path::new("/p/w"))));
    assert!(matches!(entries[2].state, State::Disabled(DisabledBy::List { .. })));
}

#[test]
fn a_users_file_without_servers_has_none_and_a_project_file_must_have_some() {
    assert!(parse("/h/.claude.json", None, "{\"numStartups\": 1}").unwrap().entries.is_empty());
    let error = parse("/p/.mcp.json", None, "{}").unwrap_err();
    assert_eq!(error.to_string(), r#"config file /p/.mcp.json has no "mcpServers""#);
}

#[test]
fn lists_of_what_is_allowed_and_denied_hold() {
    let servers = r#""mcpServers": {
        "run": {"command": "./srv", "args": ["-a"]}, "fake": {"command": "other"},
        "in": {"type": "http", "url": "https://x.corp.test/mcp"}, "out": {"type": "http", "url": "https://b.test/mcp"}}"#;
    let on = |lists: &str| {
        let entries = entries("/p/.mcp.json", Host::ClaudeCode, &format!("{{{servers}, {lists}}}"));
        let on: Vec<_> = entries.into_iter().filter(|it| it.ready().is_some()).map(|it| it.name).collect();
        on.join(" ")
    };
    assert_eq!(on(r#""x": 1"#), "run fake in out");
    assert_eq!(
        on(r#""deniedMcpServers": [{"serverName": "fake"}, {"serverUrl": "https://*.corp.test/*"}]"#),
        "run out"
    );
    assert_eq!(on(r#""deniedMcpServers": [{"serverCommand": ["./srv", "-a"]}]"#), "fake in out");
    assert_eq!(on(r#""allowedMcpServers": []"#), "");
    assert_eq!(on(r#""allowedMcpServers": [{"serverName": "in"}, {"serverName": "run"}]"#), "run in");
    let strict = r#""allowedMcpServers": [{"serverName": "fake"}, {"serverCommand": ["./srv", "-a"]}]"#;
    assert_eq!(on(strict), "run");
    let both = r#""allowedMcpServers": [{"serverName": "in"}], "deniedMcpServers": [{"serverName": "in"}]"#;
    assert_eq!(on(both), "");
}
