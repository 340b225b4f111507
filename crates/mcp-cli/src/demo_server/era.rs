//! Which clients are served: those that shake hands, those that do not, or both.

use clap::ValueEnum;

use super::revision::Revision;

/// What `--era` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Era {
    /// 2024-11-05 to 2025-11-25, which begin with initialize
    Legacy,
    /// 2026-07-28, in which each request stands for itself
    Modern,
    /// Each client as it asks
    #[default]
    Both,
}

impl Era {
    pub(super) fn has_legacy(self) -> bool {
        self != Self::Modern
    }

    pub(super) fn has_modern(self) -> bool {
        self != Self::Legacy
    }

    /// The names of all revisions spoken, newest first.
    pub(super) fn versions(self) -> Vec<&'static str> {
        let modern = self.has_modern().then_some(Revision::MODERN);
        let legacy = Revision::LEGACY.into_iter().rev().filter(|_| self.has_legacy());
        modern.into_iter().chain(legacy).map(Revision::name).collect()
    }
}
