//! The server and the SDK from PyPI, in a virtual environment.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::stamp::Stamp;
use super::tool::Tool;
use crate::{folders, process};

const COMMANDS: [&str; 2] = if cfg!(windows) { ["python", "py"] } else { ["python3", "python"] };

pub(super) fn install(locks: &Path, folder: &Path) -> Result<()> {
    let python = Tool::find("Python", &COMMANDS, (3, 11))?;
    let requirements = locks.join("requirements.txt");
    let stamp = Stamp::new(folder, &[&python.version], &[&requirements])?;
    if stamp.matches() {
        println!("from PyPI: already in {}", folder.display());
        return Ok(());
    }
    println!("from PyPI: into {}, with {}", folder.display(), python.version);
    folders::make_empty(folder)?;
    process::run(Command::new(python.command).args(["-m", "venv"]).arg(folder))?;
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let mut pip = Command::new(programs.join("python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]);
    process::run(pip.arg("--requirement").arg(&requirements))?;
    stamp.write()
}
