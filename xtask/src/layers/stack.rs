//! How many crates a program gets with the client and the stdio transport.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use crate::process;
use crate::workspace::cargo_at;

/// Ours included.
pub(super) const MOST: usize = 45;

/// Counts for this machine's own platform.
pub(super) fn count(root: &Path) -> Result<usize> {
    let mut cargo = cargo_at(root);
    cargo.args(["tree", "--edges", "normal", "--prefix", "none", "--format", "{p}"]);
    let tree = process::output(cargo.args(["--package", "mcp-client", "--package", "mcp-transport-stdio"]))?;
    Ok(distinct(&tree))
}

pub(super) fn problem(crates: usize) -> Option<String> {
    (crates > MOST).then(|| format!("the stdio stack has {crates} crates, more than {MOST}"))
}

/// A crate stands on a line as `name v1.2.3`, with remarks behind it.
fn distinct(tree: &str) -> usize {
    let crates = tree.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        Some((words.next()?, words.next()?))
    });
    crates.collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_counts_once_a_version() {
        let tree = "a v1.0.0 (path)\nb v1.0.0 (proc-macro)\n\na v1.0.0 (path) (*)\nb v2.0.0\n";
        assert_eq!(distinct(tree), 3);
    }
}
