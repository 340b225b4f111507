//! Relative links in the README and in `docs/` lead somewhere.

use super::tree::{Text, Tree};

pub(super) fn problems(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for page in tree.texts.iter().filter(|file| is_page(&file.path)) {
        for (line, target) in links(&page.text) {
            let path = resolve(&page.path, target);
            if !leads_somewhere(&path, &tree.texts) {
                problems.push(format!("{}:{line}: links to {target}, which is not there", page.path));
            }
        }
    }
    problems
}

fn is_page(path: &str) -> bool {
    path == "README.md" || (path.starts_with("docs/") && path.ends_with(".md"))
}

/// Line and target of each relative link outside of code blocks.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next());
        let relative = targets.filter(|target| !target.is_empty() && !target.contains("://"));
        found.extend(relative.filter(|_| !in_code).map(|target| (index + 1, target)));
    }
    found
}

/// `target`, seen from the page at `from`, as a path from the root.
fn resolve(from: &str, target: &str) -> String {
    let mut parts = from.split('/').collect::<Vec<_>>();
    parts.pop();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

fn leads_somewhere(path: &str, files: &[Text]) -> bool {
    files
        .iter()
        .any(|file| file.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(
            problems(&tree(&[("docs/a.md", text), ("docs/b.md", ""), ("xtask/src/main.rs", "")])),
            expected
        );
    }

    #[test]
    fn files_folders_and_anchors_are_found() {
        check(
            "[b](b.md) [b](./b.md#part) [x](../xtask) [x](../xtask/src/) [web](https://example.com/x)",
            &[],
        );
        check("[here](#part)", &[]);
    }

    #[test]
    fn a_dead_link_is_a_fault_outside_of_code() {
        check("\n[c](c.md)", &["docs/a.md:2: links to c.md, which is not there"]);
        check("[x](../xtas)", &["docs/a.md:1: links to ../xtas, which is not there"]);
        check("```\n[c](c.md)\n```", &[]);
    }
}
