//! How the JSON members of an object become the fields of a struct, and back.
//!
//! A struct is written out in full, with its documentation; one table beside it says which member
//! is which field and of which kind:
//!
//! ```text
//! object!(Icon {
//!     "src" => src: required,
//!     "mimeType" => mime_type: optional,
//! });
//! ```
//!
//! The kinds are the modules below, and a new one is a new module with the same three functions. The
//! field `extra` is not in the table: it takes all members that are not.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// An object of the specification, read from the members of a map and written as such.
pub(crate) trait Object: Sized {
    /// Reads all members that are left. The last one of a name counts.
    fn read<'de, M: MapAccess<'de>>(map: &mut M) -> Result<Self, M::Error>;

    /// Writes the known members in the order of the table, then the others.
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
}

/// Implements [`Object`] from a table of members.
///
/// Alone it serves objects that never stand alone: a content block needs its `type` as well.
macro_rules! members {
    ($object:ident { $($name:literal => $field:ident: $kind:ident),* $(,)? }) => {
        impl $crate::object::Object for $object {
            fn read<'de, M: serde::de::MapAccess<'de>>(map: &mut M) -> Result<Self, M::Error> {
                $(let mut $field = None;)*
                let mut extra = $crate::extra::Extra::new();
                while let Some(name) = map.next_key::<$crate::object::Text<'de>>()? {
                    match name.as_str() {
                        $($name => {
                            $field = $crate::object::$kind::read(map)
                                .map_err(|error| $crate::object::in_member($name, &error))?;
                        })*
                        _ => extra.push(name.into_string(), map.next_value()?),
                    }
                }
                Ok(Self { $($field: $crate::object::$kind::settle($field, $name)?,)* extra })
            }

            fn write<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $($crate::object::$kind::write(&self.$field, $name, map)?;)*
                self.extra.write(map)
            }
        }
    };
}

/// Implements `Deserialize` and `Serialize` from a table of members.
macro_rules! object {
    ($object:ident { $($members:tt)* }) => {
        $crate::object::members!($object { $($members)* });

        impl<'de> serde::Deserialize<'de> for $object {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::object::deserialize(deserializer)
            }
        }

        impl serde::Serialize for $object {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::object::serialize(self, serializer)
            }
        }
    };
}

pub(crate) use {members, object};

/// The member must be there.
pub(crate) mod required {
    use super::{Deserialize, Error, MapAccess, Serialize, SerializeMap};

    pub(crate) fn read<'de, T: Deserialize<'de>, M: MapAccess<'de>>(
        map: &mut M,
    ) -> Result<Option<T>, M::Error> {
        map.next_value().map(Some)
    }

    pub(crate) fn settle<T, E: Error>(value: Option<T>, name: &'static str) -> Result<T, E> {
        value.ok_or_else(|| E::missing_field(name))
    }

    pub(crate) fn write<T: Serialize, M: SerializeMap>(
        value: &T,
        name: &'static str,
        map: &mut M,
    ) -> Result<(), M::Error> {
        map.serialize_entry(name, value)
    }
}

/// The member may be there; `null` is the same as absent.
pub(crate) mod optional {
    use super::{Deserialize, Error, MapAccess, Serialize, SerializeMap};

    pub(crate) fn read<'de, T: Deserialize<'de>, M: MapAccess<'de>>(
        map: &mut M,
    ) -> Result<Option<T>, M::Error> {
        map.next_value()
    }

    pub(crate) fn settle<T, E: Error>(value: Option<T>, _name: &'static str) -> Result<Option<T>, E> {
        Ok(value)
    }

    pub(crate) fn write<T: Serialize, M: SerializeMap>(
        value: &Option<T>,
        name: &'static str,
        map: &mut M,
    ) -> Result<(), M::Error> {
        value.as_ref().map_or(Ok(()), |value| map.serialize_entry(name, value))
    }
}

/// The member may be there, and `null` is a value like any other.
pub(crate) mod nullable {
    pub(crate) use super::optional::{settle, write};
    pub(crate) use super::required::read;
}

/// The specification wants the member, but peers leave it out: then it is empty.
pub(crate) mod lenient {
    use super::Error;

    pub(crate) use super::optional::read;
    pub(crate) use super::required::write;

    pub(crate) fn settle<T: Default, E: Error>(value: Option<T>, _name: &'static str) -> Result<T, E> {
        Ok(value.unwrap_or_default())
    }
}

/// Says in which member an error is. The position stays at the end, where `serde_json` looks for it.
#[cold]
pub(crate) fn in_member<E: Error>(name: &str, error: &E) -> E {
    E::custom(format_args!("`{name}`: {error}"))
}

/// A name or a short text, borrowed from the input unless it holds escapes.
#[derive(Debug)]
pub(crate) struct Text<'de>(Cow<'de, str>);

impl Text<'_> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn into_string(self) -> String {
        self.0.into_owned()
    }
}

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}

pub(crate) fn deserialize<'de, T: Object, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(ObjectVisitor(PhantomData))
}

pub(crate) fn serialize<T: Object, S: Serializer>(object: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    object.write(&mut map)?;
    map.end()
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Object> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<T, M::Error> {
        T::read(&mut map)
    }
}

#[cfg(test)]
mod tests;
