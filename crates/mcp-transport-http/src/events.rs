//! Reads an event stream and hands on the messages in it.

use bytes::Bytes;
use mcp_jsonrpc::{Inbound, RequestId, Salvage};

use crate::body::Body;
use crate::error::HttpError;
use crate::sse::{Event, Item, SseDecoder};

/// The events of one response body.
#[derive(Debug)]
pub(crate) struct Events {
    body: Body,
    decoder: SseDecoder,
    limit: usize,
    /// Looks for the id of an overlarge message.
    salvage: Salvage,
    /// Whether any event came.
    is_fruitful: bool,
}

impl Events {
    /// `limit`: the most bytes of one event.
    pub(crate) fn new(body: Body, limit: usize) -> Self {
        let decoder = SseDecoder::new(limit);
        Self { body, decoder, limit, salvage: Salvage::new(), is_fruitful: false }
    }

    /// The next event, or part of an overlarge one; `None` at the end of the stream.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Result<Option<Item>, HttpError> {
        loop {
            if let Some(item) = self.decoder.next_event() {
                self.is_fruitful |= matches!(item, Item::Event(_));
                return Ok(Some(item));
            }
            match self.body.chunk().await? {
                Some(chunk) => self.decoder.push(chunk),
                None => return Ok(None),
            }
        }
    }

    /// Hands on what an item holds: on the stream of a call, for that call. Returns how many calls
    /// were settled.
    pub(crate) fn deliver(&mut self, item: &Item, inbound: &Inbound, call: Option<&RequestId>) -> usize {
        match item {
            Item::Event(event) => match (message(event), call) {
                (None, _) => 0,
                (Some(message), Some(call)) => inbound.accept_for(message, call),
                (Some(message), None) => inbound.accept(message),
            },
            Item::TooLarge(head) => {
                inbound.too_large(self.limit, head);
                self.salvage = Salvage::new();
                match (self.search(head, inbound), call) {
                    // Whose it is may never be seen, and it may never end.
                    (0, Some(call)) => usize::from(inbound.fail_too_large(call, self.limit)),
                    (failed, _) => failed,
                }
            }
            Item::More(part) => self.search(part, inbound),
        }
    }

    /// Leaves its place among the calls to others if `item` shows that the stream goes on: a message
    /// came, and it was not the answer. Whether it did.
    pub(crate) fn stands_aside(&mut self, item: &Item) -> bool {
        let goes_on = match item {
            Item::Event(event) => message(event).is_some(),
            Item::TooLarge(_) | Item::More(_) => true,
        };
        goes_on && self.body.stands_aside()
    }

    /// Delivers what is left of the stream, to its end.
    pub(crate) async fn deliver_rest(mut self, inbound: &Inbound) {
        // Whoever waited for this stream has its answer, so that its end is nobody's fault.
        while let Ok(Some(item)) = self.next().await {
            self.deliver(&item, inbound, None);
        }
    }

    pub(crate) fn decoder(&self) -> &SseDecoder {
        &self.decoder
    }

    pub(crate) fn is_fruitful(&self) -> bool {
        self.is_fruitful
    }

    fn search(&mut self, part: &Bytes, inbound: &Inbound) -> usize {
        let mut failed = 0;
        let limit = self.limit;
        self.salvage.push(part, |id| failed += usize::from(inbound.fail_too_large(&id, limit)));
        failed
    }
}

/// The message of an event; events of other types carry none, nor do those without data, which
/// only bring an id.
fn message(event: &Event) -> Option<&Bytes> {
    (event.is_message() && !event.data.is_empty()).then_some(&event.data)
}
