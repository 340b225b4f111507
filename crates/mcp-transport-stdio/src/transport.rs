//! The transport: one server process, requests in, answers out.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use mcp_jsonrpc::{
    CallError, Clock, Connect, Correlator, Ending, Exchange, Handler, Inbound, NotifyOptions, OpenError, Raw,
    RawParams, RequestOptions, Status, Traced, Transport,
};
use tokio_util::sync::CancellationToken;

use crate::clock::TokioClock;
use crate::config::StdioConfig;
use crate::link::Link;
use crate::outbox::Outbox;
use crate::process::{Killer, Pipes, Process};
use crate::reader::Reader;
use crate::spawn::{SpawnError, spawn};
use crate::stderr::{self, Tail};
use crate::supervise::{Supervisor, Task};

/// A connection to a server that runs as a child process.
///
/// It connects once: when the connection is gone, a new transport takes its place (S-54, S-55).
/// [`close`](Transport::close) takes the server down in order; a transport that is dropped kills
/// it at once, with all its descendants.
pub struct StdioTransport {
    config: StdioConfig,
    handler: Arc<dyn Handler>,
    /// Whether it was connected, or closed before that.
    has_begun: Mutex<bool>,
    connected: OnceLock<Connected>,
}

struct Connected {
    exchange: Exchange<Outbox, TokioClock>,
    link: Arc<Link>,
    killer: Killer,
}

impl StdioTransport {
    /// A transport that is not connected: no process yet, nothing in flight (S-35).
    pub fn new(config: StdioConfig, handler: Arc<dyn Handler>) -> Self {
        Self { config, handler, has_begun: Mutex::new(false), connected: OnceLock::new() }
    }

    /// Starts the server (S-36 to S-39). The process is running when this returns; nothing was
    /// said to it yet. Must be called on a tokio runtime with IO and time enabled.
    ///
    /// # Errors
    ///
    /// [`SpawnError`] if it cannot be started, after which it may be tried again, or if the
    /// transport was connected before.
    ///
    /// # Cancel safety
    ///
    /// It never waits, so there is no point at which it could be cancelled.
    #[expect(clippy::unused_async, reason = "other platforms and transports wait here")]
    pub async fn connect(&self) -> Result<(), SpawnError> {
        // Held until all is in place: a close at the same time finds either nothing or all of it.
        let mut has_begun = self.has_begun.lock().unwrap_or_else(PoisonError::into_inner);
        if *has_begun {
            return Err(SpawnError::Again);
        }
        let (process, pipes) = spawn(&self.config)?;
        *has_begun = true;
        tracing::debug!(server = self.config.label(), "started");
        // Only one call ever gets here.
        let _ = self.connected.set(run(&self.config, &self.handler, process, pipes));
        Ok(())
    }

    fn link(&self) -> Option<&Arc<Link>> {
        self.connected.get().map(|connected| &connected.link)
    }

    /// What calls go through, if they can be made at all.
    fn exchange(&self) -> Result<&Exchange<Outbox, TokioClock>, CallError> {
        let connected = self.connected.get().ok_or(CallError::NotConnected)?;
        match connected.link.ending.reason() {
            Some(reason) => Err(CallError::Closed { reason: reason.clone(), sent: false }),
            None => Ok(&connected.exchange),
        }
    }
}

/// Starts the four tasks of a connection.
fn run(config: &StdioConfig, handler: &Arc<dyn Handler>, process: Process, pipes: Pipes) -> Connected {
    let handler: Arc<dyn Handler> = Arc::new(Traced::new(handler.clone(), config.label(), config.mask()));
    let correlator = Correlator::new(config.ids, SystemTime::now());
    let outbox = Outbox::new(Box::pin(pipes.stdin), config.max_queue, handler.clone());
    let tail = Tail::new(config.stderr_tail, config.mask());
    let link = Arc::new(Link {
        correlator: correlator.clone(),
        outbox: outbox.clone(),
        handler: handler.clone(),
        tail: tail.clone(),
        received: AtomicU64::new(0),
        is_connected: AtomicBool::new(true),
        close: CancellationToken::new(),
        is_dropped: AtomicBool::new(false),
        closed: CancellationToken::new(),
        ending: Ending::new(),
    });
    let killer = process.killer();
    let reader = Reader::new(Inbound::new(correlator.clone(), handler, outbox.clone()), config.max_line);
    let reading = {
        let link = link.clone();
        async move {
            let crowd = |settled| link.outbox.expect_crowd(settled > 1);
            reader.run(pipes.stdout, &link.received, crowd).await
        }
    };
    let writing = {
        let outbox = outbox.clone();
        async move { outbox.write_all().await }
    };
    let supervisor = Supervisor {
        process,
        reader: Task::new(tokio::spawn(reading)),
        writer: Task::new(tokio::spawn(writing)),
        stderr: Task::new(tokio::spawn(stderr::drain(pipes.stderr, tail, config.on_stderr.clone()))),
        link: link.clone(),
        shutdown: config.shutdown,
        last_words: config.last_words,
    };
    tokio::spawn(supervisor.run());
    let exchange = Exchange {
        correlator,
        lane: outbox,
        clock: TokioClock,
        timeout: config.timeout,
        max_total_timeout: config.max_total_timeout,
    };
    Connected { exchange, link, killer }
}

#[async_trait]
impl Transport for StdioTransport {
    async fn request(
        &self,
        method: &str,
        params: Option<RawParams>,
        options: RequestOptions,
    ) -> Result<Raw, CallError> {
        self.exchange()?.request(method, params, options).await
    }

    async fn notify(
        &self,
        method: &str,
        params: Option<RawParams>,
        options: NotifyOptions,
    ) -> Result<(), CallError> {
        self.exchange()?.notify(method, params, options).await
    }

    fn now(&self) -> Instant {
        TokioClock.now()
    }

    async fn pause(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn is_connected(&self) -> bool {
        self.link().is_some_and(|link| link.is_connected.load(Ordering::Acquire))
    }

    fn status(&self) -> Status {
        let mut status = Status::default();
        if let Some(link) = self.link() {
            status.connected = self.is_connected();
            status.pending = link.correlator.pending();
            status.received = link.received.load(Ordering::Relaxed);
            status.counts = link.correlator.counts();
            status.stderr_tail = link.tail.text();
        }
        status
    }

    async fn close(&self) {
        // Closed before it was connected, it never will be.
        *self.has_begun.lock().unwrap_or_else(PoisonError::into_inner) = true;
        if let Some(link) = self.link() {
            link.is_connected.store(false, Ordering::Release);
            link.close.cancel();
            link.closed.cancelled().await;
        }
    }

    /// Takes the server down at once, whether or not a runtime is there to help.
    fn abandon(&self) {
        let Some(Connected { link, killer, .. }) = self.connected.get() else { return };
        if !link.closed.is_cancelled() && !link.is_dropped.swap(true, Ordering::AcqRel) {
            link.close.cancel();
            killer.kill_and_reap();
        }
    }
}

impl Drop for StdioTransport {
    fn drop(&mut self) {
        self.abandon();
    }
}

impl fmt::Debug for StdioTransport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("StdioTransport")
            .field("config", &self.config)
            .field("is_connected", &self.is_connected())
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Connect for StdioConfig {
    fn label(&self) -> String {
        self.label()
    }

    async fn connect(&self, handler: Arc<dyn Handler>) -> Result<Arc<dyn Transport>, OpenError> {
        let transport = StdioTransport::new(self.clone(), handler);
        transport.connect().await.map_err(OpenError::new)?;
        Ok(Arc::new(transport))
    }
}
