//! How many crates a program gets with the client and a transport.

use std::collections::BTreeSet;
use std::env;
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Ours included, for this machine's own platform and with the features that are on by default.
pub(super) fn count(transport: &str) -> Result<usize> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut tree = Command::new(cargo);
    tree.args(["tree", "--edges", "normal", "--prefix", "none"]);
    tree.args(["--package", "mcp-client", "--package", transport]);
    let output = tree.output().context("cannot run `cargo tree`")?;
    ensure!(output.status.success(), "`cargo tree`: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(distinct(&String::from_utf8_lossy(&output.stdout)))
}

/// A line starts with a name and a version.
fn distinct(tree: &str) -> usize {
    let crates =
        tree.lines().filter_map(|line| line.split_whitespace().next().zip(line.split_whitespace().nth(1)));
    crates.collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_again_counts_once() {
        assert_eq!(distinct("a v1.0.0 (path)\nb v1.0.0\n\nb v1.0.0 (*)\nb v2.0.0\n"), 3);
    }
}
