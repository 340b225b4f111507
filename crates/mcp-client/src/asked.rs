//! Requests of the server that the host works on.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_jsonrpc::{Reply, Request, Sample};
use mcp_types::{CancelledParams, ErrorObject, RequestId};
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// The requests of the server in work: a bounded number, each on a task of its own.
#[derive(Debug)]
pub(crate) struct Asked {
    limit: usize,
    running: Arc<Mutex<Running>>,
}

#[derive(Debug, Default)]
struct Running {
    next: u64,
    places: Vec<(u64, RequestId, CancellationToken)>,
}

impl Asked {
    /// At most `limit` requests at once.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, running: Arc::default() }
    }

    /// Lets `work` answer. Returns at once; whatever becomes of it, `reply` is used once
    /// (invariant 8): a panic drops it, and it then answers by itself.
    pub(crate) fn answer<W>(&self, request: &Request<'_>, reply: Reply, work: W)
    where
        W: Future<Output = Result<Box<RawValue>, ErrorObject>> + Send + 'static,
    {
        let Ok(runtime) = Handle::try_current() else {
            return reply.error(&ErrorObject::internal("There is no runtime to work in"));
        };
        let Some(place) = self.take_place(&request.id) else {
            let limit = self.limit;
            return reply.error(&ErrorObject::internal(format!("Busy with {limit} requests already")));
        };
        runtime.spawn(async move {
            match place.cancelled.run_until_cancelled(work).await {
                Some(outcome) => send(reply, outcome),
                None => reply.withhold(),
            }
        });
    }

    /// The server gave a request up: its work is dropped and nothing is sent (C-254). Anything
    /// that names no request in work is ignored (C-255).
    pub(crate) fn cancelled(&self, params: Option<&RawValue>) {
        let params = params.map_or("null", RawValue::get);
        let Ok(CancelledParams { request_id: Some(id), reason, .. }) = serde_json::from_str(params) else {
            return;
        };
        let reason = Sample::of(reason.unwrap_or_default().as_bytes());
        tracing::debug!(%reason, "the server cancelled a request of its own");
        for (_, other, cancelled) in &self.running().places {
            if *other == id {
                cancelled.cancel();
            }
        }
    }

    /// The connection is gone: nobody waits for answers any more.
    pub(crate) fn abandon(&self) {
        for (_, _, cancelled) in &self.running().places {
            cancelled.cancel();
        }
    }

    fn take_place(&self, id: &RequestId) -> Option<Place> {
        let mut running = self.running();
        if running.places.len() >= self.limit {
            return None;
        }
        let number = running.next;
        let cancelled = CancellationToken::new();
        running.next += 1;
        running.places.push((number, id.clone(), cancelled.clone()));
        Some(Place { running: self.running.clone(), number, cancelled })
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        lock(&self.running)
    }
}

/// One request in work. Places are told apart by numbers of ours: a server may use an id twice.
struct Place {
    running: Arc<Mutex<Running>>,
    number: u64,
    cancelled: CancellationToken,
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.running).places.retain(|(number, ..)| *number != self.number);
    }
}

fn lock(running: &Mutex<Running>) -> MutexGuard<'_, Running> {
    // Nothing that can panic runs under the lock, so a poisoned one is still sound.
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

fn send(reply: Reply, outcome: Result<Box<RawValue>, ErrorObject>) {
    match outcome {
        Ok(result) if result.get().starts_with('{') => reply.raw_result(&result),
        Ok(_) => reply.error(&ErrorObject::internal("The result is not an object")),
        Err(error) => reply.error(&error),
    }
}
