//! One argument as the text of a header.

use std::fmt;

use serde_json::value::RawValue;

use super::Name;

/// The largest integer that every JSON reader has exactly: 2^53 - 1.
const MAX_INTEGER: u64 = (1 << 53) - 1;

/// The types that an annotated property can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParamType {
    /// `string`.
    String,
    /// `integer`.
    Integer,
    /// `boolean`.
    Boolean,
}

/// Why a value has no such text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    /// It is of another type.
    Type,
    /// It is too large either way.
    Range,
}

impl ParamType {
    /// The type that the `type` of a schema names, if it is one of these.
    pub(super) fn named(name: &RawValue) -> Option<Self> {
        match &*serde_json::from_str::<Name<'_>>(name.get()).ok()?.0 {
            "string" => Some(Self::String),
            "integer" => Some(Self::Integer),
            "boolean" => Some(Self::Boolean),
            _ => None,
        }
    }

    /// The text of a value of this type; `null` has none.
    pub(super) fn text(self, value: &RawValue) -> Result<Option<String>, Unfit> {
        let value = value.get();
        match (self, value) {
            (_, "null") => Ok(None),
            (Self::Boolean, "true" | "false") => Ok(Some(value.to_owned())),
            (Self::Boolean, _) => Err(Unfit::Type),
            (Self::String, _) => serde_json::from_str(value).map(Some).map_err(|_| Unfit::Type),
            (Self::Integer, _) => integer(value).map(Some),
        }
    }
}

impl fmt::Display for ParamType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
        })
    }
}

/// The decimal text of a number, by its text: no float comes between, so nothing is rounded.
fn integer(json: &str) -> Result<String, Unfit> {
    let unsigned = json.strip_prefix('-').unwrap_or(json);
    if !unsigned.starts_with(|first: char| first.is_ascii_digit()) {
        return Err(Unfit::Type);
    }
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Ok("0".to_owned());
    }
    // The value is `significant` times ten to the power of `zeros`.
    let trailing = digits.len() - digits.trim_end_matches('0').len();
    let zeros = power(exponent).saturating_add(length(trailing)).saturating_sub(length(fraction.len()));
    let Ok(zeros) = usize::try_from(zeros) else { return Err(Unfit::Type) };
    // The limit has 16 digits.
    if significant.len().saturating_add(zeros) > 16 {
        return Err(Unfit::Range);
    }
    let value = format!("{significant}{}", "0".repeat(zeros));
    if !value.parse().is_ok_and(|value: u64| value <= MAX_INTEGER) {
        return Err(Unfit::Range);
    }
    Ok(if json.starts_with('-') { format!("-{value}") } else { value })
}

/// An exponent; one of too many digits is as large as can be.
fn power(exponent: &str) -> i64 {
    let bound = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
    exponent.parse().unwrap_or(bound)
}

fn length(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: Result<&str, Unfit>) {
        let value = RawValue::from_string(json.to_owned()).unwrap();
        assert_eq!(ParamType::Integer.text(&value), expected.map(|text| Some(text.to_owned())), "{json}");
    }

    #[test]
    fn an_integer_is_told_by_its_value_and_written_in_decimal() {
        for (json, text) in [
            ("42", "42"),
            ("-7", "-7"),
            ("0", "0"),
            ("-0", "0"),
            ("0.0e99999999999999999999", "0"),
            ("1.0", "1"),
            ("1e2", "100"),
            ("1.50E+1", "15"),
            ("120e-1", "12"),
            ("-10.00e-1", "-1"),
            ("9007199254740991", "9007199254740991"),
            ("-9007199254740991.0", "-9007199254740991"),
            ("0.9007199254740991e16", "9007199254740991"),
        ] {
            check(json, Ok(text));
        }
    }

    #[test]
    fn what_is_no_integer_has_the_wrong_type() {
        for json in ["1.5", "1e-1", "0.1", "1e-99999999999999999999", "\"1\"", "true", "[]", "{}"] {
            check(json, Err(Unfit::Type));
        }
    }

    #[test]
    fn integers_that_not_every_reader_has_exactly_are_out_of_range() {
        for json in [
            "9007199254740992",
            "-9007199254740992",
            "9007199254740992.0",
            "1e16",
            "1e400",
            "-1e99999999999999999999",
            "100000000000000000000",
        ] {
            check(json, Err(Unfit::Range));
        }
    }

    #[test]
    fn strings_and_booleans_are_themselves_and_nothing_else() {
        let text = |kind: ParamType, json: &str| kind.text(&RawValue::from_string(json.to_owned()).unwrap());
        assert_eq!(text(ParamType::String, r#"" a\n\u00e9""#), Ok(Some(" a\né".to_owned())));
        assert_eq!(text(ParamType::String, "\"\""), Ok(Some(String::new())));
        assert_eq!(text(ParamType::Boolean, "false"), Ok(Some("false".to_owned())));
        for kind in [ParamType::String, ParamType::Integer, ParamType::Boolean] {
            assert_eq!(text(kind, "null"), Ok(None));
        }
        for (kind, json) in [
            (ParamType::String, "1"),
            (ParamType::String, "[\"a\"]"),
            (ParamType::String, "\"\\ud800\""),
            (ParamType::Boolean, "\"true\""),
            (ParamType::Boolean, "0"),
        ] {
            assert_eq!(text(kind, json), Err(Unfit::Type), "{json}");
        }
    }
}
