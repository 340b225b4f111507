//! Which servers a command is about: one by its name, one from the command line, or all.

mod additions;

use std::sync::Arc;
use std::time::Duration;

use mcp_client::ConnectError;
use mcp_jsonrpc::Connect;
use mcp_manager::cache::CacheKey;
use mcp_manager::config::{
    Entry, HttpServer, Kind, Protocol, ServerConfig, ServerKind, State, StdioServer, TransportConfig,
};
use mcp_manager::names::ToolFilter;
use mcp_transport_stdio::StderrHook;
use mcp_types::Revision;

use crate::args::{AdHoc, Globals};
use crate::config::{self, Found, Purpose};
use crate::failure::Failure;
use crate::protocol;
use crate::trust;

/// A server that can be started.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// The name in the config, or the file name of a command.
    pub(crate) name: String,
    pub(crate) warnings: Vec<String>,
    config: ServerConfig,
}

/// A configured server, whatever its state.
#[derive(Debug)]
pub(crate) enum Choice {
    On(Box<Server>),
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
            let text = format!("SERVER must be - if a command follows --, not `{}`", shown(name));
            return Err(Failure::usage(text));
        }
        if is_address(name) {
            return Self::of_address(name);
        }
        let found = config::find(globals, Some(name), Purpose::Start)?;
        let entry = entry(globals, &found, name)?;
        match Choice::of(entry) {
            Choice::On(server) => Ok(*server),
            Choice::Bad(failure) => Err(failure),
            Choice::Off => {
                let place = config::place(&entry.origin);
                let by = entry.disabled_by().map(|by| format!("disabled: {by}"));
                let failure = Failure::usage("the server is disabled").of(name).with(place);
                Err(by.into_iter().fold(failure, Failure::with))
            }
        }
    }

    /// A stdio server of this name, not from any file.
    pub(crate) fn stdio(name: &str, command: String, args: Vec<String>) -> Self {
        let mut server = StdioServer::new(command);
        server.args = args;
        Self::new(name, ServerKind::Stdio(server))
    }

    fn new(name: &str, kind: ServerKind) -> Self {
        Self { name: name.to_owned(), warnings: Vec::new(), config: ServerConfig::new(name, kind) }
    }

    fn of_command(command: &[String]) -> Result<Self, Failure> {
        let Some((program, args)) = command.split_first().filter(|(program, _)| !program.is_empty()) else {
            return Err(Failure::usage("SERVER is -, but no command follows --")
                .hint("for example: mcp-cli tools - -- COMMAND ARG"));
        };
        Ok(Self::stdio(file_name(program), program.clone(), args.to_vec()))
    }

    /// A server of this address, which goes by it in messages as far as it may be shown.
    fn of_address(address: &str) -> Result<Self, Failure> {
        let server = HttpServer::at(address)
            .map_err(|error| Failure::usage(format!("SERVER is no address of a server: {error}")))?;
        let name = server.endpoint().to_string();
        Ok(Self::new(&name, ServerKind::Http(server)))
    }

    /// The transport that reaches it; `timeout` holds over its own.
    pub(crate) fn transport(
        &self,
        timeout: Option<Duration>,
        on_stderr: Option<StderrHook>,
    ) -> Result<Arc<dyn Connect>, Failure> {
        match self.config.transport() {
            TransportConfig::Stdio(mut config) => {
                config.timeout = timeout.unwrap_or(config.timeout);
                config.on_stderr = on_stderr;
                Ok(Arc::new(*config))
            }
            TransportConfig::Http(mut config) => {
                config.timeout = timeout.unwrap_or(config.timeout);
                Ok(Arc::new(*config))
            }
            _ => Err(Failure::usage("nothing here reaches a server of this kind").of(&self.name)),
        }
    }

    /// How it is reached, as the config says it.
    pub(crate) fn reached_by(&self) -> TransportConfig {
        self.config.transport()
    }

    /// What it is and where that is said, secrets masked.
    pub(crate) fn about(&self) -> String {
        let what = match &self.config.kind {
            ServerKind::Stdio(server) => format!("`{}`", server.command),
            kind => config::url(kind).unwrap_or_default(),
        };
        let is_in_file = !self.config.origin.file.as_os_str().is_empty();
        let place = if is_in_file { config::place(&self.config.origin) } else { "as given".to_owned() };
        format!("{} server {what}, {place}", self.kind().name())
    }

    /// A failure to connect, with the program that was started or the address that was asked, where
    /// the name does not say it.
    pub(crate) fn describe(&self, error: &ConnectError) -> Failure {
        self.with_address(match &self.config.kind {
            ServerKind::Stdio(_) => error.into(),
            _ => Failure::of_remote(error),
        })
    }

    /// The failure with the program or the address.
    pub(crate) fn with_address(&self, mut failure: Failure) -> Failure {
        let line = match &self.config.kind {
            ServerKind::Stdio(server) => {
                let is_told =
                    file_name(&server.command) == self.name || failure.text.contains(&server.command);
                (!is_told).then(|| format!("command: {}", server.command))
            }
            kind => {
                let url = config::url(kind).filter(|url| *url != self.name);
                url.map(|url| format!("url: {url}"))
            }
        };
        failure.details.splice(0..0, line);
        failure
    }

    /// Limit of the handshake, where it has one of its own.
    pub(crate) fn start_timeout(&self) -> Option<Duration> {
        self.config.start_timeout
    }

    /// Limit of each request, where the config has one.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.config.timeout
    }

    /// What is spoken with it; `choice` holds over the config's.
    pub(crate) fn protocol(&self, choice: Option<protocol::Choice>) -> mcp_client::Protocol {
        protocol::Choice::over(choice, self.config.protocol.choice())
    }

    pub(crate) fn kind(&self) -> Kind {
        self.config.kind()
    }

    /// What its tools are cached under. `None` for a command that is in no config: nobody can name it again.
    pub(crate) fn cache_key(&self) -> Option<CacheKey> {
        let is_ad_hoc = self.kind() == Kind::Stdio && self.config.origin.file.as_os_str().is_empty();
        (!is_ad_hoc).then(|| self.config.cache_key())
    }

    /// Which of its tools there are for us.
    pub(crate) fn filter(&self) -> &ToolFilter {
        &self.config.tools
    }

    /// Fails for a tool that the config keeps from us.
    pub(crate) fn allow(&self, tool: &str) -> Result<(), Failure> {
        if self.config.tools.shows(tool) {
            return Ok(());
        }
        let failure =
            Failure::usage(format!("the tool `{tool}` is not allowed by the config")).of(&self.name);
        let place = ["tools.deny", "tools.allow", "tools"].iter().find_map(|it| self.config.places.get(*it));
        let origin = place.map_or(self.config.origin.clone(), |place| self.config.origin.at(*place));
        Err(failure.with(config::place(&origin)))
    }
}

