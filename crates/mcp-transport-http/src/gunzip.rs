//! Decompresses a gzip body as it comes in, in pieces of bounded size.

use std::collections::VecDeque;

use bytes::{Buf, Bytes};
use flate2::{Crc, Decompress, DecompressError, FlushDecompress, Status};

use self::header::Header;

mod header;

/// The most that one call gives out.
pub(crate) const MAX_PIECE: usize = 32 * 1024;

/// The CRC and the length at the end of a member.
const TRAILER: usize = 8;

/// Decodes a gzip stream (RFC 1952), chunk by chunk.
///
/// What was pushed is decoded by [`next`](Self::next), piece by piece: a small chunk
/// that stands for very much takes many calls, between which the caller can count and give up.
/// All that can be decoded is handed out at once, so that an event which the server has flushed
/// does not wait for the next one. Members may follow each other. What follows the last one and
/// does not begin as a member does is passed over, as most other programs do.
#[derive(Debug)]
pub(crate) struct Gunzip {
    chunks: VecDeque<Bytes>,
    state: State,
    inflate: Decompress,
    crc: Crc,
    piece: Box<[u8]>,
    /// Whether there was a whole member.
    is_past_first: bool,
}

#[derive(Debug)]
enum State {
    Header(Header),
    /// `may_have_more` while output may be waiting that needs no more input.
    Body {
        may_have_more: bool,
    },
    Trailer {
        bytes: [u8; TRAILER],
        filled: usize,
    },
    /// What follows does not matter.
    Ended,
    Failed,
}

/// Why a body cannot be decompressed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GunzipError {
    /// The body does not begin as gzip does.
    #[error("the body is not gzip")]
    NotGzip,
    /// A header has a method or a flag that is not known.
    #[error("the gzip header is not understood")]
    Header,
    /// A header is longer than any reasonable one.
    #[error("the gzip header is too long")]
    LongHeader,
    /// A header does not match its checksum.
    #[error("the gzip header does not match its checksum")]
    HeaderChecksum,
    /// The data are damaged.
    #[error("the compressed data are damaged")]
    Corrupt(#[source] Option<DecompressError>),
    /// The data do not match their checksum or length.
    #[error("the decompressed data do not match their checksum")]
    Checksum,
    /// The stream ended too early.
    #[error("the compressed data end too early")]
    Truncated,
}

impl Gunzip {
    /// A decoder at the start of a body.
    pub(crate) fn new() -> Self {
        Self {
            chunks: VecDeque::new(),
            state: State::Header(Header::default()),
            inflate: Decompress::new(false),
            crc: Crc::new(),
            piece: vec![0; MAX_PIECE].into(),
            is_past_first: false,
        }
    }

    /// Adds the next bytes of the body. They are held until [`next`](Self::next) has
    /// gone through them, so it should be called until it gives nothing more before the next push.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        if !chunk.is_empty() {
            self.chunks.push_back(chunk);
        }
    }

    /// The next decoded bytes, at most [`MAX_PIECE`]; `None` if more input is needed.
    ///
    /// # Errors
    ///
    /// The body is not gzip, or damaged. Nothing more comes after that.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, GunzipError> {
        let step = self.step();
        if step.is_err() {
            self.state = State::Failed;
            self.chunks.clear();
        }
        step
    }

    /// Whether the body may end here; to be asked when all pieces are taken.
    ///
    /// An empty body may: it stands for nothing.
    ///
    /// # Errors
    ///
    /// Something is missing, or failed before.
    pub(crate) fn finish(&self) -> Result<(), GunzipError> {
        let is_whole = match &self.state {
            State::Header(header) if self.is_past_first => !header.is_member(),
            State::Header(header) => header.is_untouched(),
            State::Ended => true,
            State::Body { .. } | State::Trailer { .. } | State::Failed => false,
        };
        if is_whole && self.chunks.is_empty() { Ok(()) } else { Err(GunzipError::Truncated) }
    }

    fn step(&mut self) -> Result<Option<Bytes>, GunzipError> {
        loop {
            if let State::Body { may_have_more } = self.state {
                if self.chunks.is_empty() && !may_have_more {
                    return Ok(None);
                }
                if let Some(piece) = self.inflate()? {
                    return Ok(Some(piece));
                }
                continue;
            }
            let Some(chunk) = self.chunks.front_mut() else { return Ok(None) };
            match &mut self.state {
                State::Header(header) => match header.read(chunk) {
                    Ok(true) => {
                        self.inflate.reset(false);
                        self.crc.reset();
                        self.state = State::Body { may_have_more: false };
                    }
                    Ok(false) => {}
                    Err(GunzipError::NotGzip) if self.is_past_first => self.state = State::Ended,
                    Err(error) => return Err(error),
                },
                State::Trailer { bytes, filled } => {
                    let taken = chunk.len().min(TRAILER - *filled);
                    chunk.copy_to_slice(&mut bytes[*filled..*filled + taken]);
                    *filled += taken;
                    if *filled == TRAILER {
                        check(u64::from_le_bytes(*bytes), &self.crc)?;
                        self.is_past_first = true;
                        self.state = State::Header(Header::default());
                    }
                }
                State::Ended | State::Failed => chunk.clear(),
                State::Body { .. } => {}
            }
            self.drop_empty();
        }
    }

    /// Decodes from the first chunk, or what is still inside the decoder.
    fn inflate(&mut self) -> Result<Option<Bytes>, GunzipError> {
        let input = self.chunks.front().map_or(&[][..], |chunk| chunk);
        let (before_in, before_out) = (self.inflate.total_in(), self.inflate.total_out());
        let status = self
            .inflate
            .decompress(input, &mut self.piece, FlushDecompress::None)
            .map_err(|error| GunzipError::Corrupt(Some(error)))?;
        let taken = difference(self.inflate.total_in(), before_in);
        let made = difference(self.inflate.total_out(), before_out);
        let is_stuck = taken == 0 && made == 0 && !input.is_empty() && status != Status::StreamEnd;
        if is_stuck {
            return Err(GunzipError::Corrupt(None));
        }
        if let Some(chunk) = self.chunks.front_mut() {
            chunk.advance(taken);
        }
        self.drop_empty();
        let piece = &self.piece[..made];
        self.crc.update(piece);
        self.state = match status {
            Status::StreamEnd => State::Trailer { bytes: [0; TRAILER], filled: 0 },
            Status::Ok | Status::BufError => State::Body { may_have_more: made > 0 },
        };
        Ok((made > 0).then(|| Bytes::copy_from_slice(piece)))
    }

    fn drop_empty(&mut self) {
        if self.chunks.front().is_some_and(Bytes::is_empty) {
            self.chunks.pop_front();
        }
    }
}

/// Compares the trailer, CRC and length in one number, with what was decoded.
fn check(trailer: u64, crc: &Crc) -> Result<(), GunzipError> {
    let found = u64::from(crc.amount()) << 32 | u64::from(crc.sum());
    if trailer == found { Ok(()) } else { Err(GunzipError::Checksum) }
}

/// How far a counter went in one call, which moves it by no more than a buffer's length.
fn difference(after: u64, before: u64) -> usize {
    usize::try_from(after.saturating_sub(before)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
