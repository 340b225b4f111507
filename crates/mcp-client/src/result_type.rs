//! What kind of result an answer is (`resultType`, 2026-07-28), found without reading the rest of it.

use std::fmt;

use mcp_jsonrpc::{Raw, Sample};
use mcp_types::ResultType;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The kinds of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An ordinary result: `complete`, or no such member, as servers of earlier revisions send it.
    Complete,
    /// `input_required`: the server asks back first.
    InputRequired,
    /// `task`: the work became a task.
    Task,
    /// Anything else, which is to be treated as an invalid result: the beginning of the value, as JSON.
    Unknown(Sample),
}

/// The kind of a result. What is no object is an ordinary result here: what it should be is found out
/// when it is read.
///
/// If a peer sends the member twice the first one counts, so that reading can stop there. Cost: where
/// the member stands first, no more than that the text is seen to be UTF-8. Else what stands before it
/// is passed over without being kept: some 0.8 ns a byte of many small members, 0.2 ns a byte of
/// long texts. Where the name is nowhere, 0.1 ns a byte to find that out.
pub(crate) fn result_type(result: &Raw) -> Kind {
    let text = result.as_str();
    // Written with escapes the name has at least one `\u00`.
    if !text.contains("resultType") && !text.contains("\\u00") {
        return Kind::Complete;
    }
    let mut found = None;
    let mut json = serde_json::Deserializer::from_str(text);
    // The walk ends with an error where the member was found; any other error is found again by
    // whoever reads the result.
    let _ = json.deserialize_map(Members { found: &mut found });
    found.map_or(Kind::Complete, kind)
}

fn kind(value: &RawValue) -> Kind {
    let text: Option<String> = serde_json::from_str(value.get()).ok();
    match text.as_deref() {
        Some(ResultType::COMPLETE) => Kind::Complete,
        Some(ResultType::INPUT_REQUIRED) => Kind::InputRequired,
        Some(ResultType::TASK) => Kind::Task,
        _ => Kind::Unknown(Sample::of(value.get().as_bytes())),
    }
}

struct Members<'f, 'a> {
    found: &'f mut Option<&'a RawValue>,
}

impl<'a> Visitor<'a> for Members<'_, 'a> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a result")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(member) = map.next_key::<Member>()? {
            match member {
                Member::ResultType => {
                    *self.found = Some(map.next_value()?);
                    return Err(M::Error::custom("found"));
                }
                Member::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

#[derive(serde::Deserialize)]
enum Member {
    #[serde(rename = "resultType")]
    ResultType,
    #[serde(other)]
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: Kind) {
        let raw = Raw::from(&*RawValue::from_string(json.to_owned()).unwrap());
        assert_eq!(result_type(&raw), expected, "{json}");
    }

    fn unknown(json: &str) -> Kind {
        Kind::Unknown(Sample::of(json.as_bytes()))
    }

    #[test]
    fn the_kind_is_found_wherever_it_stands_and_however_it_is_written() {
        check(r#"{"resultType":"complete","tools":[]}"#, Kind::Complete);
        check(r#"{"tools":[{"a":"}"}],"n":1e400,"resultType":"input_required"}"#, Kind::InputRequired);
        check(r#"{ "a" : null , "resultType" : "task" , "b":2}"#, Kind::Task);
        check(r#"{"result\u0054ype":"t\u0061sk"}"#, Kind::Task);
    }

    #[test]
    fn a_result_without_a_kind_is_complete_and_so_is_what_is_no_object() {
        for json in ["{}", r#"{"a":1}"#, "[]", "null", "7", r#""resultType""#, r#"["resultType","task"]"#] {
            check(json, Kind::Complete);
        }
    }

    #[test]
    fn a_kind_further_down_or_in_a_text_is_none() {
        check(r#"{"a":{"resultType":"task"}}"#, Kind::Complete);
        check(r#"{"a":[{"resultType":"task"}],"b":"resultType","resulttype":"task"}"#, Kind::Complete);
        check(r#"{"a":"\"resultType\":\"task\"","resultType":"input_required"}"#, Kind::InputRequired);
    }

    #[test]
    fn of_two_kinds_the_first_counts() {
        check(r#"{"resultType":"task","resultType":"complete"}"#, Kind::Task);
        check(r#"{"resultType":"x","resultType":"complete"}"#, unknown("\"x\""));
    }

    #[test]
    fn a_kind_that_nobody_knows_is_shown() {
        for value in [
            "\"done\"",
            "\"Complete\"",
            "\"\"",
            "null",
            "1",
            "true",
            "[\"task\"]",
            "{\"a\":1}",
            "\"\\ud800\"",
        ] {
            check(&format!(r#"{{"resultType":{value}}}"#), unknown(value));
        }
        let long = format!(r#"{{"resultType":"{}"}}"#, "x".repeat(1 << 16));
        let raw = Raw::from(&*RawValue::from_string(long).unwrap());
        let Kind::Unknown(sample) = result_type(&raw) else { panic!("known") };
        assert!(sample.to_string().len() < 300);
    }
}
