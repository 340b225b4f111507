//! An entry of a host in our own format is the same server, and allows no more.

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use super::*;

/// The environment in which an exported entry is read: what a host knows by itself are variables here.
fn env(name: &str) -> Result<String, VarError> {
    match name {
        "KEY" => Ok("SECRET-1".to_owned()),
        "LOOKS" => Ok("${KEY}$$*".to_owned()),
        "HOME" | "USERPROFILE" => Ok("/h".to_owned()),
        "workspaceFolder" => Ok("/p".to_owned()),
        "MCP_INPUT_tok" => Ok("T".to_owned()),
        _ => Err(VarError::NotPresent),
    }
}

fn read(path: &str, host: Host, text: &str) -> Vec<Entry> {
    let ask = |input: &crate::config::Input| (input.id == "tok").then(|| "T".to_owned());
    let values = Values {
        home: Some("/h".into()),
        workspace: Some("/p".into()),
        input: Some(&ask),
        ..Values::of_env(&env)
    };
    crate::config::parse(Path::new(path), text.as_bytes(), Some(host), Scope::Given, &values).unwrap().entries
}

fn export(path: &str, host: Host, text: &str) -> (Json, Vec<String>) {
    let exported = read(path, host, text)[0].export().unwrap();
    (Json::Object(exported.entry), exported.notes)
}

#[track_caller]
fn check(path: &str, host: Host, text: &str, expected: Json, notes: &[&str]) {
    let (entry, found) = export(path, host, text);
    assert_eq!(entry, expected);
    assert_eq!(found, notes);
}

