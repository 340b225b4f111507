//! The table of layers, lowest first, as in `docs/architecture.md`.

/// What one crate may use.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) stage: Stage,
    /// Crates of this workspace.
    pub(super) ours: Allowed,
    /// Crates of others.
    pub(super) outside: Allowed,
}

#[derive(PartialEq, Eq)]
pub(super) enum Stage {
    Built,
    /// May be absent; where it is there, its row holds.
    #[cfg_attr(not(test), expect(dead_code, reason = "all crates are there at the moment"))]
    Planned,
}

pub(super) enum Allowed {
    /// Each of these and no others. One that is planned and not there yet is not asked for.
    Exactly(&'static [&'static str]),
    /// Any of these and no others.
    Among(&'static [&'static str]),
    Anything,
}

use Allowed::{Among, Anything, Exactly};
use Stage::Built;

pub(super) const ROWS: [Row; 12] = [
    // For tests: the published schemas.
    Row {
        name: "mcp-schemas",
        stage: Built,
        ours: Exactly(&[]),
        outside: Exactly(&["jsonschema", "serde_json"]),
    },
    Row { name: "mcp-types", stage: Built, ours: Exactly(&[]), outside: Exactly(&["serde", "serde_json"]) },
    Row {
        name: "mcp-jsonrpc",
        stage: Built,
        ours: Exactly(&["mcp-types", "mcp-schemas"]), // The second with the feature `testing` alone.
        outside: Exactly(&[
            "async-trait",
            "bytes",
            "serde",
            "serde_json",
            "thiserror",
            "tokio",
            "tokio-util",
            "tracing",
        ]),
    },
    Row {
        name: "mcp-transport-stdio",
        stage: Built,
        ours: Exactly(&["mcp-jsonrpc"]),
        outside: Exactly(&[
            "async-trait",
            "bytes",
            "memchr",
            "process-wrap", // Windows: job objects.
            "rustix",       // Unix: process groups.
            "thiserror",
            "tokio",
            "tokio-util",
            "tracing",
            "windows", // Windows: the type of the creation flags.
        ]),
    },
    Row {
        name: "mcp-transport-http",
        stage: Built,
        ours: Exactly(&["mcp-jsonrpc"]),
        outside: Exactly(&[
            "async-trait",
            "base64", // Mirrored values, `Authorization: Basic`.
            "bytes",
            "flate2", // gzip.
            "http-body-util",
            "hyper",
            "hyper-util",
            "iri-string", // References to addresses, such as `Location`.
            "memchr",
            "rustls",
            "rustls-native-certs",
            "thiserror",
            "tokio",
            "tokio-rustls",
            "tokio-util",
            "tower-service", // What hyper-util's connector takes for a resolver.
            "tracing",
        ]),
    },
    Row {
        name: "mcp-client",
        stage: Built,
        ours: Exactly(&["mcp-jsonrpc", "mcp-types"]),
        outside: Exactly(&[
            "async-trait",
            "jsonschema", // Only with the feature `output-schema`.
            "serde",
            "serde_json",
            "thiserror",
            "tokio",
            "tokio-util",
            "tracing",
        ]),
    },
    Row {
        name: "mcp-lite",
        stage: Built,
        ours: Exactly(&["mcp-transport-http", "mcp-types"]),
        outside: Among(&[
            "bytes",
            "http-body-util",
            "hyper",
            "hyper-util",
            "serde",
            "serde_json",
            "thiserror",
            "tokio",
        ]),
    },
    Row {
        name: "mcp-manager",
        stage: Built,
        ours: Exactly(&[
            "mcp-client",
            "mcp-jsonrpc",
            "mcp-transport-http",
            "mcp-transport-stdio",
            "mcp-types",
        ]),
        outside: Exactly(&[
            "async-trait",
            "serde",
            "serde_json",
            "sha2", // What caches and names are told apart by.
            "thiserror",
            "tokio",
            "tokio-util",
            "toml",
            "tracing",
        ]),
    },
    Row {
        name: "mcp-cli",
        stage: Built,
        ours: Among(&[
            "mcp-client",
            "mcp-jsonrpc",
            "mcp-lite",
            "mcp-manager",
            "mcp-transport-http",
            "mcp-transport-stdio",
            "mcp-types",
        ]),
        outside: Among(&[
            "anstyle",
            "async-trait",
            "clap",
            "clap_complete",
            "http-body-util",
            "hyper",
            "hyper-util",
            "indicatif",
            "serde",
            "serde_json",
            "textwrap",
            "thiserror",
            "tokio",
            "tokio-util",
            "tracing",
            "tracing-subscriber",
            "unicode-width",
        ]),
    },
    // The packages around the library: nothing depends on them.
    Row { name: "mcp-tests", stage: Built, ours: Anything, outside: Anything },
    Row { name: "mcp-bench", stage: Built, ours: Anything, outside: Anything },
    Row { name: "xtask", stage: Built, ours: Exactly(&[]), outside: Exactly(&["anyhow", "serde_json"]) },
];
