//! Processes on Windows: a job object for each server.

use std::future::poll_fn;
use std::io;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use process_wrap::tokio::{ChildWrapper, CommandWrap, CreationFlags, JobObject, KillOnDrop};
use tokio::process::Command;
use windows::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW};

use super::{Pipes, reap};

/// A server process in a job of its own. Dropped, the job is ended with all that is in it.
pub(crate) struct Process(Killer);

/// Ends the job from elsewhere. Clones share the process.
#[derive(Clone)]
pub(crate) struct Killer(Arc<Mutex<Job>>);

struct Job {
    child: Box<dyn ChildWrapper>,
    exit: Option<ExitStatus>,
}

impl Process {
    /// Starts `command` in a new job, without a console window, deaf to the console's Ctrl+C.
    pub(crate) fn spawn(command: Command) -> io::Result<(Self, Pipes)> {
        let mut child = CommandWrap::from(command)
            .wrap(CreationFlags(CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP))
            .wrap(KillOnDrop)
            .wrap(JobObject)
            .spawn()?;
        let pipes = (child.stdin().take(), child.stdout().take(), child.stderr().take());
        let process = Self(Killer(Arc::new(Mutex::new(Job { child, exit: None }))));
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("the process has no pipes"));
        };
        Ok((process, Pipes { stdin, stdout, stderr }))
    }

    /// What ends the job from elsewhere.
    pub(crate) fn killer(&self) -> Killer {
        self.0.clone()
    }

    /// How the process ended, if that is known.
    pub(crate) fn exit(&self) -> Option<ExitStatus> {
        self.0.lock().exit
    }

    /// Waits until the process itself ended.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub(crate) async fn exited(&mut self) {
        if self.exit().is_some() {
            return;
        }
        // The lock is held for each look only, so that a killer can have its own.
        let exit = poll_fn(|context| self.0.lock().child.inner_mut().wait().as_mut().poll(context)).await;
        match exit {
            Ok(exit) => self.0.lock().exit = Some(exit),
            Err(error) => tracing::warn!(%error, "the exit status of a server is lost"),
        }
    }

    /// Waits until the process ended, and ends what it left in the job: nothing tells when a job
    /// is empty without a thread that waits for it.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub(crate) async fn gone(&mut self) {
        self.exited().await;
        self.kill();
    }

    /// Ends the job: Windows has nothing gentler for a process without a window.
    pub(crate) fn terminate(&mut self) {
        self.kill();
    }

    /// Ends the job.
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
    fn kill(&self) {
        // It may be gone by now, which is as good.
        let _ = self.lock().child.start_kill();
    }

    /// Ends the job and waits for its process, with or without a runtime.
    pub(crate) fn kill_and_reap(&self) {
        self.kill();
        let this = self.clone();
        reap(move || {
            let mut job = this.lock();
            job.exit.is_some() || !matches!(job.child.try_wait(), Ok(None))
        });
    }

    fn lock(&self) -> MutexGuard<'_, Job> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