#[test]
fn every_host_comes_out_in_our_own_format() {
    check(
        "/h/.claude.json",
        Host::ClaudeCode,
        r#"{"mcpServers":{"a":{"type":"stdio","command":"npx","args":["$X","${KEY:-d}"],"env":{"K":"${KEY}"},"alwaysLoad":true}}}"#,
        json!({"command":"npx","args":["$$X","${KEY:-d}"],"env":{"K":"${KEY}"}}),
        &[r#""alwaysLoad" has no counterpart and is left out"#],
    );
    check(
        "/p/.vscode/mcp.json",
        Host::VsCode,
        r#"{"inputs":[{"id":"tok","type":"promptString","description":"Token","password":true}],
            "servers":{"a":{"type":"http","url":"unix:///run/a.sock#/mcp","headers":{"A":"Bearer ${input:tok}"}}}}"#,
        json!({"type":"http","url":"http+unix://%2Frun%2Fa.sock/mcp","headers":{"A":"Bearer ${MCP_INPUT_tok}"}}),
        &["set the variable MCP_INPUT_tok, which the host asks for: Token"],
    );
    check(
        "/p/.vscode/mcp.json",
        Host::VsCode,
        r#"{"servers":{"a":{"command":"./srv","cwd":"${workspaceFolder}/x","env":{"N":1},"envFile":".env"}}}"#,
        json!({"command":"/p/./srv","cwd":"${workspaceFolder}/x","env":{"N":"1"}}),
        &[
            "set the variable workspaceFolder, which the host knows by itself",
            r#""envFile" has no counterpart and is left out"#,
        ],
    );
    check(
        "/h/.codeium/windsurf/mcp_config.json",
        Host::Windsurf,
        r#"{"mcpServers":{"a":{"serverUrl":"https://a.test/${env:KEY}","disabledTools":["t"],"disabled":true}}}"#,
        json!({"type":"http","url":"https://a.test/${KEY}","tools":{"deny":["t"]},"enabled":false}),
        &["the server stays disabled: its entry says so"],
    );
    check(
        "/h/.codex/config.toml",
        Host::Codex,
        "[mcp_servers.a]\nurl = 'https://a.test/'\nbearer_token_env_var = 'KEY'\nenv_http_headers = { X = 'KEY' }\n\
         tool_timeout_sec = 1.5\nstartup_timeout_sec = 20\nenabled_tools = ['a', 'b*']\ndefault_tools_approval_mode = 'prompt'\n",
        json!({"type":"http","url":"https://a.test/","headers":{"X":"${KEY}","Authorization":"Bearer ${KEY}"},
               "timeout":1500,"start_timeout":20000,"tools":{"allow":["a"]}}),
        &[
            r#""enabled_tools": a name with a `*`, `?` or variable is left out"#,
            r#""default_tools_approval_mode" has no counterpart and is left out"#,
        ],
    );
    check(
        "/h/.gemini/settings.json",
        Host::GeminiCli,
        r#"{"mcpServers":{"a":{"httpUrl":"https://a.test/$KEY","timeout":5,"includeTools":["run(ls)"],"excludeTools":["x"]}}}"#,
        json!({"type":"http","url":"https://a.test/${KEY}","timeout":5,"tools":{"allow":["run"],"deny":["x"]}}),
        &[],
    );
    check(
        "/h/.config/zed/settings.json",
        Host::Zed,
        r#"{"context_server_timeout":7,"context_servers":{"a":{"source":"custom","command":{"path":"c","args":["$X"]}}}}"#,
        json!({"command":"c","args":["$$X"],"timeout":7000}),
        &[r#""source" has no counterpart and is left out"#],
    );
    check(
        "/h/.config/opencode/opencode.json",
        Host::Opencode,
        r#"{"mcp":{"a":{"type":"local","command":["c","{env:KEY}"],"environment":{"K":"$"},"enabled":false}}}"#,
        json!({"command":"c","args":["${KEY}"],"env":{"K":"$$"},"enabled":false}),
        &["the server stays disabled: its entry says so"],
    );
    check(
        "/h/claude_desktop_config.json",
        Host::ClaudeDesktop,
        r#"{"mcpServers":{"a":{"command":"c","args":["${KEY}"]}}}"#,
        json!({"command":"c","args":["$${KEY}"],"env_policy":"clean"}),
        &[],
    );
}

#[test]
fn a_variable_that_is_not_set_is_written_as_it_is() {
    let text = r#"{"mcpServers":{"a":{"url":"https://a.test/${env:NOPE}"}}}"#;
    check(
        "/p/.cursor/mcp.json",
        Host::Cursor,
        text,
        json!({"type":"http","url":"https://a.test/${NOPE}"}),
        &[],
    );
}

#[test]
fn what_is_refused_or_broken_is_not_exported() {
    let fails = |path: &str, host: Host, text: &str| assert!(read(path, host, text)[0].export().is_err());
    fails(
        "/p/.mcp.json",
        Host::ClaudeCode,
        r#"{"mcpServers":{"a":{"url":"https://a.test","headersHelper":"x"}}}"#,
    );
    fails("/p/.vscode/mcp.json", Host::VsCode, r#"{"servers":{"a":{"command":"c","sandboxEnabled":true}}}"#);
    fails(
        "/p/.cursor/mcp.json",
        Host::Cursor,
        r#"{"mcpServers":{"a":{"command":"c","url":"https://a.test"}}}"#,
    );
    fails("/p/.cursor/mcp.json", Host::Cursor, r#"{"mcpServers":{"a":7}}"#);
}

#[test]
fn what_may_be_denied_comes_out_disabled() {
    let text = r#"{"deniedMcpServers":[{"serverUrl":"https://bad.test/*"}],
        "mcpServers":{"a":{"type":"http","url":"https://${NOPE}/mcp"}}}"#;
    let (entry, notes) = export("/p/.mcp.json", Host::ClaudeCode, text);
    assert_eq!((&entry["enabled"], notes.len()), (&json!(false), 1));
}

#[test]
fn what_is_written_shows_no_secret() {
    let text = r#"{"mcpServers":{"a":{"command":"c","args":["x"],"env":{"K":"SECRET-1"}},
        "b":{"url":"https://u:SECRET-1@a.test/?k=SECRET-1","headers":{"A":"SECRET-1"}}}}"#;
    let found = read("/p/.cursor/mcp.json", Host::Cursor, text);
    let written = found[0].written();
    assert_eq!(written.command_line().unwrap(), ["c", "x"]);
    assert_eq!((written.env(), written.url()), (vec!["K"], None));
    assert_eq!(found[1].written().url().unwrap(), "https://***@a.test/?***");
    assert!(!format!("{found:?}").contains("SECRET-1"));
}

