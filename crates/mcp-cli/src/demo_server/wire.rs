//! What the server sends: one JSON object a message, whole, from any thread.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::outcome::{Outcome, RpcError};

/// A way to the client: the one line of stdio, or one of the streams of HTTP.
#[derive(Clone)]
pub(super) struct Wire {
    send: Arc<dyn Fn(String) -> bool + Send + Sync>,
}

/// The text of an answer, and the code of the error if it is one.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) text: String,
    pub(super) code: Option<i64>,
}

impl Wire {
    /// `send` takes whole messages, and says whether this one was taken. To most who send, a client
    /// that is not there any more makes no difference.
    pub(super) fn new(send: impl Fn(String) -> bool + Send + Sync + 'static) -> Self {
        Self { send: Arc::new(send) }
    }

    pub(super) fn send(&self, message: String) -> bool {
        (self.send)(message)
    }

    pub(super) fn notify(&self, method: &str, params: &Value) -> bool {
        self.send(notification(method, params))
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

pub(super) fn notification(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

/// The answer to request `id`.
pub(super) fn answer(id: &RawValue, outcome: &Outcome) -> Answered {
    match outcome {
        Ok(result) => {
            Answered { text: format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#), code: None }
        }
        Err(error) => refusal(Some(id), error),
    }
}

/// An answer that is an error; without an id if none could be read.
pub(super) fn refusal(id: Option<&RawValue>, error: &RpcError) -> Answered {
    let mut object = json!({ "code": error.code, "message": error.message });
    if let Some(data) = &error.data {
        object["data"] = data.clone();
    }
    let id = id.map_or("null", RawValue::get);
    Answered { text: format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{object}}}"#), code: Some(error.code) }
}
