//! The levels of log messages.

/// Least important first, as RFC 5424 has them.
const NAMES: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// A level; a greater one is more important.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Level(usize);

impl Level {
    pub(super) const INFO: Self = Self(1);
    pub(super) const WARNING: Self = Self(3);

    pub(super) fn parse(name: &str) -> Option<Self> {
        NAMES.iter().position(|known| *known == name).map(Self)
    }

    pub(super) fn name(self) -> &'static str {
        NAMES[self.0]
    }
}

#[cfg(test)]
mod tests {
    use super::{Level, NAMES};

    #[test]
    fn levels_are_known_by_their_exact_names_and_rise() {
        let all: Vec<Level> = NAMES.iter().filter_map(|name| Level::parse(name)).collect();
        assert!(all.is_sorted() && all.len() == 8);
        assert_eq!(all.iter().map(|level| level.name()).collect::<Vec<_>>(), NAMES);
        for wrong in ["", "Info", "warn", "trace"] {
            assert_eq!(Level::parse(wrong), None);
        }
        assert!(Level::INFO < Level::WARNING);
    }
}