/// Texts that one host or another fills in.
fn text() -> impl Strategy<Value = String> {
    let pieces = [
        "a",
        "$",
        "$$",
        "${KEY}",
        "${env:KEY}",
        "${KEY:-d}",
        "$KEY",
        "{env:KEY}",
        "${input:tok}",
        "${userHome}",
        "${workspaceFolder}",
        "{",
        "}",
        "é",
        "*",
        "${LOOKS}",
        "${env:LOOKS}",
        "{env:LOOKS}",
        "${x:y}",
        "${NOPE:-}",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..5)
        .prop_map(|pieces| format!("x{}", pieces.concat()))
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..4)
}

proptest! {
    #[test]
    fn what_is_exported_is_the_same_server(
        host in prop::sample::select(Host::ALL[1..].to_vec()),
        is_stdio in any::<bool>(),
        args in texts(),
        values in texts(),
        folder in text(),
        times in (0..100_000_u32, 0..1000_u32),
        tools in prop::collection::vec("[a-z]{1,3}[*]?", 0..3),
    ) {
        use super::super::dialect::Dialect;
        let dialect = Dialect::of(host);
        // What TOML calls a string of several kinds is one of JSON here.
        let mut entry = Map::new();
        let pairs: Map<String, Json> =
            values.iter().enumerate().map(|(at, value)| (format!("K{at}"), value.as_str().into())).collect();
        if is_stdio {
            if dialect.command_is_list {
                entry.insert("command".into(), [vec!["c".to_owned()], args].concat().into());
            } else {
                entry.insert("command".into(), "./c".into());
                entry.insert("args".into(), args.into());
            }
            entry.insert(dialect.env.into(), pairs.into());
            entry.insert("cwd".into(), folder.into());
        } else {
            let url = dialect.urls[0].0;
            entry.insert(url.into(), format!("https://a.test/{}", args.len()).into());
            entry.insert("type".into(), if host == Host::GeminiCli { "sse" } else { "http" }.into());
            // Not all of these texts can be sent.
            let pairs: Map<String, Json> = pairs.into_iter().filter(|(_, it)| it.as_str().unwrap().is_ascii()).collect();
            entry.insert(dialect.headers.into(), pairs.into());
        }
        entry.insert(dialect.timeout.0.into(), times.0.into());
        for (field, _) in dialect.start_timeout {
            entry.insert((*field).into(), times.1.into());
        }
        for list in [dialect.allow, dialect.deny].into_iter().flatten() {
            entry.insert(list.into(), tools.clone().into());
        }
        let path = format!("/p/{}", if host == Host::Codex { "config.toml" } else { "file.json" });
        let text = if host == Host::Codex {
            let inline = |value: &Json| match value {
                Json::Object(map) => {
                    let pairs: Vec<_> = map.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                    format!("{{ {} }}", pairs.join(", "))
                }
                value => value.to_string(),
            };
            let lines: Vec<_> = entry.iter().map(|(name, value)| format!("{name} = {}", inline(value))).collect();
            format!("[mcp_servers.a]\n{}\n", lines.join("\n"))
        } else {
            json!({ dialect.container: { "a": entry } }).to_string()
        };
        let found = read(&path, host, &text);
        let Some(server) = found[0].ready() else {
            prop_assert!(found[0].export().is_ok() || found[0].error().is_some());
            return Ok(());
        };
        let exported = found[0].export().unwrap();
        let own = json!({ "mcpServers": { "a": exported.entry } }).to_string();
        let again = read("/elsewhere/servers.json", Host::Own, &own);
        let again = again[0].ready().unwrap_or_else(|| panic!("{:?} in {own}", again[0].state));
        prop_assert_eq!(server.fingerprint_input(), again.fingerprint_input(), "{} {}", text, own);
    }
}
