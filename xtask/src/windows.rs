//! Type-checks the workspace for Windows from another system.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use crate::options::Options;
use crate::process;
use crate::workspace::Workspace;

const TARGET: &str = "x86_64-pc-windows-gnu";

/// Debian's own Rust, which comes with the sources of its standard library.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_STD_SOURCES: &str = "/usr/lib/rustlib/src/rust/library";
const DEBIAN_PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "gcc-mingw-w64-x86-64"];

pub(crate) fn step(workspace: &Workspace, options: &Options) -> Result<()> {
    if rustup_has_the_target() {
        return process::run(workspace.cargo().args(["check", "--target", TARGET]).args(&options.rest));
    }
    println!("rustup has no {TARGET}: with Debian's Rust, which builds the standard library first");
    install_debian_rust()?;
    check_with_debian_rust(workspace, &options.rest)
}

fn rustup_has_the_target() -> bool {
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "list", "--installed"]);
    process::output(&mut rustup).is_ok_and(|targets| targets.lines().any(|line| line == TARGET))
}

fn install_debian_rust() -> Result<()> {
    let linker = process::first_line(Command::new("x86_64-w64-mingw32-gcc").arg("--version"));
    if Path::new(DEBIAN_STD_SOURCES).is_dir() && linker.is_some() {
        return Ok(());
    }
    let user = process::first_line(Command::new("id").arg("--user"));
    ensure!(
        user.as_deref() == Some("0") && Path::new("/usr/bin/apt-get").exists(),
        "needs `rustup target add {TARGET}`, or Debian's packages {}",
        DEBIAN_PACKAGES.join(" ")
    );
    process::run(Command::new("apt-get").args(["update", "-qq"]))?;
    let mut install = Command::new("apt-get");
    install.args(["install", "--yes", "-qq", "--no-install-recommends"]);
    install.args(DEBIAN_PACKAGES).env("DEBIAN_FRONTEND", "noninteractive");
    // It lists each package that it unpacks.
    process::run(install.stdout(Stdio::null()))
}

fn check_with_debian_rust(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let mut cargo = Command::new(DEBIAN_CARGO);
    cargo.args(["check", "-Zbuild-std=std,panic_abort", "--target", TARGET]).args(arguments);
    cargo.current_dir(&workspace.root).env("CARGO_TARGET_DIR", workspace.target.join("windows-check"));
    // A released compiler takes `-Z` options only so.
    cargo.env("RUSTC", DEBIAN_RUSTC).env("RUSTC_BOOTSTRAP", "1").env_remove("RUSTUP_TOOLCHAIN");
    process::run(&mut cargo)
}
