//! The headers of 2026-07-28 that repeat what a request says. The request is right, and a header that
//! says something else, or is missing, makes it a bad one.

use hyper::header::{HeaderMap, HeaderName};
use serde_json::Value;

use super::super::catalogue::tools;
use super::super::modern::Request;
use super::super::modern::meta::Meta;
use super::super::outcome::{HEADER_MISMATCH, RpcError};
use super::super::world::World;
use super::encoded::decoded;
use super::headers::{METHOD, NAME, PARAM, VERSION};

pub(super) fn check(
    headers: &HeaderMap,
    meta: &Meta,
    request: &Request,
    world: &World,
) -> Result<(), RpcError> {
    let Request { method, params, .. } = request;
    check_one(headers, &VERSION, Some(&meta.version), plain)?;
    check_one(headers, &METHOD, Some(method), plain)?;
    let named = match method.as_str() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    // One that is missing in the request itself is refused later, as any other wrong param.
    let Some(name) = params.get(named).and_then(Value::as_str) else { return Ok(()) };
    check_one(headers, &NAME, Some(name), decoded)?;
    if method != "tools/call" {
        return Ok(());
    }
    let Some(tool) = tools::find(&world.shelf(), name) else { return Ok(()) };
    check_params(headers, &tool["inputSchema"], params.get("arguments").unwrap_or(&Value::Null))
}

/// Checks the arguments that the schema marks, also those inside of others.
fn check_params(headers: &HeaderMap, schema: &Value, arguments: &Value) -> Result<(), RpcError> {
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let argument = arguments.get(name).unwrap_or(&Value::Null);
        let header = schema.get("x-mcp-header").and_then(Value::as_str);
        if let Some(header) = header.and_then(|header| format!("{PARAM}{header}").parse().ok()) {
            match argument {
                Value::Null => check_one(headers, &header, None, decoded)?,
                Value::String(text) => check_one(headers, &header, Some(text), decoded)?,
                Value::Bool(_) | Value::Number(_) => {
                    check_one(headers, &header, Some(&argument.to_string()), decoded)?;
                }
                // It has no place in a header, and the tool will say so.
                Value::Array(_) | Value::Object(_) => {}
            }
        }
        check_params(headers, schema, argument)?;
    }
    Ok(())
}

fn check_one(
    headers: &HeaderMap,
    name: &HeaderName,
    expected: Option<&str>,
    decode: fn(&str) -> Option<String>,
) -> Result<(), RpcError> {
    let values: Vec<_> = headers.get_all(name).iter().collect();
    let wrong = |what: &str| Err(RpcError::new(HEADER_MISMATCH, format!("Header mismatch: {name} {what}")));
    match (values.as_slice(), expected) {
        ([], None) => Ok(()),
        ([], Some(_)) => wrong("is missing"),
        ([value], Some(expected)) => match value.to_str().ok().and_then(decode) {
            Some(value) if value == expected => Ok(()),
            Some(_) => wrong("does not say what the request says"),
            None => wrong("cannot be read"),
        },
        ([_], None) => wrong("repeats what the request does not say"),
        _ => wrong("is there more than once"),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "it stands for `decoded`")]
fn plain(value: &str) -> Option<String> {
    Some(value.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({ "type": "object", "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "n": { "type": "integer", "x-mcp-header": "N" },
            "dry": { "type": "boolean", "x-mcp-header": "Dry" },
            "in": { "type": "object", "properties": { "zone": { "type": "string", "x-mcp-header": "Zone" } } }
        } })
    }

    #[track_caller]
    fn check(arguments: &Value, said: &[(&'static str, &'static str)], expected: bool) {
        let mut headers = HeaderMap::new();
        for (name, value) in said {
            headers.append(*name, value.parse().unwrap());
        }
        let found = check_params(&headers, &schema(), arguments);
        assert_eq!(found.is_ok(), expected, "{arguments} {said:?}");
    }

    #[test]
    fn marked_arguments_of_each_type_are_repeated() {
        let arguments = json!({ "region": "Zürich", "n": -7, "dry": false, "in": { "zone": "a b" }, "x": 1 });
        let said = [
            ("mcp-param-region", "=?base64?WsO8cmljaA==?="),
            ("mcp-param-n", "-7"),
            ("mcp-param-dry", "false"),
            ("mcp-param-zone", "a b"),
        ];
        check(&arguments, &said, true);
        for left_out in 0..said.len() {
            let mut said = said.to_vec();
            said.remove(left_out);
            check(&arguments, &said, false);
        }
    }

    #[test]
    fn what_is_not_given_is_not_repeated() {
        for arguments in [Value::Null, json!({}), json!({ "region": null, "in": null })] {
            check(&arguments, &[("mcp-param-other", "x")], true);
            check(&arguments, &[("mcp-param-region", "")], false);
            check(&arguments, &[("mcp-param-zone", "a")], false);
        }
    }

    #[test]
    fn a_value_that_differs_is_doubled_or_broken_is_a_mismatch() {
        let arguments = json!({ "region": "eu" });
        check(&arguments, &[("mcp-param-region", "eu")], true);
        check(&arguments, &[("mcp-param-region", "=?base64?ZXU=?=")], true);
        check(&arguments, &[("mcp-param-region", "EU")], false);
        check(&arguments, &[("mcp-param-region", "eu"), ("mcp-param-region", "eu")], false);
        check(&arguments, &[("mcp-param-region", "=?base64?ZXU?=")], false);
        check(&json!({ "n": 1 }), &[("mcp-param-n", "01")], false);
    }
}
