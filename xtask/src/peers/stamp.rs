//! Remembers from what a folder was installed, so that it is done again only when that changes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

pub(super) struct Stamp {
    file: PathBuf,
    text: String,
}

impl Stamp {
    /// For what is installed in `folder` from the texts of `locks` by programs of these `versions`.
    pub(super) fn new(folder: &Path, versions: &[&str], locks: &[&Path]) -> Result<Self> {
        // The place counts: a virtual environment does not work elsewhere.
        let mut text = format!("{}\n{}\n", folder.display(), versions.join("\n"));
        for lock in locks {
            text += &fs::read_to_string(lock).with_context(|| format!("cannot read {}", lock.display()))?;
        }
        Ok(Self { file: folder.join("installed-from"), text })
    }

    pub(super) fn matches(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|text| text == self.text)
    }

    /// To be called last, when all is in place.
    pub(super) fn write(&self) -> Result<()> {
        fs::write(&self.file, &self.text).with_context(|| format!("cannot write {}", self.file.display()))
    }
}
