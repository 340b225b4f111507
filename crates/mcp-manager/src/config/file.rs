//! Reads one file and finds the entries in it.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::dialect::Dialect;
use super::entry::{self, Context, Entry};
use super::error::{ConfigError, EntryProblem, FileProblem};
use super::expand::Filler;
use super::fields::{Unit, duration};
use super::host::{Host, Scope, folder_of};
use super::lines::{Lines, Place};
use super::node::{Node, Value};
use super::origin::Origin;
use super::policy::Policy;
use super::values::{Input, Values};
use super::{from_json, from_toml};
use crate::private_file;

/// The longest file that is read, in bytes.
const LONGEST: u64 = 16 * 1024 * 1024;
/// The most servers of one file.
const MOST: usize = 1000;

/// What one file says.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct File {
    /// The host that it is written for.
    pub host: Host,
    /// Its entries, good ones and bad ones, in the order of the file. Those for one project (of
    /// `~/.claude.json`) come first, and may have the names of others.
    pub entries: Vec<Entry>,
    pub(super) policy: Policy,
}

/// Reads a file. Without a `host` its name says which it is, or what it holds.
///
/// # Errors
///
/// Fails if the file cannot be read as a whole: it never counts as empty. A bad entry spoils only itself;
/// see [`Entry::state`].
pub fn read_file(
    path: &Path,
    host: Option<Host>,
    scope: Scope,
    values: &Values<'_>,
) -> Result<File, ConfigError> {
    parse(path, &read_bytes(path)?, host, scope, values)
}

/// What a file holds, for [`parse`]: at most 16 MiB.
///
/// # Errors
///
/// Fails if it cannot be read or is longer.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, ConfigError> {
    let fail = |problem| ConfigError::new(path, problem);
    let bytes = read_bounded(path).map_err(|error| fail(FileProblem::Read(error)))?;
    if bytes.len() as u64 > LONGEST {
        return Err(fail(FileProblem::TooLong { limit: LONGEST }));
    }
    Ok(bytes)
}

/// Puts `bytes` in the place of a file in one step: readers see the old one or the new one, whole. It keeps its
/// permissions; a new one is for its owner alone, since it may hold secrets. It blocks.
///
/// # Errors
///
/// Fails if it cannot be written; then the old one stays.
pub fn replace_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let name = path.file_name().ok_or(std::io::ErrorKind::InvalidInput)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let permissions = std::fs::metadata(path).ok().map(|data| data.permissions());
    let folder = folder.unwrap_or(Path::new("."));
    private_file::put(folder, &format!(".{}", name.display()), name, bytes, permissions)
}

/// As [`read_bytes`] for a file that nobody named: a pipe in its place would hold up whoever reads it.
pub(super) fn read_regular(path: &Path) -> Result<Vec<u8>, ConfigError> {
    let fail = |error| ConfigError::new(path, FileProblem::Read(error));
    if !std::fs::metadata(path).map_err(fail)?.is_file() {
        return Err(fail(std::io::Error::other("it is no regular file")));
    }
    read_bytes(path)
}

fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The same from what a file of that name holds; nothing is read.
///
/// # Errors
///
/// Those of [`read_file`], but for reading.
pub fn parse(
    path: &Path,
    bytes: &[u8],
    host: Option<Host>,
    scope: Scope,
    values: &Values<'_>,
) -> Result<File, ConfigError> {
    let fail = |problem| ConfigError::new(path, problem);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = Lines::new(bytes);
    let text = std::str::from_utf8(bytes)
        .map_err(|error| fail(FileProblem::Utf8 { place: lines.place(error.valid_up_to()) }))?;
    let host = host.or_else(|| Host::of_path(path));
    // An empty TOML file is a whole one, and so is one with comments only.
    let top = if host == Some(Host::Codex) {
        from_toml::read(text, &lines).map_err(|error| fail(FileProblem::Toml(error)))?
    } else if text.trim().is_empty() {
        return Err(fail(FileProblem::Empty));
    } else {
        from_json::read(text, &lines, &|name| WANTED.contains(&name))
            .map_err(|error| fail(FileProblem::Json(error)))?
    };
    let host = host.unwrap_or_else(|| of_content(&top));
    let document = Document { path, top: &top, lines: &lines, host, values };
    document.file(scope).map_err(fail)
}

/// The members at the top that matter for some host; others are not looked into.
const WANTED: [&str; 15] = [
    "allowedMcpServers",
    "context_server_timeout",
    "context_servers",
    "deniedMcpServers",
    "disabledMcpServers",
    "disabledMcpjsonServers",
    "disabledServers",
    "enableAllProjectMcpServers",
    "enabledMcpjsonServers",
    "inputs",
    "mcp",
    "mcpServers",
    "mcp_servers",
    "projects",
    "servers",
];

/// The host whose container of servers there is; our own where many have the same.
fn of_content(top: &Node) -> Host {
    let hosts = [
        ("mcpServers", Host::Own),
        ("servers", Host::VsCode),
        ("context_servers", Host::Zed),
        ("mcp", Host::Opencode),
    ];
    let host = hosts.into_iter().find(|(container, _)| top.member(container).is_some());
    host.map_or(Host::Own, |(_, host)| host)
}

struct Document<'a> {
    path: &'a Path,
    top: &'a Node,
    lines: &'a Lines,
    host: Host,
    values: &'a Values<'a>,
}

