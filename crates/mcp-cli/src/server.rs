//! Which servers a command is about: one by its name, one from the command line, or all.

mod additions;

use std::time::Duration;

use mcp_client::ConnectError;
use mcp_jsonrpc::Connect;
use mcp_transport_stdio::StderrHook;

use crate::args::{AdHoc, Globals};
use crate::config::{Config, Entry, RemoteServer, Setup, StdioServer};
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
    "--config FILE names a file with servers; an address, or - and a command after --, need none";

impl Server {
    /// The server a command names, with what the command line adds to it.
    pub(crate) fn find(globals: &Globals, name: &str, ad_hoc: &AdHoc) -> Result<Self, Failure> {
        let mut server = Self::named(globals, name, ad_hoc)?;
        additions::add(globals, &mut server)?;
        Ok(server)
    }

    fn named(globals: &Globals, name: &str, ad_hoc: &AdHoc) -> Result<Self, Failure> {
        if name == "-" {
            return Self::of_command(&ad_hoc.command);
        }
        if !ad_hoc.command.is_empty() {
            let text = format!("SERVER must be - if a command follows --, not `{name}`");
            return Err(Failure::usage(text));
        }
        if is_address(name) {
            return Self::of_address(name);
        }
        if globals.config.is_empty() && !name.contains("://") {
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

    /// A server of this address, which goes by it in messages as far as it may be shown.
    fn of_address(address: &str) -> Result<Self, Failure> {
        let server = RemoteServer::at(address)
            .map_err(|error| Failure::usage(format!("SERVER is no address of a server: {error}")))?;
        Ok(Self { name: server.url(), warnings: Vec::new(), setup: Setup::Remote(Box::new(server)) })
    }

    /// The transport that reaches it; `timeout` holds over its own.
    pub(crate) fn transport(
        &self,
        timeout: Option<Duration>,
        on_stderr: Option<StderrHook>,
    ) -> Box<dyn Connect> {
        match &self.setup {
            Setup::Stdio(server) => {
                let mut config = server.transport(&self.name);
                config.timeout = timeout.unwrap_or(config.timeout);
                config.on_stderr = on_stderr;
                Box::new(config)
            }
            Setup::Remote(server) => {
                let mut config = server.transport(&self.name);
                config.timeout = timeout.unwrap_or(config.timeout);
                Box::new(config)
            }
        }
    }

    /// A failure to connect, with the program that was started or the address that was asked, where
    /// the name does not say it.
    pub(crate) fn describe(&self, error: ConnectError) -> Failure {
        let (mut failure, line) = match &self.setup {
            Setup::Stdio(server) => {
                let failure = Failure::from(error);
                let is_told =
                    file_name(&server.command) == self.name || failure.text.contains(&server.command);
                (failure, (!is_told).then(|| format!("command: {}", server.command)))
            }
            Setup::Remote(server) => {
                let url = server.url();
                (Failure::of_remote(error), (url != self.name).then(|| format!("url: {url}")))
            }
        };
        failure.details.splice(0..0, line);
        failure
    }

    /// Limit of the handshake, where it has one of its own.
    pub(crate) fn start_timeout(&self) -> Option<Duration> {
        match &self.setup {
            Setup::Stdio(server) => server.start_timeout,
            Setup::Remote(server) => server.start_timeout,
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

/// Whether it has one of the schemes that servers can have.
fn is_address(name: &str) -> bool {
    name.split_once("://").is_some_and(|(scheme, _)| {
        ["http", "https", "http+unix"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
    })
}

fn file_name(program: &str) -> &str {
    program.rsplit(std::path::is_separator).next().unwrap_or(program)
}

/// All configured servers.
pub(crate) fn configured(globals: &Globals) -> Result<Config, Failure> {
    if globals.config.is_empty() {
        return Err(Failure::usage("no servers: no config file is given").hint(NO_CONFIG));
    }
    additions::refuse(globals)?;
    Ok(Config::load(&globals.config)?)
}

fn unknown(name: &str, config: &Config) -> Failure {
    // What looks like an address may hold a secret, and is none that could be asked.
    if name.contains("://")
        && let Err(failure) = Server::of_address(name)
    {
        return failure;
    }
    let known: Vec<_> = config.entries.iter().map(|entry| entry.name.as_str()).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Failure::usage("unknown server").of(name).with(format!("configured: {known}"))
}
