//! Tests wait for events, or for a clock that they move themselves; they never sleep.

use super::tree::Tree;

pub(super) fn problems(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for source in &tree.sources {
        for at in source.words("sleep").filter(|&at| source.is_test(at)) {
            if source.code[at..].starts_with("sleep(") {
                problems.push(format!("{}: a test sleeps; let it wait for an event", source.place(at)));
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
    fn a_test_that_sleeps_is_a_fault() {
        let text =
            "thread::sleep(a);\n#[cfg(test)]\nmod tests {\n    f(\"sleep(1)\");\n    sleep(b).await;\n}";
        let expected = ["a/src/lib.rs:5: a test sleeps; let it wait for an event"];
        assert_eq!(problems(&tree(&[("a/src/lib.rs", text)])), expected);
        assert_eq!(problems(&tree(&[("tests/it/x.rs", "sleep(b)")])).len(), 1);
        assert_eq!(problems(&tree(&[("tests/src/bin/peer.rs", "sleep(b)")])).len(), 0);
    }
}
