//! What a transport is: the trait between protocol and wire.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;

use crate::correlator::Counts;
use crate::error::{CallError, OpenError};
use crate::frame::RawParams;
use crate::handler::Handler;
use crate::options::{NotifyOptions, RequestOptions};
use crate::raw::Raw;

/// One connection to one server.
///
/// A transport frames messages, keeps the clocks, and tears down. It makes no sense of methods,
/// params or results; it fails fast and never repeats a request (S-98 to S-102).
#[async_trait]
pub trait Transport: Send + Sync + 'static {
    /// Sends `method` and waits for its answer.
    ///
    /// # Errors
    ///
    /// See [`CallError`]: the peer's own error, a timeout, a cancel, a closed connection, or an
    /// answer that cannot be read.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the call up: its id is forgotten, and the peer is told if the
    /// options carry a cancel notice and the request was already written. A later answer is
    /// ignored. A request that was not yet written is not written any more.
    async fn request(
        &self,
        method: &str,
        params: Option<RawParams>,
        options: RequestOptions,
    ) -> Result<Raw, CallError>;

    /// Sends a notification; done when it is handed to the wire.
    ///
    /// # Errors
    ///
    /// As for [`request`](Self::request), without an answer to wait for.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future may or may not send the notification, never half of it.
    async fn notify(
        &self,
        method: &str,
        params: Option<RawParams>,
        options: NotifyOptions,
    ) -> Result<(), CallError>;

    /// Hears how the peers speak from now on. HTTP sends other headers then; stdio does not care.
    fn enter(&self, phase: Phase<'_>) {
        let _ = phase;
    }

    /// Starts to hear what the server says by itself, where that takes an exchange of its own
    /// (HTTP, D-12); other transports hear it anyway. Returns at once; what becomes of it is in
    /// [`listening`](Self::listening) and in the handler's `on_error`. Again is a no-op.
    fn listen(&self) {}

    /// Waits until it is known whether what the server says by itself is heard: true at once where
    /// all messages share a channel; over HTTP once [`listen`](Self::listen) has its stream, and
    /// false once it was refused, was lost, or was never asked for.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    async fn listening(&self) -> bool {
        self.is_connected()
    }

    /// Whether the transport repeats values of the body elsewhere, so that they have to be named in
    /// [`RequestOptions::mirrored`]: true over HTTP.
    fn mirrors(&self) -> bool {
        false
    }

    /// Now, by the clock of the transport. What stands above has none of its own.
    fn now(&self) -> Instant;

    /// Lets time pass, by the clock of the transport.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    async fn pause(&self, time: Duration);

    /// Whether calls can be made (S-08).
    fn is_connected(&self) -> bool;

    /// What is known about the connection right now.
    fn status(&self) -> Status;

    /// Ends the connection: calls in flight fail, then everything is torn down, then `on_close`
    /// comes. Bounded in time; again is a no-op that waits for the first to finish (D-09).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future does not stop the teardown.
    async fn close(&self);

    /// Ends the connection at once, as dropping the transport does: for its owner, where tasks that are
    /// about to end still hold it. Again, or after a close, is a no-op.
    fn abandon(&self);
}

/// How the peers speak: how far a handshake is, or that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase<'a> {
    /// No message was exchanged that counts: how each connection begins, and where it goes back to
    /// before a handshake if the server turned out not to do without.
    Initial,
    /// There is no handshake: each request stands for itself and names this version (2026-07-28).
    /// A request is then given up by ending its exchange where it has one of its own (HTTP), not by
    /// a notice.
    Stateless {
        /// The version.
        version: &'a str,
    },
    /// The peers agreed on this protocol version.
    Negotiated {
        /// The version.
        version: &'a str,
    },
    /// The handshake is done.
    Ready,
}

/// A snapshot of a connection, for error messages, health checks and tests.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Status {
    /// Whether calls can be made.
    pub connected: bool,
    /// Calls in flight.
    pub pending: usize,
    /// Bytes received so far.
    pub received: u64,
    /// What came and how it was matched.
    pub counts: Counts,
    /// The last bytes of the server's stderr, bounded, escaped, configured secrets masked; empty
    /// where there is no such thing.
    pub stderr_tail: String,
}

/// Something that can be connected to, again and again: the configuration of a transport.
#[async_trait]
pub trait Connect: Send + Sync {
    /// A short name for messages to people: the command, the host.
    fn label(&self) -> String;

    /// Opens a new connection (S-55: reconnecting means to connect again).
    ///
    /// # Errors
    ///
    /// Fails with the transport's own error; nothing is left running then.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves nothing running.
    async fn connect(&self, handler: Arc<dyn Handler>) -> Result<Arc<dyn Transport>, OpenError>;
}
