//! Installs the real servers that the tests talk to, at the versions in `tests/peers/`.
//!
//! They go to `target/peers`, and only when the lock files, Node or Python have changed:
//!
//! ```text
//! npm/node_modules/@modelcontextprotocol/server-{everything,filesystem,memory}
//! npm/node_modules/@modelcontextprotocol/conformance  (the official suite)
//! npm/sdk-server.mjs                                  (ours, on version 1 of the TypeScript SDK)
//! npm/eras-server.mjs                                 (ours, on version 2 of it)
//! python/bin/mcp-server-time                          (a virtual environment)
//! python/sdk_server.py, eras_server.py                (ours, on version 2 of the Python SDK)
//! ```
//!
//! Our own are copied each time: they lie where their language looks for what they import.

mod npm;
mod python;
mod stamp;
mod tool;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::options::Options;
use crate::workspace::Workspace;

/// The servers of our own, each with the folder that it belongs to.
const SCRIPTS: [(&str, &str); 4] = [
    ("sdk-server.mjs", "npm"),
    ("eras-server.mjs", "npm"),
    ("sdk_server.py", "python"),
    ("eras_server.py", "python"),
];

pub(crate) fn step(workspace: &Workspace, options: &Options) -> Result<()> {
    if options.no_peers {
        say_what_is_left_out();
        return Ok(());
    }
    install(workspace).map(drop)
}

/// Returns the folder that holds them.
pub(crate) fn install(workspace: &Workspace) -> Result<PathBuf> {
    let locks = workspace.root.join("tests").join("peers");
    let home = workspace.target.join("peers");
    npm::install(&locks, &home.join("npm"))?;
    python::install(&locks, &home.join("python"))?;
    for (name, folder) in SCRIPTS {
        let (from, to) = (locks.join(name), home.join(folder).join(name));
        fs::copy(from, to).with_context(|| format!("cannot copy {name}"))?;
    }
    Ok(home)
}

pub(crate) fn say_what_is_left_out() {
    println!("left out (--no-peers): the tests with server-everything, server-filesystem, server-memory,");
    println!("the TypeScript SDK and the conformance suite (they need Node), and those with");
    println!("mcp-server-time and the Python SDK (they need Python)");
}
