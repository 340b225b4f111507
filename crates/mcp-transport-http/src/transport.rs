//! The transport: requests go out as POSTs, answers come back however the server sends them.

use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use mcp_jsonrpc::{
    Bounds, CallError, Clock, CloseCause, CloseReason, Connect, Correlator, Ending, Handler, Inbound,
    NotifyOptions, OpenError, Phase, Raw, RawParams, RequestOptions, Status, TimeoutPhase, Traced, Transport,
    bounded, notification,
};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::ask::Ask;
use crate::clock::TokioClock;
use crate::config::HttpConfig;
use crate::connector::{Connector, ConnectorError};
use crate::in_flight::InFlight;
use crate::link::{Limits, Link, Listening, Mode};
use crate::listener::Listener;
use crate::notify;
use crate::pool::{Lane, Pool, PoolLimits};
use crate::replies::Replies;
use crate::session::Session;
use crate::trace::Trace;
use crate::wire::{DISCARD, Wire, WireLimits};

/// A connection to an HTTP server. It is logical: [`connect`](Self::connect) opens nothing, and
/// each message is an exchange of its own (S-59, S-60).
///
/// [`close`](Transport::close) ends the server's session; a transport that is dropped cuts its
/// connections at once.
pub struct HttpTransport {
    config: HttpConfig,
    handler: Arc<dyn Handler>,
    /// Whether it was connected, or closed before that.
    has_begun: Mutex<bool>,
    link: OnceLock<Arc<Link>>,
}

/// Why a transport cannot be connected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// Something in the configuration of connections is unusable.
    #[error("the connection is not configured well")]
    Connector(#[source] ConnectorError),
    /// It was connected or closed before; a new transport takes its place (S-55).
    #[error("the transport was connected or closed before")]
    Again,
    /// There is no tokio runtime to work on.
    #[error("there is no tokio runtime to work on")]
    NoRuntime,
}

impl HttpTransport {
    /// A transport that is not connected.
    pub fn new(config: HttpConfig, handler: Arc<dyn Handler>) -> Self {
        Self { config, handler, has_begun: Mutex::new(false), link: OnceLock::new() }
    }

    /// Makes calls possible; nothing is sent or opened (S-60). Must be called on a tokio runtime
    /// with IO and time enabled, which drives the connections: once it has ended, every call fails
    /// and a new transport is needed.
    ///
    /// # Errors
    ///
    /// See [`ConnectError`].
    pub fn connect(&self) -> Result<(), ConnectError> {
        // Held until all is in place: a close at the same time finds either nothing or all of it.
        let mut has_begun = self.has_begun.lock().unwrap_or_else(PoisonError::into_inner);
        if *has_begun {
            return Err(ConnectError::Again);
        }
        let runtime = Handle::try_current().map_err(|_| ConnectError::NoRuntime)?;
        let connector = Connector::new(&self.config.connector).map_err(ConnectError::Connector)?;
        *has_begun = true;
        // Only one call ever gets here.
        let _ = self.link.set(link(&self.config, &self.handler, connector, runtime));
        Ok(())
    }

    /// What calls go through, if they can be made at all.
    fn open_link(&self) -> Result<&Arc<Link>, CallError> {
        let link = self.link.get().ok_or(CallError::NotConnected)?;
        match link.ending.reason() {
            Some(reason) => Err(CallError::Closed { reason: reason.clone(), sent: false }),
            None => Ok(link),
        }
    }
}

