//! Every crate is found in the README and in the architecture page.

use super::tree::Tree;

const PAGES: [&str; 2] = ["README.md", "docs/architecture.md"];

pub(super) fn problems(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for page in PAGES {
        let Some(text) = tree.text(page) else {
            problems.push(format!("{page}: missing"));
            continue;
        };
        for name in tree.crates().into_iter().filter(|name| !text.contains(name)) {
            problems.push(format!("{page}: does not name {name}"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree;
    use super::*;

    #[test]
    fn a_crate_must_be_named_on_both_pages() {
        let tree = tree(&[
            ("README.md", "mcp-a"),
            ("docs/architecture.md", ""),
            ("crates/mcp-a/Cargo.toml", ""),
            ("crates/mcp-a/fuzz/Cargo.toml", ""),
        ]);
        assert_eq!(problems(&tree), ["docs/architecture.md: does not name mcp-a"]);
    }
}
