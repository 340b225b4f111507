//! Runs the official conformance suite against our client, one scenario after the other.
//!
//! The suite's own way of counting is not used: it forgives warnings, time-outs and exit codes. Here
//! a scenario passes if its client ended well, no check failed or warned, and at least one succeeded.

mod group;
mod plan;
mod suite;
mod table;
mod verdict;

use anyhow::{Result, ensure};

use self::plan::Plan;
use self::suite::Suite;
use self::table::Table;
use self::verdict::Verdict;
use crate::options::Options;
use crate::workspace::Workspace;
use crate::{peers, process};

/// The program in `tests/src/bin` that the suite runs.
const CLIENT: &str = "conformance-client";
/// The revision of the protocol that is tested.
const REVISION: &str = "2025-11-25";
/// This one measures milliseconds, so it may fail once on a machine that is busy.
const ONCE_MORE: &str = "sse-retry";

pub(crate) fn step(workspace: &Workspace, options: &Options) -> Result<()> {
    if options.no_peers {
        println!("left out (--no-peers): the conformance suite, which needs Node");
        return Ok(());
    }
    let suite = Suite::new(&peers::install(workspace)?, workspace);
    process::run(workspace.cargo().args(["build", "--package", "mcp-tests", "--bin", CLIENT]))?;
    let plan = Plan::new(&suite.scenarios()?, &options.scenarios)?;
    let failed = run_all(&suite, &plan)?;
    ensure!(failed.is_empty(), "revision {REVISION}, failed: {}", failed.join(", "));
    println!("revision {REVISION}: {} passed, {} not run", plan.run.len(), plan.left_out.len());
    Ok(())
}

/// Returns which ones failed.
fn run_all<'a>(suite: &Suite, plan: &'a Plan) -> Result<Vec<&'a str>> {
    let mut failed = Vec::new();
    let table = Table::new(plan.run.iter().chain(&plan.left_out));
    for scenario in &plan.run {
        let (verdict, tries) = run(suite, scenario)?;
        table.row(scenario, verdict.result(tries), &verdict.checks());
        if !verdict.is_pass() {
            verdict.explain(&suite.folder(scenario));
            failed.push(scenario.as_str());
        }
    }
    for scenario in &plan.left_out {
        table.row(scenario, "not run", "authorization is not built yet");
    }
    Ok(failed)
}

/// The verdict, and how many tries it took.
fn run(suite: &Suite, scenario: &str) -> Result<(Verdict, u32)> {
    let first = suite.run(scenario)?;
    if first.is_pass() || scenario != ONCE_MORE {
        return Ok((first, 1));
    }
    Ok((suite.run(scenario)?, 2))
}
