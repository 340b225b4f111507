//! Watches over one server: sees what ends the connection, and takes everything down in order.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mcp_jsonrpc::{CloseCause, CloseReason, TransportFault};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use crate::ladder::{Ladder, Rung, ShutdownLimits};
use crate::link::Link;
use crate::process::Process;

/// The tasks and the process of one connection. Dropped, which happens when the runtime shuts
/// down, it kills the process and settles what is in flight.
pub(crate) struct Supervisor {
    pub(crate) process: Process,
    pub(crate) reader: Task<io::Result<()>>,
    pub(crate) writer: Task<io::Error>,
    pub(crate) stderr: Task<()>,
    pub(crate) link: Arc<Link>,
    pub(crate) shutdown: ShutdownLimits,
    pub(crate) last_words: Duration,
}

/// A task that can be waited for again and again, and ends with its owner.
pub(crate) struct Task<T> {
    handle: JoinHandle<T>,
    is_done: bool,
}

impl Supervisor {
    /// Runs until nothing of the connection is left.
    pub(crate) async fn run(mut self) {
        let cause = self.first_event().await;
        self.link.is_connected.store(false, Ordering::Release);
        let asked = matches!(cause, CloseCause::Requested | CloseCause::Dropped);
        if !asked {
            self.last_words().await;
        }
        let reason = self.reason(cause);
        self.link.settle(&reason);
        self.end_process(&reason).await;
        self.stop_tasks().await;
        self.link.announce(self.last_reason(reason));
    }

    /// Bounded like all else here: a handler that blocks would hold the reader up for ever.
    async fn stop_tasks(&mut self) {
        let stopped = async {
            // What the process wrote last may still be in the pipe.
            let _ = timeout(self.last_words, self.stderr.done()).await;
            self.reader.stop().await;
            self.writer.stop().await;
            self.stderr.stop().await;
        };
        if timeout(self.last_words + self.shutdown.kill_wait, stopped).await.is_err() {
            tracing::warn!("a handler holds up the end of a connection");
        }
    }

    /// Waits for whatever ends the connection.
    async fn first_event(&mut self) -> CloseCause {
        tokio::select! {
            biased;
            () = self.link.close.cancelled() => match self.link.is_dropped.load(Ordering::Acquire) {
                true => CloseCause::Dropped,
                false => CloseCause::Requested,
            },
            read = self.reader.done() => match read {
                Some(Ok(())) => CloseCause::EndOfStream,
                Some(Err(error)) => {
                    let shown = io::Error::new(error.kind(), error.to_string());
                    self.link.handler.on_error(&TransportFault::Read(shown));
                    CloseCause::Read(error)
                }
                None => CloseCause::Panicked,
            },
            failure = self.writer.done() => failure.map_or(CloseCause::Panicked, CloseCause::Write),
            () = self.process.exited() => CloseCause::Exited,
        }
    }

    /// A connection that ended by itself: answers still on their way, the exit status and the
    /// last of stderr get a moment to arrive. A close that is asked for meanwhile does not wait.
    async fn last_words(&mut self) {
        let Self { process, reader, stderr, link, .. } = self;
        let all = async { tokio::join!(reader.done(), stderr.done(), process.exited()) };
        tokio::select! {
            _ = timeout(self.last_words, all) => {}
            () = link.close.cancelled() => {}
        }
    }

    fn reason(&self, cause: CloseCause) -> Arc<CloseReason> {
        // A write fails because the server is gone; then that is the better news.
        let cause = match cause {
            CloseCause::Write(_) if self.process.exit().is_some() => CloseCause::Exited,
            cause => cause,
        };
        Arc::new(CloseReason::of_process(cause, self.process.exit(), self.link.tail.text()))
    }

    /// The reason with what is known in the end. How the process ended may be known only now.
    fn last_reason(&self, reason: Arc<CloseReason>) -> Arc<CloseReason> {
        let cause = match reason.cause {
            CloseCause::Requested => CloseCause::Requested,
            CloseCause::Dropped => CloseCause::Dropped,
            CloseCause::EndOfStream => CloseCause::EndOfStream,
            _ => return reason,
        };
        Arc::new(CloseReason::of_process(cause, self.process.exit(), self.link.tail.text()))
    }

    /// Climbs the shutdown ladder.
    async fn end_process(&mut self, reason: &Arc<CloseReason>) {
        let mut limits = self.shutdown;
        limits.kill_immediately |= matches!(reason.cause, CloseCause::Dropped);
        let mut ladder = Ladder::new(limits);
        let mut is_gone = false;
        loop {
            match ladder.next(Instant::now().into_std(), is_gone) {
                Rung::CloseStdin => self.link.outbox.close(reason),
                Rung::Wait { until } => {
                    let gone = timeout_at(until.into(), self.process.gone());
                    is_gone = gone.await.is_ok();
                }
                Rung::Terminate => self.process.terminate(),
                Rung::Kill => self.process.kill(),
                Rung::Done => break,
            }
        }
        if !is_gone {
            tracing::warn!("a server process does not end, not even when killed");
        }
    }
}

/// Where `run` did not get to its end, or not even to its beginning, the rest is done here. Either
/// way those who wait for the end hear of it last, even if a handler panics.
impl Drop for Supervisor {
    fn drop(&mut self) {
        let _at_the_end = self.link.closed.clone().drop_guard();
        if self.link.ending.reason().is_none() {
            self.process.killer().kill_and_reap();
            let reason = self.reason(CloseCause::Dropped);
            self.link.settle(&reason);
            self.link.outbox.close(&reason);
            self.link.announce(reason);
        }
    }
}

impl<T> Task<T> {
    pub(crate) fn new(handle: JoinHandle<T>) -> Self {
        Self { handle, is_done: false }
    }

    /// Waits until the task is done; `None` if it panicked, or was done before.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    async fn done(&mut self) -> Option<T> {
        if self.is_done {
            return None;
        }
        let result = (&mut self.handle).await.ok();
        self.is_done = true;
        result
    }

    /// Stops the task, and waits until it has stopped.
    async fn stop(&mut self) {
        self.handle.abort();
        self.done().await;
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.handle.abort();
    }
}
