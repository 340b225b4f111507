//! Which call a progress notification is for.

use std::collections::HashMap;
use std::mem;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_jsonrpc::{KeepAlive, Sample};
use mcp_types::{ProgressParams, ProgressToken};
use serde_json::value::RawValue;

use crate::options::ProgressCallback;

/// The tokens of the calls in flight that want progress.
///
/// A token is an integer that is never used again on this connection, so progress that comes late
/// finds no other call.
#[derive(Default)]
pub(crate) struct ProgressTable {
    next: AtomicI64,
    calls: Mutex<HashMap<i64, Watch>>,
}

#[derive(Clone)]
struct Watch {
    callback: Option<ProgressCallback>,
    keep_alive: Option<KeepAlive>,
}

/// The place of one call in the table. It lives exactly as long as the call.
pub(crate) struct Watched<'a> {
    table: &'a ProgressTable,
    pub(crate) token: i64,
}

impl ProgressTable {
    /// Enters a call.
    pub(crate) fn watch(
        &self,
        callback: Option<ProgressCallback>,
        keep_alive: Option<KeepAlive>,
    ) -> Watched<'_> {
        let token = self.next.fetch_add(1, Ordering::Relaxed);
        self.calls().insert(token, Watch { callback, keep_alive });
        Watched { table: self, token }
    }

    /// Hands progress to its call. What is for no call is dropped in silence: it may have crossed
    /// the answer, and servers make tokens up (C-247, case 57).
    ///
    /// Progress that does not grow is handed on as it is.
    pub(crate) fn deliver(&self, params: Option<&RawValue>) {
        if self.len() == 0 {
            return;
        }
        let params = params.map_or("null", RawValue::get);
        let progress: ProgressParams = match serde_json::from_str(params) {
            Ok(progress) => progress,
            Err(error) => {
                let error = Sample::of(error.to_string().as_bytes());
                return tracing::debug!(%error, "ignored progress that does not fit");
            }
        };
        let ProgressToken::Number(token) = progress.progress_token else { return };
        // The callback is the caller's code and must not run under our lock.
        let Some(watch) = self.calls().get(&token).cloned() else { return };
        if let Some(keep_alive) = watch.keep_alive {
            keep_alive.touch();
        }
        if let Some(callback) = watch.callback {
            callback(&progress);
        }
    }

    /// Takes a call out of the table. What is not in it is no fault.
    pub(crate) fn forget(&self, token: i64) {
        // Bound first, so that the callback is dropped after the lock is free.
        let watch = self.calls().remove(&token);
        drop(watch);
    }

    /// Calls in the table.
    pub(crate) fn len(&self) -> usize {
        self.calls().len()
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<i64, Watch>> {
        // No code of others runs under the lock, so a poisoned one is still sound.
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watched<'_> {
    /// Lets the call outlive this: whoever keeps the token has to [`forget`](ProgressTable::forget) it.
    pub(crate) fn keep(self) -> i64 {
        let token = self.token;
        mem::forget(self);
        token
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.table.forget(self.token);
    }
}

#[cfg(test)]
mod tests;
