//! Runs the tests, and tells them where the programs are that they start.

use std::env::consts::EXE_SUFFIX;
use std::process::Command;

use anyhow::Result;

use crate::options::Options;
use crate::workspace::Workspace;
use crate::{peers, process};

pub(crate) fn step(workspace: &Workspace, options: &Options) -> Result<()> {
    process::run(workspace.cargo().args(["build", "--package", "mcp-cli"]))?;
    let mut cargo = workspace.cargo();
    cargo.arg("test").args(&options.rest);
    cargo.env("MCP_CLI", workspace.target.join("debug").join(format!("mcp-cli{EXE_SUFFIX}")));
    name_the_peers(&mut cargo, workspace, options)?;
    process::run(&mut cargo)
}

/// Exactly one of the two variables is set, so that no test with a real server is left out unseen.
fn name_the_peers(cargo: &mut Command, workspace: &Workspace, options: &Options) -> Result<()> {
    cargo.env_remove("MCP_NO_PEERS").env_remove("MCP_PEERS_DIR");
    if options.no_peers {
        peers::say_what_is_left_out();
        cargo.env("MCP_NO_PEERS", "1");
    } else {
        cargo.env("MCP_PEERS_DIR", peers::install(workspace)?);
    }
    Ok(())
}
