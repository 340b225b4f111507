//! Tells which parts of the sources are compiled for tests only.
//!
//! These are files of tests, items below `#[cfg(test)]`, and the files of modules declared so.

use std::ops::Range;

use super::source::Source;

/// Fills in `tests` of each source.
pub(super) fn mark(sources: &mut [Source]) {
    let mut modules = Vec::new();
    for source in sources.iter_mut() {
        if is_test_file(&source.path) {
            source.mark_whole();
        } else {
            source.tests = test_items(&source.code);
        }
        modules.extend(declared_modules(source));
    }
    for source in sources.iter_mut() {
        if modules.iter().any(|module| is_of_module(&source.path, module)) {
            source.mark_whole();
        }
    }
}

fn is_of_module(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

/// The `tests` package is made of tests, but for the peers in its `src`.
fn is_test_file(path: &str) -> bool {
    let mut folders = path.split('/').collect::<Vec<_>>();
    let file = folders.pop();
    file == Some("tests.rs") || (folders.contains(&"tests") && !path.starts_with("tests/src/"))
}

fn test_items(code: &str) -> Vec<Range<usize>> {
    let mut items: Vec<Range<usize>> = Vec::new();
    for (start, opening) in code.match_indices("#[cfg(") {
        let condition = code[start + opening.len()..].split(']').next().unwrap_or_default();
        let for_tests = condition.starts_with("test)") || condition.starts_with("all(test,");
        if for_tests && !items.iter().any(|item| item.contains(&start)) {
            items.push(start..item_end(code, start));
        }
    }
    items
}

/// Where the item ends whose attributes begin at `start`: behind its `;`, or its closing brace.
fn item_end(code: &str, start: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        match byte {
            b';' if depth == 0 => return at + 1,
            // A `use` has its `;` behind the brace.
            b'}' if depth <= 0 => return at + 1 + usize::from(code[at + 1..].starts_with(';')),
            _ => {}
        }
    }
    code.len()
}

/// Paths, without `.rs`, of the modules that `source` declares for tests and keeps elsewhere.
fn declared_modules(source: &Source) -> Vec<String> {
    let own = source.path.trim_end_matches(".rs");
    let (folder, name) = own.rsplit_once('/').unwrap_or(("", own));
    let home = if matches!(name, "lib" | "main" | "mod") { folder } else { own };
    let items = source.tests.iter().map(|range| &source.code[range.clone()]);
    items.filter_map(|item| Some(format!("{home}/{}", declared_name(item)?))).collect()
}

/// `x` of an item `#[..] mod x;`.
fn declared_name(item: &str) -> Option<&str> {
    let (before, name) = item.strip_suffix(';')?.rsplit_once("mod ")?;
    let is_declaration = !before.contains('{') && name.chars().all(|c| c == '_' || c.is_alphanumeric());
    is_declaration.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree;

    /// The texts that count as tests in the first of `files`.
    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let tree = tree(files);
        let source = &tree.sources[0];
        let parts = source.tests.iter().map(|range| &source.text[range.clone()]).collect::<Vec<_>>();
        assert_eq!(parts, expected);
    }

    #[test]
    fn an_item_reaches_to_its_end() {
        check(
            &[("a.rs", "x();\n#[cfg(test)]\nmod t { a(); { b } }\ny();")],
            &["#[cfg(test)]\nmod t { a(); { b } }"],
        );
        check(
            &[("a.rs", "#[cfg(all(test, unix))] use a::{b, c}; y();")],
            &["#[cfg(all(test, unix))] use a::{b, c};"],
        );
        check(&[("a.rs", "struct S { #[cfg(test)] seen: u8 } y();")], &["#[cfg(test)] seen: u8 }"]);
    }

    #[test]
    fn what_is_built_otherwise_too_is_no_test() {
        check(&[("a.rs", "#[cfg(any(test, feature = \"testing\"))] mod t {}")], &[]);
        check(&[("a.rs", "#[cfg(not(test))] mod t {}")], &[]);
    }

    #[test]
    fn files_of_tests_count_whole() {
        check(&[("crates/a/src/x/tests.rs", "x")], &["x"]);
        check(&[("crates/a/src/x/tests/deep.rs", "x")], &["x"]);
        check(&[("tests/it/stdio.rs", "x")], &["x"]);
        check(&[("tests/src/bin/peer.rs", "x")], &[]);
    }

    #[test]
    fn a_module_declared_for_tests_counts_whole() {
        check(&[("a/src/model.rs", "x"), ("a/src/lib.rs", "#[cfg(test)]\nmod model;")], &["x"]);
        check(&[("a/src/x/cut.rs", "x"), ("a/src/x.rs", "#[cfg(test)]\nmod cut;")], &["x"]);
        check(&[("a/src/model2.rs", "x"), ("a/src/lib.rs", "#[cfg(test)]\nmod model;")], &[]);
    }
}
