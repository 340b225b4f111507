//! The reports for people: a line a step, then its details.

use super::report::{Outcome, Report, Row};
use crate::show::escape;
use crate::show::look::Look;
use crate::show::rows::{Cell, lay_out, plain};

/// All reports, an empty line between two.
pub(crate) fn page(reports: &[Report], look: Look) -> String {
    if reports.is_empty() {
        return "no servers are configured\n".to_owned();
    }
    let parts: Vec<_> = reports.iter().map(|report| one(report, look)).collect();
    parts.join("\n")
}

fn one(report: &Report, look: Look) -> String {
    let failed = report.rows.iter().find(|row| row.outcome == Outcome::Failed);
    let state = match (failed, report.status) {
        (Some(row), _) => look.bad(&format!("fails at {}", row.step.name())),
        (None, Some(_)) => look.good("ok"),
        (None, None) => look.faint("disabled"),
    };
    let name = look.strong(&escape::line(&report.name));
    let rows: Vec<_> = report.rows.iter().flat_map(cells).collect();
    format!("{name}: {state}\n{}", lay_out(&rows, 2, 24, look))
}

fn cells(row: &Row) -> Vec<Vec<Cell>> {
    let outcome: Cell = match row.outcome {
        Outcome::Ok => ("ok".to_owned(), |look, text| look.good(text)),
        Outcome::Failed => ("FAILED".to_owned(), |look, text| look.bad(text)),
        Outcome::Skipped => ("skipped".to_owned(), |look, text| look.faint(text)),
    };
    let time = row.time.map(|time| format!("{} ms", time.as_millis()));
    let time: Cell = (time.unwrap_or_default(), |look, text| look.faint(text));
    let mut lines = row.detail.iter().map(|line| plain(escape::line(line)));
    let first = lines.next().unwrap_or_else(|| plain(""));
    let mut rows = vec![vec![plain(row.step.name()), outcome, time, first]];
    let next = row.next.iter().map(|next| -> Cell {
        (format!("what to try: {}", escape::line(next)), |look, text| look.strong(text))
    });
    rows.extend(lines.chain(next).map(|line| vec![plain(""), plain(""), plain(""), line]));
    rows
}
