//! Configuration files: which servers there are, and how to run each.
//!
//! ```text
//! file ──► text ──► members of "mcpServers" ──► an Entry for each: a server, or what is wrong
//!  └─ broken as a whole: ConfigError
//! ```
//!
//! A file that cannot be read or is no JSON is an error as a whole and never counts as empty. Past
//! that, one bad entry spoils only itself. This module knows nothing of the command line and starts
//! nothing; it can move to where servers are managed.
//!
//! Decided here: files are plain JSON (a byte order mark is fine, comments are not); of two files the
//! later one wins, entry by entry; the same name twice in one file is an error of that entry, since
//! either choice could start the wrong program; unknown keys are warnings; variables of the environment
//! are filled in where secrets have to be, in addresses and header values, and nowhere else.

mod entry;
mod error;
mod fields;
mod file;
mod members;
mod remote;
mod stdio;
mod variables;

use std::path::{Path, PathBuf};

pub(crate) use self::entry::{Entry, Setup};
pub(crate) use self::error::{ConfigError, EntryError};
pub(crate) use self::remote::RemoteServer;
pub(crate) use self::stdio::StdioServer;

/// All configured servers, in the order of their first mention.
#[derive(Debug, Default)]
pub(crate) struct Config {
    pub(crate) entries: Vec<Entry>,
}

impl Config {
    /// Reads the files in order; an entry of a later one replaces that of an earlier one.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read as a whole. Bad entries do not fail; see [`Entry::setup`].
    pub(crate) fn load(files: &[PathBuf]) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        for path in files {
            for entry in file::read(path)? {
                config.put(entry);
            }
        }
        Ok(config)
    }

    /// The entry of this name.
    pub(crate) fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    fn put(&mut self, entry: Entry) {
        match self.entries.iter_mut().find(|known| known.name == entry.name) {
            Some(known) => *known = entry,
            None => self.entries.push(entry),
        }
    }
}

/// Where an entry stands.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
}

impl Source {
    /// The folder that relative paths in the file start from.
    fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new(""))
    }
}

#[cfg(test)]
mod tests;
