//! Requests about a task, and the one that asks for its end when nobody waits for it any more.

use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{CallError, Raw, RawParams, RequestOptions, Transport};
use mcp_types::task_extension::CancelExtensionTask;
use mcp_types::{Method, Revision, TaskParams};
use serde::Serialize;
use serde_json::value::to_raw_value;
use tokio::runtime::Handle;

use super::super::{Modern, Stamp, Stamped, names};
use crate::client::Inner;

/// How long the request for the end of a task may hold the connection.
const ENDED_WITHIN: Duration = Duration::from_secs(10);

/// What it takes to send a request that stands for itself, without the client.
#[derive(Clone)]
pub(super) struct Line {
    transport: Arc<dyn Transport>,
    stamp: Arc<Stamp>,
    version: Revision,
}

impl Line {
    pub(super) fn new(inner: &Inner, modern: &Modern) -> Self {
        Self { transport: inner.transport.clone(), stamp: modern.stamp.clone(), version: modern.version }
    }

    /// The params as they are sent: the stamp declares the extension (C-580).
    pub(super) fn write(&self, params: &impl Serialize) -> serde_json::Result<RawParams> {
        let params = to_raw_value(params)?;
        self.stamp.on(Stamped::new(self.version, Some(&params)))
    }

    /// Sends params that were written here. Over HTTP the id of the task goes along as a header (C-394).
    pub(super) async fn send(
        &self,
        method: &str,
        params: RawParams,
        mut request: RequestOptions,
    ) -> Result<Raw, CallError> {
        debug_assert!(request.cancel_notice.is_none(), "a task is ended by its own method only");
        if self.transport.mirrors() {
            request.mirrored.extend(names::of(method, Some(&params)));
        }
        self.transport.request(method, Some(params), request).await
    }
}

/// A task that is not final as far as we know. Dropped so, it is asked to end, on a task of its own that
/// lasts no longer than [`ENDED_WITHIN`]; then it is forgotten (C-392).
pub(super) struct Unended {
    line: Line,
    id: String,
    /// Whether there is something to tell the server.
    tells: bool,
}

impl Unended {
    pub(super) fn new(line: &Line, id: String, tells: bool) -> Self {
        Self { line: line.clone(), id, tells }
    }

    /// The id of the task.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// It is final, or the server does not know it.
    pub(super) fn has_ended(&mut self) {
        self.tells = false;
    }
}

impl Drop for Unended {
    fn drop(&mut self) {
        if !self.tells {
            return;
        }
        // Dropped outside of a runtime, there is nobody who could send it.
        let Ok(runtime) = Handle::try_current() else { return };
        let (line, params) = (self.line.clone(), TaskParams::new(std::mem::take(&mut self.id)));
        runtime.spawn(async move {
            let Ok(params) = line.write(&params) else { return };
            let mut request = RequestOptions::default();
            (request.timeout, request.max_total_timeout) = (Some(ENDED_WITHIN), Some(ENDED_WITHIN));
            if let Err(error) = line.send(CancelExtensionTask::NAME, params, request).await {
                // A wish only, so what becomes of it is nobody's concern.
                tracing::debug!(%error, "a task was not asked to end");
            }
        });
    }
}
