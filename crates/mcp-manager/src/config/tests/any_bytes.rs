//! Nothing that a file holds makes a reader panic.

use proptest::prelude::*;

use crate::config::fuzzing;

/// Pieces of which files are made, so that what comes out is often nearly one.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\n",
        "=",
        "\"",
        "\\",
        "//",
        "/*",
        "*/",
        "\"mcpServers\":{",
        "\"servers\":",
        "[mcp_servers.a]\n",
        "\"command\"",
        "command",
        "\"url\"",
        "\"env\":{\"A\":\"${B}\"}",
        "\"${C:-d}\"",
        "\"http://a.test\"",
        "1e400",
        "-1",
        "null",
        "true",
        "\"\\ud800\"",
        "\u{feff}",
        "'''",
        "\"\"\"",
        "args = ['x']\n",
    ];
    prop_oneof![
        4 => prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

proptest! {
    #[test]
    fn any_bytes_are_an_error_or_entries(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzzing::config(&bytes);
    }

    #[test]
    fn any_pieces_of_files_are_an_error_or_entries(pieces in prop::collection::vec(piece(), 0..40)) {
        fuzzing::config(pieces.concat().as_bytes());
    }
}

#[test]
fn deep_values_end_and_are_kept() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for depth in [10, 14, 15, 16, 17, 100, 500, 50_000] {
            let inner = if open == "[" { "" } else { "1" };
            let deep = format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
            let text = format!(r#"{{"mcpServers":{{"a":{{"command":"c","x":{deep}}}}}}}"#);
            let entries = super::entries("a.json", crate::config::Host::Own, &text);
            assert!(super::ready(&entries, "a").extra.contains_key("x"), "{depth}");
        }
        fuzzing::config(open.repeat(100_000).as_bytes());
        fuzzing::config(format!("mcp_servers = {}", open.repeat(100_000)).as_bytes());
    }
}
