//! How many crates a program gets with the client and one transport.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use crate::process;
use crate::workspace::cargo_at;

/// The client and one transport.
pub(super) struct Stack {
    pub(super) name: &'static str,
    transport: &'static str,
    /// The most crates, ours included.
    pub(super) most: usize,
}

/// Both, with all their features.
pub(super) const STACKS: [Stack; 2] = [
    Stack { name: "stdio", transport: "mcp-transport-stdio", most: 45 },
    Stack { name: "HTTP", transport: "mcp-transport-http", most: 85 },
];

/// Counts for this machine's own platform.
pub(super) fn count(root: &Path, stack: &Stack) -> Result<usize> {
    let mut cargo = cargo_at(root);
    cargo.args(["tree", "--edges", "normal", "--prefix", "none", "--format", "{p}"]);
    let tree = process::output(cargo.args(["--package", "mcp-client", "--package", stack.transport]))?;
    Ok(distinct(&tree))
}

pub(super) fn problem(stack: &Stack, crates: usize) -> Option<String> {
    let Stack { name, most, .. } = stack;
    (crates > *most).then(|| format!("the {name} stack has {crates} crates, more than {most}"))
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
