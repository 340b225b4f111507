//! A transport in memory, for testing what stands above transports.

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use bytes::Bytes;
use mcp_schemas::Conversation;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::bounded::Clock;
use crate::close::{CloseCause, CloseReason};
use crate::correlator::Correlator;
use crate::error::{CallError, OpenError};
use crate::exchange::{Exchange, Lane, Ticket};
use crate::frame::RawParams;
use crate::handler::{Handler, ReplySink};
use crate::ids::IdFormat;
use crate::inbound::Inbound;
use crate::options::{NotifyOptions, RequestOptions};
use crate::raw::Raw;
use crate::transport::{Connect, Status, Transport};

/// Messages a peer may leave unread before senders wait.
const CAPACITY: usize = 1024;

/// Connects to memory. Each connection hands its other end to whoever holds the receiver.
#[derive(Debug)]
pub struct MemoryConnect {
    peers: mpsc::Sender<MemoryPeer>,
    /// The default timeout of requests and notifications; 30 s. Zero means none.
    pub timeout: Duration,
    /// The form of ids; text.
    pub ids: IdFormat,
}

impl MemoryConnect {
    /// A connector, and where its peers come out.
    pub fn new() -> (Self, mpsc::Receiver<MemoryPeer>) {
        let (peers, receiver) = mpsc::channel(CAPACITY);
        (Self { peers, timeout: Duration::from_secs(30), ids: IdFormat::Text }, receiver)
    }
}

#[async_trait]
impl Connect for MemoryConnect {
    fn label(&self) -> String {
        "memory".to_owned()
    }

    async fn connect(&self, handler: Arc<dyn Handler>) -> Result<Arc<dyn Transport>, OpenError> {
        let (transport, peer) = MemoryTransport::pair(handler, self.timeout, self.ids);
        self.peers
            .send(peer)
            .await
            .map_err(|_| OpenError::new(std::io::Error::other("nobody takes the peer")))?;
        Ok(transport)
    }
}

/// Our end of a connection in memory.
pub struct MemoryTransport {
    exchange: Exchange<Channel, TokioClock>,
    handler: Arc<dyn Handler>,
    /// Bytes received.
    received: AtomicU64,
}

/// What the transport, its replies and its cancel notices write to.
struct Channel {
    outgoing: mpsc::Sender<Vec<u8>>,
    is_closed: AtomicBool,
}

/// The other end: plays the server, message by message.
///
/// Where `MCP_SCHEMA_DIR` names the published schemas, a test fails if the client sends what does not fit that of
/// its revision: when the message is taken, or, if it never is, when the peer is dropped.
pub struct MemoryPeer {
    conversation: Mutex<Conversation>,
    inbound: Inbound,
    incoming: mpsc::Receiver<Vec<u8>>,
    transport: Arc<MemoryTransport>,
}

impl MemoryTransport {
    /// A connection and its other end.
    #[expect(clippy::disallowed_methods, reason = "a test helper; the timestamp only marks the ids")]
    pub fn pair(handler: Arc<dyn Handler>, timeout: Duration, ids: IdFormat) -> (Arc<Self>, MemoryPeer) {
        let (outgoing, incoming) = mpsc::channel(CAPACITY);
        let lane = Arc::new(Channel { outgoing, is_closed: AtomicBool::new(false) });
        let correlator = Correlator::new(ids, SystemTime::now());
        let inbound = Inbound::new(correlator.clone(), handler.clone(), lane.clone());
        let max_total_timeout = Duration::ZERO;
        let exchange = Exchange { correlator, lane, clock: TokioClock, timeout, max_total_timeout };
        let transport = Arc::new(Self { exchange, handler, received: AtomicU64::new(0) });
        let conversation = Mutex::default();
        (transport.clone(), MemoryPeer { conversation, inbound, incoming, transport })
    }

    fn shut(&self, cause: CloseCause) {
        let reason = Arc::new(CloseReason::new(cause));
        if self.exchange.correlator.close(&reason) {
            self.exchange.lane.is_closed.store(true, Ordering::Release);
            self.handler.on_close(&reason);
        }
    }
}

impl MemoryPeer {
    /// The next message the client sent. Waits for it; what is not JSON reads as null.
    pub async fn next(&mut self) -> Value {
        let message = self.incoming.recv().await.unwrap_or_default();
        self.taken(&message).unwrap_or(Value::Null)
    }

    /// The next message, if one is there already.
    pub fn try_next(&mut self) -> Option<Value> {
        self.incoming.try_recv().ok().and_then(|message| self.taken(&message))
    }

