//! A scenario, as the suite lists it.

/// What the suite says in place of a revision of what belongs to none.
const EXTENSION: &str = "extension";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scenario {
    pub(super) name: String,
    /// The revisions that it is for.
    pub(super) revisions: Vec<String>,
}

impl Scenario {
    /// Reads the list, whose lines are `  - name [revision,revision]`, below a title.
    pub(super) fn read_all(list: &str) -> Vec<Self> {
        list.lines().filter_map(|line| Self::read(line.trim().strip_prefix("- ")?)).collect()
    }

    /// Whether it can be run at `revision`.
    pub(super) fn is_for(&self, revision: &str) -> bool {
        self.revisions.iter().any(|found| found == revision || found == EXTENSION)
    }

    fn read(item: &str) -> Option<Self> {
        let (name, revisions) = item.split_once(" [")?;
        let revisions = revisions.strip_suffix(']')?.split(',').map(str::to_owned);
        Some(Self { name: name.to_owned(), revisions: revisions.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_revisions_are_read_as_the_suite_prints_them() {
        let list = "Client scenarios (test against a client):\n  - tools_call [2025-11-25]\n  - auth/a [x,y]\n  - plain\n";
        let read = Scenario::read_all(list);
        let read: Vec<_> = read.iter().map(|one| (&*one.name, one.revisions.join(" "))).collect();
        assert_eq!(read, [("tools_call", "2025-11-25".to_owned()), ("auth/a", "x y".to_owned())]);
        assert_eq!(Scenario::read_all("nothing - here\n"), []);
    }

    #[test]
    fn it_is_for_its_revisions_and_an_extension_for_all() {
        let [one, other] = &Scenario::read_all("- a [2025-11-25]\n- b [extension]")[..] else { panic!() };
        assert!(one.is_for("2025-11-25") && !one.is_for("2026-07-28") && other.is_for("2026-07-28"));
    }
}
