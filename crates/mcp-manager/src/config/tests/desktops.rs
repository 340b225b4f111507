//! Claude Desktop and Windsurf.

use mcp_transport_stdio::EnvPolicy;

use super::*;

mod claude_desktop {
    use super::*;

    #[test]
    fn a_file_is_read_as_it_is() {
        let text = r#"{
          "globalShortcut": "Ctrl+Space",
          "mcpServers": {
            "filesystem": {"command": "npx", "args": ["-y", "fs-server", "${HOME}/Desktop"], "env": {"A": "$KEY"}}
          }
        }"#;
        let entries = entries("/h/.config/Claude/claude_desktop_config.json", Host::ClaudeDesktop, text);
        let server = stdio(&entries, "filesystem");
        assert_eq!(server.args, ["-y", "fs-server", "${HOME}/Desktop"]);
        assert_eq!((server.env["A"].as_deref(), server.env_policy), (Some("$KEY"), EnvPolicy::Clean));
    }

    #[test]
    fn settings_without_servers_have_none() {
        assert!(parse("claude_desktop_config.json", None, "{\"scale\": 1}").unwrap().entries.is_empty());
    }
}

mod windsurf {
    use super::*;

    #[test]
    fn a_file_is_read() {
        let text = r#"{
          "mcpServers": {
            "local": {"command": "uvx", "args": ["srv"], "env": {"T": "${env:KEY}"}, "disabledTools": ["drop"]},
            "far": {"serverUrl": "https://a.test/mcp", "headers": {"X-Key": "${env:KEY}"}},
            "off": {"command": "x", "disabled": true},
            "wrong": {"url": "https://a.test/mcp"}
          }
        }"#;
        let entries = entries("/h/.codeium/windsurf/mcp_config.json", Host::Windsurf, text);
        assert_eq!(stdio(&entries, "local").env["T"].as_deref(), Some("SECRET-1"));
        let tools = &ready(&entries, "local").tools;
        assert!(tools.shows("read") && !tools.shows("drop"));
        assert_eq!(
            remote(&entries, "far"),
            ("http", "https://a.test/mcp".to_owned(), vec!["x-key: SECRET-1".to_owned()])
        );
        assert!(named(&entries, "off").is_disabled());
        fails(&entries, "wrong", r#"Server "wrong": http server requires "serverUrl" field"#);
        assert!(named(&entries, "wrong").error().unwrap().hint().is_some());
    }
}
