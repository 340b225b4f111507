//! Installs the real servers that the tests talk to, at the versions in `tests/peers/`.
//!
//! They go to `target/peers`, and only when the lock files, Node or Python have changed:
//!
//! ```text
//! npm/node_modules/@modelcontextprotocol/server-{everything,filesystem,memory}
//! python/bin/mcp-server-time                          (a virtual environment)
//! ```

mod npm;
mod python;
mod stamp;
mod tool;

use std::path::PathBuf;

use anyhow::Result;

use crate::options::Options;
use crate::workspace::Workspace;

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
    Ok(home)
}

pub(crate) fn say_what_is_left_out() {
    println!("left out (--no-peers): the tests with server-everything, server-filesystem,");
    println!("server-memory (they need Node) and mcp-server-time (it needs Python)");
}
