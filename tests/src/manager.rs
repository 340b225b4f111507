//! Managers as most tests want them, and ways to see how they connect.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use mcp_jsonrpc::{Connect, Handler, OpenError, Transport};
use mcp_manager::policy::ReconnectPolicy;
use mcp_manager::{Events, ManagerOptions, ServerSpec, What};
use tokio::sync::watch;

use crate::{client, within};

/// Options whose gate waits for nobody: what a test waits for, it names.
pub fn options() -> ManagerOptions {
    let mut options = ManagerOptions::new(client::options());
    options.gate = Duration::ZERO;
    options
}

/// The same with lost servers brought back, after the shortest wait there is.
pub fn healing() -> ManagerOptions {
    let mut options = options();
    options.reconnect = ReconnectPolicy::on();
    options.reconnect.delays.first = Duration::ZERO;
    options.reconnect.retries.delays.first = Duration::ZERO;
    options
}

/// A server that anything can connect to.
pub fn spec(name: &str, connect: impl Connect + 'static) -> ServerSpec {
    ServerSpec::new(name, Arc::new(connect))
}

/// Waits for an event of this server.
///
/// # Panics
///
/// If none comes.
#[track_caller]
pub fn until<'a>(
    events: &'a mut Events,
    server: &'a str,
    is_it: impl Fn(&What) -> bool + 'a,
) -> impl Future<Output = What> + 'a {
    within(async move {
        loop {
            let event = events.next().await.expect("the manager lives");
            if *event.server == *server && is_it(&event.what) {
                return event.what;
            }
        }
    })
}

/// A way to connect that counts its attempts, and looks before each.
pub struct Counted<C> {
    connect: C,
    look: Mutex<Box<dyn FnMut() + Send>>,
    attempts: watch::Sender<usize>,
}

impl<C: Connect> Counted<C> {
    /// Looks at nothing.
    pub fn new(connect: C) -> Arc<Self> {
        Self::looking(connect, || ())
    }

    /// Calls `look` before each attempt.
    pub fn looking(connect: C, look: impl FnMut() + Send + 'static) -> Arc<Self> {
        let look: Box<dyn FnMut() + Send> = Box::new(look);
        Arc::new(Self { connect, look: Mutex::new(look), attempts: watch::Sender::new(0) })
    }

    /// How many attempts there were.
    pub fn attempts(&self) -> usize {
        *self.attempts.borrow()
    }

    /// Waits until there were so many.
    ///
    /// # Panics
    ///
    /// If there never are.
    pub async fn wait_for(&self, attempts: usize) {
        let mut seen = self.attempts.subscribe();
        let reached = within(seen.wait_for(|&number| number >= attempts)).await;
        drop(reached.expect("the sender lives"));
    }
}

impl<C> fmt::Debug for Counted<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Counted").field("attempts", &self.attempts).finish_non_exhaustive()
    }
}

#[async_trait]
impl<C: Connect> Connect for Counted<C> {
    fn label(&self) -> String {
        self.connect.label()
    }

    async fn connect(&self, handler: Arc<dyn Handler>) -> Result<Arc<dyn Transport>, OpenError> {
        (self.look.lock().unwrap_or_else(PoisonError::into_inner))();
        let opened = self.connect.connect(handler).await;
        self.attempts.send_modify(|number| *number += 1);
        opened
    }
}
