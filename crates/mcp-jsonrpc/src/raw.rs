//! A piece of JSON kept exactly as it came, sharing the buffer it was read into.

use std::collections::BTreeMap;
use std::fmt;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// One JSON value as text: the shared, cheaply cloned counterpart of [`RawValue`].
///
/// Nothing in it was interpreted: big integers, the spelling of numbers, unknown members and the
/// order of members are those of the sender. A `Raw` is a window into the frame it came in, so
/// keeping a small one for long keeps its whole read buffer alive; [`Raw::compact`] copies it out.
///
/// The text is UTF-8. The result of a long response was not yet checked to be JSON, to save a
/// scan: [`parse`](Self::parse) finds out, and who passes the text on without parsing it calls
/// [`check`](Self::check) first.
#[derive(Clone, PartialEq, Eq)]
pub struct Raw(Bytes);

impl Raw {
    /// The value of `part`, which was parsed out of `frame`; shares the memory of `frame`.
    pub(crate) fn within(frame: &Bytes, part: &RawValue) -> Self {
        Self::unread(frame, part.get())
    }

    /// The value that `part` of `frame` should be.
    pub(crate) fn unread(frame: &Bytes, part: &str) -> Self {
        Self(frame.slice_ref(part.as_bytes()))
    }

    /// The JSON text.
    pub fn as_str(&self) -> &str {
        // A `Raw` is only made from a `str`; so the fallback is never taken.
        std::str::from_utf8(&self.0).unwrap_or("null")
    }

    /// The bytes of the JSON text.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Reads the value into `T`.
    ///
    /// # Errors
    ///
    /// Fails if the value is not JSON, or does not have the shape of `T`; the error tells these
    /// apart (`is_syntax`, `is_data`) and names line and column within this value.
    pub fn parse<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        let text = self.as_str();
        serde_json::from_str(text).or_else(|error| match value_before_members(text) {
            Some(value) if error.is_syntax() => serde_json::from_str(value),
            _ => Err(error),
        })
    }

    /// Checks that the value is JSON; yields it, cut where the value ends.
    ///
    /// # Errors
    ///
    /// Fails if the value is not JSON.
    pub fn check(&self) -> serde_json::Result<Self> {
        let text = self.as_str();
        match serde_json::from_str::<&RawValue>(text) {
            Ok(_) => Ok(self.clone()),
            Err(error) => value_before_members(text).map(|value| Self::unread(&self.0, value)).ok_or(error),
        }
    }

    /// A copy that holds this value's memory only.
    #[must_use]
    pub fn compact(&self) -> Self {
        Self(Bytes::copy_from_slice(&self.0))
    }
}

/// The value at the start of `text`, if what follows it are further members of the object that it
/// was cut out of, none of which changes what the message is.
fn value_before_members(text: &str) -> Option<&str> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let value = values.next()?.ok()?.get();
    let rest = text[values.byte_offset()..].trim_ascii_start().strip_prefix(',')?;
    let rest = format!("{{{rest}}}");
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(&rest).ok()?;
    let is_absent = |name: &str| !members.contains_key(name);
    // The parser of envelopes takes null for absent here.
    let is_null = |name: &str| members.get(name).is_none_or(|value| value.get() == "null");
    let is_harmless = ["jsonrpc", "id", "result"].into_iter().all(is_absent)
        && ["method", "error"].into_iter().all(is_null)
        && !members.is_empty();
    (is_harmless && !members.is_empty()).then_some(value)
}

impl From<Box<RawValue>> for Raw {
    fn from(value: Box<RawValue>) -> Self {
        Self(Bytes::from(String::from(Box::<str>::from(value))))
    }
}

impl From<&RawValue> for Raw {
    fn from(value: &RawValue) -> Self {
        Self(Bytes::copy_from_slice(value.get().as_bytes()))
    }
}

/// The text, cut after some hundred characters: payloads can be huge.
impl fmt::Debug for Raw {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 200;
        let text = self.as_str();
        let mut cut = text.len().min(SHOWN);
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        write!(formatter, "Raw({}{})", &text[..cut], if cut < text.len() { "…" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn unread(text: &str) -> Raw {
        let frame = Bytes::copy_from_slice(text.as_bytes());
        Raw::unread(&frame, std::str::from_utf8(&frame).unwrap())
    }

    #[test]
    fn unknown_members_behind_a_result_do_no_harm() {
        let raw = unread(r#"{"a":[1]} , "trace":{"b":2},"x":[]"#);
        assert_eq!(raw.parse::<Value>().unwrap(), serde_json::json!({"a": [1]}));
        assert_eq!(raw.check().unwrap().as_str(), r#"{"a":[1]}"#);
    }

    #[test]
    fn what_is_not_json_is_found_out_when_it_is_read() {
        for text in
            [r#"{"a":}"#, r#"{"a":1"#, r#"{"a":1}}"#, r#"{},"error":{"code":1}"#, r#"{},"id":2"#, "{},"]
        {
            let error = unread(text).parse::<Value>().unwrap_err();
            assert!(error.is_syntax() || error.is_eof(), "{text}: {error}");
            assert!(unread(text).check().is_err(), "{text}");
        }
    }

    #[test]
    fn a_wrong_shape_is_not_mistaken_for_bad_json() {
        assert!(unread(r#"{"a":1}"#).parse::<Vec<u8>>().unwrap_err().is_data());
    }
}
