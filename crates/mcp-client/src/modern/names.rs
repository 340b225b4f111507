//! What a transport with headers repeats there of every request: the name of what it is about.

use std::borrow::Cow;

use mcp_jsonrpc::Mirrored;
use mcp_types::{CallTool, GetPrompt, Method, ReadResource};
use serde::Deserialize;
use serde_json::value::RawValue;

const HEADER: &str = "Mcp-Name";

/// The header for `method`, if it has one and the params name what it is to hold. If they do not, the
/// server will say so.
pub(super) fn of(method: &str, params: Option<&RawValue>) -> Option<Mirrored> {
    let pick: fn(Named) -> Option<String> = match method {
        CallTool::NAME | GetPrompt::NAME => |named| named.name.map(Cow::into_owned),
        ReadResource::NAME => |named| named.uri.map(Cow::into_owned),
        "tasks/get" | "tasks/update" | "tasks/cancel" => |named| named.task_id.map(Cow::into_owned),
        _ => return None,
    };
    let named = serde_json::from_str::<Named<'_>>(params?.get()).ok()?;
    Some(Mirrored { header: Cow::Borrowed(HEADER), value: pick(named)? })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uri: Option<Cow<'a, str>>,
    #[serde(borrow)]
    task_id: Option<Cow<'a, str>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(method: &str, params: &str) -> Option<String> {
        let params = RawValue::from_string(params.to_owned()).unwrap();
        of(method, Some(&params)).map(|mirrored| mirrored.value)
    }

    #[test]
    fn each_method_is_named_by_the_member_that_the_transport_asks_for() {
        let params = r#"{"name":"n\u00e9","uri":"file:///a%20b","taskId":"t"}"#;
        for (method, expected) in [
            ("tools/call", Some("né")),
            ("prompts/get", Some("né")),
            ("resources/read", Some("file:///a%20b")),
            ("tasks/get", Some("t")),
            ("tasks/update", Some("t")),
            ("tasks/cancel", Some("t")),
            ("tools/list", None),
            ("x/y", None),
        ] {
            assert_eq!(name(method, params).as_deref(), expected, "{method}");
        }
    }

    #[test]
    fn params_without_a_name_have_no_header() {
        for params in ["{}", "[]", "7", r#"{"name":7}"#, r#"{"name":null}"#] {
            assert_eq!(name("tools/call", params), None);
        }
        assert_eq!(of("tools/call", None), None);
    }
}
