//! Runs the program to its end.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_mcp-cli");

/// Where the programs of these tests keep what servers had.
pub(crate) const CACHE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/nobody/XDG_CACHE_HOME");

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// The whole outcome at once.
    #[track_caller]
    pub(crate) fn check(&self, status: i32, stdout: &str, stderr: &str) {
        let found = (self.status, self.stdout.as_str(), self.stderr.as_str());
        assert_eq!(found, (Some(status), stdout, stderr));
    }

    #[track_caller]
    pub(crate) fn check_status(&self, status: i32) -> &Self {
        assert_eq!(self.status, Some(status), "{self:?}");
        self
    }

    /// Stdout as a JSON document.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// The program, with nothing on stdin. It neither finds nor keeps anything in the folders of whoever runs
/// the tests.
pub(crate) fn program(args: &[&str]) -> Command {
    let empty = concat!(env!("CARGO_TARGET_TMPDIR"), "/nobody");
    std::fs::create_dir_all(empty).unwrap();
    program_in(Path::new(empty), Path::new(empty), args)
}

/// The same for the user of this home folder, in this folder.
pub(crate) fn program_in(home: &Path, folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    for name in ["HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA"] {
        command.env(name, home);
    }
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"] {
        command.env(name, home.join(name));
    }
    command.current_dir(folder).args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn run(args: &[&str]) -> Ran {
    program(args).output().unwrap().into()
}

/// Runs it with this text on stdin.
pub(crate) fn run_with_input(args: &[&str], input: &str) -> Ran {
    let mut child = program(args).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

/// `args`, with the built-in server as `-`.
pub(crate) fn on_demo<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [args, &["--", PROGRAM, "demo-server"]].concat()
}

#[cfg(unix)]
pub(crate) use self::scripts::{config, on_script, script};

#[cfg(unix)]
mod scripts {
    /// What scripted servers have in common: `hello` shakes hands, `next` reads a message, `answer`
    /// and `refuse` reply to it.
    const PRELUDE: &str = r#"
next() { read -r line || exit 0; id=$(printf '%s' "$line" | sed 's/.*"id":\("[^"]*"\).*/\1/'); }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
refuse() { printf '{"jsonrpc":"2.0","id":%s,"error":%s}\n' "$id" "$1"; }
hello() {
    next
    answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}'
    next
}
"#;

    /// A server in shell.
    pub(crate) fn script(body: &str) -> String {
        format!("{PRELUDE}{body}")
    }

    /// `args`, with this script as the server `-`, which messages call `sh`.
    pub(crate) fn on_script<'a>(args: &[&'a str], script: &'a str) -> Vec<&'a str> {
        [args, &["--", "sh", "-c", script]].concat()
    }

    /// A config file of this test.
    pub(crate) fn config(test: &str, text: &str) -> String {
        let path = format!("{}/{test}.json", env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(&path, text).unwrap();
        path
    }
}
