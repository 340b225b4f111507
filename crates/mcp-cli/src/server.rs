//! Which servers a command is about: one by its name, one from the command line, or all.

use std::time::Duration;

use mcp_transport_stdio::StdioConfig;

use crate::args::{AdHoc, Globals};
use crate::config::{Config, Entry, Setup, StdioServer};
use crate::failure::Failure;

/// A server that can be started.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// The name in the config, or the file name of a command.
    pub(crate) name: String,
    pub(crate) warnings: Vec<String>,
    setup: Setup,
}

/// A configured server, whatever its state.
#[derive(Debug)]
pub(crate) enum Choice {
    On(Server),
    Off,
    Bad(Failure),
}

const NO_CONFIG: &str =
    "--config FILE names a file with servers; - and a command after -- start one directly";

impl Server {
    /// The server a command names.
    pub(crate) fn find(globals: &Globals, name: &str, ad_hoc: &AdHoc) -> Result<Self, Failure> {
        if name == "-" {
            return Self::of_command(&ad_hoc.command);
        }
        if !ad_hoc.command.is_empty() {
            let text = format!("SERVER must be - if a command follows --, not `{name}`");
            return Err(Failure::usage(text));
        }
        if name.starts_with("http://") || name.starts_with("https://") {
            return Err(unsupported(name));
        }
        if globals.config.is_empty() {
            return Err(Failure::usage("unknown server: no config file is given").of(name).hint(NO_CONFIG));
        }
        let config = Config::load(&globals.config)?;
        let entry = config.find(name).ok_or_else(|| unknown(name, &config))?;
        match Choice::of(entry) {
            Choice::On(server) => Ok(server),
            Choice::Bad(failure) => Err(failure),
            Choice::Off => {
                let source = &entry.source;
                let place = format!("in {}, line {}", source.file.display(), source.line);
                Err(Failure::usage("the server is disabled").of(name).with(place))
            }
        }
    }

    /// A stdio server of this name, not from any file.
    pub(crate) fn stdio(name: &str, server: StdioServer) -> Self {
        Self { name: name.to_owned(), warnings: Vec::new(), setup: Setup::Stdio(Box::new(server)) }
    }

    fn of_command(command: &[String]) -> Result<Self, Failure> {
        let Some((program, args)) = command.split_first().filter(|(program, _)| !program.is_empty()) else {
            return Err(Failure::usage("SERVER is -, but no command follows --")
                .hint("for example: mcp-cli tools - -- COMMAND ARG"));
        };
        let name = file_name(program);
        let server = StdioServer { command: program.clone(), args: args.to_vec(), ..StdioServer::default() };
        Ok(Self::stdio(name, server))
    }

    /// The transport that reaches it.
    pub(crate) fn transport(&self) -> Result<StdioConfig, Failure> {
        match &self.setup {
            Setup::Stdio(server) => Ok(server.transport(&self.name)),
            Setup::Remote => Err(unsupported(&self.name)),
        }
    }

    /// A failure to connect, with the program that was started, where the name does not say it.
    pub(crate) fn describe(&self, mut failure: Failure) -> Failure {
        if let Setup::Stdio(server) = &self.setup
            && file_name(&server.command) != self.name
            && !failure.text.contains(&server.command)
        {
            failure.details.insert(0, format!("command: {}", server.command));
        }
        failure
    }

    /// Limit of the handshake, where it has one of its own.
    pub(crate) fn start_timeout(&self) -> Option<Duration> {
        match &self.setup {
            Setup::Stdio(server) => server.start_timeout,
            Setup::Remote => None,
        }
    }
}

impl Choice {
    pub(crate) fn of(entry: &Entry) -> Self {
        match &entry.setup {
            _ if !entry.enabled => Self::Off,
            Err(error) => Self::Bad(error.into()),
            Ok(setup) => Self::On(Server {
                name: entry.name.clone(),
                warnings: entry.warnings.clone(),
                setup: setup.clone(),
            }),
        }
    }
}

fn file_name(program: &str) -> &str {
    program.rsplit(std::path::is_separator).next().unwrap_or(program)
}

/// All configured servers.
pub(crate) fn configured(globals: &Globals) -> Result<Config, Failure> {
    if globals.config.is_empty() {
        return Err(Failure::usage("no servers: no config file is given").hint(NO_CONFIG));
    }
    Ok(Config::load(&globals.config)?)
}

fn unknown(name: &str, config: &Config) -> Failure {
    let known: Vec<_> = config.entries.iter().map(|entry| entry.name.as_str()).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Failure::usage("unknown server").of(name).with(format!("configured: {known}"))
}

fn unsupported(name: &str) -> Failure {
    Failure::usage("servers over HTTP are not supported yet, only stdio").of(name)
}
