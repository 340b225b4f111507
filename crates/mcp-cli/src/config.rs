//! Which files are read, and what stands in for the names in them; `mcp-manager` does the reading.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use mcp_manager::config::{
    DiscoverOptions, Discovered, Host, Origin, ServerKind, Values, discover_with, load_all,
};

use crate::args::Globals;
use crate::failure::Failure;
use crate::show::escape;
use crate::trust::{self, Trust};

/// The longest file that a value may name, in bytes.
const LONGEST_VALUE: u64 = 1024 * 1024;

/// What is configured, and what was not looked into.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) discovered: Discovered,
    /// Files of the project that are not trusted and have servers.
    pub(crate) left_out: Vec<LeftOut>,
}

/// A file that is not trusted.
#[derive(Debug)]
pub(crate) struct LeftOut {
    pub(crate) file: PathBuf,
    /// The servers in it, as far as it can be read.
    servers: Vec<String>,
}

impl LeftOut {
    pub(crate) fn has(&self, server: &str) -> bool {
        self.servers.iter().any(|name| name == server)
    }
}

/// Why configuration is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Servers will be started: trust is asked for.
    Start,
    /// Nothing will.
    Look,
}

/// The entries of the files that the command line names; without any, those of the files that are found,
/// of a project only if they are trusted. With a name it is only about that server.
pub(crate) fn find(globals: &Globals, name: Option<&str>, purpose: Purpose) -> Result<Found, Failure> {
    if globals.config.is_empty() {
        return Ok(search(globals, name, purpose, &Host::ALL));
    }
    let files = globals.config.iter().map(|file| (file, None));
    let discovered = with_values(|values| load_all(files, values))?;
    Ok(Found { discovered, left_out: Vec::new() })
}

/// Looks for the files of these hosts.
pub(crate) fn search(globals: &Globals, name: Option<&str>, purpose: Purpose, hosts: &[Host]) -> Found {
    let asker = &globals.asker;
    let mut trust = Trust::default();
    let mut left_out: Vec<LeftOut> = Vec::new();
    let mut admit = |path: &Path, host: Host, bytes: &[u8]| {
        if trust.covers(asker, path, bytes) {
            return true;
        }
        let contents = trust::contents(path, Some(host), bytes);
        let servers: Vec<_> = contents.iter().flatten().map(|entry| entry.name.clone()).collect();
        let is_about = |name: &str| servers.iter().any(|it| it == name);
        if contents.is_ok() && name.map_or(servers.is_empty(), |name| !is_about(name)) {
            return false;
        }
        if let (Ok(entries), Purpose::Start) = (&contents, purpose) {
            let file = escape::line(&path.display().to_string());
            let question = format!(
                "{file} is not trusted as it is now. It is a file of this project, and would start or reach:\n{}\
                 Trust it? [y/N]\n",
                trust::listing(entries)
            );
            if asker.confirm(&question) {
                if let Err(failure) = trust.change(asker, |trusted| trusted.add(path, bytes)) {
                    asker.note(&format!("{}; it is trusted this time only", failure.text));
                }
                return true;
            }
        }
        left_out.push(LeftOut { file: path.to_owned(), servers });
        false
    };
    let mut options = DiscoverOptions::default();
    options.project_files = true;
    options.hosts = hosts.to_vec();
    let discovered = with_values(|values| discover_with(&options, values, &mut admit));
    for error in &discovered.failed {
        asker.note(&format!("{error}; it is left out"));
    }
    let is_told = |left: &&LeftOut| {
        // Where it alone has the server, the error says the rest.
        name.is_none_or(|name| !left.has(name) || discovered.entries.iter().any(|it| it.name == name))
    };
    for left in left_out.iter().filter(is_told) {
        let command = trust::command(&left.file);
        asker
            .note(&format!("{} is left out: it is not trusted; to trust it: {command}", left.file.display()));
    }
    Found { discovered, left_out }
}

/// Calls `read` with what this process knows: its environment, the user's folder and its own.
pub(crate) fn with_values<T>(read: impl FnOnce(&Values<'_>) -> T) -> T {
    let env = |name: &str| std::env::var(name);
    let mut values = Values::of_env(&env);
    values.file = Some(&read_text);
    values.home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    values.workspace = std::env::current_dir().ok();
    read(&values)
}

fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(LONGEST_VALUE + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST_VALUE {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(text)
}

/// Where something stands, in words.
pub(crate) fn place(origin: &Origin) -> String {
    let place = origin.place;
    format!("in {}, line {}, column {}", origin.file.display(), place.line, place.column)
}

/// The address of a server behind one, secrets masked.
pub(crate) fn url(kind: &ServerKind) -> Option<String> {
    match kind {
        ServerKind::Http(server) | ServerKind::Sse(server) => Some(server.endpoint().to_string()),
        _ => None,
    }
}
