//! A scripted HTTP/1.1 server inside the test process, which writes exact bytes to its socket.
//!
//! It reads requests whole, notes each, and hands it to the test as an [`Exchange`]; what goes back,
//! in which pieces, and how the connection ends, is up to the test. There is no HTTP library
//! between, so that wrong answers can be given as well as right ones.
//!
//! ```text
//! HttpPeer::start(|exchange| async move { ... })                answers by a function
//! HttpPeer::by_hand()                                           the test takes exchanges one by one
//! HttpPeer::mcp(McpBehaviour::new())                            a small MCP server
//! HttpPeer::mcp_after(McpBehaviour::new(), |exchange| ...)      the same, after the test had its look
//! ```

mod connection;
mod exchange;
mod listen;
mod mcp;
#[cfg(test)]
pub(crate) mod raw_client;
mod received;
mod sse_writer;
mod state;
#[cfg(test)]
mod tests;
mod wire;

pub use exchange::Exchange;
pub use listen::{Listen, has_ipv6};
pub use mcp::McpBehaviour;
pub use received::Received;
pub use sse_writer::SseWriter;

use std::fmt;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use self::listen::Listener;
use self::state::Shared;

/// How long the peer waits for what a test expects of a client. Only a failure ever gets there.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// How a peer listens and reads.
#[derive(Clone, Debug)]
pub struct PeerOptions {
    /// Where it listens; a free port of 127.0.0.1 by default.
    pub listen: Listen,
    /// The longest body that it reads, in bytes; 64 MiB by default. A longer one ends the connection.
    pub body_limit: usize,
    /// Whether bodies are read before the test gets the exchange; they are by default. Where they
    /// are not, the body stays in the socket and the connection ends with the exchange.
    pub read_bodies: bool,
}

impl Default for PeerOptions {
    fn default() -> Self {
        Self { listen: Listen::V4, body_limit: 64 << 20, read_bodies: true }
    }
}

impl PeerOptions {
    /// The defaults, but for where it listens.
    pub fn on(listen: Listen) -> Self {
        Self { listen, ..Self::default() }
    }
}

type Answered = Pin<Box<dyn Future<Output = ()> + Send>>;
type Answer = Arc<dyn Fn(Exchange) -> Answered + Send + Sync>;

/// A server for one test. Dropping it ends its connections and tasks.
///
/// Where `MCP_SCHEMA_DIR` names the published schemas, the drop fails the test if a client sent what does not fit
/// that of its revision.
pub struct HttpPeer {
    listen: Listen,
    address: Option<SocketAddr>,
    shared: Arc<Shared>,
    /// How many requests [`HttpPeer::next_request`] gave out.
    taken: AtomicUsize,
    stop: mpsc::Sender<oneshot::Sender<()>>,
    task: AbortHandle,
}