fn link(config: &HttpConfig, handler: &Arc<dyn Handler>, connector: Connector, runtime: Handle) -> Arc<Link> {
    let handler: Arc<dyn Handler> = Arc::new(Traced::new(handler.clone(), config.label(), config.mask()));
    for name in config.headers.ignored() {
        tracing::warn!(
            server = config.label(),
            "the configured header `{name}` is the protocol's own; it is not sent"
        );
    }
    let endpoint = Arc::new(config.endpoint.clone());
    let limits = PoolLimits {
        max_connections: config.max_connections,
        max_streams: config.max_streams,
        idle_timeout: config.idle_timeout,
        max_head: config.max_head,
    };
    let pool = Pool::new(connector, endpoint.origin().clone(), limits, runtime.clone());
    let offers_gzip = config.gzip && cfg!(feature = "gzip");
    let session = Session::new(config.headers.clone(), endpoint.authorization(), offers_gzip);
    let limits = WireLimits { max_redirects: config.max_redirects, max_error_body: config.max_error_body };
    let wire = Wire::new(pool, session, endpoint, config.authorize.clone(), limits, config.mask());
    let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
    let replies = Arc::new(Replies {
        wire: wire.clone(),
        handler: handler.clone(),
        places: Arc::new(Semaphore::new(config.max_replies.clamp(1, Semaphore::MAX_PERMITS))),
        dropped: AtomicU64::new(0),
        timeout: config.timeout,
        runtime: runtime.clone(),
        tasks: tasks.clone(),
        stop: stop.clone(),
    });
    let correlator = Correlator::new(config.ids, SystemTime::now());
    Arc::new(Link {
        inbound: Inbound::new(correlator.clone(), handler.clone(), replies.clone()),
        wire,
        replies,
        correlator,
        handler,
        limits: Limits {
            max_message: config.max_message,
            resume: config.resume,
            resume_listener: config.resume_listener,
            drain: config.drain,
            close_timeout: config.close_timeout,
            preferred: config.wire,
        },
        mode: Mutex::new(Mode::Undecided),
        deciding: tokio::sync::Mutex::default(),
        listening: watch::Sender::new(Listening::No),
        runtime,
        tasks,
        stop,
        is_closing: AtomicBool::new(false),
        is_closed_by_us: AtomicBool::new(false),
        closed: CancellationToken::new(),
        ending: Ending::new(),
    })
}

#[async_trait]
impl Transport for HttpTransport {
    async fn request(
        &self,
        method: &str,
        params: Option<RawParams>,
        options: RequestOptions,
    ) -> Result<Raw, CallError> {
        let link = self.open_link()?;
        let bounds = Bounds::new(
            options.timeout.unwrap_or(self.config.timeout),
            options.max_total_timeout.unwrap_or(self.config.max_total_timeout),
        )
        .cancelled_by(options.cancel)
        .kept_alive_by(options.keep_alive);
        let own = link.wire.own_headers(method, &options.mirrored)?;
        // Without a session, the end of its exchange tells the server that a call was given up.
        let notice = options.cancel_notice.filter(|_| own.is_none());
        let mut call = InFlight::new(link, link.correlator.begin()?, notice);
        if let Some(assigned) = &options.assigned {
            assigned.set(&call.pending.id());
        }
        let message = call.pending.message(method, params.as_deref());
        drop(params);
        let ask = Ask::message(message.into(), own);
        // Pinned here, since it is large and would be kept twice if it were moved.
        let done = {
            let work = pin!(link.run(&mut call.pending, &ask, &call.trace));
            bounded(work, &bounds, &TokioClock).await
        };
        match done {
            Ok(settled) => call.finish(settled),
            Err(stopped) => {
                let phase = call.trace.phase();
                match call.give_up(&stopped.why) {
                    Some(settled) => settled,
                    None => Err(stopped.into_error(phase, call.trace.is_sent())),
                }
            }
        }
    }

    async fn notify(
        &self,
        method: &str,
        params: Option<RawParams>,
        options: NotifyOptions,
    ) -> Result<(), CallError> {
        let link = self.open_link()?;
        let timeout = options.timeout.unwrap_or(self.config.timeout);
        let bounds = Bounds::new(timeout, Duration::ZERO).cancelled_by(options.cancel);
        let own = link.wire.own_headers(method, &[])?;
        let ask = Ask::message(notification(method, params.as_deref()).into(), own);
        let trace = Trace::default();
        let closed = || {
            let reason = link.correlator.close_reason();
            let reason = reason.unwrap_or_else(|| Arc::new(CloseReason::new(CloseCause::Requested)));
            CallError::Closed { reason, sent: trace.is_sent() }
        };
        let work = link.stop.run_until_cancelled(notify::tell(link, &ask, &trace));
        match bounded(work, &bounds, &TokioClock).await {
            Ok(Some(done)) => done,
            Ok(None) => Err(closed()),
            Err(stopped) => Err(stopped.into_error(TimeoutPhase::Notify, trace.is_sent())),
        }
    }

    fn enter(&self, phase: Phase<'_>) {
        let Some(link) = self.link.get() else { return };
        match phase {
            Phase::Initial => link.wire.session().begin(),
            Phase::Stateless { version } => link.wire.session().stateless(version),
            Phase::Negotiated { version } => link.wire.session().negotiated(version),
            // `Phase` may grow; what it tells then makes no other headers.
            _ => {}
        }
    }

    fn listen(&self) {
        let Ok(link) = self.open_link() else { return };
        let is_first = link.mode() != Mode::Legacy
            && !link.wire.is_stateless()
            && link.listening.send_if_modified(|state| {
                let is_first = *state == Listening::No;
                *state = if is_first { Listening::Opening } else { *state };
                is_first
            });
        if is_first {
            link.spawn(Listener(link.clone()).listen());
        }
    }

