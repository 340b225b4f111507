//! The steps that are one cargo command: formatting, clippy, documentation.

use anyhow::Result;

use crate::options::Options;
use crate::workspace::Workspace;
use crate::{fuzz, process};

pub(crate) fn fmt(workspace: &Workspace, _: &Options) -> Result<()> {
    process::run(workspace.cargo().args(["fmt", "--all", "--check"]))?;
    // Fuzz packages are workspaces of their own, so `--all` does not reach them.
    for package in fuzz::packages(&workspace.root)? {
        process::run(workspace.cargo().args(["fmt", "--check", "--manifest-path"]).arg(package.manifest()))?;
    }
    Ok(())
}

pub(crate) fn clippy(workspace: &Workspace, _: &Options) -> Result<()> {
    process::run(workspace.cargo().args(["clippy", "--all-targets", "--", "--deny", "warnings"]))
}

pub(crate) fn doc(workspace: &Workspace, _: &Options) -> Result<()> {
    process::run(workspace.cargo().args(["doc", "--no-deps"]).env("RUSTDOCFLAGS", "--deny warnings"))
}
