//! Processes on Unix: a process group for each server.

use std::io;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::process::{Child, Command};

use super::{Pipes, reap};

/// The waits between looks whether the rest of a group is gone.
const FIRST_LOOK: Duration = Duration::from_millis(1);
const LAST_LOOK: Duration = Duration::from_millis(20);

/// A server process, the leader of its process group. Dropped, it is killed with its whole group
/// and reaped.
pub(crate) struct Process {
    /// `None` only while it is dropped.
    child: Option<Child>,
    exit: Option<ExitStatus>,
    killer: Killer,
}

/// The process group, as long as it may be signalled. Clones share it.
#[derive(Clone)]
pub(crate) struct Killer(Arc<Mutex<Option<Pid>>>);

impl Process {
    /// Starts `command` as the leader of a new group.
    pub(crate) fn spawn(mut command: Command) -> io::Result<(Self, Pipes)> {
        let mut child = command.process_group(0).spawn()?;
        let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = Self { child: Some(child), exit: None, killer: Killer(Arc::new(Mutex::new(group))) };
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("the process has no pipes"));
        };
        Ok((process, Pipes { stdin, stdout, stderr }))
    }

    /// What kills the group from elsewhere.
    pub(crate) fn killer(&self) -> Killer {
        self.killer.clone()
    }

    /// How the process ended, if that is known.
    pub(crate) fn exit(&self) -> Option<ExitStatus> {
        self.exit
    }

    /// Waits until the process itself ended, and reaps it.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub(crate) async fn exited(&mut self) {
        if let (None, Some(child)) = (self.exit, &mut self.child) {
            match child.wait().await {
                Ok(exit) => self.exit = Some(exit),
                // Somebody else reaped it (a host that ignores SIGCHLD): its status is lost.
                Err(error) => tracing::warn!(%error, "the exit status of a server is lost"),
            }
        }
    }

    /// Waits until nothing of the group is left.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub(crate) async fn gone(&mut self) {
        self.exited().await;
        let mut look = FIRST_LOOK;
        while !self.killer.is_gone() {
            tokio::time::sleep(look).await;
            look = (look * 2).min(LAST_LOOK);
        }
    }

    /// Asks the group to end.
    pub(crate) fn terminate(&mut self) {
        self.killer.signal(Signal::TERM);
    }

    /// Ends the group.
    pub(crate) fn kill(&mut self) {
        self.killer.kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.killer.kill();
        let (Some(mut child), None) = (self.child.take(), self.exit) else { return };
        reap(move || !matches!(child.try_wait(), Ok(None)));
    }
}

impl Killer {
    /// Ends the group, if it may still be there.
    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        let group = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(group) = *group {
            // It may be gone by now, which is as good.
            let _ = kill_process_group(group, signal);
        }
    }

    /// Whether nothing of the group is left; its number is never signalled again then, since
    /// another group may get it.
    fn is_gone(&self) -> bool {
        let mut group = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = group.is_none_or(|group| test_kill_process_group(group) == Err(rustix::io::Errno::SRCH));
        if gone {
            *group = None;
        }
        gone
    }
}