    async fn listening(&self) -> bool {
        let Ok(link) = self.open_link() else { return false };
        if link.wire.is_stateless() {
            return false;
        }
        let mut listening = link.listening.subscribe();
        let known = listening.wait_for(|state| *state != Listening::Opening);
        let state = link.stop.run_until_cancelled(known).await;
        matches!(state, Some(Ok(state)) if *state == Listening::Open)
    }

    fn mirrors(&self) -> bool {
        true
    }

    fn now(&self) -> Instant {
        TokioClock.now()
    }

    async fn pause(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn is_connected(&self) -> bool {
        self.link.get().is_some_and(|link| !link.is_closing.load(Ordering::Acquire))
    }

    fn status(&self) -> Status {
        let mut status = Status::default();
        if let Some(link) = self.link.get() {
            status.connected = self.is_connected();
            status.pending = link.correlator.pending();
            status.received = link.wire.pool.received();
            status.counts = link.correlator.counts();
        }
        status
    }

    async fn close(&self) {
        // Closed before it was connected, it never will be.
        *self.has_begun.lock().unwrap_or_else(PoisonError::into_inner) = true;
        let Some(link) = self.link.get() else { return };
        if !link.is_closed_by_us.swap(true, Ordering::AcqRel) {
            let closing = Closing(link.clone());
            link.runtime.spawn(async move {
                shut(&closing.0).await;
                drop(closing);
            });
        }
        link.closed.cancelled().await;
    }

    /// Cuts all connections at once.
    fn abandon(&self) {
        let Some(link) = self.link.get() else { return };
        if !link.closed.is_cancelled() && !link.is_closed_by_us.load(Ordering::Acquire) {
            let reason = Arc::new(CloseReason::new(CloseCause::Dropped));
            link.settle(&reason);
            link.stop.cancel();
            link.wire.pool.shut();
            link.announce(reason);
        }
    }
}

/// Ends a connection in order (D-09): calls fail, background work ends, the session ends, and
/// nothing is left of it.
async fn shut(link: &Arc<Link>) {
    link.settle(&Arc::new(CloseReason::new(CloseCause::Requested)));
    link.stop.cancel();
    link.tasks.close();
    link.tasks.wait().await;
    if link.wire.session().outgoing().id.is_some() {
        // What becomes of it changes nothing for us (S-66).
        let _ = tokio::time::timeout(link.limits.close_timeout, end_session(link)).await;
    }
    link.wire.pool.close().await;
}

/// A close that has begun. It is over with this value, also where the runtime is gone and its task
/// never runs.
struct Closing(Arc<Link>);

impl Drop for Closing {
    fn drop(&mut self) {
        let Self(link) = self;
        let reason = Arc::new(CloseReason::new(CloseCause::Requested));
        link.settle(&reason);
        link.stop.cancel();
        link.wire.pool.shut();
        link.announce(reason);
        link.closed.cancel();
    }
}

async fn end_session(link: &Link) {
    if let Ok(answer) = link.wire.exchange(Lane::Control, &Ask::Delete, &Trace::default()).await {
        answer.body.discard(DISCARD).await;
    }
}

impl Drop for HttpTransport {
    fn drop(&mut self) {
        self.abandon();
    }
}

impl fmt::Debug for HttpTransport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpTransport")
            .field("config", &self.config)
            .field("is_connected", &self.is_connected())
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Connect for HttpConfig {
    fn label(&self) -> String {
        self.label()
    }

    async fn connect(&self, handler: Arc<dyn Handler>) -> Result<Arc<dyn Transport>, OpenError> {
        let transport = HttpTransport::new(self.clone(), handler);
        transport.connect().map_err(OpenError::new)?;
        Ok(Arc::new(transport))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each caller carries this along; connecting, refusals and resumption are boxed.
    #[tokio::test]
    async fn the_future_of_a_call_stays_small() {
        let config = HttpConfig::new("http://127.0.0.1:1/").unwrap();
        let transport = HttpTransport::new(config, Arc::new(mcp_jsonrpc::Ignore));
        transport.connect().unwrap();
        let link = transport.open_link().unwrap();
        let mut call = link.correlator.begin().unwrap();
        let trace = crate::trace::Trace::default();
        let ask = Ask::Post(bytes::Bytes::new());
        let size = size_of_val(&link.run(&mut call, &ask, &trace));
        assert!(size < 6 * 1024, "{size}");
    }
}
