//! The revisions of the protocol this crate knows.

mod table;

use std::fmt;

/// A revision of the protocol. Later ones are greater.
///
/// A peer may name one that is not here: so a version in a message is a string, and this is what
/// [`Revision::parse`] makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Revision {
    /// 2024-11-05: the first one.
    V2024_11_05,
    /// 2025-03-26: streamable HTTP, batches, tool annotations, audio.
    V2025_03_26,
    /// 2025-06-18: no more batches; titles, structured results, elicitation.
    V2025_06_18,
    /// 2025-11-25: icons, tasks.
    V2025_11_25,
    /// 2026-07-28: no handshake and no sessions, each request stands for itself.
    V2026_07_28,
}

impl Revision {
    /// All of them, the oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// The newest one.
    pub const LATEST: Self = Self::V2026_07_28;

    /// The newest one that begins with `initialize`.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;

    /// The revision of that name. `None` if it is unknown.
    pub fn parse(version: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == version)
    }

    /// Its name in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether it has no handshake: each request carries its version and capabilities itself. The
    /// others are called legacy and begin with `initialize`.
    pub const fn is_modern(self) -> bool {
        matches!(self, Self::V2026_07_28)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Revision;

    #[test]
    fn later_revisions_are_greater() {
        assert!(Revision::ALL.is_sorted());
        assert!(Revision::ALL.is_sorted_by_key(|revision| revision.as_str()));
        assert_eq!(Revision::ALL.into_iter().max(), Some(Revision::LATEST));
        let legacy = Revision::ALL.into_iter().filter(|revision| !revision.is_modern());
        assert_eq!(legacy.max(), Some(Revision::LATEST_LEGACY));
    }

    #[test]
    fn every_revision_is_found_by_its_name_and_no_other_is() {
        for revision in Revision::ALL {
            assert_eq!(Revision::parse(revision.as_str()), Some(revision));
        }
        for version in ["", "2025-11-24", "2025-11-25 ", "draft", "1.0"] {
            assert_eq!(Revision::parse(version), None, "{version}");
        }
    }
}
