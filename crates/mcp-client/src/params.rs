//! Params as text: serialised once, straight from what the caller has.

use mcp_jsonrpc::RawParams;
use mcp_types::{Extra, Meta};
use serde::Serialize;
use serde::ser::Error as _;
use serde_json::value::{RawValue, to_raw_value};

/// The `_meta` member, where no peer or caller has a say in it.
pub(crate) const META: &str = "_meta";

/// Any params. What is written as `null` is left out of the message (D-08).
pub(crate) fn plain<P: Serialize + ?Sized>(params: &P) -> serde_json::Result<Option<RawParams>> {
    let params = to_raw_value(params)?;
    Ok((params.get() != "null").then_some(params))
}

/// The same params with a progress token, which replaces one of the caller's.
pub(crate) fn with_token(params: Option<RawParams>, token: i64) -> serde_json::Result<RawParams> {
    let mut members = match params {
        Some(params) => serde_json::from_str::<Extra>(params.get())?,
        None => Extra::new(),
    };
    let mut meta = match members.get(META) {
        Some(meta) => serde_json::from_str::<Option<Meta>>(meta.get())?.unwrap_or_default(),
        None => Meta::new(),
    };
    meta.set_progress_token(&token.into());
    members.insert(META, to_raw_value(&meta)?);
    to_raw_value(&members)
}

/// The params of `tools/call`. Arguments written as `null` are left out, and anything else than an
/// object is refused: no server can take it.
pub(crate) fn of_tool_call<A: Serialize + ?Sized>(
    name: &str,
    arguments: &A,
    token: Option<i64>,
) -> serde_json::Result<RawParams> {
    let name = &*to_raw_value(name)?;
    let meta = token.map(|progress_token| ProgressMeta { progress_token });
    let params = to_raw_value(&ToolCall { name, arguments: Some(arguments), meta: meta.as_ref() })?;
    // What the arguments became is seen only now: writing them twice to find out would cost more.
    let at = r#"{"name":,"arguments":"#.len() + name.get().len();
    match params.get().as_bytes().get(at) {
        Some(b'{') => Ok(params),
        Some(b'n') => to_raw_value(&ToolCall::<A> { name, arguments: None, meta: meta.as_ref() }),
        _ => Err(serde_json::Error::custom("the arguments of a tool are an object or nothing")),
    }
}

#[derive(Serialize)]
struct ToolCall<'a, A: ?Sized> {
    name: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a A>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a ProgressMeta>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProgressMeta {
    progress_token: i64,
}

#[cfg(test)]
mod tests {
    use mcp_types::NoParams;
    use serde::Serialize;
    use serde_json::json;
    use serde_json::value::{RawValue, to_raw_value};

    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    fn tool_call(name: &str, arguments: impl Serialize, token: Option<i64>) -> String {
        of_tool_call(name, &arguments, token).unwrap().get().to_owned()
    }

    #[test]
    fn null_params_are_left_out() {
        assert!(plain(&NoParams).unwrap().is_none());
        assert!(plain(&()).unwrap().is_none());
        assert_eq!(plain(&json!({"a": null})).unwrap().unwrap().get(), r#"{"a":null}"#);
    }

    #[test]
    fn a_tool_call_is_name_arguments_and_token() {
        assert_eq!(tool_call("a", json!({"x": 1}), None), r#"{"name":"a","arguments":{"x":1}}"#);
        assert_eq!(
            tool_call("a\"\u{1}€", json!({}), Some(0)),
            "{\"name\":\"a\\\"\\u0001€\",\"arguments\":{},\"_meta\":{\"progressToken\":0}}"
        );
    }

    #[test]
    fn arguments_that_are_nothing_are_left_out() {
        assert_eq!(tool_call("a", (), None), r#"{"name":"a"}"#);
        assert_eq!(tool_call("a", None::<&RawValue>, Some(7)), r#"{"name":"a","_meta":{"progressToken":7}}"#);
    }

    #[test]
    fn arguments_of_another_kind_are_refused() {
        for arguments in [json!([1]), json!("x"), json!(1), json!(true)] {
            of_tool_call("a", &arguments, None).unwrap_err();
        }
    }

    #[test]
    fn raw_arguments_keep_every_digit() {
        let arguments = r#"{"a":9007199254740993,"b":18446744073709551615,"c":-0,"d":1e400,"e":0.10}"#;
        let expected = format!(r#"{{"name":"n","arguments":{arguments}}}"#);
        assert_eq!(tool_call("n", raw(arguments), None), expected);
    }

    #[test]
    fn a_token_joins_what_is_in_meta_and_changes_nothing_else() {
        let check = |params: Option<&str>, expected: &str| {
            assert_eq!(with_token(params.map(raw), 0).unwrap().get(), expected);
        };
        check(None, r#"{"_meta":{"progressToken":0}}"#);
        check(Some(r#"{"b":1e400,"a":2}"#), r#"{"b":1e400,"a":2,"_meta":{"progressToken":0}}"#);
        check(
            Some(r#"{"_meta":{"x/y":1,"progressToken":"mine"},"a":2}"#),
            r#"{"_meta":{"x/y":1,"progressToken":0},"a":2}"#,
        );
        check(Some(r#"{"_meta":null}"#), r#"{"_meta":{"progressToken":0}}"#);
        with_token(Some(raw("[1]")), 0).unwrap_err();
    }

    #[test]
    fn params_are_written_as_serde_json_writes_them() {
        let value = json!({"z": [1.5, "é\n"], "a": {"b": null}});
        assert_eq!(plain(&value).unwrap().unwrap().get(), to_raw_value(&value).unwrap().get());
    }
}
