//! Replays the committed corpora: the unit tests with `corpus` in their names.
//!
//! The test programs are those that `cargo xtask test` has built, so nothing is compiled twice.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::FuzzPackage;
use crate::process;
use crate::workspace::Workspace;

pub(super) fn all(workspace: &Workspace, packages: &[FuzzPackage]) -> Result<()> {
    let programs = build(workspace)?;
    for package in packages {
        let name = &package.name;
        let program = programs.get(name).with_context(|| format!("{name}: cargo built no unit tests"))?;
        let mut tests = Command::new(program);
        let crate_folder = workspace.root.join("crates").join(name);
        let text = process::output(tests.arg("corpus").current_dir(crate_folder).env("RUST_BACKTRACE", "1"))?;
        print!("{name}:{text}");
        ensure!(
            !text.contains("running 0 tests"),
            "{name}: has a fuzz folder, but no test named `..corpus..`"
        );
    }
    Ok(())
}

/// Builds the unit tests of all libraries; returns the program of each.
fn build(workspace: &Workspace) -> Result<BTreeMap<String, PathBuf>> {
    let mut cargo = workspace.cargo();
    cargo.args(["test", "--lib", "--no-run", "--message-format", "json-render-diagnostics"]);
    let mut programs = BTreeMap::new();
    for line in process::output(&mut cargo)?.lines() {
        let message: Value = serde_json::from_str(line)?;
        if let (Some(program), Some(crate_name)) =
            (message["executable"].as_str(), message["target"]["name"].as_str())
        {
            programs.insert(crate_name.replace('_', "-"), program.into());
        }
    }
    Ok(programs)
}
