//! The thread that writes to stderr, so that nobody else ever waits for it.
//!
//! A stderr that nobody reads blocks whoever writes to it. That must be neither the task that reads
//! from servers nor the one that hears signals. What waits is bounded; what does not fit is counted
//! and left out.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use mcp_types::ProgressParams;

use super::bar::Bar;

/// Orders that may wait.
const WAITING: usize = 1024;

/// Longest text that is written, in bytes.
const LONGEST: usize = 32 * 1024;

/// How long the end of the program waits for a stderr that is slow.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a full queue is tried again meanwhile.
const PAUSE: Duration = Duration::from_millis(5);

/// What the thread is to do.
enum Order {
    Text(String),
    Progress(Box<ProgressParams>),
    EndProgress,
    /// Say when all before this is done.
    Flush(SyncSender<()>),
}

/// The way to the thread.
#[derive(Debug)]
pub(super) struct Writer {
    orders: SyncSender<Order>,
    left_out: Arc<AtomicU64>,
}

impl Writer {
    pub(super) fn start() -> Self {
        let (orders, receiver) = sync_channel(WAITING);
        let left_out = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&left_out);
        // Without a thread nothing can be said, which the senders find out.
        let _ = std::thread::Builder::new()
            .name("stderr".to_owned())
            .spawn(move || write_all(&receiver, &counted));
        Self { orders, left_out }
    }

    /// Writes a text, or leaves it out if too much waits already.
    pub(super) fn text(&self, text: String) {
        if let Err(TrySendError::Full(_)) = self.orders.try_send(Order::Text(cut(text))) {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Writes a text that should not be missed, and waits a moment for room if need be.
    pub(super) fn important(&self, text: String) {
        self.insist(Order::Text(cut(text)));
    }

    pub(super) fn progress(&self, progress: &ProgressParams) {
        // The next one tells as much.
        let _ = self.orders.try_send(Order::Progress(Box::new(progress.clone())));
    }

    /// Takes the bar away, before something is printed in its place.
    pub(super) fn end_progress(&self) {
        self.insist(Order::EndProgress);
        self.flush();
    }

    /// Waits until all is written, or until that takes too long.
    pub(super) fn flush(&self) {
        let (done, is_done) = sync_channel(1);
        if self.insist(Order::Flush(done)) {
            // A stderr that is not read by now will not be.
            let _ = is_done.recv_timeout(PATIENCE);
        }
    }

    fn insist(&self, mut order: Order) -> bool {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.orders.try_send(order) {
                Ok(()) => return true,
                Err(TrySendError::Full(again)) if Instant::now() < until => order = again,
                Err(_) => return false,
            }
            std::thread::sleep(PAUSE);
        }
    }
}

fn write_all(orders: &Receiver<Order>, left_out: &AtomicU64) {
    let mut bar = Bar::default();
    while let Ok(order) = orders.recv() {
        match order {
            Order::Text(text) => bar.suspend(|| write(&text)),
            Order::Progress(progress) => bar.show(&progress),
            Order::EndProgress => bar.end(),
            Order::Flush(done) => {
                let lost = left_out.swap(0, Ordering::Relaxed);
                if lost > 0 {
                    bar.suspend(|| write(&format!("{lost} messages were left out here\n")));
                }
                // Who waited may have lost patience.
                let _ = done.try_send(());
            }
        }
    }
}

/// A stderr that is gone takes no message; there is nowhere else to say so.
fn write(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// The text, of bounded length, with a line end.
fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        let mut end = LONGEST;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, cut};

    #[test]
    fn a_text_is_bounded_and_ends_its_line() {
        assert_eq!(cut("a".to_owned()), "a\n");
        assert_eq!(cut("a\n".to_owned()), "a\n");
        let long = cut("€".repeat(LONGEST));
        assert!(long.len() <= LONGEST + 4 && long.ends_with("…\n"));
    }
}
