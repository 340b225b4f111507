//! Splits a stream into lines, none of them longer than a limit.

use std::io::{self, BufRead, Read};

/// A stream and the line it is at.
pub(super) struct Lines<R> {
    stream: R,
    limit: usize,
    line: Vec<u8>,
}

/// One line, without its end.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    Whole(&'a [u8]),
    /// Longer than the limit; it was skipped.
    TooLong,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(stream: R, limit: usize) -> Self {
        Self { stream, limit, line: Vec::new() }
    }

    /// The next line that is not blank. A last line without an end counts.
    pub(super) fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            self.line.clear();
            let most = self.limit as u64 + 1;
            if self.stream.by_ref().take(most).read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            if self.line.len() > self.limit && !self.line.ends_with(b"\n") {
                self.line.clear();
                self.stream.skip_until(b'\n')?;
                return Ok(Some(Line::TooLong));
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(Some(Line::Whole(self.line.trim_ascii())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Lines};

    #[track_caller]
    fn check(input: &str, expected: &[&str]) {
        let mut lines = Lines::new(input.as_bytes(), 4);
        for text in expected {
            let line = match *text {
                "TOO LONG" => Line::TooLong,
                text => Line::Whole(text.as_bytes()),
            };
            assert_eq!(lines.next_line().unwrap(), Some(line));
        }
        assert_eq!(lines.next_line().unwrap(), None);
    }

    #[test]
    fn lines_end_with_newline_or_the_stream_and_blank_ones_are_skipped() {
        check("a\r\n\n  \nbc", &["a", "bc"]);
        check("", &[]);
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_and_the_next_one_is_read() {
        check("abcd\nabcde\nabcdefghijkl\nx\n", &["abcd", "TOO LONG", "TOO LONG", "x"]);
    }
}
