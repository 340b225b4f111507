//! The real servers, installed by `cargo xtask peers`.

use std::io::Write;
use std::path::PathBuf;

use mcp_transport_stdio::StdioConfig;

/// Where the servers are, or `None`, said plainly, if they are left out on purpose.
///
/// # Panics
///
/// If the environment says neither where they are nor that they are left out.
pub fn folder() -> Option<PathBuf> {
    if std::env::var_os("MCP_NO_PEERS").is_some_and(|value| value == "1") {
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        // Written past the capture of the test harness, which shows nothing of a test that passes.
        let _ = writeln!(std::io::stderr(), "left out (MCP_NO_PEERS): {test} needs the real servers");
        return None;
    }
    let Some(folder) = std::env::var_os("MCP_PEERS_DIR").map(PathBuf::from) else {
        panic!(
            "MCP_PEERS_DIR is not set: run `cargo xtask test`, which sets it, or `cargo xtask peers` and \
             set it to the folder that it names; MCP_NO_PEERS=1 leaves the real servers out"
        );
    };
    assert!(folder.is_dir(), "there is no `{}`: run `cargo xtask peers`", folder.display());
    Some(folder)
}

/// `server-everything`: every kind of content, progress, logs, questions.
pub fn everything() -> Option<StdioConfig> {
    node("server-everything", &[])
}

/// `server-filesystem`, which may touch `root` alone.
pub fn filesystem(root: &str) -> Option<StdioConfig> {
    node("server-filesystem", &[root])
}

/// `server-memory`, a knowledge graph in `file`.
pub fn memory(file: &str) -> Option<StdioConfig> {
    let mut config = node("server-memory", &[])?;
    config.env.insert("MEMORY_FILE_PATH".to_owned(), Some(file.to_owned()));
    Some(config)
}

/// Python, in the folder that holds what is written in it.
pub(crate) const PYTHON: &str = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };

/// `mcp-server-time`, written in Python.
pub fn time() -> Option<StdioConfig> {
    let program = folder()?.join("python").join(if cfg!(windows) { "Scripts" } else { "bin" });
    let mut config = StdioConfig::new(found(program.join("mcp-server-time")));
    config.args = vec!["--local-timezone".to_owned(), "UTC".to_owned()];
    config.name = Some("time".to_owned());
    Some(config)
}

fn node(server: &str, args: &[&str]) -> Option<StdioConfig> {
    let package = folder()?.join("npm").join("node_modules").join("@modelcontextprotocol").join(server);
    let mut config = StdioConfig::new("node");
    config.args = vec![found(package.join("dist").join("index.js"))];
    config.args.extend(args.iter().map(|&arg| arg.to_owned()));
    config.name = Some(server.to_owned());
    Some(config)
}

pub(crate) fn found(path: PathBuf) -> String {
    assert!(path.is_file(), "there is no `{}`: run `cargo xtask peers`", path.display());
    path.display().to_string()
}
