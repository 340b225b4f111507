//! Job objects, on Windows.

use std::io;
use std::process::ExitStatus;
use std::task::{Context, Poll};

use ::windows::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW};
use process_wrap::tokio::{ChildWrapper, CommandWrap, CreationFlags, JobObject, KillOnDrop};
use tokio::process::Command;

use super::ChildPipes;

/// A job and the process it was made for. The job ends with this.
pub(super) struct Group {
    child: Box<dyn ChildWrapper>,
}

impl Group {
    /// Without a console window, and deaf to the console's Ctrl+C.
    pub(super) fn spawn(command: Command) -> io::Result<(Self, ChildPipes)> {
        let mut child = CommandWrap::from(command)
            .wrap(CreationFlags(CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP))
            .wrap(KillOnDrop)
            .wrap(JobObject)
            .spawn()?;
        let pipes = (child.stdin().take(), child.stdout().take(), child.stderr().take());
        Ok((Self { child }, pipes))
    }

    /// Whether the process ended.
    pub(super) fn poll_exit(&mut self, context: &mut Context<'_>) -> Poll<io::Result<ExitStatus>> {
        // What waits is inside the child: a wait that is dropped and begun again loses nothing.
        self.child.inner_mut().wait().as_mut().poll(context)
    }

    pub(super) fn try_exit(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Windows has nothing gentler for a process without a window.
    pub(super) fn terminate(&mut self) {
        self.kill();
    }

    pub(super) fn kill(&mut self) {
        // It may be gone by now, which is as good.
        let _ = self.child.start_kill();
    }

    /// Once the process has ended: ends what it left in the job, since nothing tells when a job is
    /// empty without a thread that waits for it.
    pub(super) fn is_gone(&mut self, _: bool) -> bool {
        self.kill();
        true
    }
}
