//! Sends what comes from the server where it belongs. Nothing here waits: the reader calls it.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_jsonrpc::{
    CallError, CloseReason, Diagnostic, Handler, Notification, Phase, Raw, Reply, Request, Sample,
    TransportFault,
};
use mcp_types::{
    Cancelled, CreateMessage, Elicit, ElicitationComplete, ElicitationCompleteParams, EmptyResult,
    InputRequest, ListRoots, Method, Notice, Ping, Progress,
};
use serde_json::value::RawValue;

use crate::answering::{Answerers, Refusal, to_task};
use crate::asked::Asked;
use crate::delegate::{Delegate, ServerRequest};
use crate::events::{Event, Events, ServerNotification};
use crate::modern::{Lives, Place, Results};
use crate::options::ClientOptions;
use crate::progress::ProgressTable;

/// What a server may ask inside of a result.
const INPUTS: [&str; 3] = [ListRoots::NAME, CreateMessage::NAME, Elicit::NAME];

/// The handler of one connection.
pub(crate) struct Router {
    pub(crate) progress: ProgressTable,
    pub(crate) events: Events,
    pub(crate) answerers: Arc<Answerers>,
    asked: Asked,
    delegate: Option<Arc<dyn Delegate>>,
    /// Whether there is no handshake, and so nothing that the server may ask by a request.
    is_stateless: AtomicBool,
    /// The subscriptions of a connection without a handshake.
    pub(crate) lives: Lives,
    /// What it has answered and still holds.
    pub(crate) results: Results,
}

impl Router {
    pub(crate) fn new(server: &Arc<str>, options: &ClientOptions) -> Self {
        Self {
            progress: ProgressTable::default(),
            events: Events::new(options.event_capacity, options.event_bytes),
            answerers: Arc::new(Answerers::new(server.clone(), options)),
            asked: Asked::new(options.max_server_requests),
            delegate: options.delegate.clone(),
            is_stateless: AtomicBool::new(false),
            lives: Lives::default(),
            results: Results::new(options),
        }
    }

    /// What the server says by itself is not heard at the moment.
    pub(crate) fn may_have_missed(&self) {
        self.results.forget();
        self.events.publish(|| Event::Interrupted);
    }

    /// It is heard again.
    pub(crate) fn listening_again(&self) {
        self.results.forget();
        self.events.publish(|| Event::ListeningAgain);
    }

    /// It is not heard, and will not be.
    pub(crate) fn not_listening(&self, error: &CallError) {
        let text = format!("the server does not tell of changes: {}", text(error));
        self.events.publish(|| Event::Fault(text.into()));
    }

    /// Hears how the peers speak from now on.
    pub(crate) fn enter(&self, phase: Phase<'_>) {
        self.is_stateless.store(matches!(phase, Phase::Stateless { .. }), Ordering::Release);
    }

    /// Whether each request stands for itself.
    pub(crate) fn is_stateless(&self) -> bool {
        self.is_stateless.load(Ordering::Acquire)
    }

    /// Answers what the server asks inside of a result, under `key`: by the handler that a request of
    /// the server would have gone to.
    pub(crate) async fn input(&self, key: &str, request: InputRequest) -> Result<Box<RawValue>, Refusal> {
        if self.answerers.serves(&request.method) {
            return self.answerers.answer(&request.method, request.params.as_deref()).await;
        }
        match &self.delegate {
            Some(delegate) if INPUTS.contains(&&*request.method) => {
                let answer = delegate.on_request(ServerRequest::within_result(key, request)).await;
                answer.map_err(|error| Refusal::Failed(error.message))
            }
            _ => Err(Refusal::NotOffered(request.method)),
        }
    }

    /// A request where there can be none: it is not answered, which the revision forbids (C-016), but
    /// told.
    fn out_of_place(&self, request: &Request<'_>) {
        let method = Sample::of(request.method.as_bytes());
        tracing::warn!(%method, "ignored a request of the server: 2026-07-28 has none");
        let text = format!("ignored the server's request {method}: 2026-07-28 has none");
        self.events.publish(|| Event::Diagnostic(text.into()));
    }

    /// Tells of an address that is done. What we did not ask to open, or know to be done, is ignored
    /// (C-349).
    fn elicitation_complete(&self, params: Option<&RawValue>) {
        let params = params.map_or("null", RawValue::get);
        let Ok(ElicitationCompleteParams { elicitation_id: id, .. }) = serde_json::from_str(params) else {
            return;
        };
        if let Some(id) = self.answerers.opened.finish(&id) {
            self.events.publish(|| Event::ElicitationComplete(id));
        }
    }
}

impl Handler for Router {
    fn on_notification(&self, notification: &Notification<'_>) {
        match notification.method {
            Progress::NAME => return self.progress.deliver(notification.params),
            Cancelled::NAME if !self.is_stateless() => self.asked.cancelled(notification.params),
            _ => {}
        }
        if self.is_stateless() {
            match self.lives.place(notification) {
                Place::Heard => self.results.heed(notification),
                Place::Kept => return,
                Place::Stray => {
                    return tracing::debug!(method = notification.method, "of no subscription that there is");
                }
            }
        }
        if let Some(delegate) = &self.delegate {
            delegate.on_notification(notification);
        }
        self.events.publish(|| Event::Notification(ServerNotification::of(notification)));
        if notification.method == ElicitationComplete::NAME {
            self.elicitation_complete(notification.params);
        }
    }

    /// `ping` is answered at any time, also before the handshake is done (C-047, C-059).
    fn on_request(&self, request: &Request<'_>, reply: Reply) {
        if self.is_stateless() {
            self.out_of_place(request);
            return reply.withhold();
        }
        if request.method == Ping::NAME {
            return reply.result(&EmptyResult::default());
        }
        if self.answerers.serves(request.method) {
            let (answerers, method) = (self.answerers.clone(), request.method.to_owned());
            let params = request.params.map(ToOwned::to_owned);
            return self.asked.answer(request, reply, async move {
                let result = answerers.answer(&method, params.as_deref()).await?;
                Ok(to_task(params.as_deref().map(RawValue::get), result))
            });
        }
        match self.delegate.clone() {
            Some(delegate) => {
                let work = ServerRequest::of(request);
                let params = work.params.clone();
                self.asked.answer(request, reply, async move {
                    let result = delegate.on_request(work).await?;
                    Ok(to_task(params.as_ref().map(Raw::as_str), result))
                });
            }
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