impl HttpPeer {
    /// A peer that answers by `answer`. An exchange that is dropped unanswered closes its connection.
    ///
    /// # Panics
    ///
    /// If it cannot listen, or there is no runtime.
    pub fn start<F, R>(answer: F) -> Self
    where
        F: Fn(Exchange) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        Self::start_with(PeerOptions::default(), answer)
    }

    /// The same with options.
    ///
    /// # Panics
    ///
    /// If it cannot listen, or there is no runtime.
    pub fn start_with<F, R>(options: PeerOptions, answer: F) -> Self
    where
        F: Fn(Exchange) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let listener = Listener::bind(&options.listen);
        let address = listener.address();
        let shared = Arc::new(Shared::default());
        let answer: Answer = Arc::new(move |exchange| Box::pin(answer(exchange)));
        let (stop, stopped) = mpsc::channel(1);
        let listen = options.listen.clone();
        let accepting = connection::accept(listener, options, shared.clone(), answer, stopped);
        let task = tokio::spawn(accepting).abort_handle();
        Self { listen, address, shared, taken: AtomicUsize::new(0), stop, task }
    }

    /// A peer whose exchanges the test takes one by one, in the order of their arrival.
    ///
    /// # Panics
    ///
    /// If it cannot listen, or there is no runtime.
    pub fn by_hand() -> (Self, Exchanges) {
        Self::by_hand_with(PeerOptions::default())
    }

    /// The same with options.
    ///
    /// # Panics
    ///
    /// If it cannot listen, or there is no runtime.
    pub fn by_hand_with(options: PeerOptions) -> (Self, Exchanges) {
        let (sender, arrived) = mpsc::unbounded_channel();
        let peer = Self::start_with(options, move |exchange| {
            // A test that takes no more of them closes their connections.
            let _ = sender.send(exchange);
            std::future::ready(())
        });
        let shared = peer.shared.clone();
        (peer, Exchanges { arrived, shared })
    }

    /// A small MCP server.
    ///
    /// # Panics
    ///
    /// If it cannot listen, or there is no runtime.
    pub fn mcp(behaviour: McpBehaviour) -> Self {
        Self::mcp_after(behaviour, |exchange| std::future::ready(Some(exchange)))
    }

    /// The same, where `first` answers what matters to the test and gives back the rest.
    ///
    /// # Panics
    ///
    /// If it cannot listen, or there is no runtime.
    pub fn mcp_after<F, R>(behaviour: McpBehaviour, first: F) -> Self
    where
        F: Fn(Exchange) -> R + Send + Sync + 'static,
        R: Future<Output = Option<Exchange>> + Send + 'static,
    {
        Self::start(behaviour.after(first))
    }

    /// Closes each connection that is open now: idle ones at once, others after their answer.
    pub fn close_connections(&self) {
        self.shared.close_connections();
    }

    /// Stops listening, and returns when it has: who connects then is refused. Open connections stay.
    ///
    /// Cancel safety: once begun, it happens.
    ///
    /// # Panics
    ///
    /// If it was called before.
    pub async fn stop_listening(&self) {
        let (done, is_done) = oneshot::channel();
        self.stop.send(done).await.expect("the peer listens still");
        is_done.await.expect("the peer runs");
    }

    /// The next request, in the order of arrival, waited for if need be.
    ///
    /// Cancel safety: a request that was waited for counts as taken.
    ///
    /// # Panics
    ///
    /// If none comes.
    #[track_caller]
    pub fn next_request(&self) -> impl Future<Output = Received> + use<'_> {
        let index = self.taken.fetch_add(1, Ordering::Relaxed);
        let wait = self.shared.wait("the next request", move |state| state.requests.len() > index);
        async move { wait.await.requests.swap_remove(index) }
    }

    /// Waits until `condition` holds for all requests so far, and returns them.
    ///
    /// # Panics
    ///
    /// If it never does.
    #[track_caller]
    pub fn wait_for(&self, condition: impl Fn(&[Received]) -> bool) -> impl Future<Output = Vec<Received>> {
        let wait = self.shared.wait("certain requests", move |state| condition(&state.requests));
        async move { wait.await.requests }
    }

    /// Waits until so many connections are open.
    ///
    /// # Panics
    ///
    /// If that never happens.
    #[track_caller]
    pub fn wait_for_open(&self, count: usize) -> impl Future<Output = ()> {
        let wait = self.shared.wait(&format!("{count} open connections"), move |state| state.open == count);
        async move { drop(wait.await) }
    }

    /// A URL of this peer; `path` begins with `/`. On a Unix socket the host is `localhost`.
    pub fn url(&self, path: &str) -> String {
        match self.address {
            Some(address) => format!("http://{address}{path}"),
            None => format!("http://localhost{path}"),
        }
    }

    /// Where it listens.
    ///
    /// # Panics
    ///
    /// If that is a Unix socket.
    pub fn address(&self) -> SocketAddr {
        self.address.expect("the peer listens on a port")
    }

    /// How it listens.
    pub fn listen(&self) -> &Listen {
        &self.listen
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Received> {
        self.shared.state().requests
    }

    /// How many connections were accepted so far.
    pub fn connections(&self) -> usize {
        self.shared.state().accepted
    }

    /// How many connections are open.
    pub fn open_connections(&self) -> usize {
        self.shared.state().open
    }

    /// What went wrong so far: requests that made no sense or broke off, handlers that panicked.
    pub fn faults(&self) -> Vec<String> {
        self.shared.state().faults
    }
}

impl Drop for HttpPeer {
    fn drop(&mut self) {
        self.task.abort();
        let misfits = self.shared.state().misfits;
        assert!(misfits.is_empty() || std::thread::panicking(), "a client sent {}", misfits.join("\nand "));
    }
}

impl fmt::Debug for HttpPeer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpPeer")
            .field("listen", &self.listen)
            .field("address", &self.address)
            .field("state", &self.shared.state())
            .finish_non_exhaustive()
    }
}

/// The exchanges of a peer that is played by hand.
#[derive(Debug)]
pub struct Exchanges {
    arrived: mpsc::UnboundedReceiver<Exchange>,
    shared: Arc<Shared>,
}

impl Exchanges {
    /// The next one, waited for if need be.
    ///
    /// Cancel safety: none is lost.
    ///
    /// # Panics
    ///
    /// If none comes.
    #[track_caller]
    pub fn take(&mut self) -> impl Future<Output = Exchange> + use<'_> {
        let place = std::panic::Location::caller();
        async move {
            match tokio::time::timeout(PATIENCE, self.arrived.recv()).await {
                Ok(Some(exchange)) => exchange,
                Ok(None) => panic!("{place}: the peer is gone"),
                Err(_) => panic!("{place}: no request came; so far: {:#?}", self.shared.state()),
            }
        }
    }

    /// Whether one waits to be taken.
    pub fn is_empty(&self) -> bool {
        self.arrived.is_empty()
    }
}
