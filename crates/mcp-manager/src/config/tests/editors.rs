//! VS Code, Cursor and Zed.

use std::time::Duration;

use super::*;
use crate::config::Input;

mod vs_code {
    use super::*;

    const TEXT: &str = r#"{
      "inputs": [
        {"type": "promptString", "id": "token", "description": "API token", "password": true},
        {"type": "promptString", "id": "region", "default": "eu"}
      ],
      "servers": {
        "search": {"type": "stdio", "command": "npx", "args": ["-y", "s", "--region", "${input:region}"],
                   "env": {"PORT": 80, "DROP": null, "SHELL_TEXT": "${NOT_OURS}"}, "cwd": "${workspaceFolder}/x",
                   "dev": {"watch": "src/**"}},
        "api": {"type": "http", "url": "https://api.test/mcp", "headers": {"Authorization": "Bearer ${input:token}"}},
        "socket": {"type": "http", "url": "unix:///run/my srv.sock#/mcp"},
        "boxed": {"command": "x", "sandboxEnabled": true},
        "unboxed": {"command": "./x", "sandboxEnabled": false, "sandbox": {"network": {}}},
        "file": {"command": "x", "envFile": "${workspaceFolder}/.env"}
      }
    }"#;

    #[test]
    fn a_file_is_read() {
        let entries = entries("/p/.vscode/mcp.json", Host::VsCode, TEXT);
        let search = stdio(&entries, "search");
        assert_eq!(search.args, ["-y", "s", "--region", "eu"]);
        assert_eq!((search.env["PORT"].as_deref(), search.env["DROP"].as_deref()), (Some("80"), None));
        assert_eq!(search.env["SHELL_TEXT"].as_deref(), Some("${NOT_OURS}"));
        assert_eq!(search.cwd.as_deref(), Some(Path::new("/p/x")));
        assert_eq!(ready(&entries, "search").extra["dev"]["watch"], "src/**");
        assert_eq!(remote(&entries, "socket").1, "http+unix://%2Frun%2Fmy%20srv.sock/mcp");
        assert_eq!(stdio(&entries, "unboxed").command, "/p/./x");
        fails(
            &entries,
            "boxed",
            r#"Server "boxed": "sandboxEnabled" wants a sandbox, and there is none here"#,
        );
        let input = r#"Server "api": "headers.Authorization": the input `token` has no value"#;
        fails(&entries, "api", input);
        fails(&entries, "file", r#"Server "file": "envFile": `envFile` is not supported here"#);
    }

    #[test]
    fn the_caller_may_answer_and_read_files() {
        let answer = |input: &Input| (input.id == "token" && input.password).then(|| "SECRET-2".to_owned());
        let read = |path: &Path| match path.to_str() {
            Some("/p/.env") => Ok("# mine\nA=1\nexport B=\"two words\"\n".to_owned()),
            _ => Err(std::io::ErrorKind::NotFound.into()),
        };
        let values = Values { input: Some(&answer), file: Some(&read), ..values() };
        let path = Path::new("/p/.vscode/mcp.json");
        let file = crate::config::parse(path, TEXT.as_bytes(), None, Scope::Project, &values).unwrap();
        assert_eq!(remote(&file.entries, "api").2, ["authorization: Bearer SECRET-2"]);
        let env = &stdio(&file.entries, "file").env;
        assert_eq!((env["A"].as_deref(), env["B"].as_deref()), (Some("1"), Some("two words")));
    }

    #[test]
    fn a_file_of_any_name_is_known_by_its_container() {
        assert_eq!(entries("x.json", Host::VsCode, r#"{"servers":{"a":{"command":"c"}}}"#).len(), 1);
    }
}

mod cursor {
    use super::*;

    #[test]
    fn a_file_is_read() {
        let text = r#"{"mcpServers": {
            "py": {"command": "${userHome}/.venv/bin/python", "args": ["${workspaceFolder}/s.py"],
                   "env": {"K": "${env:KEY}"}},
            "web": {"url": "https://a.test/mcp", "headers": {"X-K": "${env:KEY}"}, "auth": {"CLIENT_ID": "c", "scopes": ["a"]}},
            "unset": {"url": "https://a.test/mcp", "headers": {"X-K": "${env:NOPE}"}}}}"#;
        let entries = entries("/p/.cursor/mcp.json", Host::Cursor, text);
        let python = stdio(&entries, "py");
        assert_eq!((python.command.as_str(), python.args[0].as_str()), ("/h/.venv/bin/python", "/p/s.py"));
        assert_eq!(python.env["K"].as_deref(), Some("SECRET-1"));
        assert_eq!(remote(&entries, "web").0, "http");
        assert_eq!(ready(&entries, "web").extra["auth"]["CLIENT_ID"], "c");
        fails(&entries, "unset", r#"Server "unset": "headers.X-K": the variable `NOPE` is not set"#);
    }
}

mod zed {
    use super::*;

    #[test]
    fn settings_are_read_and_seconds_are_seconds() {
        let text = r#"// Zed settings
        {
          "theme": "One Dark", "context_server_timeout": 90,
          "context_servers": {
            "plain": {"source": "custom", "command": "srv", "args": ["${X}"], "env": {}, "timeout": 5},
            "old": {"command": {"path": "./srv", "args": ["a"], "env": {"B": "1"}}, "settings": {}},
            "web": {"url": "https://a.test/mcp", "headers": {"K": "v"}, "oauth": {"client_id": "c"}, "remote": true},
            "ext": {"source": "extension", "settings": {"token": "t"}},
            "off": {"command": "srv", "enabled": false},
          },
        }"#;
        let entries = entries("/h/.config/zed/settings.json", Host::Zed, text);
        assert_eq!(ready(&entries, "plain").timeout, Some(Duration::from_secs(5)));
        assert_eq!(stdio(&entries, "plain").args, ["${X}"]);
        assert_eq!(ready(&entries, "old").timeout, Some(Duration::from_secs(90)));
        assert_eq!(ready(&entries, "old").places["timeout"].line, 3);
        let old = stdio(&entries, "old");
        assert_eq!((old.command.as_str(), old.args[0].as_str()), ("/h/.config/zed/./srv", "a"));
        assert_eq!(old.env["B"].as_deref(), Some("1"));
        assert_eq!(remote(&entries, "web").2, ["k: v"]);
        assert_eq!(ready(&entries, "web").extra["remote"], true);
        let extension =
            r#"Server "ext": "settings" are those of an extension of Zed, which brings the program itself"#;
        fails(&entries, "ext", extension);
        assert!(named(&entries, "off").is_disabled());
        assert!(entries.iter().all(|entry| entry.warnings.is_empty()));
    }
}
