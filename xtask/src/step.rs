//! Runs steps one after another and tells how long each took.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::options::Options;
use crate::workspace::Workspace;

pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) run: fn(&Workspace, &Options) -> Result<()>,
}

/// Stops at the first failure and names the command that runs it again.
pub(crate) fn run_all(steps: Vec<&Step>, workspace: &Workspace, options: &Options) -> ExitCode {
    let begin = Instant::now();
    let mut done = Vec::new();
    for step in steps {
        println!("== {}", step.name);
        let step_begin = Instant::now();
        if let Err(error) = (step.run)(workspace, options) {
            println!("{error:#}");
            println!("failed: {}; to run it again: {}", step.name, again(step, options));
            return ExitCode::FAILURE;
        }
        let took = seconds(step_begin.elapsed());
        println!("== {} took {took}\n", step.name);
        done.push(format!("{} {took}", step.name));
    }
    println!("ok: {}; {} in all", done.join(", "), seconds(begin.elapsed()));
    ExitCode::SUCCESS
}

fn again(step: &Step, options: &Options) -> String {
    let mut line = format!("cargo xtask {}", step.name);
    if options.no_peers && step.name == "test" {
        line.push_str(" --no-peers");
    }
    if step.name == "conformance" {
        for scenario in &options.scenarios {
            line.push_str(" --scenario ");
            line.push_str(scenario);
        }
    }
    for argument in &options.rest {
        line.push(' ');
        line.push_str(argument);
    }
    line
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
