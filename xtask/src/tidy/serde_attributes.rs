//! No untagged and no flattened types: they buffer, guess, and report errors that say nothing.

use super::tree::Tree;

const BANNED: [&str; 2] = ["untagged", "flatten"];

pub(super) fn problems(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for source in tree.sources.iter().filter(|source| source.path.starts_with("crates/")) {
        for at in source.words("serde").filter(|&at| source.code[at..].starts_with("serde(")) {
            let inside = source.code[at..].split(']').next().unwrap_or_default();
            for word in BANNED.iter().filter(|word| contains_word(inside, word)) {
                problems.push(format!("{}: `serde({word})` is not used here", source.place(at)));
            }
        }
    }
    problems
}

fn contains_word(text: &str, word: &str) -> bool {
    text.split(|c: char| c != '_' && !c.is_alphanumeric()).any(|it| it == word)
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree;
    use super::*;

    #[track_caller]
    fn check(text: &str, faults: usize) {
        assert_eq!(problems(&tree(&[("crates/a/src/lib.rs", text)])).len(), faults, "{text}");
    }

    #[test]
    fn both_are_found_among_other_attributes() {
        check("#[serde(default, flatten)]", 1);
        check("#[serde(\n    untagged\n)]", 1);
        check("#[cfg_attr(x, serde(flatten))]", 1);
    }

    #[test]
    fn the_words_alone_are_free() {
        check("#[serde(default)] x.flatten() // serde(flatten)", 0);
        check("#[serde(rename = \"flatten\")]", 0);
    }
}
