//! Measures this client over stdio and over HTTP, beside rmcp and beside a bare loop.
//!
//! ```text
//! cargo xtask bench                 5 rounds, three to four minutes once built
//! cargo xtask bench --quick         2 rounds, about a minute
//! cargo xtask bench --only notify   the workloads with that in their name; all of HTTP have `http`
//! cargo xtask bench --rounds 9      more rounds
//! cargo xtask bench --two-cores     leaves it to the scheduler where client and server run
//! cargo xtask bench --check         exits with 1 if a bar that must be reached is not
//! ```
//!
//! # What runs
//!
//! One program in three roles. Without a role it is the referee: it starts itself as `measure`,
//! one fresh process for each run, so that CPU time and peak memory belong to that run alone. The
//! measured client starts the program a third time, as `serve`: an MCP server written by hand,
//! with no SDK in it, that is the same for all three clients, and speaks one revision with all:
//!
//! - `floor`, a bare loop: one task, all that a read brought answered with one write, ids that are
//!   numbers of slots. It parses and checks every answer, but is no client that anyone could use:
//!   it says what the wire and JSON cost. Over HTTP it is raw hyper, a task and a connection for
//!   each caller.
//! - `rmcp`, the official SDK in the version that the bars are about: over stdio as its documentation
//!   has it; over HTTP tuned, with a current-thread runtime, pooled connections and 64 POSTs at once.
//! - `ours`, through the same API that everybody has.
//!
//! Every answer is checked byte for byte, so are the names of all listed tools and the number of
//! notifications. A wrong one fails the run, so that nothing broken can look fast.
//!
//! # How to read it
//!
//! - Ratios count, not figures: each is the median of ratios within one round, whose runs follow
//!   close upon each other. Above 1 is faster, or, for memory, more. The order of the clients changes
//!   from round to round.
//! - Client and server share one core. A call then costs the work of both and two switches; on two
//!   cores a sequential call mostly shows how long a sleeping core takes to wake. The heading
//!   says if they were not pinned.
//! - Under 10 % is no difference. Bars that say "not worse" allow for that; the others do not.
//! - CPU time is the client's own, without the server. It is the steadiest of the figures.
//! - Memory is the peak of the whole process; all three clients are in the one program, so each
//!   carries the same 5 MiB of it. So half of rmcp's, the aim, is only within reach where messages
//!   are large.
//! - *must* and *aim* are the bars of the project for the two transports, against the client that
//!   they name. "missed" in the last column is what `--check` fails on.

mod arguments;
mod bars;
mod clients;
mod measure;
mod payload;
mod peer;
mod pin;
mod referee;
mod report;
mod sample;
mod server;
mod usage;
mod workload;

use std::process::ExitCode;

use anyhow::Result;

use crate::arguments::Role;

fn main() -> Result<ExitCode> {
    match arguments::read(std::env::args().skip(1))? {
        Role::Referee(options) => referee::run(&options),
        Role::Measure(run) => measure::run(&run).map(|()| ExitCode::SUCCESS),
        Role::Serve(options) => server::run(&options).map(|()| ExitCode::SUCCESS),
    }
}