impl Choice {
    pub(crate) fn of(entry: &Entry) -> Self {
        match &entry.state {
            State::Ready(config) => {
                let mut warnings: Vec<_> = entry.warnings.iter().map(|it| it.text.clone()).collect();
                warnings.extend(other_revision(&config.protocol));
                Self::On(Box::new(Server { name: entry.name.clone(), warnings, config: (**config).clone() }))
            }
            State::Failed(error) => Self::Bad(error.into()),
            _ => Self::Off,
        }
    }
}

/// A revision that is not known cannot be spoken.
fn other_revision(protocol: &Protocol) -> Option<String> {
    match protocol {
        Protocol::Revision(wanted) if protocol.choice().is_none() => {
            let newest = Revision::LATEST;
            Some(format!(
                "\"protocol\": {wanted} is not known here, so it is as for \"auto\" (newest: {newest})"
            ))
        }
        _ => None,
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

/// All configured servers, to be started.
pub(crate) fn configured(globals: &Globals) -> Result<Vec<Entry>, Failure> {
    all(globals, Purpose::Start)
}

/// All configured servers, whatever they are wanted for.
pub(crate) fn all(globals: &Globals, purpose: Purpose) -> Result<Vec<Entry>, Failure> {
    additions::refuse(globals)?;
    let entries = config::find(globals, None, purpose)?.discovered.entries;
    if globals.config.is_empty() && entries.is_empty() {
        return Err(Failure::usage("no servers are configured").hint(NO_CONFIG));
    }
    Ok(entries)
}

/// The entry of this name.
pub(crate) fn entry<'a>(globals: &Globals, found: &'a Found, name: &str) -> Result<&'a Entry, Failure> {
    let entries = &found.discovered.entries;
    if let Some(entry) = entries.iter().find(|entry| entry.name == name) {
        return Ok(entry);
    }
    if let Some(left) = found.left_out.iter().find(|left| left.has(name)) {
        let failure = Failure::usage("the server is in a file of this project that is not trusted");
        let failure = failure.of(&shown(name)).with(format!("in {}", left.file.display()));
        return Err(failure.hint(&format!("look at it, then run: {}", trust::command(&left.file))));
    }
    let failure = unknown(name, entries);
    let is_bare = globals.config.is_empty() && entries.is_empty() && !name.contains("://");
    Err(if is_bare { failure.hint(NO_CONFIG) } else { failure })
}

/// A name as it is shown: a mistyped address may hold secrets.
fn shown(name: &str) -> String {
    let (place, query) = name.split_once('?').map_or((name, ""), |(place, _)| (place, "?***"));
    match place.rsplit_once('@') {
        Some((user, place)) if user.contains(':') => format!("***@{place}{query}"),
        _ => format!("{place}{query}"),
    }
}

fn unknown(name: &str, entries: &[Entry]) -> Failure {
    // What looks like an address may hold a secret, and is none that could be asked.
    if name.contains("://")
        && let Err(failure) = Server::of_address(name)
    {
        return failure;
    }
    let known: Vec<_> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Failure::usage("unknown server").of(&shown(name)).with(format!("configured: {known}"))
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn a_mistyped_address_shows_no_secret() {
        assert_eq!(shown("http:/127.0.0.1/ok?k=SECRET-1"), "http:/127.0.0.1/ok?***");
        assert_eq!(shown("bob:SECRET-1@host/?k=SECRET-1"), "***@host/?***");
        assert_eq!(shown("@scope/files"), "@scope/files");
    }
}
