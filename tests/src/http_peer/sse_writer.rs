//! An answer that is a stream of events, written piece by piece.

use tokio::sync::oneshot;

use super::exchange::Next;
use super::wire::Wire;

/// Writes events. Dropping it closes the connection in the middle of the answer.
#[derive(Debug)]
pub struct SseWriter {
    wire: Wire,
    back: oneshot::Sender<Next>,
    is_chunked: bool,
}

impl SseWriter {
    pub(super) fn new(wire: Wire, back: oneshot::Sender<Next>, is_chunked: bool) -> Self {
        Self { wire, back, is_chunked }
    }

    /// Writes an event with this data, of as many lines as it has; false if the client is gone.
    pub async fn event(&mut self, data: &str) -> bool {
        self.raw(event("", data)).await
    }

    /// The same with an id.
    pub async fn event_with_id(&mut self, id: &str, data: &str) -> bool {
        self.raw(event(&format!("id: {id}\n"), data)).await
    }

    /// The same with a type.
    pub async fn event_of_type(&mut self, kind: &str, data: &str) -> bool {
        self.raw(event(&format!("event: {kind}\n"), data)).await
    }

    /// Writes any bytes of the stream as one chunk; false if the client is gone.
    pub async fn raw(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        let bytes = bytes.as_ref();
        if !self.is_chunked {
            return self.wire.write(bytes).await;
        }
        // A chunk of no bytes would be the end.
        if bytes.is_empty() {
            return true;
        }
        let chunk = [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
        self.wire.write(&chunk).await
    }

    /// Writes bytes past the chunks: wrong sizes, half chunks, nonsense; false if the client is gone.
    pub async fn unframed(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.wire.write(bytes.as_ref()).await
    }

    /// Ends the answer as it should end: by its last chunk, or where there are none by closing the
    /// connection.
    pub async fn finish(mut self) {
        if self.is_chunked && self.wire.write(b"0\r\n\r\n").await {
            // Where the peer is gone, the connection ends.
            let _ = self.back.send(Next::Again(self.wire));
        }
    }

    /// Closes the connection in the middle of the answer.
    pub fn close(self) {}

    /// Resets the connection.
    pub fn reset(self) {
        self.wire.reset();
    }

    /// Leaves the stream open and silent until the client closes it or the peer is dropped.
    pub fn hold(self) {
        // Where the peer is gone, the connection ends.
        let _ = self.back.send(Next::Hold(self.wire));
    }

    /// Waits until the client closes the connection or resets it.
    ///
    /// Cancel safety: it may be called again.
    pub async fn client_closed(&mut self) {
        self.wire.closed().await;
    }
}

fn event(before: &str, data: &str) -> String {
    let lines = data.split('\n').map(|line| format!("data: {line}\n"));
    format!("{before}{}\n", lines.collect::<String>())
}
