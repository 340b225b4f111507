//! Gemini CLI: `httpUrl` against `url`, trust, lists of tools and of servers.

use std::time::Duration;

use super::*;
use crate::config::Approval;

const TEXT: &str = r#"{
  "theme": "Default",
  "mcp": {"allowed": ["py", "stream", "events", "missing"], "excluded": ["events"]},
  "mcpServers": {
    "py": {"command": "python", "args": ["-m", "srv"], "env": {"A": "$KEY", "B": "${KEY}"}, "cwd": "./srv",
           "timeout": 15000, "trust": true, "description": "mine",
           "includeTools": ["safe", "run(ls)"], "excludeTools": ["run"]},
    "stream": {"httpUrl": "https://a.test/mcp", "headers": {"K": "$KEY"}, "trust": false,
               "oauth": {"enabled": true}, "authProviderType": "google_credentials"},
    "events": {"url": "https://a.test/sse"},
    "missing": {"command": "c", "args": ["$NOPE"]},
    "unlisted": {"command": "c"}
  }
}"#;

#[test]
fn settings_are_read() {
    let entries = entries("/h/.gemini/settings.json", Host::GeminiCli, TEXT);
    let server = ready(&entries, "py");
    assert_eq!(server.timeout, Some(Duration::from_secs(15)));
    assert!(server.tools.shows("safe") && !server.tools.shows("run") && !server.tools.shows("other"));
    assert_eq!(server.approvals.default, Approval::Granted);
    let program = stdio(&entries, "py");
    assert_eq!(
        (program.env["A"].as_deref(), program.env["B"].as_deref()),
        (Some("SECRET-1"), Some("SECRET-1"))
    );
    let (kind, url, headers) = remote(&entries, "stream");
    assert_eq!(
        (kind, url.as_str(), headers.as_slice()),
        ("http", "https://a.test/mcp", &["k: SECRET-1".to_owned()][..])
    );
    assert!(ready(&entries, "stream").approvals.requires_approval("x"));
    fails(&entries, "missing", r#"Server "missing": "args[0]": the variable `NOPE` is not set"#);
    assert!(named(&entries, "events").is_disabled() && named(&entries, "unlisted").is_disabled());
    assert!(entries.iter().all(|entry| entry.warnings.is_empty()));
}

#[test]
fn a_bare_url_is_an_event_stream_unless_a_type_says_otherwise() {
    let text = r#"{"mcpServers":{"a":{"url":"http://a.test"},"b":{"url":"http://a.test","type":"http"}}}"#;
    let entries = entries("/h/.gemini/settings.json", Host::GeminiCli, text);
    assert_eq!((remote(&entries, "a").0, remote(&entries, "b").0), ("sse", "http"));
}

#[test]
fn a_project_cannot_trust_itself() {
    let path = Path::new("/p/.gemini/settings.json");
    let file = crate::config::parse(path, TEXT.as_bytes(), None, Scope::Project, &values()).unwrap();
    assert_eq!(ready(&file.entries, "py").approvals.default, Approval::Unstated);
    assert_eq!(stdio(&file.entries, "py").cwd.as_deref(), Some(Path::new("/p/./srv")));
}
