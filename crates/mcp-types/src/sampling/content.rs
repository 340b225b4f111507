//! What messages of a conversation consist of.
//!
//! Tool use is a kind of block here only. That also keeps results of tools from holding results of
//! tools, which a peer could nest without end.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::content::{ContentBlock, serialize};
use crate::extra::Extra;
use crate::meta::Meta;
use crate::object::members;

/// The content of a message: one block or several. It is written as it was read (C-317).
#[derive(Clone, Debug)]
pub enum SamplingContent {
    /// A block by itself.
    One(Box<SamplingBlock>),
    /// An array of blocks (2025-11-25 and later).
    Many(Vec<SamplingBlock>),
}

impl SamplingContent {
    /// Plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::One(Box::new(SamplingBlock::Content(ContentBlock::text(text))))
    }

    /// The blocks, however many there are.
    pub fn blocks(&self) -> &[SamplingBlock] {
        match self {
            Self::One(block) => std::slice::from_ref(&**block),
            Self::Many(blocks) => blocks,
        }
    }
}

impl From<ContentBlock> for SamplingContent {
    fn from(block: ContentBlock) -> Self {
        Self::One(Box::new(SamplingBlock::Content(block)))
    }
}

impl From<Vec<SamplingBlock>> for SamplingContent {
    fn from(blocks: Vec<SamplingBlock>) -> Self {
        Self::Many(blocks)
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = SamplingContent;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a content block or an array of them")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<SamplingContent, M::Error> {
        let block = SamplingBlock::deserialize(MapAccessDeserializer::new(map))?;
        Ok(SamplingContent::One(Box::new(block)))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, seq: S) -> Result<SamplingContent, S::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(SamplingContent::Many)
    }
}

impl Serialize for SamplingContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(block) => block.serialize(serializer),
            Self::Many(blocks) => blocks.serialize(serializer),
        }
    }
}

/// One block of a message of a conversation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SamplingBlock {
    /// `tool_use`: the model wants a tool called (2025-11-25 and later).
    ToolUse(Box<ToolUseContent>),
    /// `tool_result`: what came of that (2025-11-25 and later).
    ToolResult(Box<ToolResultContent>),
    /// Any other block.
    Content(ContentBlock),
}

impl SamplingBlock {
    /// The value of `type`. `None` if an unknown block came without one.
    pub fn kind(&self) -> Option<&str> {
        match self {
            Self::ToolUse(_) => Some(TOOL_USE),
            Self::ToolResult(_) => Some(TOOL_RESULT),
            Self::Content(block) => block.kind(),
        }
    }
}

const TOOL_USE: &str = "tool_use";
const TOOL_RESULT: &str = "tool_result";

impl<'de> Deserialize<'de> for SamplingBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let block = ContentBlock::deserialize(deserializer)?;
        let ContentBlock::Unknown(unknown) = &block else { return Ok(Self::Content(block)) };
        let read = match unknown.kind() {
            Some(TOOL_USE) => unknown.read().map(Box::new).map(Self::ToolUse),
            Some(TOOL_RESULT) => unknown.read().map(Box::new).map(Self::ToolResult),
            _ => return Ok(Self::Content(block)),
        };
        read.map_err(D::Error::custom)
    }
}

impl Serialize for SamplingBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::ToolUse(block) => serialize(&**block, self.kind(), serializer),
            Self::ToolResult(block) => serialize(&**block, self.kind(), serializer),
            Self::Content(block) => block.serialize(serializer),
        }
    }
}

/// The model wants a tool called.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolUseContent {
    /// What the result refers to.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments.
    pub input: Extra,
    /// The `_meta` member, which is to be kept (C-316).
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ToolUseContent {
    /// A call with these arguments.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: Extra) -> Self {
        Self { id: id.into(), name: name.into(), input, ..Self::default() }
    }
}

members!(ToolUseContent {
    "id" => id: required,
    "name" => name: required,
    "input" => input: required,
    "_meta" => meta: optional,
});

/// What came of a call that the model wanted.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolResultContent {
    /// The `id` of the [`ToolUseContent`].
    pub tool_use_id: String,
    /// What the tool said.
    pub content: Vec<ContentBlock>,
    /// The structured result.
    pub structured_content: Option<Box<serde_json::value::RawValue>>,
    /// Whether the tool failed.
    pub is_error: Option<bool>,
    /// The `_meta` member, which is to be kept (C-316).
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ToolResultContent {
    /// A result of these blocks.
    pub fn new(tool_use_id: impl Into<String>, content: Vec<ContentBlock>) -> Self {
        Self { tool_use_id: tool_use_id.into(), content, ..Self::default() }
    }
}

members!(ToolResultContent {
    "toolUseId" => tool_use_id: required,
    "content" => content: lenient,
    "structuredContent" => structured_content: nullable,
    "isError" => is_error: optional,
    "_meta" => meta: optional,
});
