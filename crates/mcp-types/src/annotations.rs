//! Annotations of content blocks and resources.

use crate::extra::Extra;
use crate::object::object;

/// Who a block or resource is for, how much it matters, and when it changed last.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Annotations {
    /// Who it is for: `user`, `assistant` or both.
    pub audience: Option<Vec<String>>,
    /// From 0 (optional) to 1 (practically required).
    pub priority: Option<f64>,
    /// When it changed last, as ISO 8601 (2025-06-18 and later).
    pub last_modified: Option<String>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(Annotations {
    "audience" => audience: optional,
    "priority" => priority: optional,
    "lastModified" => last_modified: optional,
});
