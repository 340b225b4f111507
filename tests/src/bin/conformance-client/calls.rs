//! Which tools a scenario wants called, and with what.
//!
//! Each is called once with what its schema demands. The exceptions: a scenario may name its calls; one
//! wants the schema of one tool given to another; and one is of tools that are only to be listed.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use mcp_types::Tool;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::example;

/// One call to make.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) tool: &'a str,
    pub(crate) arguments: Box<RawValue>,
}

/// In this one a tool gets the schema of another tool as the client shows it.
const ECHO: &str = "json-schema-2020-12-preservation";
const ECHOING: &str = "json_schema_echo";
const ECHOED: &str = "json_schema_2020_12_tool";

/// This server answers no calls.
const LIST_ONLY: &str = "json-schema-ref-no-deref";

/// `context` is what the suite tells beside the scenario's name.
pub(crate) fn of<'a>(scenario: &str, context: &'a Value, tools: &'a [Tool]) -> Result<Vec<Call<'a>>> {
    if let Some(calls) = context["toolCalls"].as_array() {
        return calls.iter().map(named).collect();
    }
    match scenario {
        ECHO => Ok(vec![echo(tools)?]),
        LIST_ONLY => Ok(Vec::new()),
        _ => tools.iter().map(with_an_example).collect(),
    }
}

fn named(call: &Value) -> Result<Call<'_>> {
    let tool = call["name"].as_str().context("a call in the context has no name")?;
    Ok(Call { tool, arguments: to_raw_value(&call["arguments"])? })
}

fn echo(tools: &[Tool]) -> Result<Call<'_>> {
    let find = |name: &str| {
        tools.iter().find(|tool| tool.name == name).with_context(|| format!("the server lists no `{name}`"))
    };
    let (echoing, echoed) = (find(ECHOING)?, find(ECHOED)?);
    let arguments = to_raw_value(&BTreeMap::from([("schema", &echoed.input_schema)]))?;
    Ok(Call { tool: &echoing.name, arguments })
}

fn with_an_example(tool: &Tool) -> Result<Call<'_>> {
    let schema = serde_json::from_str(tool.input_schema.get())
        .with_context(|| format!("cannot read the schema of `{}`", tool.name))?;
    Ok(Call { tool: &tool.name, arguments: to_raw_value(&example::object(&schema))? })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str, schema: &str) -> Tool {
        Tool::new(name, RawValue::from_string(schema.to_owned()).unwrap())
    }

    fn check(scenario: &str, tools: &[Tool], expected: &[(&str, &str)]) {
        let calls = of(scenario, &Value::Null, tools).unwrap();
        let calls: Vec<_> = calls.iter().map(|call| (call.tool, call.arguments.get())).collect();
        assert_eq!(calls, expected);
    }

    #[test]
    fn each_tool_is_called_once_with_what_it_demands() {
        let adding = r#"{"properties":{"a":{"type":"number"},"b":{"type":"string"}},"required":["a"]}"#;
        let tools = [tool("add", adding), tool("look", r#"{"type":"object"}"#)];
        check("tools_call", &tools, &[("add", r#"{"a":1}"#), ("look", "{}")]);
        check("tools_call", &[], &[]);
    }

    #[test]
    fn the_calls_that_the_context_names_are_made_and_no_others() {
        let context = json!({ "toolCalls": [{ "name": "b", "arguments": { "x": 1 } }, { "name": "b" }] });
        let tools = [tool("a", "{}"), tool("b", "{}")];
        let calls = of("http-custom-headers", &context, &tools).unwrap();
        let calls: Vec<_> = calls.iter().map(|call| (call.tool, call.arguments.get())).collect();
        assert_eq!(calls, [("b", r#"{"x":1}"#), ("b", "null")]);
        assert!(of("", &json!({ "toolCalls": [{}] }), &tools).is_err());
    }

    #[test]
    fn tools_that_are_only_to_be_listed_are_not_called() {
        check(LIST_ONLY, &[tool("a", "{}")], &[]);
    }

    #[test]
    fn the_schema_that_is_echoed_keeps_every_byte() {
        let schema = r#"{"z": 1.0, "a":{"$anchor":"x"} }"#;
        let tools = [tool(ECHOED, schema), tool(ECHOING, "{}")];
        check(ECHO, &tools, &[(ECHOING, &format!(r#"{{"schema":{schema}}}"#))]);
    }

    #[test]
    fn a_server_without_the_tool_to_echo_is_an_error() {
        let error = of(ECHO, &Value::Null, &[tool(ECHOING, "{}")]).unwrap_err();
        assert_eq!(error.to_string(), "the server lists no `json_schema_2020_12_tool`");
    }
}
