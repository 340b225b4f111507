//! The tables from obligation or case to test name tests that exist.

use std::collections::BTreeSet;

use super::source::Source;
use super::tree::Tree;

const PAGES: [&str; 3] = ["docs/cases.md", "docs/obligations.md", "docs/spec.md"];
/// A test's name is a sentence, so it is told from other names by its length.
const LEAST_UNDERSCORES: usize = 3;

pub(super) fn problems(tree: &Tree) -> Vec<String> {
    let functions = tree.sources.iter().flat_map(functions).collect::<BTreeSet<_>>();
    let mut problems = Vec::new();
    for page in PAGES {
        for (index, line) in tree.text(page).unwrap_or_default().lines().enumerate() {
            for name in cited(line).filter(|name| !functions.contains(name)) {
                problems.push(format!("{page}:{}: there is no test `{name}`", index + 1));
            }
        }
    }
    problems
}

fn functions(source: &Source) -> impl Iterator<Item = &str> {
    source.words("fn").filter_map(|at| {
        let name = source.code[at + "fn".len()..].trim_start();
        name.split(|c: char| c != '_' && !c.is_alphanumeric()).next()
    })
}

/// Names between backticks, as `a_test_name` or `a::path::to::a_test_name`.
fn cited(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter_map(|text| text.rsplit("::").next()).filter(|name| is_test_name(name))
}

fn is_test_name(name: &str) -> bool {
    let is_snake = name.chars().all(|c| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit());
    is_snake && name.matches('_').count() >= LEAST_UNDERSCORES
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree;
    use super::*;

    #[track_caller]
    fn check(page: &str, expected: &[&str]) {
        let source = "async fn a_late_answer_is_ignored() {} // fn not_in_a_comment";
        assert_eq!(problems(&tree(&[("docs/cases.md", page), ("a/src/lib.rs", source)])), expected);
    }

    #[test]
    fn a_cited_test_must_exist() {
        check("| 1 | `a_late_answer_is_ignored`, `mcp_a::tests::a_late_answer_is_ignored` |", &[]);
        check("\n| 2 | `a_test_that_went` |", &["docs/cases.md:2: there is no test `a_test_that_went`"]);
        check("| 3 | `not_in_a_comment` |", &["docs/cases.md:1: there is no test `not_in_a_comment`"]);
    }

    #[test]
    fn each_page_of_rows_is_looked_at() {
        for page in ["docs/cases.md", "docs/obligations.md", "docs/spec.md"] {
            let problems = problems(&tree(&[(page, "`a_test_that_went`")]));
            assert_eq!(problems, [format!("{page}:1: there is no test `a_test_that_went`")]);
        }
    }

    #[test]
    fn shorter_names_and_plain_words_are_free() {
        check("`max_line` and `MAX_LINE_OF_ALL` and a_name_without_marks", &[]);
    }
}
