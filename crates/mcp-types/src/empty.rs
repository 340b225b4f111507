//! No params, and the result that says nothing.

use serde::de::{Deserialize, Deserializer, IgnoredAny};
use serde::ser::{Serialize, Serializer};

use crate::extra::Extra;
use crate::meta::Meta;
use crate::object::object;

/// Params of a method or notification that has none.
///
/// They are written as `null`. JSON-RPC has no such `params`, so whoever writes the message leaves
/// the member out. They are read from anything, and an absent member reads as `null`: a peer may
/// send `{}`, or `_meta` alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoParams;

impl<'de> Deserialize<'de> for NoParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

impl Serialize for NoParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

/// The result of a method that only succeeds: `{}`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EmptyResult {
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(EmptyResult { "_meta" => meta: optional });

#[cfg(test)]
mod tests {
    use super::NoParams;

    #[test]
    fn no_params_are_null_and_are_read_from_anything() {
        assert_eq!(serde_json::to_string(&NoParams).unwrap(), "null");
        for json in ["null", "{}", r#"{"_meta":{"a":[1]}}"#] {
            serde_json::from_str::<NoParams>(json).unwrap();
        }
    }
}
