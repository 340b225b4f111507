//! Starts a server process, and says plainly why it could not be started.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use crate::config::StdioConfig;
use crate::env;
use crate::process::{Pipes, Process};

/// Why a server could not be started. Only that server is affected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The program could not be started.
    #[error("cannot start `{command}`")]
    Start {
        /// The program, as configured.
        command: String,
        /// What to look at, if the reason is one of the usual ones.
        hint: Option<&'static str>,
        /// What the operating system says.
        #[source]
        source: io::Error,
    },
    /// The working directory is not there, or is no directory.
    #[error("cannot use `{}` as the working directory of `{command}`", path.display())]
    WorkingDirectory {
        /// The program, as configured.
        command: String,
        /// The directory.
        path: PathBuf,
        /// What the operating system says.
        #[source]
        source: io::Error,
    },
    /// An argument cannot be given to a Windows batch file without a way for it to become a
    /// second command.
    #[error("argument {number} of `{command}` cannot be passed to a batch file safely")]
    UnsafeArgument {
        /// The program, as configured.
        command: String,
        /// Which argument, counted from 1.
        number: usize,
    },
    /// There is no tokio runtime here, so nothing was started.
    #[error("cannot start `{command}` outside of a tokio runtime")]
    NoRuntime {
        /// The program, as configured.
        command: String,
    },
    /// `connect` was called before. A transport connects once; reconnecting takes a new one.
    #[error("a transport connects once")]
    Again,
}

impl SpawnError {
    /// What to look at, in words for a person.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Start { hint, .. } => *hint,
            Self::WorkingDirectory { .. } => Some("create the directory or change `cwd`"),
            Self::UnsafeArgument { .. } => {
                Some("take line ends out of the argument, or start the program itself")
            }
            Self::NoRuntime { .. } => Some("call it from a runtime with IO and time enabled"),
            Self::Again => None,
        }
    }
}

/// Starts the server: its own process group or job, pipes on all three streams, no shell.
pub(crate) fn spawn(config: &StdioConfig) -> Result<(Process, Pipes), SpawnError> {
    // Tokio would panic, and only after the process was started.
    if tokio::runtime::Handle::try_current().is_err() {
        return Err(SpawnError::NoRuntime { command: config.command.clone() });
    }
    if let Some(path) = &config.cwd {
        // The operating system reports a missing directory as a missing command (case 43).
        check_directory(path).map_err(|source| SpawnError::WorkingDirectory {
            command: config.command.clone(),
            path: path.clone(),
            source,
        })?;
    }
    let mut command = command(config)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(path) = &config.cwd {
        command.current_dir(path);
    }
    env::apply(config, &mut command);
    Process::spawn(command).map_err(|source| SpawnError::Start {
        command: config.command.clone(),
        hint: hint(&config.command, &source),
        source,
    })
}

fn check_directory(path: &Path) -> io::Result<()> {
    if std::fs::metadata(path)?.is_dir() { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

fn hint(command: &str, error: &io::Error) -> Option<&'static str> {
    let is_directory = || Path::new(command).is_dir();
    match error.kind() {
        io::ErrorKind::NotFound if command.contains(char::is_whitespace) => {
            Some("put the program alone into `command` and its arguments into `args`")
        }
        io::ErrorKind::NotFound => Some("is it installed, and on PATH?"),
        io::ErrorKind::PermissionDenied if is_directory() => Some("it is a directory"),
        io::ErrorKind::PermissionDenied => Some("is it executable?"),
        _ => None,
    }
}

#[cfg(not(windows))]
#[expect(clippy::unnecessary_wraps, reason = "on Windows it can fail")]
fn command(config: &StdioConfig) -> Result<Command, SpawnError> {
    let mut command = Command::new(&config.command);
    command.args(&config.args);
    Ok(command)
}

#[cfg(windows)]
fn command(config: &StdioConfig) -> Result<Command, SpawnError> {
    use crate::{batch, resolve};

    let lookup = |name: &str| match config.env.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)) {
        Some((_, value)) => value.clone().unwrap_or_default(),
        None => std::env::var(name).unwrap_or_default(),
    };
    let found = resolve::program(&config.command, &lookup("PATH"), &lookup("PATHEXT"), &|path: &str| {
        Path::new(path).is_file()
    });
    match found {
        resolve::Program::Executable(program) => {
            let mut command = Command::new(program);
            command.args(&config.args);
            Ok(command)
        }
        resolve::Program::Batch(script) => {
            let line = batch::command_line(&script, &config.args).map_err(|batch::Unsafe { number }| {
                SpawnError::UnsafeArgument { command: config.command.clone(), number }
            })?;
            let shell = lookup("COMSPEC");
            let mut command = Command::new(if shell.is_empty() { "cmd.exe" } else { &shell });
            command.raw_arg(line);
            Ok(command)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SpawnError, StdioConfig, spawn};

    #[test]
    fn without_a_runtime_nothing_is_started() {
        assert!(matches!(spawn(&StdioConfig::new("true")), Err(SpawnError::NoRuntime { .. })));
    }
}
