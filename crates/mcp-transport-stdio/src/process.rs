//! A server process with all its descendants: started apart, ended together.
//!
//! On Unix the unit is a process group, made when the process starts, so that it works in every
//! state and the terminal's Ctrl+C does not reach it; on Windows it is a job object.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;
#[cfg(target_os = "linux")]
mod zombies;

use std::future::poll_fn;
use std::io;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

#[cfg(unix)]
use unix::Group;
#[cfg(windows)]
use windows::Group;

/// The waits between looks whether the rest of a group is gone.
const FIRST_LOOK: Duration = Duration::from_millis(1);
const LAST_LOOK: Duration = Duration::from_millis(20);

/// A server process, the leader of its group. Dropped, it is killed with its whole group and
/// reaped.
pub(crate) struct Process(Killer);

/// Kills the group from elsewhere. Clones share the process.
#[derive(Clone)]
pub(crate) struct Killer(Arc<Mutex<State>>);

struct State {
    group: Group,
    exit: Option<ExitStatus>,
}

/// Our ends of the three pipes of a process.
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

impl Process {
    /// Starts `command`, whose streams are pipes, as the leader of a new group.
    pub(crate) fn spawn(command: Command) -> io::Result<(Self, Pipes)> {
        let (group, pipes) = Group::spawn(command)?;
        let process = Self(Killer(Arc::new(Mutex::new(State { group, exit: None }))));
        match pipes {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok((process, Pipes { stdin, stdout, stderr })),
            _ => Err(io::Error::other("the process has no pipes")),
        }
    }

    /// What kills the group from elsewhere.
    pub(crate) fn killer(&self) -> Killer {
        self.0.clone()
    }

    /// How the process ended, if that is known.
    pub(crate) fn exit(&self) -> Option<ExitStatus> {
        self.0.lock().exit
    }

    /// Waits until the process itself ended, and reaps it.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub(crate) async fn exited(&mut self) {
        if self.exit().is_some() {
            return;
        }
        // The lock is held for each look only, so that a killer can have its own.
        match poll_fn(|context| self.0.lock().group.poll_exit(context)).await {
            Ok(exit) => self.0.lock().set_exit(exit),
            // Somebody else reaped it (a host that ignores SIGCHLD): its status is lost.
            Err(error) => tracing::warn!(%error, "the exit status of a server is lost"),
        }
    }

    /// Waits until nothing of the group is left alive.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub(crate) async fn gone(&mut self) {
        self.exited().await;
        let mut look = FIRST_LOOK;
        while !self.0.lock().group.is_gone(look == LAST_LOOK) {
            tokio::time::sleep(look).await;
            look = (look * 2).min(LAST_LOOK);
        }
    }

    /// Asks the group to end.
    pub(crate) fn terminate(&mut self) {
        self.0.lock().signal(Group::terminate);
    }

    /// Ends the group.
    pub(crate) fn kill(&mut self) {
        self.0.lock().signal(Group::kill);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill_and_reap();
    }
}

impl Killer {
    /// Ends the group and sees to it that the process is reaped, with or without a runtime.
    pub(crate) fn kill_and_reap(&self) {
        self.lock().signal(Group::kill);
        let this = self.clone();
        reap(move || this.lock().is_reaped());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Signals the group, unless nothing of it is left: then its number may be another's.
    fn signal(&mut self, send: fn(&mut Group)) {
        if self.exit.is_none() || !self.group.is_gone(false) {
            send(&mut self.group);
        }
    }

    /// The leader ended and was reaped. From now on the number of the group is only good as long
    /// as something else is in it.
    fn set_exit(&mut self, exit: ExitStatus) {
        self.exit = Some(exit);
        self.group.is_gone(false);
    }

    /// Reaps what can be reaped; whether that is all.
    fn is_reaped(&mut self) -> bool {
        if self.exit.is_none() {
            match self.group.try_exit() {
                Ok(Some(exit)) => self.set_exit(exit),
                Ok(None) => return false,
                // Somebody else reaped it.
                Err(_) => {}
            }
        }
        self.group.is_gone(false)
    }
}

/// The pipes of a child that was just started.
type ChildPipes = (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>);

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
