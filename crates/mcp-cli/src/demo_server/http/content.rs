//! What goes back: nothing, one JSON document, or a stream of events.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::{Either, Full};
use hyper::body::{Body, Bytes, Frame};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use tokio::sync::mpsc;

use super::super::wire::Answered;
use super::hang_up::HangUp;
use super::headers::{EVENTS, JSON};

/// The body of a response.
pub(super) type Content = Either<Full<Bytes>, Events>;

/// A message on its way to the client.
#[derive(Debug)]
pub(super) enum Said {
    /// Something before the answer, or apart from any.
    Meanwhile(String),
    Answer(Answered),
}

impl Said {
    fn into_text(self) -> String {
        match self {
            Self::Meanwhile(text) | Self::Answer(Answered { text, .. }) => text,
        }
    }
}

/// A status and nothing more.
pub(super) fn empty(status: StatusCode) -> Response<Content> {
    let mut response = Response::new(Either::Left(Full::default()));
    *response.status_mut() = status;
    response
}

/// One message.
pub(super) fn json(status: StatusCode, message: String) -> Response<Content> {
    let mut response = Response::new(Either::Left(Full::from(message)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}

/// These messages, as they come.
pub(super) fn events(
    first: Option<Said>,
    rest: mpsc::Receiver<Said>,
    hang_up: Option<HangUp>,
) -> Response<Content> {
    let mut response = Response::new(Either::Right(Events { first, rest, _hang_up: hang_up }));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(EVENTS));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// A stream of server-sent events, one a message. It ends when nobody can send any more.
#[derive(Debug)]
pub(super) struct Events {
    first: Option<Said>,
    rest: mpsc::Receiver<Said>,
    _hang_up: Option<HangUp>,
}

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let said = match self.first.take() {
            Some(first) => Poll::Ready(Some(first)),
            None => self.rest.poll_recv(context),
        };
        // JSON without line breaks is one line of data.
        said.map(|said| {
            said.map(|said| {
                Ok(Frame::data(Bytes::from(format!("event: message\ndata: {}\n\n", said.into_text()))))
            })
        })
    }
}
