//! Checks who depends on whom: the table of `docs/architecture.md` against `cargo metadata`.
//!
//! Both ways: an edge that the table does not have is a fault, and so is one that only the table
//! has. Further: which parts of tokio the pure crates use, and how many crates each
//! transport brings into a program.

mod edges;
mod metadata;
mod stack;
mod table;
mod tokio_features;

use anyhow::{Result, bail};

use crate::options::Options;
use crate::workspace::Workspace;

pub(crate) fn step(workspace: &Workspace, _: &Options) -> Result<()> {
    let packages = metadata::read(&workspace.root)?;
    let mut problems = edges::problems(&table::ROWS, &packages);
    problems.extend(tokio_features::problems(&packages));
    println!("{} crates of ours", packages.len());
    for stack in &stack::STACKS {
        let crates = stack::count(&workspace.root, stack)?;
        println!("the {} stack: {crates} crates, at most {}", stack.name, stack.most);
        problems.extend(stack::problem(stack, crates));
    }
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    // Invariant 1: mcp-types depends on serde alone, so it can neither wait nor open anything.
    // Invariant 2: mcp-jsonrpc has nothing but tokio's `sync`; its clippy.toml bans std's clocks and threads.
    // Invariant 5: mcp-client has an edge to no transport, and no clock of tokio.
    #[test]
    fn the_edges_are_those_of_the_table() {
        let packages = metadata::read(&workspace::root().unwrap()).unwrap();
        assert_eq!(edges::problems(&table::ROWS, &packages), Vec::<String>::new());
        assert_eq!(tokio_features::problems(&packages), Vec::<String>::new());
    }
}
