//! One entry of a file: what kind of server it is, whether it is on, and what is wrong with it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::IdFormat;

use super::approvals;
use super::dialect::Dialect;
use super::disabled::DisabledBy;
use super::error::{EntryError, EntryProblem};
use super::expand::Filler;
use super::fields::{Fault, Fields, Unit, wrong};
use super::host::Host;
use super::lines::{Lines, Place};
use super::node::{Members, Node, Value};
use super::origin::Origin;
use super::remote::HttpServer;
use super::server::{Kind, Protocol, ServerConfig, ServerKind};
use super::stdio::StdioServer;
use super::tools;
use super::values::Input;
use super::written::Written;

/// A server of a file, good or bad.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// Its name in the file.
    pub name: String,
    /// Where it stands.
    pub origin: Origin,
    /// Its kind; `None` where the entry is too broken to tell.
    pub kind: Option<Kind>,
    /// Whether it can be started.
    pub state: State,
    /// Odd things that do no harm.
    pub warnings: Vec<Warning>,
    /// Whether a list of what is denied could not be asked, since variables are missing.
    pub(super) may_be_denied: bool,
    pub(super) written: Written,
}

/// Whether a server can be started.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum State {
    /// It can.
    Ready(Box<ServerConfig>),
    /// It is off. Nothing of it was filled in, so that it asks for no variable.
    Disabled(DisabledBy),
    /// It cannot.
    Failed(EntryError),
}

/// Something odd in an entry that does no harm.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// What it is.
    pub text: String,
    /// Where it is.
    pub place: Place,
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Entry {
    /// The server, if it can be started.
    pub fn ready(&self) -> Option<&ServerConfig> {
        match &self.state {
            State::Ready(server) => Some(server),
            _ => None,
        }
    }

    /// What is wrong, if something is.
    pub fn error(&self) -> Option<&EntryError> {
        match &self.state {
            State::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// What stands in the file, no variable filled in.
    pub fn written(&self) -> &Written {
        &self.written
    }

    /// What turned it off, if it is.
    pub fn disabled_by(&self) -> Option<DisabledBy> {
        match self.state {
            State::Disabled(by) => Some(by),
            _ => None,
        }
    }

    /// Whether it is off.
    pub fn is_disabled(&self) -> bool {
        matches!(self.state, State::Disabled(_))
    }

    /// Makes this a bad entry.
    pub(super) fn spoil(&mut self, problem: EntryProblem, place: Place) {
        let origin = self.origin.at(place);
        self.state = State::Failed(EntryError { server: self.name.clone(), origin, problem });
    }
}

/// What all entries of a file have in common.
pub(super) struct Context<'a> {
    pub(super) origin: Origin,
    pub(super) lines: &'a Lines,
    pub(super) filler: Filler<'a>,
    /// Of entries that have none of their own (Zed), and where it stands.
    pub(super) timeout: Option<(Duration, usize)>,
    /// What the user would be asked for.
    pub(super) inputs: Arc<[Input]>,
}

/// Reads the entry of this name.
pub(super) fn read(name: &str, node: &Node, context: &Context<'_>) -> Entry {
    let origin = context.origin.at(context.lines.place(node.at));
    let mut reader = Reader { name, origin, context, kind: None, warnings: Vec::new() };
    let state = reader.state(node).unwrap_or_else(|fault| {
        let origin = fault.at.map_or(reader.origin.clone(), |at| reader.origin.at(context.lines.place(at)));
        State::Failed(EntryError { server: name.to_owned(), origin, problem: fault.problem })
    });
    let Reader { origin, kind, warnings, .. } = reader;
    let written = Written::new(node, context);
    Entry { name: name.to_owned(), origin, kind, state, warnings, may_be_denied: false, written }
}

/// Keys with a meaning for entries of one kind only.
const OF_STDIO: [&str; 6] = ["command", "args", "env", "environment", "env_policy", "cwd"];
const OF_HTTP: [&str; 8] =
    ["url", "headers", "http_headers", "ca", "client_cert", "client_key", "proxy", "headersHelper"];

struct Reader<'a> {
    name: &'a str,
    origin: Origin,
    context: &'a Context<'a>,
    kind: Option<Kind>,
    warnings: Vec<Warning>,
}

