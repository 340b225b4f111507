//! A server process with all its descendants: started apart, ended together.
//!
//! On Unix the unit is a process group, made when the process starts, so that it works in every
//! state and the terminal's Ctrl+C does not reach it; on Windows it is a job object.

#[cfg(unix)]
#[path = "process/unix.rs"]
mod imp;
#[cfg(windows)]
#[path = "process/windows.rs"]
mod imp;
#[cfg(target_os = "linux")]
#[path = "process/zombies.rs"]
mod zombies;

pub(crate) use imp::{Killer, Process};

use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

/// Our ends of the three pipes of a process.
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// How often a killed process is looked after until it is reaped.
const REAP_STEPS: u32 = 500;

/// How long each look waits for the next.
const REAP_STEP: Duration = Duration::from_millis(10);

/// Waits for a killed process from a thread of its own: for the ways out on which no runtime may
/// be there to do it. `is_reaped` looks, and is true once there is nothing more to wait for.
fn reap(mut is_reaped: impl FnMut() -> bool + Send + 'static) {
    if is_reaped() {
        return;
    }
    let reaper = std::thread::Builder::new().name("mcp-reaper".to_owned());
    // Without a thread the process stays a zombie until this one ends; nothing better is left.
    let _ = reaper.spawn(move || {
        for _ in 0..REAP_STEPS {
            if is_reaped() {
                break;
            }
            std::thread::sleep(REAP_STEP);
        }
    });
}
