//! HTTP+SSE, the transport of 2024-11-05: one stream for all that the server says, and an endpoint
//! that it names for what it is told.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use mcp_jsonrpc::{CloseCause, CloseReason};

use crate::ask::Ask;
use crate::error::{Failure, HttpError};
use crate::events::Events;
use crate::head::{self, Meaning};
use crate::link::{Link, Listening, Mode};
use crate::pool::Lane;
use crate::sse::{Event, Item};
use crate::trace::Trace;
use crate::wire::Answer;

/// Opens the stream, waits for its `endpoint` event, and reads on in the background.
///
/// # Errors
///
/// `sent` is false where the server could not be reached.
pub(crate) async fn open(link: &Arc<Link>) -> Result<(), Failure> {
    let answer = link.wire.exchange(Lane::Stream, &Ask::Get(None), &Trace::default()).await?;
    let failed = |error| Failure { error, sent: true };
    let body = match head::meaning(answer.status, &answer.headers) {
        Meaning::Events => answer.body,
        Meaning::Failed | Meaning::Nothing => return Err(failed(status(link, answer).await)),
        _ => return Err(failed(link.wire.wrong_type(&answer.headers))),
    };
    let mut events = Events::new(body, link.limits.max_message);
    let Some(Item::Event(event)) = events.next().await.map_err(failed)? else {
        return Err(failed(HttpError::NoEndpoint));
    };
    take_endpoint(link, &event).map_err(failed)?;
    link.decide(Mode::Legacy);
    link.listening.send_replace(Listening::Open);
    link.spawn(Reader(link.clone()).read(events));
    Ok(())
}

/// Messages go to the endpoint that the event names, if it is of the same origin (C-168).
fn take_endpoint(link: &Link, event: &Event) -> Result<(), HttpError> {
    if &*event.kind != b"endpoint" {
        return Err(HttpError::NoEndpoint);
    }
    let base = link.wire.stream_endpoint();
    let reference = String::from_utf8_lossy(&event.data);
    let endpoint = base.resolve(reference.trim()).map_err(HttpError::Endpoint)?;
    if !base.is_same_origin(&endpoint) {
        return Err(HttpError::EndpointOrigin { target: link.wire.mask(&endpoint.to_string()) });
    }
    link.wire.post_to(endpoint);
    Ok(())
}

/// Reads the one stream. With it the connection ends, also where its task is cut short.
struct Reader(Arc<Link>);

impl Reader {
    /// Delivers what the stream brings, to its end.
    async fn read(self, mut events: Events) {
        let cause = loop {
            match events.next().await {
                Ok(Some(item)) => {
                    events.deliver(&item, &self.0.inbound, None);
                }
                Ok(None) => break CloseCause::EndOfStream,
                Err(error) => break CloseCause::Read(io::Error::other(error)),
            }
        };
        self.end(cause);
    }

    fn end(&self, cause: CloseCause) {
        self.0.listening.send_replace(Listening::Over);
        let reason = Arc::new(CloseReason::new(cause));
        self.0.settle(&reason);
        self.0.announce(reason);
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if self.0.is_closing.load(Ordering::Acquire) {
            return;
        }
        self.end(match std::thread::panicking() {
            true => CloseCause::Panicked,
            false => CloseCause::Read(io::Error::other("the runtime ended")),
        });
    }
}

async fn status(link: &Link, answer: Answer) -> HttpError {
    HttpError::Status(Box::new(link.wire.failed(answer).await.0))
}
