//! The server's stderr: always drained, its last bytes kept for error messages.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use mcp_jsonrpc::{Mask, escape};
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::config::StderrHook;

/// Longest line the hook gets; what follows up to its end is left out.
const MAX_HOOK_LINE: usize = 16 * 1024;

/// A character cut in two turns into up to this many bytes of replacement characters.
const CUT_CHARACTERS: usize = 12;

/// The last bytes of a stream, bounded.
pub(crate) struct Tail {
    kept: Mutex<Kept>,
    limit: usize,
    /// As many more bytes are kept as a secret cut in two could hide in; they are never shown.
    margin: usize,
    mask: Mask,
}

#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Tail {
    /// Shows at most `limit` bytes.
    pub(crate) fn new(limit: usize, mask: Mask) -> Arc<Self> {
        let margin = mask.longest() + CUT_CHARACTERS;
        Arc::new(Self { kept: Mutex::default(), limit, margin, mask })
    }

    fn push(&self, more: &[u8]) {
        let keep = self.limit.saturating_add(self.margin);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.is_cut |= more.len() > keep;
        kept.bytes.extend_from_slice(&more[more.len().saturating_sub(keep)..]);
        // Cut rarely, not at every chunk.
        if kept.bytes.len() > keep.saturating_mul(2) {
            let cut = kept.bytes.len() - keep;
            kept.bytes.drain(..cut);
            kept.is_cut = true;
        }
    }

    /// What is kept: at most `limit` bytes of it, secrets masked, control characters escaped.
    pub(crate) fn text(&self) -> String {
        let (text, is_cut) = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            (String::from_utf8_lossy(&kept.bytes).into_owned(), kept.is_cut)
        };
        let masked = self.mask.apply(text.trim_end());
        let hidden = if is_cut { self.margin } else { 0 };
        let mut start = masked.len().saturating_sub(self.limit).max(hidden).min(masked.len());
        while !masked.is_char_boundary(start) {
            start += 1;
        }
        escape_lines(&masked[start..])
    }
}

/// Escapes control characters, but keeps the line ends.
fn escape_lines(text: &str) -> String {
    text.lines().map(escape).collect::<Vec<_>>().join("\n")
}

/// Reads the server's stderr to its end, whatever it holds (case 34).
pub(crate) async fn drain(mut stderr: impl AsyncRead + Unpin, tail: Arc<Tail>, hook: Option<StderrHook>) {
    let mut chunk = vec![0; 8 * 1024];
    let mut lines = hook.map(|hook| HookLines { hook, line: Vec::new(), is_cut: false, tail: tail.clone() });
    while let Ok(read @ 1..) = stderr.read(&mut chunk).await {
        tail.push(&chunk[..read]);
        if let Some(lines) = &mut lines {
            lines.push(&chunk[..read]);
            // A hook that takes its time must not take that of all others.
            tokio::task::yield_now().await;
        }
    }
}

/// Hands the hook whole lines, masked.
struct HookLines {
    hook: StderrHook,
    /// The line at hand, at most `MAX_HOOK_LINE` of it.
    line: Vec<u8>,
    is_cut: bool,
    tail: Arc<Tail>,
}

impl HookLines {
    fn push(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = MAX_HOOK_LINE - self.line.len();
            self.is_cut |= part.len() > room;
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                self.flush();
            }
        }
    }

    fn flush(&mut self) {
        if self.line.is_empty() {
            return;
        }
        // Taken first: a hook that panics must not get the same line again while unwinding.
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let mut masked = self.tail.mask.apply(line.trim_end_matches(['\r', '\n']));
        if std::mem::take(&mut self.is_cut) {
            // The cut may have gone through a secret.
            let mut end = masked.len().saturating_sub(self.tail.margin);
            while !masked.is_char_boundary(end) {
                end -= 1;
            }
            masked.truncate(end);
            masked.push('…');
        }
        // Whatever the hook does, stderr is drained on.
        let told = catch_unwind(AssertUnwindSafe(|| (self.hook)(&masked)));
        if told.is_err() {
            tracing::warn!("the stderr hook panicked");
        }
    }
}

/// The stream may end without a line end.
impl Drop for HookLines {
    fn drop(&mut self) {
        self.flush();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn tail(limit: usize) -> Arc<Tail> {
        let env = BTreeMap::from([("T".to_owned(), Some("SECRET-1".to_owned()))]);
        Tail::new(limit, crate::secrets::mask(&env, &[]))
    }

    #[test]
    fn the_tail_is_bounded_and_is_the_end() {
        let tail = tail(16);
        for n in 0..10_000 {
            tail.push(format!("line {n}\n").as_bytes());
        }
        assert!(tail.kept.lock().unwrap().bytes.len() < 100);
        assert_eq!(tail.text(), "e 9998\nline 9999");
        tail.push(&[b'x'; 1 << 20]);
        assert_eq!(tail.text(), "x".repeat(16));
    }

    #[test]
    fn a_secret_is_masked_also_where_the_cut_falls_into_it() {
        for padding in 0..200 {
            let tail = tail(16);
            let text = format!("{}SECRET-1", "b".repeat(padding % 19)).repeat(1 + padding / 19);
            text.as_bytes().chunks(3).for_each(|chunk| tail.push(chunk));
            let text = tail.text();
            assert!(!text.contains("RET") && !text.contains("T-1"), "{text}");
        }
    }

    #[test]
    fn the_largest_limit_is_no_overflow() {
        let tail = tail(usize::MAX);
        tail.push(b"all");
        assert_eq!(tail.text(), "all");
    }

    #[tokio::test]
    async fn a_long_line_is_cut_for_the_hook_and_no_secret_shows_at_the_cut() {
        for padding in MAX_HOOK_LINE - 20..MAX_HOOK_LINE + 2 {
            let seen = Arc::new(Mutex::new(Vec::new()));
            let hook: StderrHook = {
                let seen = seen.clone();
                Arc::new(move |line| seen.lock().unwrap().push(line.to_owned()))
            };
            let input = format!("{}SECRET-1 and more\nnext\n", "p".repeat(padding));
            drain(input.as_bytes(), tail(100), Some(hook)).await;
            let seen = seen.lock().unwrap();
            assert!(seen.len() == 2 && seen[0].len() <= MAX_HOOK_LINE + 3 && seen[1] == "next", "{padding}");
            assert!(!seen[0].contains("SEC") && !seen[0].contains("T-1"), "{padding}");
        }
    }

    #[tokio::test]
    async fn a_hook_that_panics_does_not_stop_the_draining() {
        let tail = tail(100);
        let hook: StderrHook = Arc::new(|line| panic!("no {line}"));
        drain(&b"one\ntwo\nthree"[..], tail.clone(), Some(hook)).await;
        assert_eq!(tail.text(), "one\ntwo\nthree");
    }

    #[test]
    fn control_characters_are_escaped_and_lines_kept() {
        let tail = tail(100);
        tail.push(b"\x1b[31mred\r\nnext \xff\n");
        assert_eq!(tail.text(), "\\u{1b}[31mred\nnext \u{fffd}");
    }
}
