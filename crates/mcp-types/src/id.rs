//! Request ids and progress tokens: a string or an integer, never anything else.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use serde::{Serialize, Serializer};

/// The id of a request, and of the response to it.
///
/// Two ids are equal only if value and JSON type are equal: `7` is not `"7"`. A float without a
/// fraction (`5.0`) reads as the integer, since some servers know no other numbers. `0` and the
/// empty string are ordinary ids. (JSON-RPC 2.0 section 4; C-004, C-005, C-008.)
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequestId {
    /// An integer.
    Number(i64),
    /// A string, possibly empty.
    Text(String),
}

/// The token that ties progress notifications to a request: same forms as an id.
pub type ProgressToken = RequestId;

impl From<i64> for RequestId {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<String> for RequestId {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for RequestId {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_i64(*number),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IdVisitor)
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = RequestId;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string or an integer")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<RequestId, E> {
        Ok(RequestId::Number(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<RequestId, E> {
        i64::try_from(number)
            .map(RequestId::Number)
            .map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<RequestId, E> {
        // Beyond 2^53 a float no longer says which integer was meant.
        let exact = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
        if exact {
            #[expect(clippy::cast_possible_truncation, reason = "integral and within 2^53")]
            let number = number as i64;
            Ok(RequestId::Number(number))
        } else {
            Err(E::invalid_value(Unexpected::Float(number), &self))
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<RequestId, E> {
        Ok(RequestId::Text(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<RequestId, E> {
        Ok(RequestId::Text(text))
    }
}

/// As in JSON: a string in quotes, a number without.
impl fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Text(text) => write!(formatter, "{text:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RequestId;

    fn read(json: &str) -> Option<RequestId> {
        serde_json::from_str(json).ok()
    }

    #[test]
    fn strings_and_integers_are_ids_zero_and_empty_included() {
        assert_eq!(read("0"), Some(0.into()));
        assert_eq!(read("-3"), Some((-3).into()));
        assert_eq!(read(r#""""#), Some("".into()));
        assert_eq!(read(r#""7""#), Some("7".into()));
        assert_ne!(read(r#""7""#), read("7"));
    }

    #[test]
    fn an_integral_float_is_the_integer() {
        assert_eq!(read("5.0"), Some(5.into()));
        assert_eq!(read("5e0"), Some(5.into()));
        assert_eq!(read("-0.0"), Some(0.into()));
        assert_eq!(read("5.5"), None);
        assert_eq!(read("1e300"), None);
    }

    #[test]
    fn nothing_else_is_an_id() {
        for json in ["null", "true", "[]", "{}", "18446744073709551615"] {
            assert_eq!(read(json), None, "{json}");
        }
    }

    #[test]
    fn an_id_round_trips_with_its_type() {
        for json in ["0", "-1", "9223372036854775807", r#""a\"b""#, r#""""#] {
            assert_eq!(serde_json::to_string(&read(json).unwrap()).unwrap(), json);
        }
    }
}
