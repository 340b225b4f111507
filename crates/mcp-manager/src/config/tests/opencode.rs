//! opencode, both versions of its file.

use std::time::Duration;

use super::*;

#[test]
fn the_first_version_is_read() {
    let text = r#"{
      "$schema": "https://opencode.test/config.json",
      "mcp": {
        "fs": {"type": "local", "command": ["bun", "x", "srv"], "environment": {"K": "{env:KEY}"}, "enabled": true,
               "timeout": 5000},
        "web": {"type": "remote", "url": "https://a.test/mcp", "headers": {"Authorization": "Bearer {env:KEY}"},
                "oauth": false},
        "off": {"type": "local", "command": ["x"], "enabled": false},
        "none": {"type": "local", "command": []},
        "file": {"type": "remote", "url": "https://a.test", "headers": {"K": "{file:~/.key}"}},
        "servers": {"type": "local", "command": ["a-server-of-that-name"]},
      }
    }"#;
    let entries = entries("opencode.jsonc", Host::Opencode, text);
    let fs = stdio(&entries, "fs");
    assert_eq!(
        (fs.command.as_str(), fs.args.as_slice()),
        ("bun", ["x", "srv"].map(str::to_owned).as_slice())
    );
    assert_eq!(fs.env["K"].as_deref(), Some("SECRET-1"));
    assert_eq!(ready(&entries, "fs").timeout, Some(Duration::from_secs(5)));
    assert_eq!(remote(&entries, "web").2, ["authorization: Bearer SECRET-1"]);
    assert_eq!(ready(&entries, "web").extra["oauth"], false);
    assert!(named(&entries, "off").is_disabled());
    fails(&entries, "none", r#"Server "none": stdio server requires "command" field"#);
    fails(&entries, "file", r#"Server "file": "headers.K": `{file:...}` is not supported here"#);
    assert_eq!(stdio(&entries, "servers").command, "a-server-of-that-name");
}

#[test]
fn the_second_version_is_read() {
    let text = r#"{"mcp": {"servers": {
        "fs": {"type": "local", "command": ["./srv"], "cwd": "w"},
        "command": {"type": "local", "command": ["x"]},
        "off": {"type": "remote", "url": "https://a.test", "disabled": true}}}}"#;
    let entries = entries("/p/opencode.json", Host::Opencode, text);
    let fs = stdio(&entries, "fs");
    assert_eq!((fs.command.as_str(), fs.cwd.as_deref()), ("/p/./srv", Some(Path::new("/p/w"))));
    assert_eq!(stdio(&entries, "command").command, "x");
    assert!(named(&entries, "off").is_disabled());
}
