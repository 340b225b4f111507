//! The program `mcp-cli`, run as a person or a script would.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use serde_json::Value;
use tokio::process::{Child, Command};

use crate::within;

/// What a run of the program left behind.
#[derive(Debug)]
pub struct Run {
    /// The exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    /// All of stdout.
    pub stdout: String,
    /// All of stderr.
    pub stderr: String,
}

impl Run {
    /// Stdout as one JSON document.
    ///
    /// # Panics
    ///
    /// If it is none.
    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.stdout) {
            Ok(value) => value,
            Err(error) => panic!("stdout is not one JSON document ({error}): {self:#?}"),
        }
    }
}

/// Runs `mcp-cli` to its end.
///
/// # Panics
///
/// If it does not start or does not end.
pub async fn run<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Run {
    let output = command(args).output();
    let Output { status, stdout, stderr } = within(output).await.expect("mcp-cli runs");
    let text = |bytes| String::from_utf8(bytes).expect("mcp-cli writes UTF-8");
    Run { status: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

/// Starts `mcp-cli` in a process group of its own, with pipes on all three streams.
///
/// # Panics
///
/// If it does not start.
pub fn start<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Child {
    let mut command = command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    command.process_group(0);
    command.spawn().expect("mcp-cli starts")
}

fn command<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(path());
    // A folder that is not there: nothing of whoever runs the tests is found.
    let nobody = path().with_file_name("nobody");
    for name in ["HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"] {
        command.env(name, &nobody);
    }
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env(name, nobody.join(name));
    }
    command.args(args).stdin(Stdio::null()).kill_on_drop(true);
    // No test leaves anything in the folders of whoever runs it.
    command.env("XDG_CACHE_HOME", std::env::temp_dir().join("mcp-tests-cache"));
    command
}

/// The program: `MCP_CLI`, or else the one beside the tests.
///
/// # Panics
///
/// If it is not there.
pub fn path() -> PathBuf {
    std::env::var_os("MCP_CLI").map_or_else(|| crate::program("mcp-cli"), PathBuf::from)
}
