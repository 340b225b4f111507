//! Runs a program that starts others, and ends all of them when it takes too long.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::process;

const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// How it ended; `None` if it had to be ended after `limit`.
pub(super) fn run(command: &mut Command, limit: Duration) -> Result<Option<ExitStatus>> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let begin = Instant::now();
    let mut child = command.stdin(Stdio::null()).spawn().context("cannot start the program")?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begin.elapsed() >= limit {
            // It is not waited for yet, so its number is still its own.
            end(&child)?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(BETWEEN_LOOKS);
    }
}

fn end(child: &Child) -> Result<()> {
    if cfg!(windows) {
        return process::run(Command::new("taskkill").args(["/T", "/F", "/PID", &child.id().to_string()]));
    }
    process::run(Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]))
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::{self, Read};

    use super::*;

    fn sh(script: &str, output: io::PipeWriter) -> Command {
        let mut sh = Command::new("sh");
        sh.args(["-c", script]).stdout(output);
        sh
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_what_it_started() {
        let (mut heard, output) = io::pipe().unwrap();
        let mut hanging = sh("(sleep 20; echo alive) & wait", output);
        assert_eq!(run(&mut hanging, Duration::from_millis(300)).unwrap(), None);
        drop(hanging);
        // The end of the pipe comes once nobody holds it any more.
        let mut text = String::new();
        heard.read_to_string(&mut text).unwrap();
        assert_eq!(text, "");
    }

    #[test]
    fn a_program_that_ends_in_time_gives_its_status() {
        let (_heard, output) = io::pipe().unwrap();
        let status = run(&mut sh("exit 3", output), Duration::from_secs(30)).unwrap();
        assert_eq!(status.unwrap().code(), Some(3));
    }
}
