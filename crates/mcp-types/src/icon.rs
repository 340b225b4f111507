//! Icons of implementations, tools and resources (2025-11-25 and later).

use crate::extra::Extra;
use crate::object::object;

/// One icon. Everything in it is untrusted, the address above all (C-532, C-533).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Icon {
    /// Where the image is: an `https:` or `data:` URI. Any other scheme is to be refused (C-533).
    pub src: String,
    /// The type, if the source gives none or a generic one.
    pub mime_type: Option<String>,
    /// Sizes such as `48x48`, or `any`. Absent: fits any size (C-538).
    pub sizes: Option<Vec<String>>,
    /// The background it is made for, `light` or `dark`. Absent: any (C-538).
    pub theme: Option<String>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl Icon {
    /// An icon of any size for any background.
    pub fn new(src: impl Into<String>) -> Self {
        Self { src: src.into(), ..Self::default() }
    }
}

object!(Icon {
    "src" => src: required,
    "mimeType" => mime_type: optional,
    "sizes" => sizes: optional,
    "theme" => theme: optional,
});
