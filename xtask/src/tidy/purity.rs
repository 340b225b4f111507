//! What must not be named where: runtimes in pure modules, transports in the client.

use super::source::Source;
use super::tree::Tree;

/// Plain structs inside crates that do wait elsewhere.
const PURE_MODULES: [&str; 32] = [
    "crates/mcp-transport-stdio/src/lines.rs",
    "crates/mcp-transport-stdio/src/ladder.rs",
    "crates/mcp-transport-stdio/src/resolve.rs",
    "crates/mcp-transport-stdio/src/batch.rs",
    "crates/mcp-transport-http/src/sse.rs",
    "crates/mcp-transport-http/src/sse/block.rs",
    "crates/mcp-transport-http/src/sse/data.rs",
    "crates/mcp-transport-http/src/sse/scanner.rs",
    "crates/mcp-client/src/handshake.rs",
    "crates/mcp-client/src/negotiation.rs",
    "crates/mcp-client/src/param_headers.rs",
    "crates/mcp-client/src/param_headers/pick.rs",
    "crates/mcp-client/src/param_headers/value.rs",
    "crates/mcp-client/src/param_headers/walk.rs",
    "crates/mcp-client/src/result_cache.rs",
    "crates/mcp-client/src/result_cache/freshness.rs",
    "crates/mcp-client/src/result_cache/key.rs",
    "crates/mcp-client/src/result_cache/stale.rs",
    "crates/mcp-client/src/result_type.rs",
    "crates/mcp-lite/src/pick.rs",
    "crates/mcp-manager/src/cache/format.rs",
    "crates/mcp-manager/src/cache/key.rs",
    "crates/mcp-manager/src/names/assign.rs",
    "crates/mcp-manager/src/names/filter.rs",
    "crates/mcp-manager/src/names/glob.rs",
    "crates/mcp-manager/src/names/registry.rs",
    "crates/mcp-manager/src/policy/backoff.rs",
    "crates/mcp-manager/src/policy/delays.rs",
    "crates/mcp-manager/src/policy/pace.rs",
    "crates/mcp-manager/src/policy/reconnect.rs",
    "crates/mcp-manager/src/policy/repeat.rs",
    "crates/mcp-manager/src/policy/retry.rs",
];
const RUNTIMES: [&str; 2] = ["tokio", "hyper"];

/// The same, which name headers and statuses by hyper's types: those neither send nor wait.
const HTTP_DECISIONS: [&str; 9] = [
    "crates/mcp-transport-http/src/challenge.rs",
    "crates/mcp-transport-http/src/challenge/reader.rs",
    "crates/mcp-transport-http/src/endpoint.rs",
    "crates/mcp-transport-http/src/gunzip.rs",
    "crates/mcp-transport-http/src/head.rs",
    "crates/mcp-transport-http/src/headers.rs",
    "crates/mcp-transport-http/src/media.rs",
    "crates/mcp-transport-http/src/resume.rs",
    "crates/mcp-transport-http/src/session.rs",
];
const DRIVERS: [&str; 4] = ["tokio", "hyper_util", "Incoming", "Instant"];

const CLIENT: &str = "crates/mcp-client";
const TRANSPORTS: [&str; 2] = ["mcp_transport_stdio", "mcp_transport_http"];

pub(super) fn problems(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    let pure = PURE_MODULES.iter().map(|module| (module, &RUNTIMES[..]));
    let decisions = HTTP_DECISIONS.iter().map(|module| (module, &DRIVERS[..]));
    for (module, banned) in pure.chain(decisions) {
        match tree.sources.iter().find(|source| source.path == *module) {
            Some(source) => check(source, banned, "a pure module", &mut problems),
            None => problems.push(format!("{module}: in the list of pure modules, but not there")),
        }
    }
    for source in tree.crate_sources(CLIENT) {
        check(source, &TRANSPORTS, "the client", &mut problems);
    }
    problems
}

fn check(source: &Source, names: &[&str], what: &str, problems: &mut Vec<String>) {
    for name in names {
        for at in source.words(name).filter(|&at| !source.is_test(at)) {
            problems.push(format!("{}: {what} names `{name}`", source.place(at)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree;
    use super::*;

    /// These files, and all other pure modules, empty.
    fn with_pure<'a>(files: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let is_given = |path: &str| files.iter().any(|(given, _)| *given == path);
        let all = PURE_MODULES.into_iter().chain(HTTP_DECISIONS);
        let others = all.filter(|path| !is_given(path)).map(|path| (path, ""));
        files.iter().copied().chain(others).collect()
    }

    #[test]
    fn a_runtime_in_a_pure_module_is_a_fault_outside_its_tests() {
        let [lines, ladder, ..] = PURE_MODULES;
        let text = "use tokio::x;\n#[cfg(test)]\nmod tests { use tokio::y; }";
        let tree = tree(&with_pure(&[(lines, text), (ladder, "// As in tokio.")]));
        assert_eq!(problems(&tree), [format!("{lines}:1: a pure module names `tokio`")]);
    }

    #[test]
    fn a_transport_in_the_client_is_a_fault() {
        let tree = tree(&with_pure(&[("crates/mcp-client/src/lib.rs", "use mcp_transport_stdio::x;")]));
        assert_eq!(
            problems(&tree),
            ["crates/mcp-client/src/lib.rs:1: the client names `mcp_transport_stdio`"]
        );
    }

    #[test]
    fn a_listed_module_must_exist() {
        assert_eq!(problems(&tree(&[])).len(), PURE_MODULES.len() + HTTP_DECISIONS.len());
    }
}
