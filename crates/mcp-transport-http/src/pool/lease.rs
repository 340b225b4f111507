//! One connection in use: what is sent on it, and how it goes back.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::Response;
use hyper::body::Incoming;
use hyper::client::conn::http1;
#[cfg(feature = "http2")]
use hyper::client::conn::http2;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::{Idle, MARGIN, Outbound, Pool};
use crate::connector::Forward;
use crate::error::{Failure, HttpError};

/// One connection, or a share of one, for one exchange.
pub(crate) struct Lease {
    pub(super) sender: Sender,
    pub(crate) forward: Option<Forward>,
    pub(super) pool: Arc<Pool>,
    /// Its place among the connections; none on HTTP/2 and for streams.
    pub(super) permit: Option<OwnedSemaphorePermit>,
    pub(super) is_new: bool,
    pub(super) keep_for: Duration,
}

pub(super) enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>),
    #[cfg(feature = "http2")]
    Http2(http2::SendRequest<Full<Bytes>>),
}

/// A request that was not answered.
pub(crate) enum Unanswered {
    /// Not a byte of it was sent, since the connection was gone: another one may be tried.
    NotSent(hyper::Error),
    /// It may have been received.
    Sent(hyper::Error),
}

impl Lease {
    /// Whether the request goes to the server over HTTP/2.
    pub(crate) fn is_http2(&self) -> bool {
        !matches!(self.sender, Sender::Http1(_))
    }

    /// Whether nothing was sent on the connection before, so that it cannot be stale.
    pub(crate) fn is_new(&self) -> bool {
        self.is_new
    }

    /// Sends a request and waits for the head of its response.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connection (HTTP/1.1) or resets the stream (HTTP/2).
    pub(crate) async fn send(&mut self, request: Outbound) -> Result<Response<Incoming>, Unanswered> {
        let answered = match &mut self.sender {
            Sender::Http1(sender) => sender.try_send_request(request).await,
            #[cfg(feature = "http2")]
            Sender::Http2(sender) => sender.try_send_request(request).await,
        };
        answered.map_err(|mut unanswered| match unanswered.take_message() {
            Some(_) => Unanswered::NotSent(unanswered.into_error()),
            None => Unanswered::Sent(unanswered.into_error()),
        })
    }

    /// Counts bytes of a body.
    pub(crate) fn received(&self, bytes: usize) {
        self.pool.received.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Heeds how long the server keeps the connection.
    pub(crate) fn keep_for(&mut self, hint: Option<Duration>) {
        if let Some(hint) = hint {
            self.keep_for = self.keep_for.min(hint.saturating_sub(MARGIN));
        }
    }

    /// The exchange turned out to be one that goes on: it takes a place among the streams, if there
    /// is one, and leaves its own to others. Whether it stands in nobody's way now.
    pub(crate) fn stands_aside(&mut self) -> bool {
        if self.permit.is_none() {
            return true;
        }
        let Ok(place) = self.pool.streams.clone().try_acquire_owned() else { return false };
        self.permit = Some(place);
        true
    }

    /// The exchange is over: the connection waits for the next one.
    pub(crate) fn give_back(self) {
        if let Sender::Http1(sender) = self.sender
            && !sender.is_closed()
            && !self.pool.stop.is_cancelled()
        {
            let until = Instant::now().checked_add(self.keep_for);
            self.pool.idle().push(Idle { sender, forward: self.forward, until });
        }
        // Only now may another exchange count on a place.
        drop(self.permit);
    }
}

impl From<Unanswered> for Failure {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::NotSent(error) => Self { error: HttpError::Broken(error), sent: false },
            Unanswered::Sent(error) if error.is_parse() => Self { error: HttpError::Head(error), sent: true },
            Unanswered::Sent(error) => Self { error: HttpError::Broken(error), sent: true },
        }
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Lease").field("is_http2", &self.is_http2()).finish_non_exhaustive()
    }
}
