//! Nothing committed names a machine's own folders or the host of a package registry.

use super::tree::Tree;

/// Written in two parts, so that this file passes its own check.
const BANNED: [&str; 8] = [
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("registry.", "npmjs.org"),
    concat!("registry.", "yarnpkg.com"),
    concat!("pypi.", "org"),
    concat!("files.", "pythonhosted.org"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
];

pub(super) fn problems(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for file in &tree.texts {
        for (index, line) in file.text.lines().enumerate() {
            for place in BANNED.iter().filter(|place| line.contains(*place)) {
                problems.push(format!("{}:{}: names {place}", file.path, index + 1));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree;
    use super::*;

    #[test]
    fn a_place_is_found_in_any_file() {
        let text = format!("\"a\"\n\"{}b\"", BANNED[0]);
        assert_eq!(problems(&tree(&[("a.json", &text)])), [format!("a.json:2: names {}", BANNED[0])]);
        assert_eq!(problems(&tree(&[("a.json", "http://localhost/workspace")])), [""; 0]);
    }
}
