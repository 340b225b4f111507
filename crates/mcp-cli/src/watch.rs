//! What the program does with messages that servers send on their own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use mcp_client::{Delegate, ServerRequest};
use mcp_jsonrpc::{ErrorObject, Notification, Raw};
use mcp_types::{LogMessage, LogMessageParams, Notice};
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use crate::console::Console;

/// Notifications kept for a command that prints them; more are counted and dropped.
const MOST_KEPT: usize = 4096;

/// Shows log messages, and hands every notification on to a command that wants them.
#[derive(Debug)]
pub(crate) struct Watch {
    server: String,
    console: Arc<Console>,
    listener: Option<Listener>,
}

/// One notification.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) method: String,
    pub(crate) params: Option<Raw>,
}

/// Where notifications go.
#[derive(Debug)]
pub(crate) struct Listener {
    sender: mpsc::Sender<Heard>,
    missed: Arc<AtomicU64>,
}

/// Where they arrive, from the first one the server ever sends.
#[derive(Debug)]
pub(crate) struct Notifications {
    receiver: mpsc::Receiver<Heard>,
    missed: Arc<AtomicU64>,
}

/// A bounded way for notifications.
pub(crate) fn listener() -> (Listener, Notifications) {
    let (sender, receiver) = mpsc::channel(MOST_KEPT);
    let missed = Arc::default();
    (Listener { sender, missed: Arc::clone(&missed) }, Notifications { receiver, missed })
}

impl Watch {
    pub(crate) fn new(server: &str, console: &Arc<Console>, listener: Option<Listener>) -> Self {
        Self { server: server.to_owned(), console: Arc::clone(console), listener }
    }
}

impl Notifications {
    /// The next one; `None` once the server is gone.
    pub(crate) async fn next(&mut self) -> Option<Heard> {
        self.receiver.recv().await
    }

    /// One that is there already.
    pub(crate) fn ready(&mut self) -> Option<Heard> {
        self.receiver.try_recv().ok()
    }

    /// How many were lost since the last look, since printing was too slow.
    pub(crate) fn missed(&self) -> u64 {
        self.missed.swap(0, Ordering::Relaxed)
    }
}

#[async_trait]
impl Delegate for Watch {
    fn on_notification(&self, notification: &Notification<'_>) {
        let Some(listener) = &self.listener else {
            if notification.method == LogMessage::NAME {
                self.show_log(notification.params);
            }
            return;
        };
        let heard =
            Heard { method: notification.method.to_owned(), params: notification.params.map(Raw::from) };
        if listener.sender.try_send(heard).is_err() {
            listener.missed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The program offers servers nothing beyond what has a handler, and says so.
    async fn on_request(&self, request: ServerRequest) -> Result<Box<RawValue>, ErrorObject> {
        self.console.detail(&self.server, &format!("asked for {}, which is not offered", request.method));
        Err(ErrorObject::method_not_found(&request.method))
    }
}

impl Watch {
    fn show_log(&self, params: Option<&RawValue>) {
        if let Some(Ok(message)) = params.map(|params| serde_json::from_str::<LogMessageParams>(params.get()))
        {
            self.console.log(&self.server, &message);
        }
    }
}
