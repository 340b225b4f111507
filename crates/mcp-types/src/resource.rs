//! Resources as they occur in content blocks. The `resources/*` methods belong here too, later.

use crate::annotations::Annotations;
use crate::extra::Extra;
use crate::icon::Icon;
use crate::meta::Meta;
use crate::object::object;

/// Describes a resource; in a content block, links to it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Resource {
    /// Its identifier.
    pub uri: String,
    /// Its name; for people before 2025-06-18, for programs since.
    pub name: String,
    /// Its name for people (2025-06-18 and later).
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its type.
    pub mime_type: Option<String>,
    /// Its raw size in bytes.
    pub size: Option<u64>,
    /// Who it is for.
    pub annotations: Option<Annotations>,
    /// Its icons (2025-11-25 and later).
    pub icons: Option<Vec<Icon>>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl Resource {
    /// A resource with nothing but an identifier and a name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: name.into(), ..Self::default() }
    }

    /// The name for people: `title`, then `name` (C-219).
    pub fn display_name(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

object!(Resource {
    "uri" => uri: required,
    "name" => name: required,
    "title" => title: optional,
    "description" => description: optional,
    "mimeType" => mime_type: optional,
    "size" => size: optional,
    "annotations" => annotations: optional,
    "icons" => icons: optional,
    "_meta" => meta: optional,
});

/// What a resource holds: either `text` or `blob`, told apart by which one is there.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ResourceContents {
    /// The identifier of the resource.
    pub uri: String,
    /// Its type.
    pub mime_type: Option<String>,
    /// The contents, if they are text.
    pub text: Option<String>,
    /// The contents in base64, if they are not.
    pub blob: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ResourceContents {
    /// Text contents.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self { uri: uri.into(), text: Some(text.into()), ..Self::default() }
    }

    /// Binary contents, already in base64.
    pub fn blob(uri: impl Into<String>, base64: impl Into<String>) -> Self {
        Self { uri: uri.into(), blob: Some(base64.into()), ..Self::default() }
    }
}

object!(ResourceContents {
    "uri" => uri: required,
    "mimeType" => mime_type: optional,
    "text" => text: optional,
    "blob" => blob: optional,
    "_meta" => meta: optional,
});