impl Reader<'_> {
    fn state(&mut self, node: &Node) -> Result<State, Fault> {
        let Some(members) = node.members() else {
            return Err(EntryProblem::NotAnObject { found: node.kind() }.into());
        };
        let members = match self.origin.host {
            Host::Zed => of_zed(members),
            _ => Cow::Borrowed(members),
        };
        let mut fields = Fields::new(&members, &self.context.filler)?;
        let is_enabled = self.is_enabled(&mut fields)?;
        let kind = self.read_kind(&mut fields);
        self.kind = kind.as_ref().ok().copied();
        if !is_enabled {
            return Ok(State::Disabled(DisabledBy::Entry));
        }
        match kind.and_then(|kind| self.server(&mut fields, kind)) {
            Ok(server) => Ok(State::Ready(Box::new(server))),
            Err(fault) => Err(fault.placed(&fields)),
        }
    }

    /// Where the two keys disagree, off wins: not starting a program can be mended, starting it not.
    fn is_enabled(&mut self, fields: &mut Fields<'_>) -> Result<bool, Fault> {
        let (enabled, disabled) = (fields.flag("enabled")?, fields.flag("disabled")?);
        if enabled.is_some() && enabled == disabled {
            self.warn("\"enabled\" and \"disabled\" disagree; the server is off", None);
        }
        Ok(enabled != Some(false) && disabled != Some(true))
    }

    /// The kind, from `type` (or `transport`, as some write it), else from which key there is.
    fn read_kind(&mut self, fields: &mut Fields<'_>) -> Result<Kind, Fault> {
        let host = self.origin.host;
        let urls = Dialect::of(host).urls;
        let url = urls.iter().find(|(field, _)| fields.has(field)).map(|(_, kind)| *kind);
        let url = url.or_else(|| fields.has("url").then_some(Kind::Http));
        let (first, second) = (fields.node("type"), fields.node("transport"));
        let (field, named) = if first.is_some() { ("type", first) } else { ("transport", second) };
        let kind = match named.map(|node| (node, node.text())) {
            None if fields.has("command") => Kind::Stdio,
            None => url.unwrap_or(Kind::Stdio),
            Some((node, None)) => return Err(wrong(field, "a string", node)),
            Some((node, Some(name))) => kind_of(name, host).ok_or_else(|| {
                EntryProblem::UnknownType { kind: name.chars().take(64).collect() }.at(node.at)
            })?,
        };
        if fields.has("command") && url.is_some() {
            self.kind = Some(kind);
            return Err(EntryProblem::CommandAndUrl.into());
        }
        Ok(kind)
    }

    fn server(&mut self, fields: &mut Fields<'_>, kind: Kind) -> Result<ServerConfig, Fault> {
        let host = self.origin.host;
        let dialect = Dialect::of(host);
        refuse(fields, host)?;
        let server = match kind {
            Kind::Stdio => {
                let server = StdioServer::read(fields, host)?;
                if let Some(warning) = server.warning() {
                    self.warn(warning, fields.places().get("command").copied());
                }
                ServerKind::Stdio(server)
            }
            _ => {
                let server = HttpServer::read(fields, host, kind)?;
                for warning in server.warnings() {
                    self.warn(&warning, fields.places().get(dialect.headers).copied());
                }
                if kind == Kind::Sse { ServerKind::Sse(server) } else { ServerKind::Http(server) }
            }
        };
        let (field, unit) = dialect.timeout;
        let mut timeout = fields.duration(field, unit)?;
        let mut start_timeout = None;
        for (field, unit) in dialect.start_timeout {
            start_timeout = start_timeout.or(fields.duration(field, *unit)?);
        }
        let tools = tools::read(fields, host)?;
        let approvals = approvals::read(fields, &self.origin)?;
        let own = if host == Host::Own { own(fields)? } else { OwnFields::default() };
        let lines = self.context.lines;
        let mut places: BTreeMap<_, _> =
            fields.places().iter().map(|(field, at)| (field.clone(), lines.place(*at))).collect();
        if let (None, Some((common, at))) = (timeout, self.context.timeout) {
            timeout = Some(common);
            places.insert("timeout".to_owned(), lines.place(at));
        }
        let extra = self.extra(fields, dialect, kind);
        Ok(ServerConfig {
            name: self.name.to_owned(),
            origin: self.origin.clone(),
            kind: server,
            timeout,
            start_timeout,
            max_total_timeout: own.max_total_timeout,
            request_id_format: own.request_id_format,
            protocol: own.protocol,
            tools,
            approvals,
            lazy: own.lazy,
            extra,
            places,
        })
    }

    /// What nobody asked for is kept, and reported where the host does not know it either.
    fn extra(
        &mut self,
        fields: &Fields<'_>,
        dialect: &Dialect,
        kind: Kind,
    ) -> BTreeMap<String, serde_json::Value> {
        let others: &[&str] = if kind == Kind::Stdio { &OF_HTTP } else { &OF_STDIO };
        let mut extra = BTreeMap::new();
        for (name, node) in fields.others() {
            if others.contains(&name) {
                self.warn(
                    &format!("key \"{name}\" means nothing for a {} server", kind.name()),
                    Some(node.at),
                );
            } else if !dialect.kept.contains(&name) {
                self.warn(&format!("unknown key \"{name}\" is ignored"), Some(node.at));
            }
            extra.insert(name.to_owned(), node.json());
        }
        extra
    }

    fn warn(&mut self, text: &str, at: Option<usize>) {
        let place = at.map_or(self.origin.place, |at| self.context.lines.place(at));
        self.warnings.push(Warning { text: text.to_owned(), place });
    }
}

