//! Runs everything in rounds, one process a run, and prints the report.

mod crates;

use std::env;
use std::io::{self, Write};
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::arguments::{Options, Run};
use crate::clients::Name;
use crate::report::{Report, Rounds, Section};
use crate::sample::Sample;
use crate::workload::{self, Workload};

/// Measures, prints, and says whether all is well.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let is_wanted =
        |workload: &&Workload| options.only.as_deref().is_none_or(|only| workload.name.contains(only));
    let workloads = workload::ALL.iter().filter(is_wanted).collect::<Vec<_>>();
    ensure!(!workloads.is_empty(), "there are the workloads {}", names());
    let stdio_crates = crates::count("mcp-transport-stdio")?;
    let http_crates = crates::count("mcp-transport-http")?;

    let begin = Instant::now();
    let mut all = workloads.iter().map(|&workload| Rounds::new(workload)).collect::<Vec<_>>();
    for round in 0..options.rounds {
        for (rounds, &workload) in all.iter_mut().zip(&workloads) {
            write!(io::stderr(), "\rround {} of {}: {:<20} ", round + 1, options.rounds, workload.name)?;
            rounds.push(one_round(options, workload, round)?);
        }
    }
    writeln!(io::stderr())?;

    let (http, stdio) = all.into_iter().partition(Rounds::is_http);
    let sections = vec![Section::stdio(stdio, stdio_crates), Section::http(http, http_crates)];
    let report = Report { sections, time: begin.elapsed() };
    write!(io::stdout(), "{report}")?;
    let missed = report.missed();
    Ok(if options.is_check && missed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn names() -> String {
    workload::ALL.map(|workload| workload.name).join(", ")
}

/// Each client once; a different one begins each time.
fn one_round(options: &Options, workload: &'static Workload, round: usize) -> Result<[Sample; 3]> {
    let mut samples = [None; 3];
    for turn in 0..Name::ALL.len() {
        let at = (round + turn) % Name::ALL.len();
        let client = Name::ALL[at];
        let run = Run { client, workload, is_quick: options.is_quick, is_pinned: options.is_pinned };
        let sample = measure(&run);
        samples[at] = Some(sample.with_context(|| format!("{} in `{}`", client.as_str(), workload.name))?);
    }
    let [Some(floor), Some(rmcp), Some(ours)] = samples else { unreachable!("each had its turn") };
    Ok([floor, rmcp, ours])
}

fn measure(run: &Run) -> Result<Sample> {
    let output = Command::new(env::current_exe()?)
        .args(run.arguments())
        // Nobody is to ask a proxy for the server on this machine.
        .env("NO_PROXY", "127.0.0.1")
        .env("no_proxy", "127.0.0.1")
        .output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {}", output.status, errors.trim());
    serde_json::from_slice(&output.stdout).context("no figures")
}
