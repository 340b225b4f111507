//! Rules about the source text: each check takes the tree and returns its complaints.
//!
//! A complaint reads `path:line: what is wrong` where there is a line to name.

mod cited_tests;
mod documented_crates;
mod invariants;
mod lexer;
mod links;
mod method_names;
mod module_docs;
mod obligations;
mod one_parser;
mod places;
mod purity;
mod serde_attributes;
mod size;
mod sleeps;
mod source;
mod test_code;
mod tree;

use anyhow::{Result, bail};

use self::tree::Tree;
use crate::options::Options;
use crate::workspace::Workspace;

type Check = fn(&Tree) -> Vec<String>;

const CHECKS: [Check; 13] = [
    module_docs::problems,
    size::problems,
    method_names::problems,
    purity::problems,
    serde_attributes::problems,
    one_parser::problems,
    sleeps::problems,
    invariants::problems,
    documented_crates::problems,
    links::problems,
    cited_tests::problems,
    obligations::problems,
    places::problems,
];

pub(crate) fn step(workspace: &Workspace, _: &Options) -> Result<()> {
    let tree = Tree::read(&workspace.root)?;
    let problems = problems(&tree);
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    println!("{} files, {} of them Rust", tree.texts.len(), tree.sources.len());
    println!("{} obligations of the protocol are open", obligations::open(&tree));
    Ok(())
}

fn problems(tree: &Tree) -> Vec<String> {
    CHECKS.iter().flat_map(|check| check(tree)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    // Invariant 4: no method name in a transport (`method_names`).
    // Invariant 5: no transport in mcp-client (`purity`).
    // Invariant 11: one envelope parser (`one_parser`).
    #[test]
    fn the_sources_keep_the_rules() {
        let tree = Tree::read(&workspace::root().unwrap()).unwrap();
        let problems = problems(&tree);
        assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    }
}
