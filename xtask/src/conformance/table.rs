//! Prints the results, each row as soon as it is known.

use super::plan::Run;

pub(super) struct Table {
    scenario: usize,
    revision: usize,
}

impl Table {
    /// For these runs; prints the title.
    pub(super) fn new<'a>(runs: impl Iterator<Item = &'a Run> + Clone) -> Self {
        let scenario = runs.clone().map(|run| run.scenario.len()).max().unwrap_or_default();
        let revision = runs.map(|run| run.revision.len()).max().unwrap_or_default();
        let table = Self { scenario, revision };
        let title = Run { scenario: "scenario".to_owned(), revision: "revision".to_owned() };
        table.row(&title, "result", "checks");
        table
    }

    pub(super) fn row(&self, run: &Run, result: &str, checks: &str) {
        let Run { scenario, revision } = run;
        let (first, second) = (self.scenario, self.revision);
        println!("{scenario:<first$}  {revision:<second$}  {result:<20}  {checks}");
    }
}
