//! The server over Streamable HTTP: it listens, and gives each connection a task.

pub(super) mod address;
mod content;
mod encoded;
mod endpoint;
mod hang_up;
mod headers;
mod listener;
mod mirrors;
mod refusal;
mod running;
mod session;
mod sessions;

use std::convert::Infallible;
use std::io::{self, Write};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use self::address::Address;
use self::endpoint::Endpoint;
use super::{Options, complain};

/// Connections at once; more wait to be accepted.
const MOST_CONNECTIONS: usize = 256;
/// Longest head of a request, in bytes.
const LONGEST_HEAD: usize = 64 << 10;
/// How long a client may take for the head of a request, or leave a connection idle.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long after an `accept` that failed: what it lacks, such as a file handle, others must give back.
const RECOVERY: Duration = Duration::from_millis(100);
/// How long answers that are under way may take once the server ends.
const GRACE: Duration = Duration::from_secs(1);

/// A server that accepts connections.
#[derive(Debug)]
pub(crate) struct HttpServer {
    listener: TcpListener,
    endpoint: Arc<Endpoint>,
    connections: JoinSet<()>,
    stop: watch::Sender<bool>,
}

impl HttpServer {
    /// Begins to listen, and says so on stderr.
    pub(crate) async fn bind(address: &Address, options: &Options) -> io::Result<Self> {
        let listener = TcpListener::bind((address.host(), address.port())).await?;
        let bound = listener.local_addr()?;
        let endpoint = Arc::new(Endpoint::new(options, bound.ip().is_loopback()));
        // Nobody need read this.
        let _ = writeln!(io::stderr(), "listening on http://{bound}/mcp");
        Ok(Self { listener, endpoint, connections: JoinSet::new(), stop: watch::Sender::new(false) })
    }

    /// Serves. Dropping the future keeps the connections; a later call goes on with them.
    pub(crate) async fn run(&mut self) -> Infallible {
        loop {
            tokio::select! {
                Some(_) = self.connections.join_next() => {}
                accepted = self.listener.accept(), if self.connections.len() < MOST_CONNECTIONS => match accepted {
                    Ok((stream, _)) => {
                        let (endpoint, stop) = (Arc::clone(&self.endpoint), self.stop.subscribe());
                        self.connections.spawn(talk(stream, endpoint, stop));
                    }
                    Err(error) => {
                        complain(&format!("cannot accept a connection: {error}"));
                        tokio::time::sleep(RECOVERY).await;
                    }
                },
            }
        }
    }

    /// Ends all sessions and subscriptions and gives the connections a moment to bring out what that comes to.
    pub(crate) async fn end(self) {
        drop(self.listener);
        self.stop.send_replace(true);
        self.endpoint.end();
        // Those that are not done by then are dropped.
        let _ = tokio::time::timeout(GRACE, self.connections.join_all()).await;
    }
}

/// Serves one connection until either side ends it.
async fn talk(stream: TcpStream, endpoint: Arc<Endpoint>, mut stop: watch::Receiver<bool>) {
    let service = service_fn(move |request| {
        let endpoint = Arc::clone(&endpoint);
        async move { Ok::<_, Infallible>(endpoint.answer(request).await) }
    });
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(PATIENCE)
            .max_buf_size(LONGEST_HEAD)
            .serve_connection(TokioIo::new(stream), service)
    );
    // A connection that breaks concerns the client alone.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = stop.wait_for(|stop| *stop) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
