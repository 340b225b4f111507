//! `config import`: the servers of another application in our own format.

mod merge;

use std::path::Path;

use mcp_manager::config::Entry;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::args::ImportArgs;
use crate::config::{Purpose, search};
use crate::failure::{Failure, Stop};
use crate::show::count;
use crate::status::Status;

pub(super) fn run(app: &App, args: &ImportArgs) -> Result<Status, Stop> {
    let found = search(&app.globals, None, Purpose::Look, &[args.from]);
    let entries = found.discovered.entries.iter().filter(|entry| entry.origin.host == args.from);
    let entries: Vec<_> = entries.collect();
    if entries.is_empty() {
        return Err(Failure::usage(format!("{} has no servers here", args.from)).into());
    }
    let (servers, failures) = export(app, &entries);
    match &args.to {
        Some(file) => add(app, file, servers, args.force)?,
        None => {
            let document = json!({ "mcpServers": servers });
            app.print(&format!("{document:#}"))?;
        }
    }
    Ok(match failures {
        0 => Status::Done,
        all if all == entries.len() => Status::Usage,
        _ => Status::Partial,
    })
}

/// The servers that can be taken over, and how many cannot. All that is lost is told.
fn export(app: &App, entries: &[&Entry]) -> (Map<String, Value>, usize) {
    let mut servers = Map::new();
    let mut failures = 0;
    for entry in entries {
        match entry.export() {
            Ok(exported) => {
                exported.notes.iter().for_each(|note| app.console.warning(&entry.name, note));
                servers.insert(entry.name.clone(), Value::Object(exported.entry));
            }
            Err(error) => {
                failures += 1;
                app.console.failure(&Failure::from(error).with("it is left out"));
            }
        }
    }
    (servers, failures)
}

/// Adds servers to a file.
fn add(app: &App, file: &Path, servers: Map<String, Value>, force: bool) -> Result<(), Failure> {
    let mut target = merge::Target::read(file)?;
    let mut added = 0;
    for (name, server) in servers {
        if target.add(&name, server, force) {
            added += 1;
        } else {
            app.console
                .warning(&name, "the file has a server of this name, which stays; --force replaces it");
        }
    }
    if added > 0 {
        target.write()?;
    }
    app.console.note(&format!("{} added to {}", count(added, "server"), file.display()));
    Ok(())
}
