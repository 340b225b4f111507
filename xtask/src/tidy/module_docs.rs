//! Every Rust file says first what it is for.

use super::tree::Tree;

pub(super) fn problems(tree: &Tree) -> Vec<String> {
    let silent = tree.sources.iter().filter(|source| !source.text.starts_with("//! "));
    silent
        .map(|source| format!("{}:1: begins with no `//!` line that says what it is for", source.path))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree;
    use super::*;

    #[test]
    fn the_first_line_is_documentation() {
        assert_eq!(problems(&tree(&[("a.rs", "//! Adds.\nfn add() {}")])), [""; 0]);
        assert_eq!(problems(&tree(&[("a.rs", "fn add() {}")])).len(), 1);
        assert_eq!(problems(&tree(&[("a.rs", "//!\nfn add() {}")])).len(), 1);
    }
}
