//! A file of our own format that gets more servers, and is replaced in one step.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mcp_manager::config::{Host, Scope, Values, parse, read_bytes, replace_file};
use serde_json::{Map, Value};

use crate::failure::Failure;

const CONTAINER: &str = "mcpServers";

/// The file with what it has by now.
pub(super) struct Target {
    /// What a link leads to, not the link.
    path: PathBuf,
    top: Map<String, Value>,
}

impl Target {
    /// Reads the file; one that is not there is empty. One that is broken, is not in our own format or has
    /// comments, which would be lost, is not touched.
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        let path = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let bytes = match read_bytes(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.is_not_found() => {
                let top = Map::from_iter([(CONTAINER.to_owned(), Value::Object(Map::new()))]);
                return Ok(Self { path, top });
            }
            Err(error) => return Err(error.into()),
        };
        let read = parse(&path, &bytes, Some(Host::Own), Scope::Given, &Values::default())?;
        let is_twice = |error: &mcp_manager::config::EntryError| {
            use mcp_manager::config::EntryProblem::{FieldTwice, Twice};
            matches!(error.problem, Twice | FieldTwice { .. })
        };
        if let Some(error) = read.entries.iter().filter_map(|entry| entry.error()).find(|it| is_twice(it)) {
            return Err(error.into());
        }
        let top = serde_json::from_slice(&bytes).map_err(|error| {
            Failure::usage(format!("{} is not changed: it is no plain JSON", file.display()))
                .with(error.to_string())
                .hint("comments and last commas would be lost; print the servers without --to")
        })?;
        Ok(Self { path, top })
    }

    /// Adds a server; false if there is one of this name that stays.
    pub(super) fn add(&mut self, name: &str, server: Value, force: bool) -> bool {
        let Some(Value::Object(servers)) = self.top.get_mut(CONTAINER) else { return false };
        if servers.contains_key(name) && !force {
            return false;
        }
        servers.insert(name.to_owned(), server);
        true
    }

    /// Puts it in the place of the file.
    pub(super) fn write(&self) -> Result<(), Failure> {
        let fail = |error: io::Error| {
            Failure::usage(format!("cannot write {}", self.path.display())).with(error.to_string())
        };
        let mut text = serde_json::to_vec_pretty(&self.top).map_err(|error| fail(error.into()))?;
        text.push(b'\n');
        replace_file(&self.path, &text).map_err(fail)
    }
}
