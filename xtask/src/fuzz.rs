//! Fuzzing: the corpora on every machine, the fuzzers where there is a nightly toolchain.
//!
//! A crate's fuzz targets are a package of their own in its folder `fuzz`, laid out as cargo-fuzz
//! has it, so that both work:
//!
//! ```text
//! crates/<crate>/fuzz/fuzz_targets/<target>.rs      a few lines around a plain function of the crate
//! crates/<crate>/fuzz/corpus/<target>/*             inputs, committed
//! ```

mod replay;
mod short_run;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::folders;
use crate::options::Options;
use crate::workspace::Workspace;

/// The fuzz package of one crate.
pub(crate) struct FuzzPackage {
    /// Name of the crate that it is for.
    name: String,
    folder: PathBuf,
    targets: Vec<String>,
}

pub(crate) fn step(workspace: &Workspace, options: &Options) -> Result<()> {
    let packages = packages(&workspace.root)?;
    replay::all(workspace, &packages)?;
    short_run::all(workspace, &packages, options.fuzz_seconds)
}

pub(crate) fn packages(root: &Path) -> Result<Vec<FuzzPackage>> {
    let mut packages = Vec::new();
    for name in folders::names(&root.join("crates"))? {
        let folder = root.join("crates").join(&name).join("fuzz");
        if folder.join("Cargo.toml").exists() {
            packages.push(FuzzPackage { name, targets: targets(&folder)?, folder });
        }
    }
    Ok(packages)
}

impl FuzzPackage {
    pub(crate) fn manifest(&self) -> PathBuf {
        self.folder.join("Cargo.toml")
    }

    fn corpus(&self, target: &str) -> PathBuf {
        self.folder.join("corpus").join(target)
    }
}

fn targets(folder: &Path) -> Result<Vec<String>> {
    let mut targets = Vec::new();
    for name in folders::names(&folder.join("fuzz_targets"))? {
        if let Some(target) = name.strip_suffix(".rs") {
            let corpus = folder.join("corpus").join(target);
            ensure!(corpus.is_dir(), "no corpus for `{target}`: {} is missing", corpus.display());
            targets.push(target.to_owned());
        }
    }
    Ok(targets)
}
