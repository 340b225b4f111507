//! Sends what comes from the server where it belongs. Nothing here waits: the reader calls it.

use std::error::Error;
use std::sync::Arc;

use mcp_jsonrpc::{CloseReason, Diagnostic, Handler, Notification, Reply, Request, Sample, TransportFault};
use mcp_types::{Cancelled, EmptyResult, Method, Notice, Ping, Progress};

use crate::asked::Asked;
use crate::delegate::Delegate;
use crate::events::{Event, Events, ServerNotification};
use crate::options::ClientOptions;
use crate::progress::ProgressTable;

/// The handler of one connection.
pub(crate) struct Router {
    pub(crate) progress: ProgressTable,
    pub(crate) events: Events,
    asked: Asked,
    delegate: Option<Arc<dyn Delegate>>,
}

impl Router {
    pub(crate) fn new(options: &ClientOptions) -> Self {
        Self {
            progress: ProgressTable::default(),
            events: Events::new(options.event_capacity, options.event_bytes),
            asked: Asked::new(options.max_server_requests),
            delegate: options.delegate.clone(),
        }
    }
}

impl Handler for Router {
    fn on_notification(&self, notification: &Notification<'_>) {
        match notification.method {
            Progress::NAME => return self.progress.deliver(notification.params),
            Cancelled::NAME => self.asked.cancelled(notification.params),
            _ => {}
        }
        if let Some(delegate) = &self.delegate {
            delegate.on_notification(notification);
        }
        self.events.publish(|| Event::Notification(ServerNotification::of(notification)));
    }

    /// `ping` is answered at any time, also before the handshake is done (C-047, C-059).
    fn on_request(&self, request: &Request<'_>, reply: Reply) {
        if request.method == Ping::NAME {
            return reply.result(&EmptyResult::default());
        }
        match &self.delegate {
            Some(delegate) => self.asked.answer(delegate.clone(), request, reply),
            None => reply.method_not_found(request.method),
        }
    }

    fn on_error(&self, fault: &TransportFault) {
        self.events.publish(|| Event::Fault(text(fault)));
    }

    fn on_close(&self, reason: &CloseReason) {
        self.asked.abandon();
        self.events.close(text(reason));
    }

    fn on_diagnostic(&self, diagnostic: &Diagnostic) {
        self.events.publish(|| Event::Diagnostic(text(diagnostic)));
    }
}

/// An error with its causes, in one line. A cause may be the peer's own words, so it is cut and
/// escaped.
fn text(error: &dyn Error) -> Arc<str> {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&Sample::of(error.to_string().as_bytes()).to_string());
        cause = error.source();
    }
    text.into()
}
