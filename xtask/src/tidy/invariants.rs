//! Each invariant of `docs/architecture.md` is named by a test, in a comment `// Invariant 7: ...`.

use super::source::Source;
use super::tree::Tree;

const NUMBERS: std::ops::RangeInclusive<u32> = 1..=12;

pub(super) fn problems(tree: &Tree) -> Vec<String> {
    let named = tree.sources.iter().flat_map(named_by).collect::<Vec<_>>();
    let missing = NUMBERS.filter(|number| !named.contains(number));
    missing
        .map(|number| format!("invariant {number}: no test names it (`// Invariant {number}: ...`)"))
        .collect()
}

fn named_by(source: &Source) -> Vec<u32> {
    let comments = source.comments().filter(|(at, _)| source.is_test(*at));
    comments.filter_map(|(_, comment)| number(comment)).collect()
}

fn number(comment: &str) -> Option<u32> {
    let text = comment.trim_start_matches(['/', '!']).trim_start().strip_prefix("Invariant ")?;
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree;
    use super::*;

    #[test]
    fn only_a_comment_in_a_test_names_an_invariant() {
        let text = "// Invariant 2\n#[cfg(test)]\nmod tests {\n    // Invariant 1: so.\n    /// Invariant 12\n    fn f() {}\n}";
        let problems = problems(&tree(&[("a/src/lib.rs", text)]));
        assert_eq!(problems.len(), 10);
        assert_eq!(problems[0], "invariant 2: no test names it (`// Invariant 2: ...`)");
    }
}
