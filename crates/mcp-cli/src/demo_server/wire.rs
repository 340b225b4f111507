//! What the server sends: one JSON object a message, whole, from any thread.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::outcome::{Outcome, RpcError};

/// A way to the client: the one line of stdio, or one of the streams of HTTP.
#[derive(Clone)]
pub(super) struct Wire {
    send: Arc<dyn Fn(String) + Send + Sync>,
}

impl Wire {
    /// `send` takes whole messages. A client that is not there any more is its matter: nothing here
    /// would do anything else if it knew.
    pub(super) fn new(send: impl Fn(String) + Send + Sync + 'static) -> Self {
        Self { send: Arc::new(send) }
    }

    pub(super) fn send(&self, message: String) {
        (self.send)(message);
    }

    pub(super) fn notify(&self, method: &str, params: &Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Asks the client something.
    pub(super) fn request(&self, id: &str, method: &str, params: Option<&Value>) {
        let mut request = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if let Some(params) = params {
            request["params"] = params.clone();
        }
        self.send(request.to_string());
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Wire").finish_non_exhaustive()
    }
}

/// The answer to request `id`.
pub(super) fn answer(id: &RawValue, outcome: &Outcome) -> String {
    match outcome {
        Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        Err(error) => refusal(Some(id), error),
    }
}

/// An answer that is an error; without an id if none could be read.
pub(super) fn refusal(id: Option<&RawValue>, error: &RpcError) -> String {
    let error = json!({ "code": error.code, "message": error.message });
    let id = id.map_or("null", RawValue::get);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
}
