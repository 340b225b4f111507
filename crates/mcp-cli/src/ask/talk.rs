//! The way to the user and back: one question at a time, line by line.

use std::fmt;
use std::sync::{Arc, OnceLock};

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Mutex, MutexGuard};

use crate::console::Console;

/// Lines that were typed and are not read yet; whoever types more waits.
const LINES: usize = 16;

/// Where questions are asked.
pub(super) struct Talk {
    say: Box<dyn Fn(String) + Send + Sync>,
    /// Starts to read stdin, once there is a question.
    start: Box<dyn Fn() -> Receiver<String> + Send + Sync>,
    lines: OnceLock<Mutex<Receiver<String>>>,
}

/// The right to ask, as long as it is held.
pub(super) struct Turn<'a> {
    say: &'a (dyn Fn(String) + Send + Sync),
    lines: MutexGuard<'a, Receiver<String>>,
}

impl Talk {
    pub(super) fn at_terminal(console: &Arc<Console>) -> Self {
        let console = Arc::clone(console);
        Self::new(
            move |text| console.question(text),
            || {
                let (sender, lines) = channel(LINES);
                // Without a thread nothing is heard, which is the same as an end of stdin.
                let _ = std::thread::Builder::new().name("stdin".to_owned()).spawn(move || read_all(&sender));
                lines
            },
        )
    }

    pub(super) fn new(
        say: impl Fn(String) + Send + Sync + 'static,
        start: impl Fn() -> Receiver<String> + Send + Sync + 'static,
    ) -> Self {
        Self { say: Box::new(say), start: Box::new(start), lines: OnceLock::new() }
    }

    /// Waits until no other question is open. Lines that came before the question are no answer to it.
    pub(super) async fn turn(&self) -> Turn<'_> {
        let mut lines = self.lines.get_or_init(|| Mutex::new((self.start)())).lock().await;
        while lines.try_recv().is_ok() {}
        Turn { say: &*self.say, lines }
    }
}

impl Turn<'_> {
    pub(super) fn say(&self, text: String) {
        (self.say)(text);
    }

    /// The next line, without its end. `None` if there are no more.
    pub(super) async fn line(&mut self) -> Option<String> {
        self.lines.recv().await
    }
}

/// A thread of its own reads: a read of stdin cannot be given up.
fn read_all(lines: &Sender<String>) {
    for line in std::io::stdin().lines() {
        let Ok(line) = line else { return };
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}

impl fmt::Debug for Talk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Talk").finish_non_exhaustive()
    }
}
