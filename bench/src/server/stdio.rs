//! Over stdio: blocking reads, everything that a read brought answered with one write.

use std::io::{self, Read, Write};

use anyhow::Result;

use super::answers::{Answers, Framing};
use crate::arguments::ServerOptions;

const READ: usize = 64 * 1024;

pub(super) fn run(options: &ServerOptions) -> Result<()> {
    let mut stdin = io::stdin().lock();
    let mut stdout = io::stdout().lock();
    let mut answers = Answers::new(options, Framing::LINES);
    let mut chunk = vec![0; READ];
    // The beginning of a line whose end has not come yet.
    let mut rest = Vec::new();
    let mut out = Vec::new();
    loop {
        // At least as large as std's own buffer, which is passed by then.
        let read = stdin.read(&mut chunk)?;
        if read == 0 {
            return Ok(());
        }
        rest.extend_from_slice(&chunk[..read]);
        let Some(end) = memchr::memrchr(b'\n', &rest) else { continue };
        answers.answer_all(&rest[..end], &mut out)?;
        rest.drain(..=end);
        // It ends in a line end, with which std hands it on as it is.
        stdout.write_all(&out)?;
        out.clear();
    }
}
