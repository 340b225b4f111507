//! What a result says of how long it holds, and for whom.

use std::fmt;
use std::time::Duration;

use mcp_jsonrpc::Raw;
use mcp_types::ResultType;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// For whom a result holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Whoever may ask the server.
    Public,
    /// Who asked, and nobody else. Also where the server says nothing or anything else.
    #[default]
    Private,
}

/// The members of a result that are about keeping it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Freshness {
    /// How long it is fresh; zero where the server does not say, or says nothing of sense.
    pub(super) ttl: Duration,
    pub(super) scope: Scope,
}

impl Freshness {
    /// Reads a result, once; `None` if it is no object, or not complete. Of a member that is there
    /// twice the last one counts.
    pub(super) fn of(result: &Raw) -> Option<Self> {
        result.parse::<Complete>().ok()?.0
    }
}

/// What a result says; nothing, if it is not complete.
struct Complete(Option<Freshness>);

impl<'de> Deserialize<'de> for Complete {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Complete;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a result")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Complete, M::Error> {
        let (mut freshness, mut is_complete) = (Freshness::default(), true);
        while let Some(member) = map.next_key()? {
            match member {
                Member::TtlMs => freshness.ttl = ttl(map.next_value::<&RawValue>()?),
                Member::CacheScope => freshness.scope = scope(map.next_value::<&RawValue>()?),
                Member::ResultType => {
                    is_complete &=
                        text(map.next_value::<&RawValue>()?).as_deref() == Some(ResultType::COMPLETE);
                }
                Member::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Complete(is_complete.then_some(freshness)))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Member {
    TtlMs,
    CacheScope,
    ResultType,
    #[serde(other)]
    Other,
}

/// Milliseconds. A fraction is dropped, a negative number is zero, and what is too large is the
/// longest time there is.
fn ttl(value: &RawValue) -> Duration {
    let value = value.get();
    let is_integer = value.bytes().all(|byte| byte.is_ascii_digit());
    match (value.parse::<u64>(), value.parse::<f64>()) {
        (Ok(milliseconds), _) => Duration::from_millis(milliseconds),
        (Err(_), Ok(_)) if is_integer => Duration::from_millis(u64::MAX),
        (Err(_), Ok(milliseconds)) if milliseconds >= 1.0 => {
            Duration::try_from_secs_f64((milliseconds / 1000.0).min(1e15)).unwrap_or_default()
        }
        _ => Duration::ZERO,
    }
}

fn scope(value: &RawValue) -> Scope {
    if text(value).as_deref() == Some("public") { Scope::Public } else { Scope::Private }
}

fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> Option<Freshness> {
        Freshness::of(&Raw::from(&*RawValue::from_string(json.to_owned()).unwrap()))
    }

    #[test]
    fn a_time_that_makes_no_sense_is_none() {
        for ttl in ["0", "-1", "-0", "null", "\"60000\"", "true", "[60000]", "{}", "0.9", "-1e300", "-1e999"]
        {
            assert_eq!(of(&format!(r#"{{"ttlMs":{ttl}}}"#)), Some(Freshness::default()), "{ttl}");
        }
        assert_eq!(of("{}"), Some(Freshness::default()));
        assert_eq!(
            of(r#"{"a":{"ttlMs":7,"cacheScope":"public","resultType":"task"}}"#),
            Some(Freshness::default())
        );
    }

    #[test]
    fn a_time_is_read_however_it_is_written() {
        let check = |ttl: &str, least: u64, most: u64| {
            let read = of(&format!(r#"{{"ttlMs":{ttl}}}"#)).unwrap().ttl;
            assert!(
                read >= Duration::from_millis(least) && read <= Duration::from_millis(most),
                "{ttl}: {read:?}"
            );
        };
        check("1", 1, 1);
        check("60000", 60_000, 60_000);
        check("6e4", 60_000, 60_000);
        check("1500.0", 1500, 1500);
        for large in ["18446744073709551615", "18446744073709551616", "1e400", "1e300"] {
            check(large, 1 << 52, u64::MAX);
        }
    }

    #[test]
    fn what_is_not_said_to_be_public_is_private() {
        for (scope, expected) in [
            ("\"public\"", Scope::Public),
            ("\"p\\u0075blic\"", Scope::Public),
            ("\"private\"", Scope::Private),
            ("\"Public\"", Scope::Private),
            ("null", Scope::Private),
            ("[\"public\"]", Scope::Private),
        ] {
            assert_eq!(of(&format!(r#"{{"cacheScope":{scope}}}"#)).unwrap().scope, expected, "{scope}");
        }
        assert_eq!(of("{}").unwrap().scope, Scope::Private);
    }

    #[test]
    fn only_a_complete_result_can_be_kept() {
        assert!(of(r#"{"resultType":"complete","ttlMs":1}"#).is_some());
        for json in [
            r#"{"resultType":"input_required","ttlMs":1}"#,
            r#"{"ttlMs":1,"resultType":"task"}"#,
            r#"{"resultType":"input_required","resultType":"complete"}"#,
            r#"{"resultType":"complete","resultType":"input_required"}"#,
            r#"{"resultType":null}"#,
            r#"{"resultType":1}"#,
            "[]",
            "null",
            "1",
        ] {
            assert_eq!(of(json), None, "{json}");
        }
    }
}
