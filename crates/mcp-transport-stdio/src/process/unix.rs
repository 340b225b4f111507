//! Process groups, on Unix.

use std::io;
use std::pin::pin;
use std::process::ExitStatus;
use std::task::{Context, Poll};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpgid};
use tokio::process::{Child, Command};

use super::ChildPipes;
#[cfg(target_os = "linux")]
use super::zombies::only_zombies;

/// A process group and its leader.
pub(super) struct Group {
    leader: Child,
    /// The number of the group; `None` once nothing of it is left, since another may get it then.
    id: Option<Pid>,
}

impl Group {
    pub(super) fn spawn(mut command: Command) -> io::Result<(Self, ChildPipes)> {
        let mut leader = command.process_group(0).spawn()?;
        let id = leader.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let pipes = (leader.stdin.take(), leader.stdout.take(), leader.stderr.take());
        Ok((Self { leader, id }, pipes))
    }

    /// Whether the leader ended; reaps it then.
    pub(super) fn poll_exit(&mut self, context: &mut Context<'_>) -> Poll<io::Result<ExitStatus>> {
        // What waits is inside the child: a wait that is dropped and begun again loses nothing.
        pin!(self.leader.wait()).poll(context)
    }

    pub(super) fn try_exit(&mut self) -> io::Result<Option<ExitStatus>> {
        self.leader.try_wait()
    }

    pub(super) fn terminate(&mut self) {
        self.signal(Signal::TERM);
    }

    pub(super) fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    /// Whether nothing of the group is left alive, once its leader has ended. `closely` also looks
    /// for a group of which only the dead are left.
    pub(super) fn is_gone(&mut self, closely: bool) -> bool {
        let Some(id) = self.id else { return true };
        // Orphans fall to us where this process is the first of its container, or a subreaper.
        while let Ok(Some(_)) = waitpgid(id, WaitOptions::NOHANG) {}
        let gone = test_kill_process_group(id) == Err(Errno::SRCH) || (closely && only_zombies(id));
        if gone {
            self.id = None;
        }
        gone
    }

    fn signal(&self, signal: Signal) {
        if let Some(id) = self.id {
            // It may be gone by now, which is as good.
            let _ = kill_process_group(id, signal);
        }
    }
}

/// Other systems have no `/proc` to look into.
#[cfg(not(target_os = "linux"))]
fn only_zombies(_: Pid) -> bool {
    false
}
