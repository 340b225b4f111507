//! The listener: a GET whose stream brings what the server says by itself (D-12). It is never
//! needed: calls go on whatever becomes of it.

use std::sync::Arc;

use hyper::StatusCode;
use mcp_jsonrpc::FailureKind;

use crate::ask::Ask;
use crate::error::{Failure, HttpError};
use crate::events::Events;
use crate::head::{self, Meaning};
use crate::link::{Link, Listening};
use crate::pool::Lane;
use crate::resume::{Attempt, Resume};
use crate::trace::Trace;
use crate::wire::Answer;

const WHAT: &str = "listening for the server's own messages";

/// Listens while it lives: however it ends, whoever waits for it hears so.
pub(crate) struct Listener(pub(crate) Arc<Link>);

impl Listener {
    /// Listens until the stream is refused or lost for good, which is reported once.
    pub(crate) async fn listen(self) {
        if let Err(failure) = streams(&self.0).await {
            self.0.report(WHAT, failure);
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.listening.send_replace(Listening::Over);
    }
}

/// One stream after the other. `Ok` where there is nothing to report.
async fn streams(link: &Arc<Link>) -> Result<(), Failure> {
    let mut resume = Resume::new(link.limits.resume);
    let mut was_open = false;
    let mut next = Attempt { after: std::time::Duration::ZERO, id: None };
    loop {
        if !next.after.is_zero() {
            tokio::time::sleep(next.after).await;
        }
        let lost = match open(link, next.id).await {
            Ok(Some(answer)) => {
                was_open = true;
                link.listening.send_replace(Listening::Open);
                let mut events = Events::new(answer.body, link.limits.max_message);
                let lost = read(link, &mut events).await;
                link.listening.send_replace(Listening::Opening);
                resume.ended(events.decoder(), events.is_fruitful());
                lost
            }
            // It does not offer a listener.
            Ok(None) => return Ok(()),
            // Without its session there is nothing to come back to.
            Err(failure) if !was_open || failure.error.kind() == FailureKind::SessionLost => {
                return Err(failure);
            }
            Err(failure) => failure,
        };
        let again = if link.limits.resume_listener { resume.next_or_anew() } else { None };
        next = again.ok_or(lost)?;
    }
}

/// Opens one stream; `None` if the server says that it has none.
async fn open(link: &Arc<Link>, id: Option<hyper::header::HeaderValue>) -> Result<Option<Answer>, Failure> {
    let answer = link.wire.exchange(Lane::Stream, &Ask::Get(id), &Trace::default()).await?;
    let failed = |error| Failure { error, sent: true };
    match head::meaning(answer.status, &answer.headers) {
        Meaning::Events => Ok(Some(answer)),
        Meaning::Failed if answer.status == StatusCode::METHOD_NOT_ALLOWED => Ok(None),
        Meaning::Failed => {
            let (status, _) = link.wire.failed(answer).await;
            Err(failed(HttpError::Status(Box::new(status))))
        }
        _ => Err(failed(link.wire.wrong_type(&answer.headers))),
    }
}

/// Delivers what a stream brings, to its end.
async fn read(link: &Link, events: &mut Events) -> Failure {
    loop {
        match events.next().await {
            Ok(Some(item)) => {
                events.deliver(&item, &link.inbound, None);
            }
            Ok(None) => return Failure { error: HttpError::StreamEnded, sent: true },
            Err(error) => return Failure { error, sent: true },
        }
    }
}
