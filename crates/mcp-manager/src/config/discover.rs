//! Finds the files of all hosts and says which entry of a name counts.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::disabled::DisabledBy;
use super::entry::{Entry, State};
use super::error::ConfigError;
use super::file::{File, parse, read_regular};
use super::host::{Host, Platform, Scope};
use super::origin::Origin;
use super::policy::Policy;
use super::values::Values;

/// What is looked for. The folders are those of [`Values::home`] and [`Values::workspace`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DiscoverOptions {
    /// Whose files; of two entries of one scope, that of the earlier host counts. [`Host::ALL`].
    pub hosts: Vec<Host>,
    /// Whether files of the project are read. They start programs that the project's author chose, so
    /// false by default.
    pub project_files: bool,
    /// Which system's folders a user's files are in. [`Platform::current`].
    pub platform: Platform,
    /// Where the administrator's files of Claude Code are. [`Host::managed_folder`].
    pub managed_folder: PathBuf,
}

impl Default for DiscoverOptions {
    fn default() -> Self {
        let platform = Platform::current();
        Self {
            hosts: Host::ALL.to_vec(),
            project_files: false,
            platform,
            managed_folder: Host::managed_folder(platform).to_owned(),
        }
    }
}

/// What was found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Discovered {
    /// One entry of each name, the strongest first.
    pub entries: Vec<Entry>,
    /// Entries whose name a stronger one has, be that good, bad or off.
    pub shadowed: Vec<Shadowed>,
    /// The files that were read, in the order in which they count.
    pub files: Vec<PathBuf>,
    /// The files that are there and cannot be used.
    pub failed: Vec<ConfigError>,
    /// The files of the project that were not admitted; see [`discover_with`].
    pub refused: Vec<PathBuf>,
}

/// An entry that does not count.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Shadowed {
    /// It.
    pub entry: Entry,
    /// Where the one stands that counts in its place.
    pub by: Origin,
}

/// Reads all files there are. A file that is not there is none; one that cannot be used is listed and
/// spoils no other.
///
/// Precedence, the strongest first: the administrator's file, the user's entries for this project, files
/// of the project, the user's entries for all projects. Within one of these it is the order of
/// [`DiscoverOptions::hosts`], then that of the files. An entry that is off or bad counts as well: it
/// does not let a weaker one of its name through. What a host's lists turn off is off, whichever of the
/// host's files it is in, and where there is an administrator's file, other servers of Claude Code are off.
pub fn discover(options: &DiscoverOptions, values: &Values<'_>) -> Discovered {
    discover_with(options, values, &mut |_, _, _| true)
}

/// Says whether a file of the project may be used, from its path and what it holds.
pub type Admit<'a> = &'a mut dyn FnMut(&Path, Host, &[u8]) -> bool;

/// The same, but a file of the project counts only if `admit` says so. What it holds is read once: a file
/// that changes meanwhile is used as `admit` saw it. One that is refused is not looked into.
pub fn discover_with(options: &DiscoverOptions, values: &Values<'_>, admit: Admit<'_>) -> Discovered {
    let mut search = Search { options, values, admit, found: Discovered::default(), files: Vec::new() };
    let mut policies: BTreeMap<Host, Policy> = BTreeMap::new();
    let is_managed = search.managed();
    for scope in [Scope::Project, Scope::User] {
        for host in &options.hosts {
            for path in search.paths(*host, scope) {
                search.read(&path, *host, scope);
            }
        }
    }
    let Search { mut found, files, .. } = search;
    let mut entries = Vec::new();
    for file in files {
        policies.entry(file.host).or_default().extend(file.policy);
        entries.extend(file.entries);
    }
    for entry in &mut entries {
        if let Some(policy) = policies.get(&entry.origin.host) {
            policy.apply(entry);
        }
        let is_other = entry.origin.host == Host::ClaudeCode && entry.origin.scope != Scope::Managed;
        if is_managed && is_other {
            entry.state = State::Disabled(DisabledBy::Managed);
        }
    }
    // The sort keeps the order of hosts and files.
    entries.sort_by_key(|entry| entry.origin.scope);
    let mut known: HashMap<String, Origin> = HashMap::new();
    for entry in entries {
        match known.get(&entry.name) {
            Some(by) => found.shadowed.push(Shadowed { entry, by: by.clone() }),
            None => {
                known.insert(entry.name.clone(), entry.origin.clone());
                found.entries.push(entry);
            }
        }
    }
    found
}

struct Search<'a> {
    options: &'a DiscoverOptions,
    values: &'a Values<'a>,
    admit: Admit<'a>,
    found: Discovered,
    files: Vec<File>,
}

impl Search<'_> {
    /// Reads the administrator's files and the lists among settings; says whether no other server of
    /// Claude Code may be. That is so as well if such a file cannot be used.
    fn managed(&mut self) -> bool {
        if !self.options.hosts.contains(&Host::ClaudeCode) {
            return false;
        }
        let managed = self.options.managed_folder.clone();
        let servers = self.read(&managed.join("managed-mcp.json"), Host::ClaudeCode, Scope::Managed);
        let settings = self.read_lists(&managed.join("managed-settings.json"), Scope::Managed);
        let project = self.values.workspace.iter().filter(|_| self.options.project_files);
        let folders = self.values.home.iter().map(|home| (home, Scope::User));
        for (folder, scope) in folders.chain(project.map(|project| (project, Scope::Project))) {
            for name in ["settings.json", "settings.local.json"] {
                self.read_lists(&folder.join(".claude").join(name), scope);
            }
        }
        servers != Outcome::Absent || settings == Outcome::Failed
    }

    /// Settings of Claude Code, where servers would mean nothing.
    fn read_lists(&mut self, path: &Path, scope: Scope) -> Outcome {
        let outcome = self.take(path, Host::ClaudeCode, scope, false);
        if let (Outcome::Read, Some(file)) = (&outcome, self.files.last_mut()) {
            file.entries.clear();
        }
        outcome
    }

    fn paths(&self, host: Host, scope: Scope) -> Vec<PathBuf> {
        let (home, workspace) = (self.values.home.as_deref(), self.values.workspace.as_deref());
        let paths = match scope {
            Scope::User => home.map(|home| host.user_files(home, self.options.platform)),
            _ if !self.options.project_files => None,
            _ => workspace.map(|project| host.project_files(project)),
        };
        paths.unwrap_or_default()
    }

    fn read(&mut self, path: &Path, host: Host, scope: Scope) -> Outcome {
        self.take(path, host, scope, scope == Scope::Project)
    }

    /// Reads a file, once for all: what is admitted is what is used. Lists need no admission, since they
    /// only turn servers off.
    fn take(&mut self, path: &Path, host: Host, scope: Scope, needs_admission: bool) -> Outcome {
        let file = read_regular(path).and_then(|bytes| {
            if needs_admission && !(self.admit)(path, host, &bytes) {
                return Ok(None);
            }
            parse(path, &bytes, Some(host), scope, self.values).map(Some)
        });
        match file {
            Ok(Some(file)) => {
                self.found.files.push(path.to_owned());
                self.files.push(file);
                Outcome::Read
            }
            Ok(None) => {
                self.found.refused.push(path.to_owned());
                Outcome::Absent
            }
            Err(error) if error.is_not_found() => Outcome::Absent,
            Err(error) => {
                self.found.failed.push(error);
                Outcome::Failed
            }
        }
    }
}

#[derive(PartialEq, Eq)]
enum Outcome {
    Read,
    Absent,
    Failed,
}
