//! The servers and the conformance suite from npm.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::stamp::Stamp;
use super::tool::Tool;
use crate::{folders, process};

const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };
/// What the conformance suite needs; the servers run on 20 too.
const OLDEST_NODE: (u32, u32) = (22, 0);
const FILES: [&str; 3] = ["package.json", "package-lock.json", ".npmrc"];

pub(super) fn install(locks: &Path, folder: &Path) -> Result<()> {
    let node = Tool::find("Node", &["node"], OLDEST_NODE)?;
    let npm = Tool::find("npm", &[NPM], (9, 0))?;
    let files = FILES.map(|name| locks.join(name));
    let stamp =
        Stamp::new(folder, &[&node.version, &npm.version], &files.each_ref().map(|file| file.as_path()))?;
    if stamp.matches() {
        println!("from npm: already in {}", folder.display());
        return Ok(());
    }
    println!("from npm: into {}, with Node {}", folder.display(), node.version);
    folders::make_empty(folder)?;
    for name in FILES {
        fs::copy(locks.join(name), folder.join(name)).with_context(|| format!("cannot copy {name}"))?;
    }
    process::run(Command::new(npm.command).args(["ci", "--ignore-scripts"]).current_dir(folder))?;
    stamp.write()
}