impl Document<'_> {
    fn file(&self, scope: Scope) -> Result<File, FileProblem> {
        let dialect = Dialect::of(self.host);
        let workspace = self.values.workspace.as_deref().and_then(Path::to_str);
        let mut entries = Vec::new();
        if let (Host::ClaudeCode, Some(workspace)) = (self.host, workspace) {
            let project = self.top.member("projects").and_then(|projects| projects.member(workspace));
            if let Some(servers) = self.servers(project, dialect.container)? {
                entries = self.entries(servers, Scope::Local)?;
            }
        }
        match self.servers(Some(self.top), dialect.container)? {
            Some(servers) => entries.extend(self.entries(servers, scope)?),
            None if self.is_required(dialect) => {
                return Err(FileProblem::NoServers { container: dialect.container });
            }
            None => {}
        }
        let policy = Policy::read(self.top, self.host, workspace, self.can_approve(scope));
        for entry in &mut entries {
            policy.apply(entry);
        }
        Ok(File { host: self.host, entries, policy })
    }

    /// What a project says about itself grants nothing. Claude Code keeps the user's answers for a project in
    /// a file beside its settings.
    fn can_approve(&self, scope: Scope) -> bool {
        scope != Scope::Project || self.path.ends_with(".claude/settings.local.json")
    }

    /// Claude Code has servers in files of its own and among settings.
    fn is_required(&self, dialect: &Dialect) -> bool {
        let is_for_servers = || self.path.file_name().is_some_and(|name| name == ".mcp.json");
        dialect.is_required || (self.host == Host::ClaudeCode && is_for_servers())
    }

    /// The object with the servers.
    fn servers<'n>(
        &self,
        parent: Option<&'n Node>,
        container: &'static str,
    ) -> Result<Option<&'n Node>, FileProblem> {
        let Some(members) = parent.and_then(Node::members) else { return Ok(None) };
        let mut found = members.iter().filter(|(name, _)| name == container).map(|(_, node)| node);
        let Some(servers) = found.next() else { return Ok(None) };
        if let Some(second) = found.next() {
            let place = self.lines.place(second.at);
            return Err(FileProblem::ServersTwice { container, place });
        }
        // opencode v2 has them one level further down; v1 may have a server of that name.
        let further = servers.member("servers").filter(|_| self.host == Host::Opencode);
        let is_server =
            |node: &Node| ["type", "command", "url", "enabled"].iter().any(|it| is_plain(node.member(it)));
        let servers = further.filter(|node| !is_server(node)).unwrap_or(servers);
        if servers.members().is_none() {
            let place = self.lines.place(servers.at);
            return Err(FileProblem::NotServers { container, found: servers.kind(), place });
        }
        Ok(Some(servers))
    }

    fn entries(&self, servers: &Node, scope: Scope) -> Result<Vec<Entry>, FileProblem> {
        let members = servers.members().map(Vec::as_slice).unwrap_or_default();
        if members.len() > MOST {
            return Err(FileProblem::TooMany { limit: MOST });
        }
        let folder = match (scope, &self.values.workspace) {
            (Scope::Local, Some(workspace)) => workspace.clone(),
            _ => folder_of(self.path, scope),
        };
        let inputs: Arc<[Input]> = self.inputs().into();
        let syntax = Dialect::of(self.host).syntax;
        let place = Place { line: 1, column: 1 };
        let context = Context {
            origin: Origin { file: self.path.to_owned(), host: self.host, scope, place },
            lines: self.lines,
            filler: Filler { syntax, values: self.values, inputs: &inputs, folder: &folder },
            timeout: self.common_timeout(),
            inputs: Arc::clone(&inputs),
        };
        let mut entries: Vec<Entry> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (name, node) in members {
            match known.get(name.as_str()).and_then(|at| entries.get_mut(*at)) {
                // Either choice could start the wrong program.
                Some(first) => first.spoil(EntryProblem::Twice, self.lines.place(node.at)),
                None => {
                    known.insert(name, entries.len());
                    entries.push(entry::read(name, node, &context));
                }
            }
        }
        Ok(entries)
    }

    /// Zed has one for all servers.
    fn common_timeout(&self) -> Option<(std::time::Duration, usize)> {
        let node = self.top.member("context_server_timeout").filter(|_| self.host == Host::Zed)?;
        Some((duration(node, Unit::Seconds)?, node.at))
    }

    /// What VS Code would ask the user for.
    fn inputs(&self) -> Vec<Input> {
        let inputs = self.top.member("inputs").filter(|_| self.host == Host::VsCode);
        let Some(Value::List(items)) = inputs.map(|node| &node.value) else { return Vec::new() };
        let read = |item: &Node| {
            let text = |name| item.member(name).and_then(Node::text).map(str::to_owned);
            let is_password = item.member("password").map(|node| &node.value);
            Some(Input {
                id: text("id")?,
                description: text("description"),
                password: matches!(is_password, Some(Value::Flag(true))),
                default: text("default"),
                options: item.member("options").map(Node::texts).unwrap_or_default(),
            })
        };
        items.iter().filter_map(read).collect()
    }
}

/// Whether a member is there and is no object, as that of a server called so would be.
fn is_plain(member: Option<&Node>) -> bool {
    member.is_some_and(|node| node.members().is_none())
}
