//! Files stay small enough to be held in mind.

use super::source::Source;
use super::tree::Tree;

/// Lines without those of tests.
const MOST_CODE: usize = 400;
/// All lines.
const MOST: usize = 600;

pub(super) fn problems(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for source in &tree.sources {
        let (all, code) = (source.text.lines().count(), lines_of_code(source));
        if all > MOST {
            problems.push(format!("{}: {all} lines, more than {MOST}", source.path));
        } else if code > MOST_CODE {
            problems.push(format!("{}: {code} lines without its tests, more than {MOST_CODE}", source.path));
        }
    }
    problems
}

fn lines_of_code(source: &Source) -> usize {
    let mut start = 0;
    let lines = source.text.split_inclusive('\n').filter(|line| {
        let at = start;
        start += line.len();
        !source.is_test(at)
    });
    lines.count()
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree;
    use super::*;

    fn check(code: usize, tests: usize, expected: &[&str]) {
        let text = format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", "x\n".repeat(code), "y\n".repeat(tests));
        assert_eq!(problems(&tree(&[("a.rs", &text)])), expected);
    }

    #[test]
    fn tests_count_apart() {
        check(400, 197, &[]);
        check(401, 0, &["a.rs: 401 lines without its tests, more than 400"]);
        check(0, 598, &["a.rs: 601 lines, more than 600"]);
    }
}
