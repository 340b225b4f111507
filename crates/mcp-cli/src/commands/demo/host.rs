//! The demo's side of what the server starts: it keeps log messages, and answers a question.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use mcp_client::{Delegate, ServerRequest};
use mcp_jsonrpc::{ErrorObject, Notification};
use mcp_types::{LogMessage, LogMessageParams, Notice};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::console::log_text;

/// Notes kept until the story tells them; our own server sends few.
const MOST: usize = 100;

/// What the server said on its own since the last look.
#[derive(Debug, Default)]
pub(super) struct Host {
    notes: Mutex<Vec<String>>,
}

impl Host {
    pub(super) fn note(&self, note: String) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() < MOST {
            notes.push(note);
        }
    }

    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Delegate for Host {
    fn on_notification(&self, notification: &Notification<'_>) {
        let message = notification.params.filter(|_| notification.method == LogMessage::NAME);
        let message = message.and_then(|params| serde_json::from_str::<LogMessageParams>(params.get()).ok());
        if let Some(message) = message {
            self.note(format!("log, {}: {}", message.level, log_text(&message)));
        }
    }

    async fn on_request(&self, request: ServerRequest) -> Result<Box<RawValue>, ErrorObject> {
        if request.method != "roots/list" {
            return Err(ErrorObject::method_not_found(&request.method));
        }
        self.note("the server asks: roots/list (which folders may I work in?)".to_owned());
        self.note("we answer: file:///demo".to_owned());
        let roots = json!({ "roots": [{ "uri": "file:///demo", "name": "demo" }] });
        to_raw_value(&roots).map_err(|error| ErrorObject::internal(error.to_string()))
    }
}
