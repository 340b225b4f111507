//! Content blocks: what a tool result consists of.

use std::fmt;

use serde::de::value::{BorrowedStrDeserializer, MapDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::to_raw_value;

use crate::annotations::Annotations;
use crate::extra::Extra;
use crate::meta::Meta;
use crate::object::{Object, Text, in_member, members};
use crate::resource::{Resource, ResourceContents};

/// One block of content, told apart by its `type` member.
///
/// A block of a kind this crate does not know is kept as [`ContentBlock::Unknown`]. One of a known
/// kind must have the members of that kind: if not, the error names the member.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ContentBlock {
    /// `text`.
    Text(TextContent),
    /// `image`.
    Image(ImageContent),
    /// `audio` (2025-03-26 and later).
    Audio(AudioContent),
    /// `resource`: the contents of a resource themselves.
    Resource(Box<EmbeddedResource>),
    /// `resource_link` (2025-06-18 and later). The resource need not be listed by the server.
    ResourceLink(Box<Resource>),
    /// Any other kind, and a block without `type`.
    Unknown(UnknownContent),
}

impl ContentBlock {
    /// A block of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// The value of `type`. `None` if an unknown block came without one.
    pub fn kind(&self) -> Option<&str> {
        match self {
            Self::Text(_) => Some("text"),
            Self::Image(_) => Some("image"),
            Self::Audio(_) => Some("audio"),
            Self::Resource(_) => Some("resource"),
            Self::ResourceLink(_) => Some("resource_link"),
            Self::Unknown(block) => block.kind(),
        }
    }

    /// The text, if this is a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }
}

/// Text.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TextContent {
    /// The text.
    pub text: String,
    /// Who it is for.
    pub annotations: Option<Annotations>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl TextContent {
    /// Plain text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

members!(TextContent {
    "text" => text: required,
    "annotations" => annotations: optional,
    "_meta" => meta: optional,
});

/// An image.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ImageContent {
    /// The image in base64.
    pub data: String,
    /// Its type, such as `image/png`.
    pub mime_type: String,
    /// Who it is for.
    pub annotations: Option<Annotations>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ImageContent {
    /// An image, already in base64.
    pub fn new(base64: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self { data: base64.into(), mime_type: mime_type.into(), ..Self::default() }
    }
}

members!(ImageContent {
    "data" => data: required,
    "mimeType" => mime_type: required,
    "annotations" => annotations: optional,
    "_meta" => meta: optional,
});

/// A sound.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AudioContent {
    /// The sound in base64.
    pub data: String,
    /// Its type, such as `audio/wav`.
    pub mime_type: String,
    /// Who it is for.
    pub annotations: Option<Annotations>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl AudioContent {
    /// A sound, already in base64.
    pub fn new(base64: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self { data: base64.into(), mime_type: mime_type.into(), ..Self::default() }
    }
}

members!(AudioContent {
    "data" => data: required,
    "mimeType" => mime_type: required,
    "annotations" => annotations: optional,
    "_meta" => meta: optional,
});

/// The contents of a resource, inside a block.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EmbeddedResource {
    /// The contents.
    pub resource: ResourceContents,
    /// Who it is for.
    pub annotations: Option<Annotations>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl EmbeddedResource {
    /// Contents without annotations.
    pub fn new(resource: ResourceContents) -> Self {
        Self { resource, ..Self::default() }
    }
}

members!(EmbeddedResource {
    "resource" => resource: required,
    "annotations" => annotations: optional,
    "_meta" => meta: optional,
});

/// A block of another kind, with all its members as they were sent.
#[derive(Clone, Debug)]
pub struct UnknownContent {
    kind: Option<String>,
    members: Extra,
}

impl UnknownContent {
    /// The value of `type`, if there is one.
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// All members in order, `type` included.
    pub fn members(&self) -> &Extra {
        &self.members
    }

    /// Reads it as a kind that is known elsewhere.
    pub(crate) fn read<T: Object>(&self) -> Result<T, serde_json::Error> {
        T::read(&mut others(&self.members))
    }
}

const TYPE: &str = "type";

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(BlockVisitor)
    }
}

struct BlockVisitor;

impl<'de> Visitor<'de> for BlockVisitor {
    type Value = ContentBlock;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a content block")
    }

    /// Most peers send `type` first. Then the other members go straight to their fields.
    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<ContentBlock, M::Error> {
        let mut members = Extra::new();
        match map.next_key::<Text<'de>>()? {
            Some(name) if name.as_str() == TYPE => {
                let kind: Text<'de> = map.next_value().map_err(|error| in_member(TYPE, &error))?;
                if let Some(block) = read_known(kind.as_str(), &mut map)? {
                    return Ok(block);
                }
                members.push(name.into_string(), to_raw_value(kind.as_str()).map_err(M::Error::custom)?);
            }
            Some(name) => members.push(name.into_string(), map.next_value()?),
            None => {}
        }
        members.read_rest(&mut map)?;
        from_members(members).map_err(M::Error::custom)
    }
}

/// Reads the rest of a block of a known kind. Else it is `None`, and the map is untouched.
fn read_known<'de, M: MapAccess<'de>>(kind: &str, map: &mut M) -> Result<Option<ContentBlock>, M::Error> {
    let block = match kind {
        "text" => ContentBlock::Text(Object::read(map)?),
        "image" => ContentBlock::Image(Object::read(map)?),
        "audio" => ContentBlock::Audio(Object::read(map)?),
        "resource" => ContentBlock::Resource(Box::new(Object::read(map)?)),
        "resource_link" => ContentBlock::ResourceLink(Box::new(Object::read(map)?)),
        _ => return Ok(None),
    };
    Ok(Some(block))
}

/// Makes a block of members that were read before its kind was known. This copies a text twice.
fn from_members(members: Extra) -> Result<ContentBlock, serde_json::Error> {
    let Some(kind) = members.get(TYPE) else {
        return Ok(ContentBlock::Unknown(UnknownContent { kind: None, members }));
    };
    let kind: String = serde_json::from_str(kind.get()).map_err(|error| in_member(TYPE, &error))?;
    if let Some(block) = read_known(&kind, &mut others(&members))? {
        return Ok(block);
    }
    Ok(ContentBlock::Unknown(UnknownContent { kind: Some(kind), members }))
}

/// All members but `type`, as a map to read from.
fn others<'a>(members: &'a Extra) -> impl MapAccess<'a, Error = serde_json::Error> {
    let others = members.iter().filter(|(name, _)| *name != TYPE);
    MapDeserializer::new(others.map(|(name, value)| (BorrowedStrDeserializer::new(name), value)))
}

impl Serialize for ContentBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(block) => serialize(block, self.kind(), serializer),
            Self::Image(block) => serialize(block, self.kind(), serializer),
            Self::Audio(block) => serialize(block, self.kind(), serializer),
            Self::Resource(block) => serialize(&**block, self.kind(), serializer),
            Self::ResourceLink(block) => serialize(&**block, self.kind(), serializer),
            Self::Unknown(block) => block.members.serialize(serializer),
        }
    }
}

/// Writes the members after the `type`.
pub(crate) fn serialize<T: Object, S: Serializer>(
    block: &T,
    kind: Option<&str>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry(TYPE, &kind)?;
    block.write(&mut map)?;
    map.end()
}

#[cfg(test)]
mod tests;
