//! What was found about one server.

use std::time::Duration;

use serde::Serialize;

use super::step::{Route, Step};
use super::survey::Survey;
use crate::failure::Failure;
use crate::output;
use crate::status::Status;

/// All steps of one server, and what its state is worth as an exit status.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) name: String,
    pub(crate) rows: Vec<Row>,
    /// `None` for a server that is off.
    pub(crate) status: Option<Status>,
}

/// One step.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) step: Step,
    pub(crate) outcome: Outcome,
    /// Lines, the most important first.
    pub(crate) detail: Vec<String>,
    pub(crate) next: Option<String>,
    pub(crate) time: Option<Duration>,
}

/// How a step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Ok,
    Failed,
    /// It was not come to, or there was nothing to do.
    Skipped,
}

impl Report {
    /// A server of which no step has been gone.
    pub(crate) fn new(name: &str, route: Route) -> Self {
        let row = |step| Row { step, outcome: Outcome::Skipped, detail: Vec::new(), next: None, time: None };
        Self { name: name.to_owned(), rows: route.steps().into_iter().map(row).collect(), status: None }
    }

    /// One whose entry cannot be used.
    pub(crate) fn unusable(name: &str, failure: &Failure) -> Self {
        let mut report = Self::new(name, Route::Command);
        report.rows.truncate(1);
        let next = failure.advice().unwrap_or("correct the entry of the server").to_owned();
        report.fail(Step::Config, failure, next);
        report
    }

    /// One that is switched off.
    pub(crate) fn off(name: &str) -> Self {
        let mut report = Self::new(name, Route::Command);
        report.rows.truncate(1);
        report.row(Step::Config, |row| row.detail.push("disabled".to_owned()));
        report
    }

    /// Adds what was seen beforehand.
    pub(crate) fn add(&mut self, survey: &Survey) {
        for row in &mut self.rows {
            if let Some(seen) = survey.seen.get(&row.step) {
                row.detail.push(seen.detail.clone());
                row.time = seen.time;
            }
        }
    }

    /// All steps up to this one went well.
    pub(crate) fn pass(&mut self, step: Step) {
        self.rows.iter_mut().filter(|row| row.step <= step).for_each(|row| row.outcome = Outcome::Ok);
        self.status = Some(Status::Done);
    }

    /// This step failed, after all before it went well.
    pub(crate) fn fail(&mut self, step: Step, failure: &Failure, next: String) {
        self.rows.iter_mut().filter(|row| row.step < step).for_each(|row| row.outcome = Outcome::Ok);
        self.row(step, |row| {
            row.outcome = Outcome::Failed;
            row.detail.splice(0..0, failure.facts().map(str::to_owned));
            row.next = Some(next);
        });
        self.status = Some(failure.status);
    }

    /// Changes the row of a step, if it is on the route.
    pub(crate) fn row(&mut self, step: Step, change: impl FnOnce(&mut Row)) {
        if let Some(row) = self.rows.iter_mut().find(|row| row.step == step) {
            change(row);
        }
    }

    /// Whether nothing failed.
    pub(crate) fn is_ok(&self) -> bool {
        self.rows.iter().all(|row| row.outcome != Outcome::Failed)
    }
}

impl Row {
    fn as_json(&self) -> JsonRow<'_> {
        let status = match self.outcome {
            Outcome::Ok => "ok",
            Outcome::Failed => "failed",
            Outcome::Skipped => "skipped",
        };
        let detail = (!self.detail.is_empty()).then(|| self.detail.join("\n"));
        JsonRow { step: self.step.name(), status, detail, next: self.next.as_deref() }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    servers: Vec<JsonReport<'a>>,
}

#[derive(Serialize)]
struct JsonReport<'a> {
    name: &'a str,
    ok: bool,
    steps: Vec<JsonRow<'a>>,
}

#[derive(Serialize)]
struct JsonRow<'a> {
    step: &'static str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'a str>,
}

/// All reports as one JSON document.
pub(crate) fn document(reports: &[Report]) -> Result<String, Failure> {
    let servers = reports.iter().map(|report| JsonReport {
        name: &report.name,
        ok: report.is_ok(),
        steps: report.rows.iter().map(Row::as_json).collect(),
    });
    output::document(&Document { servers: servers.collect() })
}
