//! Connections to one origin: kept alive, handed out one exchange at a time, never more than allowed.

use std::fmt;
#[cfg(feature = "http2")]
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use hyper::client::conn::http1;
#[cfg(feature = "http2")]
use hyper::client::conn::http2;
use hyper_util::rt::TokioIo;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::connector::{Connection, Connector, Forward, Protocol};
use crate::endpoint::Origin;
use crate::error::HttpError;

mod lease;

use self::lease::Sender;
pub(crate) use self::lease::{Lease, Unanswered};

/// What is sent.
pub(crate) type Outbound = Request<Full<Bytes>>;

/// Connections for replies, cancel notices and the end of the session, beyond those for calls: a
/// call may wait for the reply that its server waits for.
const CONTROL_CONNECTIONS: usize = 4;

/// How long before the server gives an idle connection up it is not used any more.
const MARGIN: Duration = Duration::from_secs(1);

/// Who wants a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Requests and notifications of the caller.
    Call,
    /// Replies, cancel notices, the end of the session.
    Control,
    /// Streams that stay open: they are few, and count for themselves.
    Stream,
}

/// The limits of a pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PoolLimits {
    pub(crate) max_connections: usize,
    pub(crate) max_streams: usize,
    pub(crate) idle_timeout: Duration,
    pub(crate) max_head: usize,
}

/// The connections to one origin.
pub(crate) struct Pool {
    connector: Connector,
    origin: Origin,
    limits: PoolLimits,
    calls: Arc<Semaphore>,
    control: Arc<Semaphore>,
    /// Places for calls whose stream goes on.
    streams: Arc<Semaphore>,
    idle: Mutex<Vec<Idle>>,
    #[cfg(feature = "http2")]
    http2: Http2,
    /// Bytes of bodies received.
    received: AtomicU64,
    runtime: Handle,
    /// The tasks that drive connections.
    tasks: TaskTracker,
    /// Ends them.
    stop: CancellationToken,
}

struct Idle {
    sender: http1::SendRequest<Full<Bytes>>,
    forward: Option<Forward>,
    /// `None` where that is beyond the clock's range.
    until: Option<Instant>,
}

/// The one connection of HTTP/2.
#[cfg(feature = "http2")]
#[derive(Default)]
struct Http2 {
    shared: Mutex<Option<http2::SendRequest<Full<Bytes>>>>,
    /// Held while a connection is made whose protocol is not known yet, or is this one.
    opening: tokio::sync::Mutex<()>,
    /// Whether the server was seen to choose HTTP/1.1, so that connections can be made at once.
    is_refused: AtomicBool,
}

impl Pool {
    /// Connections made by `connector`, driven on `runtime`.
    pub(crate) fn new(
        connector: Connector,
        origin: Origin,
        limits: PoolLimits,
        runtime: Handle,
    ) -> Arc<Self> {
        Arc::new(Self {
            connector,
            origin,
            limits,
            calls: Arc::new(Semaphore::new(limits.max_connections.clamp(1, Semaphore::MAX_PERMITS))),
            control: Arc::new(Semaphore::new(CONTROL_CONNECTIONS)),
            streams: Arc::new(Semaphore::new(limits.max_streams.min(Semaphore::MAX_PERMITS))),
            idle: Mutex::default(),
            #[cfg(feature = "http2")]
            http2: Http2::default(),
            received: AtomicU64::new(0),
            runtime,
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        })
    }

    /// A connection that is ready for a request: one that is idle, or a new one; waits while there
    /// are as many as allowed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future takes nothing.
    pub(crate) async fn lease(self: &Arc<Self>, lane: Lane) -> Result<Lease, HttpError> {
        #[cfg(feature = "http2")]
        if let Some(sender) = self.http2.get() {
            return Ok(self.share(sender));
        }
        let permit = match lane {
            // The semaphores are never closed.
            Lane::Call => self.calls.clone().acquire_owned().await.ok(),
            Lane::Control => self.control.clone().acquire_owned().await.ok(),
            Lane::Stream => None,
        };
        while let Some(Idle { mut sender, forward, .. }) = self.take_idle() {
            // It may have been closed by the server while nobody looked.
            if sender.is_ready() || sender.ready().await.is_ok() {
                return Ok(self.hand_out(sender, forward, permit, false));
            }
        }
        // Rare, and so large that every exchange would carry it along.
        Box::pin(self.open(permit)).await
    }

    /// Bytes of bodies received so far, as they stand on the wire.
    pub(crate) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// Ends all connections, and waits until they are gone.
    pub(crate) async fn close(&self) {
        self.shut();
        self.tasks.wait().await;
    }

    /// Ends all connections, without waiting.
    pub(crate) fn shut(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.idle().clear();
    }

