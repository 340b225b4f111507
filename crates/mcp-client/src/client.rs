//! The client: a handle to one connection.

use std::fmt;
use std::sync::Arc;

use mcp_jsonrpc::{Status, Transport};
use mcp_types::{NoParams, RootsListChanged};

use crate::agreed::Agreed;
use crate::error::ClientError;
use crate::events::EventStream;
use crate::modern::Modern;
use crate::options::ClientOptions;
use crate::router::Router;

/// A connection to one server, after the handshake. Clones share it; when the last one is dropped
/// without [`close`](Self::close), the transport is dropped, which ends what it started at once.
#[derive(Clone)]
pub struct Client {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) router: Arc<Router>,
    pub(crate) server: Arc<str>,
    pub(crate) agreed: Agreed,
    pub(crate) options: ClientOptions,
    /// Whether `roots.listChanged` was declared, where there is such a promise.
    pub(crate) promised_roots: bool,
    /// What a connection without a handshake keeps.
    pub(crate) modern: Option<Modern>,
}

impl Client {
    /// Whether this and `other` share one connection.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// What came out of the handshake.
    pub fn agreed(&self) -> &Agreed {
        &self.inner.agreed
    }

    /// The name of the server in messages.
    pub fn server(&self) -> &str {
        &self.inner.server
    }

    /// A listener for what the server says by itself, from now on. What came before, the
    /// [`Delegate`](crate::Delegate) has heard.
    pub fn events(&self) -> EventStream {
        self.inner.router.events.listen()
    }

    /// Waits until it is known whether what the server says by itself is heard; see
    /// [`Transport::listening`]. False over HTTP unless [`ClientOptions::listen`] is set and the
    /// server offers such a stream.
    ///
    /// [`ClientOptions::listen`]: crate::ClientOptions::listen
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn listening(&self) -> bool {
        match &self.inner.modern {
            None => self.inner.transport.listening().await,
            Some(modern) => match modern.subscription() {
                Some(subscription) => subscription.listening().await,
                None => false,
            },
        }
    }

    /// Tells the server that the roots have changed, if [`RootsProvider::list_changed`] promised that
    /// (C-275). Without such a promise nothing is sent.
    ///
    /// [`RootsProvider::list_changed`]: crate::RootsProvider::list_changed
    ///
    /// # Errors
    ///
    /// As [`notify`](Self::notify).
    ///
    /// # Cancel safety
    ///
    /// As [`notify`](Self::notify).
    pub async fn roots_changed(&self) -> Result<(), ClientError> {
        if self.inner.promised_roots {
            self.notify::<RootsListChanged>(&NoParams).await?;
        }
        Ok(())
    }

    /// Says that the connection acts for another user from now on, with another access token for
    /// example: results that are kept and hold for one user only are dropped (2026-07-28, C-429).
    pub fn user_changed(&self) {
        self.inner.router.results.forget_private();
    }

    /// Whether calls can be made.
    pub fn is_connected(&self) -> bool {
        self.inner.transport.is_connected()
    }

    /// What is known about the connection right now.
    pub fn status(&self) -> Status {
        self.inner.transport.status()
    }

    /// Ends the connection: calls in flight fail, then the transport is torn down. Bounded in time
    /// by the transport; again is a no-op.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future does not stop the teardown.
    pub async fn close(&self) {
        self.inner.transport.close().await;
    }
}

/// A subscription, and the wish that a task ends, run on tasks that hold the transport until they notice.
impl Drop for Inner {
    fn drop(&mut self) {
        if self.modern.is_some() {
            self.transport.abandon();
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Client")
            .field("server", &self.inner.server)
            .field("version", &self.inner.agreed.version)
            .field("is_connected", &self.is_connected())
            .finish_non_exhaustive()
    }
}
