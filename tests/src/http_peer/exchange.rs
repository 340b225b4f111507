//! One request in the hands of a test, with the connection to answer it on.

use std::ops::Deref;

use tokio::sync::oneshot;

use super::wire::Wire;
use super::{Received, SseWriter};

/// What becomes of a connection after an exchange; closed if nothing is said.
#[derive(Debug)]
pub(super) enum Next {
    /// It carries the next request.
    Again(Wire),
    /// It stays open and silent.
    Hold(Wire),
}

/// A request and the connection that it came on. The request's fields and methods are reached
/// through it. Dropping it closes the connection.
#[derive(Debug)]
pub struct Exchange {
    request: Received,
    wire: Wire,
    back: oneshot::Sender<Next>,
}

impl Exchange {
    pub(super) fn new(request: Received, wire: Wire, back: oneshot::Sender<Next>) -> Self {
        Self { request, wire, back }
    }

    /// Answers `200 OK` with JSON.
    pub async fn respond_json(self, body: impl AsRef<[u8]>) {
        self.respond("200 OK", &[("Content-Type", "application/json")], body).await;
    }

    /// Answers `202 Accepted` without a body.
    pub async fn accepted(self) {
        self.respond("202 Accepted", &[], "").await;
    }

    /// Answers with a status (`404 Not Found`), headers, and a body, whose length is told unless the
    /// headers do so or the status has no body.
    pub async fn respond(self, status: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) {
        let body = body.as_ref();
        let tells_length = |name: &str| {
            name.eq_ignore_ascii_case("content-length") || name.eq_ignore_ascii_case("transfer-encoding")
        };
        let mut answer = head(status, headers);
        if !status.starts_with("204") && !headers.iter().any(|(name, _)| tells_length(name)) {
            answer += &format!("Content-Length: {}\r\n", body.len());
        }
        let mut answer = (answer + "\r\n").into_bytes();
        answer.extend_from_slice(body);
        self.respond_raw(&answer).await;
    }

    /// Answers with these bytes, in one write.
    pub async fn respond_raw(mut self, bytes: impl AsRef<[u8]>) {
        self.write(bytes).await;
        self.done();
    }

    /// Begins to answer `200 OK` with events, in chunks.
    pub async fn start_sse(self, headers: &[(&str, &str)]) -> SseWriter {
        self.sse_with(headers, ("Transfer-Encoding", "chunked")).await
    }

    /// The same without chunks: the end of the connection is the end of the events.
    pub async fn start_sse_until_close(self, headers: &[(&str, &str)]) -> SseWriter {
        self.sse_with(headers, ("Connection", "close")).await
    }

    async fn sse_with(mut self, headers: &[(&str, &str)], framing: (&str, &str)) -> SseWriter {
        let always = [("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache"), framing];
        let headers = always.iter().chain(headers).copied().collect::<Vec<_>>();
        self.write(head("200 OK", &headers) + "\r\n").await;
        SseWriter::new(self.wire, self.back, framing.1 == "chunked")
    }

    /// Writes these bytes, in one write; false if the client is gone. Then comes more, or
    /// [`Exchange::done`], or an end.
    pub async fn write(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.wire.write(bytes.as_ref()).await
    }

    /// Says that the answer is complete: the connection may carry the next request.
    pub fn done(self) {
        // Where the peer is gone, the connection ends.
        let _ = self.back.send(Next::Again(self.wire));
    }

    /// Closes the connection, after what was written.
    pub fn close(self) {}

    /// Resets the connection.
    pub fn reset(self) {
        self.wire.reset();
    }

    /// Leaves the connection open and silent until the client closes it or the peer is dropped.
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

    /// The request.
    pub fn request(&self) -> &Received {
        &self.request
    }
}

impl Deref for Exchange {
    type Target = Received;

    fn deref(&self) -> &Received {
        &self.request
    }
}

/// The status line and the headers, without the line that ends them.
fn head(status: &str, headers: &[(&str, &str)]) -> String {
    let mut head = format!("HTTP/1.1 {status}\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head
}
