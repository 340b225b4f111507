//! What results are told apart by: the method, and all params that can matter.

use std::collections::BTreeMap;

use mcp_types::{
    Discover, ListPrompts, ListResourceTemplates, ListResources, ListTools, Method, ReadResource,
};
use serde_json::value::RawValue;

/// Members of params that make no other result.
const META: &str = "_meta";
/// Members of params that belong to a round of asking back.
const ROUNDS: [&str; 2] = ["inputResponses", "requestState"];

/// A request whose result can be kept: the method and its params without `_meta`, by their text.
///
/// The order of members makes no difference. Anything else does, white space within a value too: two
/// texts of the same params cost one request more, and never give a wrong result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    area: Area,
    params: Box<str>,
    /// The `uri` of a read.
    uri: Option<Box<str>>,
}

/// The methods whose results say how long they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Area {
    /// `server/discover`.
    Discover,
    /// `tools/list`.
    Tools,
    /// `prompts/list`.
    Prompts,
    /// `resources/list`.
    Resources,
    /// `resources/templates/list`.
    Templates,
    /// `resources/read`.
    Reads,
}

impl Key {
    /// The key of a request; `None` if its result is never kept: results of other methods do not say
    /// how long they hold, and those of a request that carries `inputResponses` or `requestState` are
    /// not kept (C-419). Params that are no object, or a read without a `uri`, have no key either.
    pub(crate) fn of(method: &str, params: Option<&RawValue>) -> Option<Self> {
        let area = Area::of(method)?;
        let params = params.map_or("{}", RawValue::get);
        let mut members: BTreeMap<String, &RawValue> = serde_json::from_str(params).ok()?;
        if ROUNDS.iter().any(|name| members.contains_key(*name)) {
            return None;
        }
        members.remove(META);
        let uri = match (area, members.get("uri")) {
            (Area::Reads, uri) => Some(serde_json::from_str(uri?.get()).ok()?),
            _ => None,
        };
        Some(Self { area, params: serde_json::to_string(&members).ok()?.into(), uri })
    }

    pub(super) fn area(&self) -> Area {
        self.area
    }

    pub(super) fn uri(&self) -> Option<&str> {
        self.uri.as_deref()
    }

    /// The bytes of its texts.
    pub(super) fn bytes(&self) -> usize {
        self.params.len().saturating_add(self.uri().map_or(0, str::len))
    }
}

impl Area {
    pub(super) const COUNT: usize = Self::ALL.len();
    pub(super) const ALL: [Self; 6] =
        [Self::Discover, Self::Tools, Self::Prompts, Self::Resources, Self::Templates, Self::Reads];

    fn of(method: &str) -> Option<Self> {
        match method {
            Discover::NAME => Some(Self::Discover),
            ListTools::NAME => Some(Self::Tools),
            ListPrompts::NAME => Some(Self::Prompts),
            ListResources::NAME => Some(Self::Resources),
            ListResourceTemplates::NAME => Some(Self::Templates),
            ReadResource::NAME => Some(Self::Reads),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(method: &str, params: &str) -> Option<Key> {
        Key::of(method, Some(&RawValue::from_string(params.to_owned()).unwrap()))
    }

    #[test]
    fn params_that_differ_in_meta_and_order_alone_have_one_key() {
        assert_eq!(key("tools/list", "{}"), Key::of("tools/list", None));
        let one = key("tools/list", r#"{"_meta":{"a":1},"cursor":"c","x":1}"#);
        assert_eq!(one, key("tools/list", r#"{"x":1,"cursor":"c","_meta":{"b":[]}}"#));
        assert!(one.is_some());
    }

    #[test]
    fn another_method_cursor_uri_or_unknown_param_has_another_key() {
        let keys = [
            key("tools/list", "{}"),
            key("prompts/list", "{}"),
            key("tools/list", r#"{"cursor":""}"#),
            key("tools/list", r#"{"cursor":"c"}"#),
            key("tools/list", r#"{"x":"c"}"#),
            key("resources/read", r#"{"uri":"a:b"}"#),
            key("resources/read", r#"{"uri":"a:B"}"#),
        ];
        for (index, key) in keys.iter().enumerate() {
            assert!(key.is_some() && !keys[..index].contains(key), "{key:?}");
        }
    }

    #[test]
    fn what_is_never_kept_has_no_key() {
        for (method, params) in [
            ("tools/call", "{}"),
            ("prompts/get", "{}"),
            ("ping", "{}"),
            ("tools/LIST", "{}"),
            ("resources/read", r#"{"uri":"a:b","inputResponses":{}}"#),
            ("resources/read", r#"{"uri":"a:b","requestState":null}"#),
            ("resources/read", r#"{"uri":"a:b","request\u0053tate":"s"}"#),
            ("resources/read", "{}"),
            ("resources/read", r#"{"uri":7}"#),
            ("tools/list", "[]"),
            ("tools/list", "null"),
        ] {
            assert_eq!(key(method, params), None, "{method} {params}");
        }
    }
}
