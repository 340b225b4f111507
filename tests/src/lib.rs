//! What the tests across the crates share: peers to talk to, and ways to see what happened.
//!
//! A [`Scripted`] peer sends exact bytes and dies as told, and so does an [`http_peer`] on a socket;
//! [`peers`] finds the real servers, [`http_servers`] starts those that speak HTTP, [`eras`] those that
//! know 2026-07-28, and [`tls_front`] and [`nginx`] stand in front of them; a [`Recorder`] notes what a connection reports and lets a test wait for it; [`processes`] looks
//! at the process table, for what must not be left over. Nothing here depends on how fast
//! anything is: every wait is for an event and ends with a failure after [`BOUND`].
#![allow(clippy::expect_used, clippy::panic, reason = "whatever goes wrong here fails a test")]

pub mod cli;
pub mod client;
pub mod eras;
pub mod http;
pub mod http_peer;
pub mod http_servers;
pub mod manager;
pub mod nginx;
pub mod peers;
#[cfg(target_os = "linux")]
pub mod processes;
mod recorder;
mod scripted;
pub mod tls_front;

pub use recorder::Recorder;
pub use scripted::{Scripted, raw, request};

use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

/// How long any wait of a test may take. Only a failure ever gets there.
pub const BOUND: Duration = Duration::from_secs(30);

/// Waits for something that must happen.
///
/// # Panics
///
/// If it does not.
#[track_caller]
pub fn within<F: Future>(what: F) -> impl Future<Output = F::Output> {
    let place = std::panic::Location::caller();
    async move {
        match tokio::time::timeout(BOUND, what).await {
            Ok(done) => done,
            Err(_) => panic!("{place}: this did not happen within {BOUND:?}"),
        }
    }
}

/// A program of this workspace: built with the tests, it lies beside the folder of the test program.
///
/// # Panics
///
/// If it is not there.
pub fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of this program");
    let folder = test.parent().and_then(|deps| deps.parent()).expect("the folder of this program");
    let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "`{}` is not built; `cargo xtask test` builds it", program.display());
    program
}

/// Runs the test of this name once more in a process of its own, and says so; false in that process.
///
/// # Panics
///
/// If it fails there.
pub fn alone(test: &str) -> bool {
    const MARK: &str = "MCP_TESTS_ALONE";
    if std::env::var_os(MARK).is_some() {
        return false;
    }
    let mut program = std::process::Command::new(std::env::current_exe().expect("the path of this program"));
    let run = program.args(["--exact", test, "--nocapture"]).env(MARK, "1").output().expect("it runs");
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && out.contains("1 passed"), "{out}{err}");
    true
}

/// A new empty folder for one test, taken away with the value.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Makes it.
    ///
    /// # Panics
    ///
    /// If that fails.
    #[expect(clippy::new_without_default, reason = "it is made on disk, which no default does")]
    pub fn new() -> Self {
        let path = std::env::temp_dir().join(scripted::unique("mcp-tests"));
        std::fs::create_dir_all(&path).expect("a folder for temporary files");
        Self(path.canonicalize().expect("the folder just made"))
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The same as text, for scripts and arguments.
    pub fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that is left over harms nothing.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
