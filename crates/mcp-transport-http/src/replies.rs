//! The control lane: replies to the server's requests and cancel notices, each a POST of its own.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use mcp_jsonrpc::{Bounds, CallError, Handler, ReplySink, TimeoutPhase, TransportFault, bounded};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::ask::Ask;
use crate::clock::TokioClock;
use crate::error::HttpError;
use crate::head::{self, Meaning};
use crate::pool::Lane;
use crate::trace::Trace;
use crate::wire::{DISCARD, Wire};

/// Sends what must not wait behind calls. A bounded number at once; what is too much is dropped
/// and reported (invariant 10).
pub(crate) struct Replies {
    pub(crate) wire: Arc<Wire>,
    pub(crate) handler: Arc<dyn Handler>,
    /// Places for messages on their way.
    pub(crate) places: Arc<Semaphore>,
    pub(crate) dropped: AtomicU64,
    pub(crate) timeout: Duration,
    pub(crate) runtime: Handle,
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
}

impl ReplySink for Replies {
    fn send_reply(&self, message: Vec<u8>) {
        if self.stop.is_cancelled() {
            return;
        }
        if self.wire.is_stateless() {
            // A body with a response is forbidden then, and so was the request for it.
            let source = HttpError::NoReplies.into_call_error(false);
            return self.handler.on_error(&TransportFault::Background { what: "sending a reply", source });
        }
        let Ok(place) = self.places.clone().try_acquire_owned() else {
            let dropped = self.dropped.fetch_add(1, Ordering::Relaxed) + 1;
            return self.handler.on_error(&TransportFault::ControlLaneFull { dropped });
        };
        let (wire, handler) = (self.wire.clone(), self.handler.clone());
        let (stop, timeout) = (self.stop.clone(), self.timeout);
        let sending = async move {
            let sent = stop.run_until_cancelled(post(&wire, message.into(), timeout)).await;
            if let Some(Err(source)) = sent {
                handler.on_error(&TransportFault::Background { what: "sending a reply", source });
            }
            drop(place);
        };
        self.tasks.spawn_on(sending, &self.runtime);
    }
}

async fn post(wire: &Wire, message: Bytes, timeout: Duration) -> Result<(), CallError> {
    let trace = Trace::default();
    let work = async {
        let answer = wire.exchange(Lane::Control, &Ask::Post(message), &trace).await?;
        match head::meaning(answer.status, &answer.headers) {
            Meaning::Failed => Err(wire.failed(answer).await.0.into()),
            // Any 2xx will do; there is nothing to read for us.
            _ => {
                answer.body.discard(DISCARD).await;
                Ok(())
            }
        }
    };
    let bounds = Bounds::new(timeout, Duration::ZERO);
    match bounded(work, &bounds, &TokioClock).await {
        Ok(done) => done,
        Err(stopped) => Err(stopped.into_error(TimeoutPhase::Notify, trace.is_sent())),
    }
}

impl fmt::Debug for Replies {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Replies").finish_non_exhaustive()
    }
}
