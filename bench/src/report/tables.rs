//! Markdown tables.

use std::fmt::{self, Write};

use super::verdict::Line;
use super::{Rounds, speed};
use crate::clients::Name;
use crate::sample::Sample;
use crate::workload::Unit;

/// Medians: three columns, one a client, for each figure.
pub(super) fn figures(out: &mut impl Write, all: &[Rounds]) -> fmt::Result {
    write!(out, "| workload | unit ")?;
    for figure in ["speed", "CPU µs", "peak MiB"] {
        for client in Name::ALL {
            write!(out, "| {figure} {} ", client.as_str())?;
        }
    }
    writeln!(out, "|\n|---|---|{}", "---:|".repeat(9))?;
    for rounds in all {
        let unit = rounds.workload.unit();
        write!(out, "| {} | {} ", rounds.workload.title, unit.as_str())?;
        let show_speed = |sample: &Sample| Some(speed(unit, sample.per_second));
        row(out, rounds, show_speed)?;
        row(out, rounds, |sample| Some(sample.cpu_micros))?;
        row(out, rounds, |sample| Some(sample.memory))?;
        writeln!(out, "|")?;
    }
    Ok(())
}

fn row(out: &mut impl Write, rounds: &Rounds, figure: impl Fn(&Sample) -> Option<f64> + Copy) -> fmt::Result {
    for client in Name::ALL {
        write!(out, "| {} ", shown(rounds.median(client, figure)))?;
    }
    Ok(())
}

/// Ratios beside the bars.
pub(super) fn bars(out: &mut impl Write, lines: &[Line]) -> fmt::Result {
    writeln!(out, "| workload | ours | / rmcp | / floor | must | aim | reached |")?;
    writeln!(out, "|---|---|---:|---:|---|---|---|")?;
    for line in lines {
        let Line { workload, what, must, aim, .. } = line;
        let measured = line.measured.as_ref().map_or(String::new(), |measured| format!(": {measured}"));
        let (to_rmcp, to_floor) = (ratio(line.to_rmcp), ratio(line.to_floor));
        let reached = line.verdict.as_str();
        writeln!(
            out,
            "| {workload} | {what}{measured} | {to_rmcp} | {to_floor} | {must} | {aim} | {reached} |"
        )?;
    }
    Ok(())
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
}

/// Three digits, or all before the point, in groups.
fn shown(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value < 10.0 => format!("{value:.2}"),
        Some(value) if value < 100.0 => format!("{value:.1}"),
        Some(value) => grouped(&format!("{value:.0}")),
    }
}

fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Unit {
    fn as_str(self) -> &'static str {
        match self {
            Self::Calls => "calls/s",
            Self::Megabytes { .. } => "MB/s",
            Self::Milliseconds => "ms",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_as_many_digits_as_they_deserve() {
        assert_eq!(
            [0.834, 12.34, 999.6, 1_234_567.0].map(|value| shown(Some(value))),
            ["0.83", "12.3", "1,000", "1,234,567"]
        );
    }
}
