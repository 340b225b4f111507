//! Where the workspace is, and how its cargo is called.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;

#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Where cargo builds, `CARGO_TARGET_DIR` respected.
    pub(crate) target: PathBuf,
}

impl Workspace {
    pub(crate) fn find() -> Result<Self> {
        let root = root()?;
        let text = process::output(cargo_at(&root).args(["metadata", "--no-deps", "--format-version", "1"]))?;
        let metadata: serde_json::Value = serde_json::from_str(&text)?;
        let target =
            metadata["target_directory"].as_str().context("`cargo metadata` names no target folder")?;
        Ok(Self { root, target: target.into() })
    }

    pub(crate) fn cargo(&self) -> Command {
        cargo_at(&self.root)
    }
}

/// The folder above this package.
pub(crate) fn root() -> Result<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(package.parent().context("xtask lies in no workspace")?.to_owned())
}

/// Cargo by its name, not by the path of the one that started us: only so can a toolchain be chosen.
pub(crate) fn cargo_at(root: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root);
    cargo
}
