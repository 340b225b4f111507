//! The workspace's own tasks, started as `cargo xtask COMMAND`.
//!
//! `cargo xtask ci` runs every check and test, each also a command of its own:
//!
//! ```text
//! fmt  layers  tidy  clippy  peers  test  conformance  doc  fuzz
//! ```
//!
//! `layers` and `tidy` hold the rules of `docs/architecture.md` and `docs/style.md`; they are unit
//! tests of this package too. Nothing here is part of the library.

#![expect(clippy::print_stdout, reason = "this program talks to the person who started it")]

mod folders;
mod options;
mod process;
mod step;
mod workspace;

mod bench;
mod cargo_steps;
mod conformance;
mod fuzz;
mod layers;
mod peers;
mod test;
mod tidy;
mod windows;

use std::env;
use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::options::Options;
use crate::step::Step;
use crate::workspace::Workspace;

/// What `ci` runs, in this order: the cheap checks first.
const CI: [Step; 9] = [
    Step { name: "fmt", about: "formatting, fuzz packages included", run: cargo_steps::fmt },
    Step { name: "layers", about: "who may depend on whom, against `cargo metadata`", run: layers::step },
    Step { name: "tidy", about: "the rules of docs/style.md that a program can check", run: tidy::step },
    Step { name: "clippy", about: "clippy, warnings denied", run: cargo_steps::clippy },
    Step { name: "peers", about: "installs the real servers of the tests under target/", run: peers::step },
    Step {
        name: "test",
        about: "unit, integration and doc tests [ARGUMENTS of cargo test]",
        run: test::step,
    },
    Step {
        name: "conformance",
        about: "the official suite against our client [--scenario NAME]...",
        run: conformance::step,
    },
    Step { name: "doc", about: "documentation, warnings denied", run: cargo_steps::doc },
    Step {
        name: "fuzz",
        about: "replays the corpora; runs each target where there is a nightly",
        run: fuzz::step,
    },
];

/// What is run by name only.
const OTHERS: [Step; 2] = [
    Step {
        name: "check-windows",
        about: "type-checks for Windows [ARGUMENTS of cargo check]",
        run: windows::step,
    },
    Step { name: "bench", about: "the benchmarks in bench/ [ARGUMENTS of mcp-bench]", run: bench::step },
];

/// The commands that hand what they do not know to the program that they start.
const PASS_ON: [&str; 3] = ["test", "check-windows", "bench"];

fn main() -> ExitCode {
    match start() {
        Ok(code) => code,
        Err(error) => {
            println!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<ExitCode> {
    let mut arguments = env::args().skip(1);
    let command = arguments.next().unwrap_or_else(|| "help".to_owned());
    let options = Options::parse(arguments)?;
    if command == "help" || command == "--help" {
        print_help();
        return Ok(ExitCode::SUCCESS);
    }
    let steps = steps_of(&command)?;
    if let Some(unknown) = options.rest.first().filter(|_| !PASS_ON.contains(&command.as_str())) {
        bail!("`{command}` does not take `{unknown}`; see `cargo xtask help`");
    }
    let workspace = Workspace::find()?;
    Ok(step::run_all(steps, &workspace, &options))
}

fn steps_of(command: &str) -> Result<Vec<&'static Step>> {
    if command == "ci" {
        return Ok(CI.iter().collect());
    }
    match CI.iter().chain(&OTHERS).find(|step| step.name == command) {
        Some(step) => Ok(vec![step]),
        None => bail!("there is no command `{command}`; see `cargo xtask help`"),
    }
}

fn print_help() {
    println!("usage: cargo xtask COMMAND [--no-peers] [--fuzz-seconds N] [--scenario NAME]... [ARGUMENTS]\n");
    println!("  {:<14} all of these, in order, up to the first failure:", "ci");
    for step in &CI {
        println!("  {:<14}   {}", step.name, step.about);
    }
    println!();
    for step in &OTHERS {
        println!("  {:<14} {}", step.name, step.about);
    }
    println!("  {:<14} this text\n", "help");
    println!("  --no-peers         installs no real servers and leaves their tests out");
    println!("  --fuzz-seconds N   how long each fuzz target runs; {} by default", options::FUZZ_SECONDS);
    println!("  --scenario NAME    of the conformance suite runs this one only; may be repeated");
}
