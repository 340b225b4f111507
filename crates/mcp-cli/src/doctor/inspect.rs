//! What a list of tools is like: whether models take its names and schemas. Pure.

use std::collections::BTreeSet;

use mcp_jsonrpc::Raw;
use mcp_manager::names::is_model_safe;
use serde_json::Value;

use crate::show::count;

/// Most names that one line lists.
const SHOWN: usize = 5;

/// What was found, in lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    pub(crate) lines: Vec<String>,
    /// What to try, if something is not as models want it.
    pub(crate) next: Option<&'static str>,
}

/// Looks at the tools as they came.
pub(crate) fn inspect(tools: &[Raw]) -> Findings {
    let (mut seen, mut repeated) = (BTreeSet::new(), BTreeSet::new());
    let (mut nameless, mut unsafe_names, mut schemas) = (0_usize, Vec::new(), Vec::new());
    for tool in tools {
        let tool = tool.parse::<Value>().unwrap_or(Value::Null);
        let Some(name) = tool.get("name").and_then(Value::as_str) else {
            nameless += 1;
            continue;
        };
        if !is_model_safe(name) {
            unsafe_names.push(name.to_owned());
        }
        if !seen.insert(name.to_owned()) {
            repeated.insert(name.to_owned());
        }
        if tool.pointer("/inputSchema/type").and_then(Value::as_str) != Some("object") {
            schemas.push(name.to_owned());
        }
    }
    let mut findings = Findings::default();
    findings.lines.push(count(tools.len(), "tool"));
    let mut tell = |names: Vec<String>, what: &str, next: &'static str| {
        if !names.is_empty() {
            findings.lines.push(format!("{what}: {}", shown(&names)));
            findings.next.get_or_insert(next);
        }
    };
    tell(schemas, "schema is no object", "report it to the server's author: models refuse such a schema");
    tell(repeated.into_iter().collect(), "listed more than once", "report it to the server's author");
    tell(
        unsafe_names,
        "name that models do not take as it is",
        "nothing: such tools are exposed by another name",
    );
    if nameless > 0 {
        findings.lines.push(format!("without a name: {nameless}"));
        findings.next = Some("report it to the server's author: a tool without a name cannot be called");
    }
    findings
}

fn shown(names: &[String]) -> String {
    let first: Vec<_> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(SHOWN);
    if more == 0 { first.join(", ") } else { format!("{} and {more} more", first.join(", ")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::inspect;
    use mcp_jsonrpc::Raw;

    #[track_caller]
    fn check(tools: &serde_json::Value, lines: &[&str], is_fine: bool) {
        let raw = |tool| Raw::from(serde_json::value::to_raw_value(tool).unwrap());
        let tools: Vec<_> = tools.as_array().unwrap().iter().map(raw).collect();
        let findings = inspect(&tools);
        assert_eq!(
            (findings.lines, findings.next.is_none()),
            (lines.iter().map(|it| (*it).to_owned()).collect(), is_fine)
        );
    }

    #[test]
    fn good_tools_are_counted() {
        let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
        check(&json!([]), &["0 tools"], true);
        check(&json!([tool("a")]), &["1 tool"], true);
        check(&json!([tool("a"), tool("b-2_C")]), &["2 tools"], true);
    }

    #[test]
    fn what_models_do_not_take_is_named() {
        let tools = json!([
            {"name": "a.b", "inputSchema": {"type": "object"}},
            {"name": "c", "inputSchema": {"type": "string"}},
            {"name": "c", "inputSchema": {"type": "object"}},
            {"name": "d", "inputSchema": []},
            {"name": 7}, "x", null,
        ]);
        let lines = [
            "7 tools",
            "schema is no object: `c`, `d`",
            "listed more than once: `c`",
            "name that models do not take as it is: `a.b`",
            "without a name: 3",
        ];
        check(&tools, &lines, false);
    }

    #[test]
    fn a_long_list_of_names_is_cut() {
        let tools: Vec<_> = (0..9).map(|at| json!({"name": format!("t{at}")})).collect();
        check(
            &json!(tools),
            &["9 tools", "schema is no object: `t0`, `t1`, `t2`, `t3`, `t4` and 4 more"],
            false,
        );
    }
}
