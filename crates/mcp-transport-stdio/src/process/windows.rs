//! Processes on Windows: a job object for each server.

use std::io;
use std::process::ExitStatus;

use process_wrap::tokio::{ChildWrapper, CommandWrap, CreationFlags, JobObject, KillOnDrop};
use tokio::process::Command;
use windows::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW};

use super::{Pipes, reap};

/// A server process in a job of its own. Dropped, the job is ended with all that is in it.
pub(crate) struct Process {
    /// `None` only while it is dropped.
    child: Option<Box<dyn ChildWrapper>>,
    exit: Option<ExitStatus>,
}

/// Nothing here: the job ends with its handle, which the supervising task holds.
#[derive(Clone)]
pub(crate) struct Killer;

impl Process {
    /// Starts `command` in a new job, without a console window, deaf to the console's Ctrl+C.
    pub(crate) fn spawn(command: Command) -> io::Result<(Self, Pipes)> {
        let mut child = CommandWrap::from(command)
            .wrap(CreationFlags(CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP))
            .wrap(KillOnDrop)
            .wrap(JobObject)
            .spawn()?;
        let pipes = (child.stdin().take(), child.stdout().take(), child.stderr().take());
        let process = Self { child: Some(child), exit: None };
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("the process has no pipes"));
        };
        Ok((process, Pipes { stdin, stdout, stderr }))
    }

    /// What kills the job from elsewhere.
    pub(crate) fn killer(&self) -> Killer {
        Killer
    }

    /// How the process ended, if that is known.
    pub(crate) fn exit(&self) -> Option<ExitStatus> {
        self.exit
    }

    /// Waits until the process itself ended.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub(crate) async fn exited(&mut self) {
        if let (None, Some(child)) = (self.exit, &mut self.child) {
            match child.inner_mut().wait().await {
                Ok(exit) => self.exit = Some(exit),
                Err(error) => tracing::warn!(%error, "the exit status of a server is lost"),
            }
        }
    }

    /// Waits until nothing of the job is left.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub(crate) async fn gone(&mut self) {
        self.exited().await;
        if let Some(child) = &mut self.child {
            if let Err(error) = child.wait().await {
                tracing::warn!(%error, "cannot wait for the job of a server");
            }
        }
    }

    /// Ends the job: Windows has nothing gentler for a process without a window.
    pub(crate) fn terminate(&mut self) {
        self.kill();
    }

    /// Ends the job.
    pub(crate) fn kill(&mut self) {
        if let Some(child) = &mut self.child {
            // It may be gone by now, which is as good.
            let _ = child.start_kill();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        let (Some(mut child), None) = (self.child.take(), self.exit) else { return };
        reap(move || !matches!(child.try_wait(), Ok(None)));
    }
}

impl Killer {
    /// See [`Killer`].
    pub(crate) fn kill(&self) {}
}