/// The spellings that are about. "remote" is a kind for one host only.
fn kind_of(name: &str, host: Host) -> Option<Kind> {
    Some(match name {
        "stdio" | "local" => Kind::Stdio,
        "http" | "streamable-http" | "streamableHttp" | "streamable_http" => Kind::Http,
        "sse" => Kind::Sse,
        "remote" if host == Host::Opencode => Kind::Http,
        _ => return None,
    })
}

/// Fails on what makes it another server than the host would run.
fn refuse(fields: &mut Fields<'_>, host: Host) -> Result<(), Fault> {
    for (field, reason) in Dialect::of(host).refused {
        if let Some(node) = fields.node(field) {
            return Err(EntryProblem::Refused { field: (*field).to_owned(), reason }.at(node.at));
        }
    }
    if host == Host::Zed && fields.has("settings") && !fields.has("command") && !fields.has("url") {
        let reason = "are those of an extension of Zed, which brings the program itself";
        return Err(EntryProblem::Refused { field: "settings".to_owned(), reason }.into());
    }
    let (field, harmless, reason) = match host {
        Host::VsCode => ("sandboxEnabled", Value::Flag(false), "wants a sandbox, and there is none here"),
        Host::Codex => (
            "experimental_environment",
            Value::Text("local".to_owned()),
            "wants the server on another machine, and it would be on this one",
        ),
        _ => return Ok(()),
    };
    match (fields.node(field), &harmless) {
        (None, _) => Ok(()),
        (Some(Node { value: Value::Flag(false), .. }), Value::Flag(_)) => Ok(()),
        (Some(node), Value::Text(text)) if node.text() == Some(text) => Ok(()),
        (Some(node), _) => Err(EntryProblem::Refused { field: field.to_owned(), reason }.at(node.at)),
    }
}

/// What only our own format has.
#[derive(Default)]
struct OwnFields {
    max_total_timeout: Option<Duration>,
    request_id_format: Option<IdFormat>,
    protocol: Protocol,
    lazy: bool,
}

fn own(fields: &mut Fields<'_>) -> Result<OwnFields, Fault> {
    let formats = [("string", IdFormat::Text), ("text", IdFormat::Text), ("number", IdFormat::Number)];
    let protocol = match fields.node("protocol") {
        None => Protocol::Auto,
        Some(node) => match node.text() {
            Some("auto") => Protocol::Auto,
            Some("discover") => Protocol::Discover,
            Some(revision) if is_revision(revision) => Protocol::Revision(revision.to_owned()),
            _ => {
                return Err(wrong(
                    "protocol",
                    "\"auto\", \"discover\" or a revision such as \"2025-11-25\"",
                    node,
                ));
            }
        },
    };
    Ok(OwnFields {
        max_total_timeout: fields.duration("max_total_timeout", Unit::Milliseconds)?,
        request_id_format: fields.choice("request_id_format", r#""string" or "number""#, &formats)?,
        protocol,
        lazy: fields.flag("lazy")?.unwrap_or(false),
    })
}

/// Revisions are named by their days.
fn is_revision(text: &str) -> bool {
    let is_shaped =
        |(at, byte): (usize, u8)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() };
    text.len() == 10 && text.bytes().enumerate().all(is_shaped)
}

/// Older files of Zed have an object in `command`, with what newer ones have beside it.
pub(super) fn of_zed(members: &Members) -> Cow<'_, Members> {
    let Some(inner) = super::node::find(members, "command").and_then(Node::members) else {
        return Cow::Borrowed(members);
    };
    let outer = members.iter().filter(|(name, _)| name != "command").cloned();
    let inner = inner.iter().cloned().map(|(name, node)| {
        let name = if name == "path" { "command".to_owned() } else { name };
        (name, node)
    });
    Cow::Owned(outer.chain(inner).collect())
}
