//! The body of an answer: parts that are ready, of which large ones are shared with later answers.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::answers::Out;

/// What is not much longer is copied: one part is sent with one write.
const COPIED: usize = 16 * 1024;

/// Says how long it is if it is sized; else it goes out in chunks.
#[derive(Default)]
pub(super) struct Parts {
    ready: VecDeque<Bytes>,
    /// The end, to which can still be written.
    open: Vec<u8>,
    is_sized: bool,
}

impl Parts {
    pub(super) fn new(is_sized: bool) -> Self {
        Self { is_sized, ..Self::default() }
    }

    /// Without any content.
    pub(super) fn none() -> Self {
        Self::new(true)
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            self.ready.push_back(std::mem::take(&mut self.open).into());
        }
    }
}

impl Write for Parts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.open.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Out for Parts {
    fn share(&mut self, bytes: &Bytes) -> io::Result<()> {
        if bytes.len() <= COPIED {
            return self.write_all(bytes);
        }
        self.close();
        self.ready.push_back(bytes.clone());
        Ok(())
    }
}

impl Body for Parts {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.close();
        Poll::Ready(self.ready.pop_front().map(|part| Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.ready.is_empty() && self.open.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        if !self.is_sized {
            return SizeHint::default();
        }
        SizeHint::with_exact((self.ready.iter().map(Bytes::len).sum::<usize>() + self.open.len()) as u64)
    }
}
