//! Holds what was measured against the bars.

use super::Rounds;
use crate::bars::{Bar, EACH, GATE, GATE_AIM, GATE_MUST, IDLE_SLACK, Pair};
use crate::clients::Name;

/// One quantity of one workload and its bars.
pub(super) struct Line {
    pub(super) workload: &'static str,
    pub(super) what: &'static str,
    pub(super) to_rmcp: Option<f64>,
    pub(super) to_floor: Option<f64>,
    /// In place of ratios, where there are none.
    pub(super) measured: Option<String>,
    pub(super) must: String,
    pub(super) aim: String,
    pub(super) verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Missed,
    Must,
    Aim,
    Unknown,
}

impl Verdict {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Missed => "**missed**",
            Self::Must => "must",
            Self::Aim => "aim",
            Self::Unknown => "unknown",
        }
    }
}

pub(super) fn verdict(reaches_must: bool, reaches_aim: bool) -> Verdict {
    match (reaches_must, reaches_aim) {
        (false, _) => Verdict::Missed,
        (true, false) => Verdict::Must,
        (true, true) => Verdict::Aim,
    }
}

#[derive(Clone, Copy)]
enum Better {
    More,
    Less,
}

/// What the rounds of one workload say.
pub(super) fn of(rounds: &Rounds) -> Vec<Line> {
    let bars = &rounds.workload.bars;
    let mut lines = vec![
        ratios(rounds, "speed", |sample| sample.per_second, bars.speed, Better::More),
        ratios(rounds, "memory", |sample| sample.memory, bars.memory, Better::Less),
    ];
    if let Some(also) = bars.also {
        let both = Pair { must: also, aim: also };
        lines.push(ratios(rounds, "speed", |sample| sample.per_second, both, Better::More));
    }
    lines.extend(idle(rounds));
    lines.extend(each(rounds));
    lines.extend(gate(rounds));
    lines
}

fn ratios(
    rounds: &Rounds,
    what: &'static str,
    figure: fn(&crate::sample::Sample) -> f64,
    bars: Pair,
    better: Better,
) -> Line {
    let (to_rmcp, to_floor) = (rounds.ratio(Name::Rmcp, figure), rounds.ratio(Name::Floor, figure));
    let reaches = |bar: Bar| {
        let ratio = if bar.against == Name::Rmcp { to_rmcp } else { to_floor }?;
        Some(match better {
            Better::More => ratio >= bar.limit,
            Better::Less => ratio <= bar.limit,
        })
    };
    let verdict = match (reaches(bars.must), reaches(bars.aim)) {
        (Some(must), Some(aim)) => verdict(must, aim),
        _ => Verdict::Unknown,
    };
    let sign = match better {
        Better::More => "≥",
        Better::Less => "≤",
    };
    let shown = |bar: Bar| format!("{sign} {} × {}", bar.limit, bar.against.as_str());
    let (must, aim) = (shown(bars.must), shown(bars.aim));
    Line { workload: rounds.workload.title, what, to_rmcp, to_floor, measured: None, must, aim, verdict }
}

/// Differences, not ratios: both are next to nothing.
fn idle(rounds: &Rounds) -> Option<Line> {
    let ours = rounds.median(Name::Ours, |sample| sample.idle)?;
    let rmcp = rounds.median(Name::Rmcp, |sample| sample.idle)?;
    let is_equal = ours <= rmcp + IDLE_SLACK;
    let bar = format!("≤ rmcp + {IDLE_SLACK} ms/s");
    Some(Line {
        workload: rounds.workload.title,
        what: "idle CPU after",
        to_rmcp: None,
        to_floor: None,
        measured: Some(format!("{ours:.2}, rmcp {rmcp:.2} ms/s")),
        must: bar.clone(),
        aim: bar,
        verdict: verdict(is_equal, is_equal),
    })
}

/// The memory of one connection.
fn each(rounds: &Rounds) -> Option<Line> {
    let of = |client| rounds.median(client, |sample| sample.each);
    let (ours, rmcp, floor) = (of(Name::Ours)?, of(Name::Rmcp)?, of(Name::Floor)?);
    let bar = format!("≤ {EACH} × rmcp");
    let is_reached = ours <= rmcp * EACH;
    Some(Line {
        workload: rounds.workload.title,
        what: "memory a connection",
        to_rmcp: Some(ours / rmcp),
        to_floor: Some(ours / floor),
        measured: Some(format!("{ours:.0}, rmcp {rmcp:.0}, floor {floor:.0} KiB")),
        must: bar.clone(),
        aim: bar,
        verdict: verdict(is_reached, is_reached),
    })
}

/// How long the start takes where some servers hang; nobody else has such a gate.
fn gate(rounds: &Rounds) -> Option<Line> {
    let opened = rounds.median(Name::Ours, |sample| sample.gate)?;
    let due = GATE.as_secs_f64() * 1e3;
    let bar = |slack: f64| format!("≤ {:.0} ms", due + slack);
    Some(Line {
        workload: rounds.workload.title,
        what: "gate of 250 ms with 10 that hang",
        to_rmcp: None,
        to_floor: None,
        measured: Some(format!("{opened:.0} ms")),
        must: bar(GATE_MUST),
        aim: bar(GATE_AIM),
        verdict: verdict(opened <= due + GATE_MUST, opened <= due + GATE_AIM),
    })
}
