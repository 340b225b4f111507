//! The report: what was measured, and what that says about the bars.

mod tables;
mod verdict;

use std::fmt;
use std::time::Duration;

use self::tables::{bars, figures};
use self::verdict::{Line, Verdict};
use crate::bars::{CRATES_AIM, CRATES_MUST};
use crate::clients::Name;
use crate::sample::Sample;
use crate::workload::{Unit, Workload};

/// All rounds of all workloads.
pub(crate) struct Report {
    pub(crate) rounds: Vec<Rounds>,
    pub(crate) crates: usize,
    pub(crate) time: Duration,
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

impl Report {
    /// How many bars that must be reached are not.
    pub(crate) fn missed(&self) -> usize {
        self.lines().iter().filter(|line| line.verdict == Verdict::Missed).count()
    }

    fn lines(&self) -> Vec<Line> {
        let mut lines = self.rounds.iter().flat_map(verdict::of).collect::<Vec<_>>();
        lines.push(Line {
            workload: "crates in the stdio stack",
            what: "crates",
            to_rmcp: None,
            to_floor: None,
            must: format!("≤ {CRATES_MUST}"),
            aim: format!("≤ {CRATES_AIM}"),
            measured: Some(self.crates.to_string()),
            verdict: verdict::verdict(self.crates <= CRATES_MUST, self.crates <= CRATES_AIM),
        });
        lines
    }

    fn is_pinned(&self) -> bool {
        self.rounds.iter().flat_map(|rounds| &rounds.samples).flatten().all(|sample| sample.is_pinned)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounds = self.rounds.first().map_or(0, |rounds| rounds.samples.len());
        let place = if self.is_pinned() {
            "client and server pinned to one core"
        } else {
            "NOT pinned: client and server wherever the scheduler put them"
        };
        writeln!(
            formatter,
            "Medians of {rounds} interleaved rounds, {place}, {:.0} s.\n",
            self.time.as_secs_f64()
        )?;
        figures(formatter, &self.rounds)?;
        writeln!(formatter)?;
        bars(formatter, &self.lines())?;
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
