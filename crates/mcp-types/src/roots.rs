//! Roots: the folders that the client lets the server know of.

use crate::extra::Extra;
use crate::meta::Meta;
use crate::object::object;

/// A folder or file that the server may work on. It is guidance, not access control.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Root {
    /// Where it is: a `file://` URI (C-276).
    pub uri: String,
    /// The name for people.
    pub name: Option<String>,
    /// The `_meta` member (2025-06-18 and later).
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl Root {
    /// A root without a name.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), ..Self::default() }
    }
}

object!(Root {
    "uri" => uri: required,
    "name" => name: optional,
    "_meta" => meta: optional,
});

/// Params of `roots/list`, which may be left out.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListRootsParams {
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ListRootsParams { "_meta" => meta: optional });

/// Result of `roots/list`: all of them, there are no pages.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListRootsResult {
    /// The roots.
    pub roots: Vec<Root>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ListRootsResult {
    /// These roots.
    pub fn new(roots: Vec<Root>) -> Self {
        Self { roots, ..Self::default() }
    }
}

object!(ListRootsResult {
    "roots" => roots: required,
    "_meta" => meta: optional,
});
