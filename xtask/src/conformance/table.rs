//! Prints the results, each row as soon as it is known.

pub(super) struct Table {
    width: usize,
}

impl Table {
    /// For these scenarios; prints the title.
    pub(super) fn new<'a>(scenarios: impl Iterator<Item = &'a String>) -> Self {
        let table = Self { width: scenarios.map(String::len).max().unwrap_or_default() };
        table.row("scenario", "result", "checks");
        table
    }

    pub(super) fn row(&self, scenario: &str, result: &str, checks: &str) {
        println!("{scenario:<width$}  {result:<20}  {checks}", width = self.width);
    }
}
