//! Finds the message in a text that is an event stream, or JSON.

use bytes::Bytes;
use mcp_transport_http::sse::{Item, SseDecoder};

use crate::envelope::{Envelope, Members};
use crate::error::{LiteError, ParseProblem};

/// The end of any event, whether or not its last line had an end.
pub(crate) const END_OF_EVENT: Bytes = Bytes::from_static(b"\n\n");

/// The first message in the text of a response (S-91, D-13).
///
/// The text is read as an event stream: the first event whose data are a JSON object or array is
/// the message, whichever it is. `[DONE]` and whatever else is not JSON is passed over. Since this
/// is all of the text, the last event needs no blank line after it. Data of several lines are
/// joined, as the grammar wants; where that makes no JSON, a line that is a message by itself
/// counts. Without such an event the whole text is read as JSON.
///
/// It does not know which request was sent: a notification that comes first is the message. Use
/// [`call_mcp`](crate::call_mcp) to get the answer.
///
/// # Errors
///
/// [`LiteError::Parse`] if there is no message.
pub fn parse_sse(text: &str) -> Result<Envelope, LiteError> {
    // No event is larger than all of the text.
    let mut decoder = SseDecoder::new(text.len());
    decoder.push(Bytes::copy_from_slice(text.as_bytes()));
    decoder.push(END_OF_EVENT);
    while let Some(item) = decoder.next_event() {
        let Item::Event(event) = item else { continue };
        if let Some(envelope) = texts(&event.data).find_map(Envelope::read) {
            return Ok(envelope);
        }
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    Envelope::read(text.as_bytes()).ok_or(LiteError::Parse(ParseProblem::NotJson))
}

/// What may be messages in the data of an event: all of it, or those of its lines that are
/// messages by themselves, as servers send them that forget the blank line between events.
pub(crate) fn texts(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_single = !data.contains(&b'\n') || Envelope::is_one(data);
    let lines = (!is_single).then(|| data.split(|byte| *byte == b'\n').filter(|line| is_message(line)));
    is_single.then_some(data).into_iter().chain(lines.into_iter().flatten())
}

/// Whether a line is a message, and not just some object inside one.
fn is_message(line: &[u8]) -> bool {
    Members::read(line).is_some_and(|members| members.jsonrpc.is_some())
}

#[cfg(test)]
mod tests;
