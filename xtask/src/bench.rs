//! Runs the benchmarks, a package outside the default members.

use anyhow::Result;

use crate::options::Options;
use crate::process;
use crate::workspace::Workspace;

pub(crate) fn step(workspace: &Workspace, options: &Options) -> Result<()> {
    let mut cargo = workspace.cargo();
    cargo.args(["run", "--release", "--package", "mcp-bench", "--"]);
    process::run(cargo.args(&options.rest))
}
