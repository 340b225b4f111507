//! A piece of JSON kept exactly as it came, sharing the buffer it was read into.

use std::fmt;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// One JSON value as text: the shared, cheaply cloned counterpart of [`RawValue`].
///
/// Nothing in it was interpreted: big integers, the spelling of numbers, unknown members and the
/// order of members are those of the sender. A `Raw` is a window into the frame it came in, so
/// keeping a small one for long keeps its whole read buffer alive; [`Raw::compact`] copies it out.
#[derive(Clone, PartialEq, Eq)]
pub struct Raw(Bytes);

impl Raw {
    /// The value of `part`, which was parsed out of `frame`; shares the memory of `frame`.
    pub(crate) fn within(frame: &Bytes, part: &RawValue) -> Self {
        Self(frame.slice_ref(part.get().as_bytes()))
    }

    /// The JSON text.
    pub fn as_str(&self) -> &str {
        // A `Raw` is only made from a `RawValue`, which is UTF-8; so the fallback is never taken.
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
    /// Fails if the value does not have the shape of `T`; the error names line and column within
    /// this value.
    pub fn parse<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_slice(&self.0)
    }

    /// A copy that holds this value's memory only.
    #[must_use]
    pub fn compact(&self) -> Self {
        Self(Bytes::copy_from_slice(&self.0))
    }
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
