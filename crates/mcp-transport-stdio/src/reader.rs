//! Reads the server's stdout and hands on what it holds.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use mcp_jsonrpc::{Inbound, Salvage};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

use crate::lines::{Line, LineDecoder};

/// How much of an overlong line is scanned for its id before other tasks get a turn.
const SCAN: usize = 1024 * 1024;

/// How long a large buffer is kept for the next large message.
const RELEASE_AFTER: Duration = Duration::from_secs(1);

/// What one connection's stdout goes through.
pub(crate) struct Reader {
    decoder: LineDecoder,
    inbound: Inbound,
    max_line: usize,
    /// Looks for the id of an overlong line.
    salvage: Salvage,
}

impl Reader {
    pub(crate) fn new(inbound: Inbound, max_line: usize) -> Self {
        Self { decoder: LineDecoder::new(max_line), inbound, max_line, salvage: Salvage::new() }
    }

    /// Reads to the end of the stream. After each read, `after_read` hears how many calls it
    /// settled.
    ///
    /// # Errors
    ///
    /// Only if reading fails; nothing that is read is an error here (invariant 6).
    pub(crate) async fn run(
        mut self,
        mut stdout: impl AsyncRead + Unpin,
        received: &AtomicU64,
        after_read: impl Fn(usize),
    ) -> io::Result<()> {
        loop {
            let read = match self.read(&mut stdout).await {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            received.fetch_add(read as u64, Ordering::Relaxed);
            let mut settled = 0;
            while let Some(line) = self.decoder.next_line() {
                settled += self.line(line).await;
            }
            after_read(settled);
        }
        if let Some(last) = self.decoder.finish() {
            self.line(last).await;
        }
        Ok(())
    }

    /// One read. While nothing comes, a buffer that grew for a large message is let go.
    async fn read(&mut self, stdout: &mut (impl AsyncRead + Unpin)) -> io::Result<usize> {
        if self.decoder.is_idle_and_large() {
            let read = timeout(RELEASE_AFTER, stdout.read_buf(self.decoder.space())).await;
            match read {
                Ok(read) => return read,
                Err(_) => self.decoder.release(),
            }
        }
        stdout.read_buf(self.decoder.space()).await
    }

    async fn line(&mut self, line: Line) -> usize {
        match line {
            Line::Whole(line) => self.inbound.accept(&line),
            Line::TooLong(head) => {
                self.inbound.too_large(self.max_line, &head);
                self.salvage = Salvage::new();
                self.search(&head).await
            }
            Line::More(part) => self.search(&part).await,
        }
    }

    async fn search(&mut self, part: &Bytes) -> usize {
        let mut failed = 0;
        for chunk in part.chunks(SCAN) {
            let (inbound, limit) = (&self.inbound, self.max_line);
            self.salvage.push(chunk, |id| failed += usize::from(inbound.fail_too_large(&id, limit)));
            if part.len() > SCAN {
                tokio::task::yield_now().await;
            }
        }
        failed
    }
}

#[cfg(test)]
mod tests;
