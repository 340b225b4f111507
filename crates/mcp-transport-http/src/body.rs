//! The body of a response: its chunks as they come, decoded, never more than asked for.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONTENT_ENCODING, HeaderMap};
use mcp_jsonrpc::{Mask, Sample};

use crate::error::HttpError;
#[cfg(feature = "gzip")]
use crate::gunzip::Gunzip;
use crate::pool::Lease;

/// Room that is made at once for a body of a known length: a server may claim any length.
const FIRST_ROOM: usize = 1 << 20;

/// The body of one response, with the connection it comes over.
#[derive(Debug)]
pub(crate) struct Body {
    incoming: Incoming,
    /// Given back at the end of the body; a connection whose body was not read to its end is not
    /// used again.
    lease: Option<Lease>,
    #[cfg(feature = "gzip")]
    gunzip: Option<Gunzip>,
    /// The encoding, if it is none that was offered: the body cannot be read then.
    foreign: Option<Sample>,
}

/// A body read as a whole.
#[derive(Debug)]
pub(crate) enum Whole {
    Complete(Bytes),
    /// It is longer than the limit; this is how it begins.
    TooLarge(Bytes),
}

impl Body {
    /// The body that `headers` came with; `mask` is for what is shown of them.
    pub(crate) fn new(headers: &HeaderMap, incoming: Incoming, lease: Lease, mask: &Mask) -> Self {
        let encoding = headers.get(CONTENT_ENCODING).map(|value| value.as_bytes().trim_ascii());
        let is = |name: &str| encoding.is_some_and(|encoding| encoding.eq_ignore_ascii_case(name.as_bytes()));
        let is_gzip = is("gzip") || is("x-gzip");
        let is_known = is("") || is("identity") || cfg!(feature = "gzip") && is_gzip;
        Self {
            incoming,
            lease: Some(lease),
            #[cfg(feature = "gzip")]
            gunzip: is_gzip.then(Gunzip::new),
            foreign: encoding
                .filter(|_| !is_known)
                .map(|encoding| Sample::of(mask.apply(&String::from_utf8_lossy(encoding)).as_bytes())),
        }
    }

    /// Whether the body can be read.
    ///
    /// # Errors
    ///
    /// Its encoding is none that was offered.
    pub(crate) fn check(&self) -> Result<(), HttpError> {
        match &self.foreign {
            Some(encoding) => Err(HttpError::ContentEncoding(encoding.clone())),
            None => Ok(()),
        }
    }

    /// The next chunk; `None` at the end, where the connection is given back.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        self.check()?;
        #[cfg(feature = "gzip")]
        if self.gunzip.is_some() {
            return self.decoded().await;
        }
        self.data().await
    }

    /// Leaves its place among the calls to others, since it goes on. Whether it did.
    pub(crate) fn stands_aside(&mut self) -> bool {
        self.lease.as_mut().is_none_or(Lease::stands_aside)
    }

    /// Reads the rest of the body, up to `limit` bytes of it. A body of one chunk is not copied.
    pub(crate) async fn whole(mut self, limit: usize) -> Result<Whole, HttpError> {
        let Some(first) = self.chunk().await? else { return Ok(Whole::Complete(Bytes::new())) };
        if first.len() > limit {
            return Ok(Whole::TooLarge(first));
        }
        if self.is_at_end() {
            return Ok(Whole::Complete(first));
        }
        let expected = usize::try_from(self.incoming.size_hint().lower()).unwrap_or(usize::MAX);
        let mut whole = BytesMut::with_capacity(first.len() + expected.min(limit).min(FIRST_ROOM));
        whole.extend_from_slice(&first);
        drop(first);
        while let Some(chunk) = self.chunk().await? {
            if whole.len() + chunk.len() > limit {
                return Ok(Whole::TooLarge(whole.freeze()));
            }
            whole.extend_from_slice(&chunk);
        }
        Ok(Whole::Complete(whole.freeze()))
    }

    /// Reads the rest and drops it, so that the connection can be used again; gives up after
    /// `limit` bytes, which costs the connection.
    pub(crate) async fn discard(mut self, limit: usize) {
        let mut seen = 0;
        while let Ok(Some(data)) = self.data().await {
            seen += data.len();
            if seen > limit {
                return;
            }
        }
    }

    /// Whether the end of a body of known length is reached; gives the connection back then.
    pub(crate) fn is_at_end(&mut self) -> bool {
        #[cfg(feature = "gzip")]
        if self.gunzip.is_some() {
            return false;
        }
        let is_at_end = self.incoming.is_end_stream();
        if is_at_end {
            self.give_back();
        }
        is_at_end
    }

    /// The next bytes as they stand on the wire.
    async fn data(&mut self) -> Result<Option<Bytes>, HttpError> {
        while let Some(frame) = self.incoming.frame().await {
            // Trailers say nothing here.
            if let Ok(data) = frame.map_err(HttpError::Broken)?.into_data() {
                if let Some(lease) = &self.lease {
                    lease.received(data.len());
                }
                return Ok(Some(data));
            }
        }
        self.give_back();
        Ok(None)
    }

    #[cfg(feature = "gzip")]
    async fn decoded(&mut self) -> Result<Option<Bytes>, HttpError> {
        loop {
            let Some(gunzip) = &mut self.gunzip else { return self.data().await };
            if let Some(chunk) = gunzip.next().map_err(HttpError::Gunzip)? {
                return Ok(Some(chunk));
            }
            let data = self.data().await?;
            match (data, &mut self.gunzip) {
                (Some(data), Some(gunzip)) => gunzip.push(data),
                (None, Some(gunzip)) => return gunzip.finish().map(|()| None).map_err(HttpError::Gunzip),
                (data, None) => return Ok(data),
            }
        }
    }

    fn give_back(&mut self) {
        if let Some(lease) = self.lease.take() {
            lease.give_back();
        }
    }
}
