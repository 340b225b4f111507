//! What may keep notifications from arriving: streams that are refused, lost, or back again.

use std::sync::Arc;

use mcp_client::{Client, Event, EventStream};

use crate::failure::Failure;
use crate::status::Status;

const NO_STREAM: &str =
    "it offers no stream for messages of its own: only what comes along with answers is heard";

/// The same where what changes is told only to who asks for it.
const NOTHING_TOLD: &str = "it tells of no changes: nothing is heard but what --resource asks for";

const INTERRUPTED: &str = "it is not heard at the moment, and is asked again until it is";

const AGAIN: &str = "it is heard again: what changed in between was not told";

/// What a person should know.
#[derive(Debug)]
pub(super) enum Told {
    Warning(String),
    Note(String),
    /// For who asked for more.
    Detail(&'static str),
}

/// Looks at a connection for all that is no notification.
pub(super) struct Trouble {
    client: Client,
    events: EventStream,
    /// Whether the server is heard; `None` until that is known.
    is_heard: Option<bool>,
    has_spoken: bool,
    /// A fault that is not yet judged.
    fault: Option<Arc<str>>,
}

impl Trouble {
    pub(super) fn new(client: Client) -> Self {
        Self { events: client.events(), client, is_heard: None, has_spoken: false, fault: None }
    }

    /// Waits for the next, or for the failure that ends it all. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Result<Told, Failure> {
        loop {
            if self.fault.is_some() {
                let is_lost = self.is_lost().await;
                match self.fault.take() {
                    Some(fault) if is_lost => {
                        return Err(Failure::new(Status::Link, &*fault).of(self.client.server()));
                    }
                    Some(fault) => {
                        // A stream that was refused need not be missed a second time.
                        self.is_heard.get_or_insert(false);
                        return Ok(Told::Warning(fault.to_string()));
                    }
                    None => {}
                }
            }
            let event = tokio::select! {
                biased;
                event = self.events.next() => event,
                is_heard = self.client.listening(), if self.is_heard.is_none() => {
                    self.is_heard = Some(is_heard);
                    if is_heard {
                        return Ok(Told::Detail("it is heard"));
                    }
                    // Where the connection itself is gone, that is told soon.
                    if self.client.is_connected() {
                        return Ok(Told::Warning(self.unheard().to_owned()));
                    }
                    continue;
                }
            };
            match event {
                Some(Event::Fault(fault)) => self.fault = Some(fault),
                Some(Event::Interrupted) => return Ok(Told::Warning(INTERRUPTED.to_owned())),
                Some(Event::ListeningAgain) => {
                    self.is_heard = Some(true);
                    return Ok(Told::Note(AGAIN.to_owned()));
                }
                Some(Event::Notification(_)) => self.has_spoken = true,
                Some(Event::Closed(_)) | None => return Err(self.why_closed().await),
                Some(_) => {}
            }
        }
    }

    fn unheard(&self) -> &'static str {
        if self.client.agreed().version.is_modern() { NOTHING_TOLD } else { NO_STREAM }
    }

    /// Whether the server was heard and is no longer, while calls could go on.
    async fn is_lost(&self) -> bool {
        // The loss may come before it was seen that there was something to lose.
        let was_heard = self.is_heard == Some(true) || self.has_spoken;
        was_heard && self.client.is_connected() && !self.client.listening().await
    }

    /// Why the connection is gone: a call on it says so.
    async fn why_closed(&self) -> Failure {
        match self.client.ping().await {
            Err(error) => error.into(),
            Ok(()) => Failure::new(Status::Link, "Transport closed").of(self.client.server()),
        }
    }
}
