//! Starts other programs; an error names the command that failed.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// Runs `command`, which prints as it likes.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", shown(command)))?;
    ensure!(status.success(), "{} ended with {status}", shown(command));
    Ok(())
}

/// Runs `command` and returns what it wrote to its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    command.stderr(Stdio::inherit());
    let output = command.output().with_context(|| format!("cannot start {}", shown(command)))?;
    ensure!(output.status.success(), "{} ended with {}", shown(command), output.status);
    String::from_utf8(output.stdout).with_context(|| format!("{} printed no UTF-8", shown(command)))
}

/// What `command` says of itself: the first line it prints, or nothing where it cannot be run.
pub(crate) fn first_line(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next()?.trim().to_owned();
    output.status.success().then_some(line)
}

fn shown(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    format!("`{line}`")
}
