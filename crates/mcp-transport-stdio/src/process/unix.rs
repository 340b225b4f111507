//! Processes on Unix: a process group for each server.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpgid};
use tokio::process::{Child, Command};

use super::{Pipes, reap};

/// The waits between looks whether the rest of a group is gone.
const FIRST_LOOK: Duration = Duration::from_millis(1);
const LAST_LOOK: Duration = Duration::from_millis(20);

/// A server process, the leader of its process group. Dropped, it is killed with its whole group
/// and reaped.
pub(crate) struct Process(Killer);

/// Kills the group from elsewhere. Clones share the process.
#[derive(Clone)]
pub(crate) struct Killer(Arc<Mutex<Group>>);

struct Group {
    leader: Child,
    exit: Option<ExitStatus>,
    /// The number of the group; `None` once nothing of it is left, since another may get it then.
    id: Option<Pid>,
}

impl Process {
    /// Starts `command` as the leader of a new group.
    pub(crate) fn spawn(mut command: Command) -> io::Result<(Self, Pipes)> {
        let mut leader = command.process_group(0).spawn()?;
        let id = leader.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let pipes = (leader.stdin.take(), leader.stdout.take(), leader.stderr.take());
        let process = Self(Killer(Arc::new(Mutex::new(Group { leader, exit: None, id }))));
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("the process has no pipes"));
        };
        Ok((process, Pipes { stdin, stdout, stderr }))
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
        let exit = poll_fn(|context| pin!(self.0.lock().leader.wait()).poll(context)).await;
        match exit {
            Ok(exit) => self.0.lock().exit = Some(exit),
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
        while !self.0.lock().is_gone(look == LAST_LOOK) {
            tokio::time::sleep(look).await;
            look = (look * 2).min(LAST_LOOK);
        }
    }

    /// Asks the group to end.
    pub(crate) fn terminate(&mut self) {
        self.0.lock().signal(Signal::TERM);
    }

    /// Ends the group.
    pub(crate) fn kill(&mut self) {
        self.0.kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill_and_reap();
    }
}

impl Killer {
    /// Ends the group, if it may still be there.
    fn kill(&self) {
        self.lock().signal(Signal::KILL);
    }

    /// Ends the group and sees to it that the process is reaped, with or without a runtime.
    pub(crate) fn kill_and_reap(&self) {
        self.kill();
        let this = self.clone();
        reap(move || {
            let mut group = this.lock();
            if group.exit.is_none() {
                match group.leader.try_wait() {
                    Ok(exit) => group.exit = exit,
                    Err(_) => return true,
                }
            }
            group.exit.is_some()
        });
    }

    fn lock(&self) -> MutexGuard<'_, Group> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Group {
    fn signal(&self, signal: Signal) {
        if let Some(id) = self.id {
            // It may be gone by now, which is as good.
            let _ = kill_process_group(id, signal);
        }
    }

    /// Whether nothing of the group is left alive, once its leader has ended. `closely` also looks
    /// for a group of which only the dead are left.
    fn is_gone(&mut self, closely: bool) -> bool {
        let Some(id) = self.id else { return true };
        // Orphans fall to us where this process is the first of its container, or a subreaper.
        while let Ok(Some(_)) = waitpgid(id, WaitOptions::NOHANG) {}
        let gone = test_kill_process_group(id) == Err(Errno::SRCH) || (closely && only_zombies(id));
        if gone {
            self.id = None;
        }
        gone
    }
}

#[cfg(target_os = "linux")]
use super::zombies::only_zombies;

/// Other systems have no `/proc` to look into.
#[cfg(not(target_os = "linux"))]
fn only_zombies(_: Pid) -> bool {
    false
}
