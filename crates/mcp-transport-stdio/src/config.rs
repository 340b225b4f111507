//! What a stdio server is: the command, its surroundings, and every limit.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{IdFormat, Mask};

use crate::ladder::ShutdownLimits;
use crate::secrets::{self, shown};

/// 30 s: the timeout of a request or notification that names none (S-46).
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// 64 MiB: the longest message a server may send (D-16).
pub const DEFAULT_MAX_LINE: usize = 64 * 1024 * 1024;

/// 8 KiB: how much of the server's stderr is kept for error messages.
pub const DEFAULT_STDERR_TAIL: usize = 8 * 1024;

/// 4 MiB: how much may wait to be written, in each of the two lanes.
pub const DEFAULT_MAX_QUEUE: usize = 4 * 1024 * 1024;

/// 250 ms: how long a lost connection waits for the exit status and the last of stderr.
pub const DEFAULT_LAST_WORDS: Duration = Duration::from_millis(250);

/// Gets each line of the server's stderr, without its end, configured secrets masked. Runs on
/// the task that drains stderr and must not block.
pub type StderrHook = Arc<dyn Fn(&str) + Send + Sync>;

/// A stdio server and how to run it. Make one with [`new`](Self::new) and assign fields.
///
/// The program is started directly, never through a shell, and gets `args` exactly as they are
/// (D-21). `Debug` shows no value of an argument or environment variable.
#[derive(Clone)]
#[non_exhaustive]
pub struct StdioConfig {
    /// The program: a path, or a name that is looked up in `PATH`.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Environment variables added to those of `env_policy`; `None` takes one away.
    pub env: BTreeMap<String, Option<String>>,
    /// What the server inherits. [`EnvPolicy::Inherit`].
    pub env_policy: EnvPolicy,
    /// The working directory; `None` is that of this process.
    pub cwd: Option<PathBuf>,
    /// What messages call the server; `None` is the file name of `command`.
    pub name: Option<String>,

    /// Timeout of each request and notification that names none of its own.
    /// [`DEFAULT_TIMEOUT`]; zero means none (D-04).
    pub timeout: Duration,
    /// Longest time of a request in all, whatever progress extends. Zero, meaning none.
    pub max_total_timeout: Duration,
    /// The form of request ids. [`IdFormat::Text`].
    pub ids: IdFormat,

    /// Longest message from the server, in bytes. A longer one is skipped and reported through
    /// `Handler::on_error`, and the call it answers fails. No more than this plus one read is held;
    /// the buffer doubles as it grows, so that its memory can be twice that. [`DEFAULT_MAX_LINE`].
    pub max_line: usize,
    /// How many bytes of requests and notifications may wait to be written before callers wait
    /// for room (up to their deadlines); and how many bytes of replies and cancel notices, before
    /// more of them are dropped and reported. A single larger message still goes.
    /// [`DEFAULT_MAX_QUEUE`].
    pub max_queue: usize,
    /// How much of the end of stderr is kept, in bytes. [`DEFAULT_STDERR_TAIL`].
    pub stderr_tail: usize,
    /// Gets the server's stderr, line by line. None: it is read and discarded but for the tail.
    pub on_stderr: Option<StderrHook>,

    /// How long each step of closing may take.
    pub shutdown: ShutdownLimits,
    /// When the server ends its output or exits by itself: how long to wait for the rest of its
    /// output, its exit status and its stderr, before calls in flight fail.
    /// [`DEFAULT_LAST_WORDS`].
    pub last_words: Duration,
}

/// Which environment variables a server inherits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvPolicy {
    /// All of this process (the original's rule). The default.
    #[default]
    Inherit,
    /// Only [`SAFE_ENV`](crate::SAFE_ENV).
    Clean,
}

impl StdioConfig {
    /// A server run by `command` without arguments, everything else at its default.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            env_policy: EnvPolicy::Inherit,
            cwd: None,
            name: None,
            timeout: DEFAULT_TIMEOUT,
            max_total_timeout: Duration::ZERO,
            ids: IdFormat::Text,
            max_line: DEFAULT_MAX_LINE,
            max_queue: DEFAULT_MAX_QUEUE,
            stderr_tail: DEFAULT_STDERR_TAIL,
            on_stderr: None,
            shutdown: ShutdownLimits::default(),
            last_words: DEFAULT_LAST_WORDS,
        }
    }

    /// The same with these arguments.
    #[must_use]
    pub fn with_args<A: Into<String>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args = args.into_iter().map(Into::into).collect();
        self
    }

    pub(crate) fn label(&self) -> String {
        let file = || self.command.rsplit(std::path::is_separator).next().unwrap_or(&self.command);
        self.name.clone().unwrap_or_else(|| file().to_owned())
    }

    pub(crate) fn mask(&self) -> Mask {
        secrets::mask(&self.env, &self.args)
    }
}

impl fmt::Debug for StdioConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let env: BTreeMap<_, _> =
            self.env.iter().map(|(name, value)| (name, value.as_ref().map(|_| "***"))).collect();
        formatter
            .debug_struct("StdioConfig")
            .field("name", &self.name)
            .field("command", &self.command)
            .field("args", &self.args.iter().map(|arg| shown(arg)).collect::<Vec<_>>())
            .field("env", &env)
            .field("env_policy", &self.env_policy)
            .field("cwd", &self.cwd)
            .field("timeout", &self.timeout)
            .field("max_total_timeout", &self.max_total_timeout)
            .field("ids", &self.ids)
            .field("max_line", &self.max_line)
            .field("max_queue", &self.max_queue)
            .field("stderr_tail", &self.stderr_tail)
            .field("shutdown", &self.shutdown)
            .field("last_words", &self.last_words)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_no_secret() {
        let mut config = StdioConfig::new("/usr/bin/server").with_args(["--key=SECRET-1", "SECRET-1", "-y"]);
        config.env =
            BTreeMap::from([("TOKEN".to_owned(), Some("SECRET-1".to_owned())), ("X".to_owned(), None)]);
        let shown = format!("{config:?}");
        assert!(!shown.contains("SECRET-1"), "{shown}");
        assert!(shown.contains("TOKEN") && shown.contains("--key=***") && shown.contains("-y"), "{shown}");
    }

    #[test]
    fn the_label_is_the_name_or_the_file_name() {
        let mut config = StdioConfig::new("/usr/bin/server");
        assert_eq!(config.label(), "server");
        config.name = Some("files".to_owned());
        assert_eq!(config.label(), "files");
    }
}