    #[cfg(not(feature = "http2"))]
    async fn open(self: &Arc<Self>, permit: Option<OwnedSemaphorePermit>) -> Result<Lease, HttpError> {
        let connection = self.connector.connect(&self.origin).await.map_err(HttpError::Connect)?;
        self.start(connection, permit).await
    }

    /// Makes a connection. As long as it may turn out to be one that all share, one at a time.
    #[cfg(feature = "http2")]
    async fn open(self: &Arc<Self>, permit: Option<OwnedSemaphorePermit>) -> Result<Lease, HttpError> {
        let is_alone = self.origin.is_secure() && !self.http2.is_refused.load(Ordering::Relaxed);
        let turn = if is_alone { Some(self.http2.opening.lock().await) } else { None };
        if let Some(sender) = self.http2.get() {
            return Ok(self.share(sender));
        }
        let connection = self.connector.connect(&self.origin).await.map_err(HttpError::Connect)?;
        self.http2.is_refused.store(connection.protocol == Protocol::Http1, Ordering::Relaxed);
        let lease = self.start(connection, permit).await;
        drop(turn);
        lease
    }

    /// Speaks HTTP over a connection.
    async fn start(
        self: &Arc<Self>,
        connection: Connection,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Result<Lease, HttpError> {
        let Connection { io, protocol, forward } = connection;
        match protocol {
            Protocol::Http1 => {
                let mut builder = http1::Builder::new();
                builder.max_buf_size(self.limits.max_head.max(LEAST_BUFFER));
                let (sender, driver) =
                    builder.handshake(TokioIo::new(io)).await.map_err(HttpError::Broken)?;
                self.drive(driver);
                Ok(self.hand_out(sender, forward, permit, true))
            }
            #[cfg(feature = "http2")]
            Protocol::Http2 => {
                let (sender, driver) = http2::Builder::new(hyper_util::rt::TokioExecutor::new())
                    .timer(hyper_util::rt::TokioTimer::new())
                    .adaptive_window(true)
                    .max_header_list_size(u32::try_from(self.limits.max_head).unwrap_or(u32::MAX))
                    .keep_alive_interval(KEEP_ALIVE)
                    .handshake(TokioIo::new(io))
                    .await
                    .map_err(HttpError::Broken)?;
                self.drive(driver);
                self.http2.set(sender.clone());
                Ok(self.share(sender))
            }
            #[cfg(not(feature = "http2"))]
            Protocol::Http2 => unreachable!(),
        }
    }

    fn drive(&self, driver: impl Future<Output = hyper::Result<()>> + Send + 'static) {
        let stop = self.stop.clone();
        self.tasks.spawn_on(
            async move {
                // How it ends, the exchange on it hears.
                if let Some(Err(error)) = stop.run_until_cancelled(driver).await {
                    tracing::trace!("a connection ended: {error}");
                }
            },
            &self.runtime,
        );
    }

    fn hand_out(
        self: &Arc<Self>,
        sender: http1::SendRequest<Full<Bytes>>,
        forward: Option<Forward>,
        permit: Option<OwnedSemaphorePermit>,
        is_new: bool,
    ) -> Lease {
        let keep_for = self.limits.idle_timeout;
        Lease { sender: Sender::Http1(sender), forward, pool: self.clone(), permit, is_new, keep_for }
    }

    #[cfg(feature = "http2")]
    fn share(self: &Arc<Self>, sender: http2::SendRequest<Full<Bytes>>) -> Lease {
        Lease {
            sender: Sender::Http2(sender),
            forward: None,
            pool: self.clone(),
            permit: None,
            is_new: false,
            keep_for: Duration::ZERO,
        }
    }

    fn take_idle(&self) -> Option<Idle> {
        let now = Instant::now();
        let mut idle = self.idle();
        idle.retain(|idle| idle.until.is_none_or(|until| until > now) && !idle.sender.is_closed());
        idle.pop()
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        // Nothing that can panic runs under the lock, so a poisoned one is still sound.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The least that hyper takes for a buffer.
const LEAST_BUFFER: usize = 8 * 1024;

/// How often a connection that all share is checked while exchanges wait on it.
#[cfg(feature = "http2")]
const KEEP_ALIVE: Duration = Duration::from_secs(20);

#[cfg(feature = "http2")]
impl Http2 {
    fn get(&self) -> Option<http2::SendRequest<Full<Bytes>>> {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.as_ref().filter(|sender| !sender.is_closed()).cloned()
    }

    fn set(&self, sender: http2::SendRequest<Full<Bytes>>) {
        *self.shared.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pool").field("origin", &self.origin).finish_non_exhaustive()
    }
}
