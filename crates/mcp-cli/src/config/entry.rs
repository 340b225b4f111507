//! One entry of `mcpServers`: what kind of server it is, and whether it is on.

use serde_json::value::RawValue;

use super::Source;
use super::error::{EntryError, EntryProblem};
use super::fields::{Fields, kind_of};
use super::members::Members;
use super::remote::RemoteServer;
use super::stdio::StdioServer;

/// A configured server.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// `stdio`, `http` or `sse`; `unknown` where the entry is too broken to tell.
    pub(crate) kind: &'static str,
    pub(crate) source: Source,
    pub(crate) enabled: bool,
    pub(crate) setup: Result<Setup, EntryError>,
    /// Odd things that do no harm.
    pub(crate) warnings: Vec<String>,
}

/// How a server is reached.
#[derive(Clone, Debug)]
pub(crate) enum Setup {
    Stdio(Box<StdioServer>),
    /// Behind an address.
    Remote(Box<RemoteServer>),
}

impl Entry {
    /// The address of a server behind one, secrets masked.
    pub(crate) fn url(&self) -> Option<String> {
        match &self.setup {
            Ok(Setup::Remote(server)) => Some(server.url()),
            _ => None,
        }
    }

    /// Makes this a bad entry.
    pub(super) fn spoil(&mut self, problem: EntryProblem) {
        self.setup = Err(EntryError { server: self.name.clone(), source: self.source.clone(), problem });
    }
}

/// Keys that entries of every kind have.
const KEYS: [&str; 4] = ["type", "transport", "enabled", "disabled"];

/// Reads the entry of this name.
pub(super) fn read(name: String, source: Source, value: &RawValue) -> Entry {
    let mut facts = Facts { kind: "unknown", enabled: true, warnings: Vec::new() };
    let setup = facts.read(&source, value).map_err(|problem| EntryError {
        server: name.clone(),
        source: source.clone(),
        problem,
    });
    let Facts { kind, enabled, warnings } = facts;
    Entry { name, kind, source, enabled, setup, warnings }
}

/// What is known of an entry even if the rest of it is bad.
struct Facts {
    kind: &'static str,
    enabled: bool,
    warnings: Vec<String>,
}

impl Facts {
    fn read(&mut self, source: &Source, value: &RawValue) -> Result<Setup, EntryProblem> {
        let members: Members<'_> = serde_json::from_str(value.get())
            .map_err(|_| EntryProblem::NotAnObject { found: kind_of(value) })?;
        let fields = Fields::new(members)?;
        for name in fields.names() {
            if !KEYS.contains(&name)
                && !StdioServer::KEYS.contains(&name)
                && !RemoteServer::KEYS.contains(&name)
            {
                self.warnings.push(format!("unknown key \"{name}\" is ignored"));
            }
        }
        self.enabled = is_enabled(&fields, &mut self.warnings)?;
        self.kind = kind(&fields)?;
        match self.kind {
            _ if has(&fields, "command") && has(&fields, "url") => Err(EntryProblem::CommandAndUrl),
            "stdio" => Ok(Setup::Stdio(Box::new(StdioServer::read(&fields, source)?))),
            kind => {
                let server = RemoteServer::read(&fields, source, kind, &|name| std::env::var(name))?;
                self.warnings.extend(server.warnings());
                Ok(Setup::Remote(Box::new(server)))
            }
        }
    }
}

/// Where the two keys disagree, off wins: not starting a program can be mended, starting it not.
fn is_enabled(fields: &Fields<'_>, warnings: &mut Vec<String>) -> Result<bool, EntryProblem> {
    let (enabled, disabled) = (fields.flag("enabled")?, fields.flag("disabled")?);
    if enabled.is_some() && enabled == disabled {
        warnings.push("\"enabled\" and \"disabled\" disagree; the server is off".to_owned());
    }
    Ok(enabled != Some(false) && disabled != Some(true))
}

/// The kind, from `type` (or `transport`, as some write it), else from which key there is.
fn kind(fields: &Fields<'_>) -> Result<&'static str, EntryProblem> {
    let named = match fields.text("type")? {
        Some(kind) => Some(kind),
        None => fields.text("transport")?,
    };
    Ok(match named.as_deref() {
        None if has(fields, "url") && !has(fields, "command") => "http",
        None | Some("stdio" | "local") => "stdio",
        Some("http" | "streamable-http" | "streamableHttp" | "streamable_http") => "http",
        Some("sse") => "sse",
        Some(kind) => return Err(EntryProblem::UnknownType { kind: kind.to_owned() }),
    })
}

fn has(fields: &Fields<'_>, name: &str) -> bool {
    fields.names().any(|it| it == name)
}
