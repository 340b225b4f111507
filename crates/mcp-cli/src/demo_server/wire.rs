//! What the server sends: one JSON object a line, whole, from any thread.

use std::fmt;
use std::io::{Stdout, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::outcome::{Outcome, RpcError};

/// The way to the client.
pub(super) struct Wire {
    stdout: Mutex<Stdout>,
}

impl Wire {
    pub(super) fn new(stdout: Stdout) -> Self {
        Self { stdout: Mutex::new(stdout) }
    }

    /// Answers request `id`.
    pub(super) fn answer(&self, id: &RawValue, outcome: &Outcome) {
        match outcome {
            Ok(result) => self.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)),
            Err(error) => self.refuse(Some(id), error),
        }
    }

    /// Answers with an error; without an id if none could be read.
    pub(super) fn refuse(&self, id: Option<&RawValue>, error: &RpcError) {
        let error = json!({ "code": error.code, "message": error.message });
        let id = id.map_or("null", RawValue::get);
        self.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#));
    }

    pub(super) fn notify(&self, method: &str, params: &Value) {
        self.line(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Asks the client something.
    pub(super) fn request(&self, id: &str, method: &str) {
        self.line(&json!({ "jsonrpc": "2.0", "id": id, "method": method }).to_string());
    }

    /// A client that no longer reads is about to close stdin, which ends the server; so a failed
    /// write needs no answer here.
    fn line(&self, message: &str) {
        let mut stdout = self.lock();
        let _ = stdout.write_all(format!("{message}\n").as_bytes()).and_then(|()| stdout.flush());
    }

    fn lock(&self) -> MutexGuard<'_, Stdout> {
        self.stdout.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Wire").finish_non_exhaustive()
    }
}
