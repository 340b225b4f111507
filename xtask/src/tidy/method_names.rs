//! Transports know no method of MCP.

use super::tree::Tree;

/// Methods that are one word: as a whole text, or quoted inside one.
const WORDS: [&str; 2] = ["initialize", "ping"];
/// Beginnings of the others.
const PREFIXES: [&str; 11] = [
    "completion/",
    "elicitation/",
    "logging/",
    "notifications/",
    "prompts/",
    "resources/",
    "roots/",
    "sampling/",
    "server/discover",
    "tasks/",
    "tools/",
];

pub(super) fn problems(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for name in tree.crates().into_iter().filter(|name| name.starts_with("mcp-transport-")) {
        for source in tree.crate_sources(&format!("crates/{name}")) {
            for (at, literal) in source.literals().filter(|(at, _)| !source.is_test(*at)) {
                if names_a_method(literal) {
                    problems.push(format!("{}: a transport names a method: {literal}", source.place(at)));
                }
            }
        }
    }
    problems
}

fn names_a_method(literal: &str) -> bool {
    let plain = literal.replace('\\', "");
    WORDS.iter().any(|word| plain.contains(&format!("\"{word}\"")))
        || PREFIXES.iter().any(|prefix| plain.contains(prefix))
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree;
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let files = [("crates/mcp-transport-x/Cargo.toml", ""), ("crates/mcp-transport-x/src/lib.rs", text)];
        assert_eq!(problems(&tree(&files)), expected);
    }

    #[test]
    fn a_method_in_a_text_is_a_fault() {
        let place = "crates/mcp-transport-x/src/lib.rs:1: a transport names a method:";
        check("f(\"ping\")", &[&format!("{place} \"ping\"")]);
        check("f(\"tools/list\")", &[&format!("{place} \"tools/list\"")]);
        check(
            r#"f("{\"method\":\"initialize\"}")"#,
            &[&format!(r#"{place} "{{\"method\":\"initialize\"}}""#)],
        );
    }

    #[test]
    fn words_comments_and_tests_are_free() {
        check("f(\"stopping\"); // \"ping\"\n#[cfg(test)]\nmod tests { f(\"ping\") }", &[]);
    }
}
