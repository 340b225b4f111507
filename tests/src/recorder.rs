//! A handler that notes everything, and lets a test wait for it.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use mcp_jsonrpc::{CloseReason, Diagnostic, Handler, Notification, Reply, Request, TransportFault};
use serde_json::value::RawValue;
use tokio::sync::watch;

/// What to do with a request of the server.
type Answer = Box<dyn Fn(&Request<'_>, Reply) + Send + Sync>;

/// Notes each event of a connection as one line:
///
/// ```text
/// notification METHOD PARAMS
/// request ID METHOD PARAMS
/// error TEXT: CAUSE
/// diagnostic TEXT
/// close REASON
/// ```
pub struct Recorder {
    events: watch::Sender<Vec<String>>,
    answer: Answer,
}

impl Recorder {
    /// One that answers no request itself: they get `-32601`.
    pub fn new() -> Arc<Self> {
        Self::answering(|request, reply| reply.method_not_found(request.method))
    }

    /// One that answers requests with `answer`.
    pub fn answering(answer: impl Fn(&Request<'_>, Reply) + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { events: watch::Sender::default(), answer: Box::new(answer) })
    }

    /// All that was noted so far.
    pub fn events(&self) -> Vec<String> {
        self.events.borrow().clone()
    }

    /// How many events begin so.
    pub fn count(&self, start: &str) -> usize {
        self.events.borrow().iter().filter(|event| event.starts_with(start)).count()
    }

    /// Waits for the first event that begins so.
    ///
    /// # Panics
    ///
    /// If none comes.
    #[track_caller]
    pub fn wait(&self, start: &str) -> impl Future<Output = String> {
        self.wait_for(1, start)
    }

    /// Waits for the event with this number (from 1) of those that begin so.
    ///
    /// # Panics
    ///
    /// If so many do not come.
    #[track_caller]
    pub fn wait_for(&self, number: usize, start: &str) -> impl Future<Output = String> {
        let mut events = self.events.subscribe();
        let start = start.to_owned();
        crate::within(async move {
            let nth = |events: &Vec<String>| {
                events.iter().filter(|event| event.starts_with(&start)).nth(number - 1).cloned()
            };
            let seen = events.wait_for(|events| nth(events).is_some()).await;
            seen.ok().and_then(|events| nth(&events)).expect("the recorder outlives its waits")
        })
    }

    fn note(&self, event: String) {
        self.events.send_modify(|events| events.push(event));
    }
}

impl Handler for Recorder {
    fn on_notification(&self, notification: &Notification<'_>) {
        self.note(format!("notification {}{}", notification.method, shown(notification.params)));
    }

    fn on_request(&self, request: &Request<'_>, reply: Reply) {
        self.note(format!("request {:?} {}{}", request.id, request.method, shown(request.params)));
        (self.answer)(request, reply);
    }

    fn on_error(&self, fault: &TransportFault) {
        let cause = fault.source().map(|cause| format!(": {cause}")).unwrap_or_default();
        self.note(format!("error {fault}{cause}"));
    }

    fn on_close(&self, reason: &CloseReason) {
        self.note(format!("close {reason}"));
    }

    fn on_diagnostic(&self, diagnostic: &Diagnostic) {
        self.note(format!("diagnostic {diagnostic}"));
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Recorder").field("events", &self.events()).finish_non_exhaustive()
    }
}

fn shown(params: Option<&RawValue>) -> String {
    params.map(|params| format!(" {}", params.get())).unwrap_or_default()
}
