//! Builds the fuzz targets with libFuzzer and lets each run for a short time.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::FuzzPackage;
use crate::workspace::{Workspace, cargo_at};
use crate::{folders, process};

/// What makes a program fuzzable: coverage for libFuzzer, the address sanitizer, checks left in.
const INSTRUMENTATION: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Zsanitizer=address -Cdebug-assertions -Cforce-frame-pointers -Ccodegen-units=1";

pub(super) fn all(workspace: &Workspace, packages: &[FuzzPackage], seconds: u32) -> Result<()> {
    let Some(version) = process::first_line(nightly(&workspace.root).arg("--version")) else {
        println!(
            "left out: the fuzz targets did not run, as there is no nightly toolchain (`cargo +nightly`)"
        );
        return Ok(());
    };
    println!("fuzz targets, {seconds} s each, with {version}");
    let build = Build { target: workspace.target.join("fuzz"), host: host()? };
    for package in packages {
        build.package(package)?;
        for target in &package.targets {
            build.run(package, target, seconds)?;
        }
    }
    Ok(())
}

struct Build {
    /// Apart from the other builds: instrumented crates are of no other use.
    target: PathBuf,
    host: String,
}

impl Build {
    fn package(&self, package: &FuzzPackage) -> Result<()> {
        let mut cargo = nightly(&package.folder);
        // With `--target`, build scripts and macros are left without instrumentation.
        cargo.args(["build", "--release", "--bins", "--target", &self.host]);
        cargo.env("CARGO_TARGET_DIR", &self.target).env("RUSTFLAGS", INSTRUMENTATION);
        process::run(&mut cargo)
    }

    fn run(&self, package: &FuzzPackage, target: &str, seconds: u32) -> Result<()> {
        let corpus = self.folder("corpus", package, target);
        copy_corpus(&package.corpus(target), &corpus)?;
        // Not emptied: an earlier failure may still be looked at.
        let artifacts = self.folder("artifacts", package, target);
        fs::create_dir_all(&artifacts).with_context(|| format!("cannot make {}", artifacts.display()))?;
        let program = self.target.join(&self.host).join("release").join(format!("{target}{EXE_SUFFIX}"));
        let mut fuzzer = Command::new(program);
        fuzzer.args([
            format!("-max_total_time={seconds}"),
            "-rss_limit_mb=2048".into(),
            "-timeout=10".into(),
        ]);
        fuzzer.args(["-verbosity=0", "-print_final_stats=1"]);
        fuzzer.arg(format!("-artifact_prefix={}/", artifacts.display())).arg(&corpus);
        let output = fuzzer.output().with_context(|| format!("cannot start `{target}`"))?;
        let log = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            println!("{log}");
            bail!("{}: `{target}` failed; its input lies in {}", package.name, artifacts.display());
        }
        println!("{}: {target}: {} inputs", package.name, inputs_tried(&log).unwrap_or("no"));
        Ok(())
    }

    fn folder(&self, what: &str, package: &FuzzPackage, target: &str) -> PathBuf {
        self.target.join(what).join(&package.name).join(target)
    }
}

/// The fuzzer adds what it finds to its corpus, so it gets a copy.
fn copy_corpus(from: &Path, to: &Path) -> Result<()> {
    folders::make_empty(to)?;
    for name in folders::names(from)? {
        fs::copy(from.join(&name), to.join(&name))
            .with_context(|| format!("cannot copy {name} of a corpus"))?;
    }
    Ok(())
}

fn inputs_tried(log: &str) -> Option<&str> {
    log.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:")).map(str::trim)
}

fn nightly(folder: &Path) -> Command {
    let mut cargo = cargo_at(folder);
    // The cargo that started us tells its children to stay with its own toolchain.
    cargo.arg("+nightly").env_remove("RUSTUP_TOOLCHAIN").env("RUSTUP_AUTO_INSTALL", "0");
    cargo
}

fn host() -> Result<String> {
    let text = process::output(Command::new("rustc").arg("-vV"))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` names no host")?.to_owned())
}
