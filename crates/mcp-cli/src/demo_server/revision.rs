//! The revisions of the protocol, and what came with each.

/// A revision that the server speaks. They are dates, so they sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Revision(&'static str);

impl Revision {
    /// Those that begin with `initialize`, oldest first.
    pub(super) const LEGACY: [Self; 4] =
        [Self("2024-11-05"), Self("2025-03-26"), Self("2025-06-18"), Self("2025-11-25")];
    pub(super) const NEWEST_LEGACY: Self = Self::LEGACY[3];
    /// The one in which each request stands for itself.
    pub(super) const MODERN: Self = Self("2026-07-28");

    pub(super) fn legacy(name: &str) -> Option<Self> {
        Self::LEGACY.into_iter().find(|known| known.0 == name)
    }

    pub(super) fn name(self) -> &'static str {
        self.0
    }

    pub(super) fn is_modern(self) -> bool {
        self == Self::MODERN
    }

    /// Whether several messages may come at once; only one revision has that.
    pub(super) fn has_batches(self) -> bool {
        self.0 == "2025-03-26"
    }

    /// Whether there is a capability of that name.
    pub(super) fn has_completions(self) -> bool {
        self.0 >= "2025-03-26"
    }

    pub(super) fn has_audio(self) -> bool {
        self.0 >= "2025-03-26"
    }

    /// Whether results may be structured.
    pub(super) fn has_structure(self) -> bool {
        self.0 >= "2025-06-18"
    }

    /// Whether contents may be links to resources.
    pub(super) fn has_links(self) -> bool {
        self.0 >= "2025-06-18"
    }
}
