//! Runs the tests, and tells them where the programs are that they start.

use std::env;
use std::env::consts::EXE_SUFFIX;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::options::Options;
use crate::workspace::Workspace;
use crate::{peers, process};

pub(crate) fn step(workspace: &Workspace, options: &Options) -> Result<()> {
    process::run(workspace.cargo().args(["build", "--package", "mcp-cli"]))?;
    let mut cargo = workspace.cargo();
    cargo.arg("test").args(&options.rest);
    cargo.env("MCP_CLI", workspace.target.join("debug").join(format!("mcp-cli{EXE_SUFFIX}")));
    name_the_peers(&mut cargo, workspace, options)?;
    check_the_schemas()?;
    process::run(&mut cargo)
}

/// The published schemas are no part of the project; who has them names their folder.
fn check_the_schemas() -> Result<()> {
    match env::var_os("MCP_SCHEMA_DIR").map(PathBuf::from) {
        Some(folder) if folder.is_absolute() && folder.is_dir() => {
            println!("messages are held against the schemas in {}", folder.display());
        }
        Some(folder) => {
            bail!("`MCP_SCHEMA_DIR` is `{}`, not the absolute path of a folder", folder.display())
        }
        None => println!(
            "left out: messages are not held against the published schemas, nor types read from them, since \
             `MCP_SCHEMA_DIR` is not set"
        ),
    }
    Ok(())
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