    /// Sends the bytes of one frame.
    pub fn send(&self, frame: impl AsRef<[u8]>) {
        let frame = Bytes::copy_from_slice(frame.as_ref());
        if let Ok(message) = serde_json::from_slice(&frame) {
            self.conversation().received(&message);
        }
        self.transport.received.fetch_add(frame.len() as u64, Ordering::Relaxed);
        self.inbound.accept(&frame);
    }

    /// Answers `request` with a result.
    pub fn answer(&self, request: &Value, result: &Value) {
        self.send(serde_json::json!({"jsonrpc": "2.0", "id": request["id"], "result": result}).to_string());
    }

    /// Answers `request` with an error.
    pub fn refuse(&self, request: &Value, error: &Value) {
        self.send(serde_json::json!({"jsonrpc": "2.0", "id": request["id"], "error": error}).to_string());
    }

    /// Sends a notification.
    pub fn notify(&self, method: &str, params: &Value) {
        self.send(serde_json::json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Ends the stream, as a server that exits does.
    pub fn end(&self) {
        self.transport.shut(CloseCause::EndOfStream);
    }

    /// The client's end.
    pub fn transport(&self) -> &MemoryTransport {
        &self.transport
    }

    /// Holds nothing against the schemas from now on: for a test whose client sends nonsense on purpose.
    pub fn let_nonsense_pass(&self) {
        self.conversation().let_pass();
    }

    /// What the client sent, held against its schema.
    fn taken(&self, message: &[u8]) -> Option<Value> {
        let message = serde_json::from_slice(message).ok()?;
        let misfit = self.conversation().sent(&message).err().unwrap_or_default();
        assert!(misfit.is_empty() || std::thread::panicking(), "the client sent {misfit}");
        Some(message)
    }

    fn conversation(&self) -> std::sync::MutexGuard<'_, Conversation> {
        self.conversation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Transport for MemoryTransport {
    async fn request(
        &self,
        method: &str,
        params: Option<RawParams>,
        options: RequestOptions,
    ) -> Result<Raw, CallError> {
        self.exchange.request(method, params, options).await
    }

    async fn notify(
        &self,
        method: &str,
        params: Option<RawParams>,
        options: NotifyOptions,
    ) -> Result<(), CallError> {
        self.exchange.notify(method, params, options).await
    }

    fn now(&self) -> Instant {
        TokioClock.now()
    }

    #[expect(clippy::disallowed_methods, reason = "a test helper, and tokio's clock can be paused")]
    async fn pause(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn is_connected(&self) -> bool {
        self.exchange.correlator.close_reason().is_none()
    }

    fn status(&self) -> Status {
        Status {
            connected: self.is_connected(),
            pending: self.exchange.correlator.pending(),
            received: self.received.load(Ordering::Relaxed),
            counts: self.exchange.correlator.counts(),
            ..Status::default()
        }
    }

    async fn close(&self) {
        self.shut(CloseCause::Requested);
    }

    fn abandon(&self) {
        self.shut(CloseCause::Dropped);
    }
}

impl Lane for Channel {
    async fn enqueue(&self, message: Vec<u8>) -> Result<Ticket, CallError> {
        let closed =
            || CallError::Closed { reason: Arc::new(CloseReason::new(CloseCause::EndOfStream)), sent: false };
        if self.is_closed.load(Ordering::Acquire) {
            return Err(closed());
        }
        self.outgoing.send(message).await.map_err(|_| closed())?;
        Ok(Ticket(0))
    }

    /// What is in the channel counts as written.
    fn withdraw(&self, _: Ticket) -> bool {
        false
    }

    async fn written(&self, _: Ticket) -> Result<(), CallError> {
        Ok(())
    }
}

impl ReplySink for Channel {
    fn send_reply(&self, message: Vec<u8>) {
        if !self.is_closed.load(Ordering::Acquire) {
            // A test that leaves a thousand messages unread has other problems.
            let _ = self.outgoing.try_send(message);
        }
    }
}

impl Drop for MemoryPeer {
    fn drop(&mut self) {
        while self.try_next().is_some() {}
    }
}

impl std::fmt::Debug for MemoryTransport {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("MemoryTransport")
            .field("correlator", &self.exchange.correlator)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for MemoryPeer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("MemoryPeer").field("transport", &self.transport).finish_non_exhaustive()
    }
}

/// Tokio's clock, which a test can pause.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokioClock;

impl Clock for TokioClock {
    type Sleep = tokio::time::Sleep;

    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    fn sleep_until(&self, at: Instant) -> Self::Sleep {
        tokio::time::sleep_until(at.into())
    }
}

/// A check that the futures stay `Send`.
const _: fn() = || {
    fn is_send(_: impl Future + Send) {}
    let _ = |transport: MemoryTransport| is_send(async move { transport.close().await });
};

#[cfg(test)]
mod tests;
