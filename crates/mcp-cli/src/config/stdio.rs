//! A stdio server: the program to run and its surroundings.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use mcp_jsonrpc::IdFormat;
use mcp_transport_stdio::{EnvPolicy, StdioConfig};

use super::Source;
use super::error::EntryProblem;
use super::fields::Fields;

/// What a stdio entry says. Keys that are absent leave the library's default.
#[derive(Clone, Default)]
pub(crate) struct StdioServer {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    /// Added to what the server inherits; `None` takes a variable away.
    pub(crate) env: BTreeMap<String, Option<String>>,
    pub(crate) env_policy: Option<EnvPolicy>,
    pub(crate) cwd: Option<PathBuf>,
    /// Of each request; zero is no limit.
    pub(crate) timeout: Option<Duration>,
    /// Of the handshake, which may have to wait for a download; absent, `timeout` holds for it.
    pub(crate) start_timeout: Option<Duration>,
    /// Of each request in all, whatever its progress; zero is no limit.
    pub(crate) max_total_timeout: Option<Duration>,
    pub(crate) request_id_format: Option<IdFormat>,
}

impl StdioServer {
    /// The keys of such an entry, but for those that all entries have.
    pub(super) const KEYS: [&str; 9] = [
        "command",
        "args",
        "env",
        "env_policy",
        "cwd",
        "timeout",
        "start_timeout",
        "max_total_timeout",
        "request_id_format",
    ];

    pub(super) fn read(fields: &Fields<'_>, source: &Source) -> Result<Self, EntryProblem> {
        let policies = [("inherit", EnvPolicy::Inherit), ("clean", EnvPolicy::Clean)];
        let command = fields.text("command")?.filter(|command| !command.trim().is_empty());
        Ok(Self {
            command: command.ok_or(EntryProblem::NoCommand)?,
            args: fields.texts("args")?,
            env: fields.variables("env")?,
            env_policy: fields.choice("env_policy", r#""inherit" or "clean""#, &policies)?,
            cwd: fields.text("cwd")?.map(|cwd| source.folder().join(cwd)),
            timeout: fields.millis("timeout")?,
            start_timeout: fields.millis("start_timeout")?,
            max_total_timeout: fields.millis("max_total_timeout")?,
            request_id_format: fields.id_format()?,
        })
    }

    /// What the transport is to do for the server of this name.
    pub(crate) fn transport(&self, name: &str) -> StdioConfig {
        let mut config = StdioConfig::new(&self.command).with_args(&self.args);
        config.name = Some(name.to_owned());
        config.env.clone_from(&self.env);
        config.cwd.clone_from(&self.cwd);
        if let Some(policy) = self.env_policy {
            config.env_policy = policy;
        }
        if let Some(timeout) = self.timeout {
            config.timeout = timeout;
        }
        if let Some(limit) = self.max_total_timeout {
            config.max_total_timeout = limit;
        }
        if let Some(format) = self.request_id_format {
            config.ids = format;
        }
        config
    }
}

/// Shows no value of an argument or environment variable.
impl fmt::Debug for StdioServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.transport("").fmt(formatter)
    }
}
