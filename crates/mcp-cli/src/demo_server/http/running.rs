//! What takes its time: calls, batches and subscriptions, and the streams they speak on.

use std::sync::Arc;

use hyper::{Response, StatusCode};
use tokio::sync::mpsc;

use super::super::job::Job;
use super::super::legacy::Legacy;
use super::super::message::{Message, Unreadable};
use super::super::modern::listen::Listen;
use super::super::outcome::{HEADER_MISMATCH, METHOD_NOT_FOUND, MISSING_CAPABILITY, UNSUPPORTED_VERSION};
use super::super::reply::Reply;
use super::super::wire::{self, Answered, Wire};
use super::content::{self, Content, Said};
use super::hang_up::HangUp;

/// Messages that wait for the client to read. Then a call waits, and a subscription ends.
const MOST_UNREAD: usize = 64;

/// Runs a call of a session: its answer alone is one document; if it says something first, all goes on a
/// stream.
pub(super) async fn to_its_end(job: Job) -> Response<Content> {
    let mut stream = begin(job);
    match stream.recv().await {
        Some(Said::Answer(answer)) => content::json(StatusCode::OK, answer.text),
        first => content::events(first, stream, None),
    }
}

/// The same without a session: the call lasts no longer than somebody waits for it.
pub(super) async fn while_heard(job: Job, hang_up: HangUp) -> Response<Content> {
    let mut stream = begin(job);
    match stream.recv().await {
        Some(Said::Answer(done)) => answer(done),
        first => content::events(first, stream, Some(hang_up)),
    }
}

/// The answer to a request without a session. Some errors have a status.
pub(super) fn answer(answer: Answered) -> Response<Content> {
    let status = match answer.code {
        Some(METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        Some(HEADER_MISMATCH | MISSING_CAPABILITY | UNSUPPORTED_VERSION) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    };
    content::json(status, answer.text)
}

/// Begins a subscription, whose stream lasts until either side ends it.
pub(super) fn subscription(listen: Listen, hang_up: HangUp) -> Response<Content> {
    let (sender, stream) = mpsc::channel(MOST_UNREAD);
    let wire = Wire::new(move |message| sender.try_send(Said::Meanwhile(message)).is_ok());
    match listen.start(wire) {
        Ok(()) => content::events(None, stream, Some(hang_up)),
        Err(refused) => answer(refused),
    }
}

/// Takes the messages of a batch one after the other. Their answers go on one stream, each by itself;
/// where there are none, there is no stream.
pub(super) async fn batch(
    server: Arc<Legacy>,
    messages: Vec<Result<Message, Unreadable>>,
) -> Response<Content> {
    let (sender, mut stream) = mpsc::channel(MOST_UNREAD);
    tokio::task::spawn_blocking(move || {
        let wire = wire(&sender);
        for message in messages {
            let answer = match message.map(|message| server.accept(message)) {
                Ok(Reply::None | Reply::Listen(_)) => None,
                Ok(Reply::Now(answer) | Reply::Refused(answer)) => Some(answer),
                Ok(Reply::Later(job)) => job.run(&wire),
                Err(unreadable) => Some(wire::refusal(unreadable.id.as_deref(), &unreadable.error)),
            };
            if let Some(answer) = answer {
                wire.send(answer.text);
            }
        }
    });
    match stream.recv().await {
        Some(first) => content::events(Some(first), stream, None),
        None => content::empty(StatusCode::ACCEPTED),
    }
}

fn begin(job: Job) -> mpsc::Receiver<Said> {
    let (sender, stream) = mpsc::channel(MOST_UNREAD);
    tokio::task::spawn_blocking(move || {
        if let Some(answer) = job.run(&wire(&sender)) {
            let _ = sender.blocking_send(Said::Answer(answer));
        }
    });
    stream
}

/// A client that hung up is told nothing any more.
fn wire(sender: &mpsc::Sender<Said>) -> Wire {
    let sender = sender.clone();
    Wire::new(move |message| sender.blocking_send(Said::Meanwhile(message)).is_ok())
}
