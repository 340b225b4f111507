//! The report: what was measured, and what that says about the bars.

mod tables;
mod verdict;

use std::fmt;
use std::time::Duration;

use self::tables::{bars, figures};
use self::verdict::{Line, Verdict};
use crate::bars::{CrateBars, HTTP_CRATES, STDIO_CRATES};
use crate::clients::Name;
use crate::sample::Sample;
use crate::workload::{Unit, Workload};

/// All that was measured.
pub(crate) struct Report {
    pub(crate) sections: Vec<Section>,
    pub(crate) time: Duration,
}

/// The workloads of one transport.
pub(crate) struct Section {
    title: &'static str,
    rounds: Vec<Rounds>,
    stack: &'static str,
    crates: usize,
    crate_bars: CrateBars,
}

/// All rounds of one workload.
pub(crate) struct Rounds {
    workload: &'static Workload,
    /// In the order of [`Name::ALL`].
    samples: Vec<[Sample; 3]>,
}

impl Rounds {
    pub(crate) fn new(workload: &'static Workload) -> Self {
        Self { workload, samples: Vec::new() }
    }

    pub(crate) fn is_http(&self) -> bool {
        self.workload.is_http()
    }

    pub(crate) fn push(&mut self, round: [Sample; 3]) {
        self.samples.push(round);
    }

    /// The median of a figure of one client; `None` where it is not known.
    fn median(&self, client: Name, figure: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
        median(self.samples.iter().filter_map(|round| figure(&round[client as usize])))
    }

    /// The median of ours over theirs in the same round.
    fn ratio(&self, theirs: Name, figure: impl Fn(&Sample) -> f64) -> Option<f64> {
        let of = |round: &[Sample; 3]| figure(&round[Name::Ours as usize]) / figure(&round[theirs as usize]);
        median(self.samples.iter().map(of))
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values = values.filter(|value| value.is_finite()).collect::<Vec<_>>();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(if values.len() % 2 == 0 { f64::midpoint(values[middle - 1], upper) } else { upper })
}

impl Section {
    pub(crate) fn stdio(rounds: Vec<Rounds>, crates: usize) -> Self {
        Self { title: "stdio", rounds, stack: "crates in the stdio stack", crates, crate_bars: STDIO_CRATES }
    }

    pub(crate) fn http(rounds: Vec<Rounds>, crates: usize) -> Self {
        let title = "HTTP (rmcp tuned: current-thread runtime, pooled connections, 64 POSTs at once)";
        let stack = "crates in the HTTP stack with TLS";
        Self { title, rounds, stack, crates, crate_bars: HTTP_CRATES }
    }

    fn lines(&self) -> Vec<Line> {
        let mut lines = self.rounds.iter().flat_map(verdict::of).collect::<Vec<_>>();
        let CrateBars { must, aim } = self.crate_bars;
        lines.push(Line {
            workload: self.stack,
            what: "crates",
            to_rmcp: None,
            to_floor: None,
            must: format!("≤ {must}"),
            aim: format!("≤ {aim}"),
            measured: Some(self.crates.to_string()),
            verdict: verdict::verdict(self.crates <= must, self.crates <= aim),
        });
        lines
    }
}

impl Report {
    /// How many bars that must be reached are not.
    pub(crate) fn missed(&self) -> usize {
        let lines = self.shown().flat_map(Section::lines);
        lines.filter(|line| line.verdict == Verdict::Missed).count()
    }

    /// The sections of which anything was measured.
    fn shown(&self) -> impl Iterator<Item = &Section> {
        self.sections.iter().filter(|section| !section.rounds.is_empty())
    }

    fn is_pinned(&self) -> bool {
        let mut samples = self.shown().flat_map(|section| &section.rounds).flat_map(|rounds| &rounds.samples);
        samples.all(|round| round.iter().all(|sample| sample.is_pinned))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.shown().find_map(|section| section.rounds.first());
        let rounds = first.map_or(0, |rounds| rounds.samples.len());
        let place = if self.is_pinned() {
            "client and server pinned to one core"
        } else {
            "NOT pinned: client and server wherever the scheduler put them"
        };
        writeln!(
            formatter,
            "Medians of {rounds} interleaved rounds, {place}, {:.0} s.",
            self.time.as_secs_f64()
        )?;
        for section in self.shown() {
            writeln!(formatter, "\n## {}\n", section.title)?;
            figures(formatter, &section.rounds)?;
            writeln!(formatter)?;
            bars(formatter, &section.lines())?;
        }
        writeln!(formatter, "\nBars that must be reached and are not: {}.", self.missed())
    }
}

/// Speed in the unit of its workload.
fn speed(unit: Unit, per_second: f64) -> f64 {
    match unit {
        Unit::Calls => per_second,
        #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
        Unit::Megabytes { size } => per_second * size as f64 / 1e6,
        Unit::Milliseconds => 1e3 / per_second,
    }
}
