//! Every method, with its capability and without.

use mcp_types::{Revision, ServerCapabilities};

use super::missing;

/// What each method needs, and a server that has just that.
const NEEDS: [(&str, &str, &str); 16] = [
    ("tools/list", "tools", r#"{"tools":{}}"#),
    ("tools/call", "tools", r#"{"tools":{}}"#),
    ("resources/list", "resources", r#"{"resources":{}}"#),
    ("resources/templates/list", "resources", r#"{"resources":{}}"#),
    ("resources/read", "resources", r#"{"resources":{}}"#),
    ("resources/subscribe", "resources.subscribe", r#"{"resources":{"subscribe":true}}"#),
    ("resources/unsubscribe", "resources.subscribe", r#"{"resources":{"subscribe":true}}"#),
    ("prompts/list", "prompts", r#"{"prompts":{}}"#),
    ("prompts/get", "prompts", r#"{"prompts":{}}"#),
    ("completion/complete", "completions", r#"{"completions":{}}"#),
    ("logging/setLevel", "logging", r#"{"logging":{}}"#),
    ("tasks/get", "tasks", r#"{"tasks":{}}"#),
    ("tasks/result", "tasks", r#"{"tasks":{}}"#),
    ("tasks/list", "tasks.list", r#"{"tasks":{"list":{}}}"#),
    ("tasks/cancel", "tasks.cancel", r#"{"tasks":{"cancel":{}}}"#),
    ("tasks/list", "tasks.list", r#"{"tasks":{"list":{},"cancel":null}}"#),
];

fn capabilities(json: &str) -> ServerCapabilities {
    serde_json::from_str(json).unwrap()
}

#[test]
fn a_method_needs_its_own_capability_and_no_other() {
    let all = r#"{"tools":{},"resources":{},"prompts":{},"logging":{},"completions":{},"tasks":{}}"#;
    for (method, needs, enough) in NEEDS {
        let found = |json: &str| missing(method, Revision::V2025_11_25, &capabilities(json));
        assert_eq!(found("{}"), Some(needs), "{method}");
        assert_eq!(found(enough), None, "{method}");
        let is_finer = needs.contains('.');
        assert_eq!(found(all), is_finer.then_some(needs), "{method}");
    }
}

#[test]
fn a_capability_that_says_no_is_none() {
    for resources in [r#"{"subscribe":false}"#, r#"{"subscribe":null}"#, r#"{"listChanged":true}"#] {
        let offered = capabilities(&format!(r#"{{"resources":{resources}}}"#));
        let missing = missing("resources/subscribe", Revision::V2025_06_18, &offered);
        assert_eq!(missing, Some("resources.subscribe"), "{resources}");
    }
}

#[test]
fn the_first_revision_has_no_capability_for_completion() {
    let nothing = capabilities("{}");
    let missing = |revision| missing("completion/complete", revision, &nothing);
    assert_eq!(missing(Revision::V2024_11_05), None);
    for revision in Revision::ALL.into_iter().skip(1) {
        assert_eq!(missing(revision), Some("completions"), "{revision}");
    }
}

#[test]
fn the_callers_own_methods_and_those_of_extensions_need_nothing() {
    let nothing = capabilities("{}");
    for revision in Revision::ALL {
        for method in ["", "ping", "x/y", "tools", "tools/x", "resources/list/", "tasks/update"] {
            assert_eq!(missing(method, revision, &nothing), None, "{method} in {revision}");
        }
    }
    for method in ["tasks/get", "tasks/cancel"] {
        assert_eq!(missing(method, Revision::V2026_07_28, &nothing), None, "{method}");
    }
}
