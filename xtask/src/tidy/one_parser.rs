//! The envelope is read and written in one crate: only there is its `jsonrpc` member known.

use super::tree::Tree;

/// Where envelopes are known; the program holds a server, which has the other side to speak.
const EXEMPT: [&str; 2] = ["mcp-jsonrpc", "mcp-cli"];
const MEMBER: &str = "\"jsonrpc\"";

pub(super) fn problems(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    let elsewhere = tree.crates().into_iter().filter(|name| !EXEMPT.contains(name));
    for source in elsewhere.flat_map(|name| tree.crate_sources(&format!("crates/{name}"))) {
        for (at, literal) in source.literals().filter(|(at, _)| !source.is_test(*at)) {
            if literal.replace('\\', "").contains(MEMBER) {
                problems.push(format!("{}: envelopes are the matter of mcp-jsonrpc alone", source.place(at)));
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
    fn an_envelope_elsewhere_is_a_fault_outside_of_tests() {
        let text = r#"f("{\"jsonrpc\":\"2.0\"}");"#;
        check("mcp-client", text, 1);
        check("mcp-client", &format!("#[cfg(test)]\nmod tests {{ {text} }}"), 0);
        check("mcp-jsonrpc", text, 0);
    }

    #[track_caller]
    fn check(name: &str, text: &str, faults: usize) {
        let (manifest, source) = (format!("crates/{name}/Cargo.toml"), format!("crates/{name}/src/lib.rs"));
        assert_eq!(problems(&tree(&[(&manifest, ""), (&source, text)])).len(), faults);
    }
}
