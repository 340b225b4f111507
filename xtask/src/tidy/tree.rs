//! The files that the rules are about.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::source::Source;
use super::test_code;

/// Built, installed or kept by other programs. In a second work tree `.git` is a file.
const SKIPPED: [&str; 5] = [".git", "target", "node_modules", "artifacts", "corpus"];

pub(super) struct Text {
    /// From the root, with `/`.
    pub(super) path: String,
    pub(super) text: String,
}

pub(super) struct Tree {
    /// Every file, Rust or not.
    pub(super) texts: Vec<Text>,
    pub(super) sources: Vec<Source>,
}

impl Tree {
    pub(super) fn read(root: &Path) -> Result<Self> {
        let mut texts = Vec::new();
        read_folder(root, "", &mut texts)?;
        texts.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self::of(texts))
    }

    fn of(texts: Vec<Text>) -> Self {
        let rust = texts.iter().filter(|file| file.path.ends_with(".rs"));
        let mut sources = rust.map(|file| Source::new(&file.path, &file.text)).collect::<Vec<_>>();
        test_code::mark(&mut sources);
        Self { texts, sources }
    }

    /// The sources of the crate in `folder`, without its own tests, benchmarks and fuzz targets.
    pub(super) fn crate_sources<'a>(&'a self, folder: &str) -> impl Iterator<Item = &'a Source> + use<'a> {
        let start = format!("{folder}/src/");
        self.sources.iter().filter(move |source| source.path.starts_with(&start))
    }

    /// Names of the folders in `crates/`.
    pub(super) fn crates(&self) -> Vec<&str> {
        let inside = self.texts.iter().filter_map(|file| file.path.strip_prefix("crates/"));
        let mut names = inside.filter_map(|path| path.strip_suffix("/Cargo.toml")).collect::<Vec<_>>();
        // A fuzz package lies one folder deeper.
        names.retain(|name| !name.contains('/'));
        names
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.texts.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }
}

fn read_folder(root: &Path, folder: &str, texts: &mut Vec<Text>) -> Result<()> {
    let place = root.join(folder);
    for entry in fs::read_dir(&place).with_context(|| format!("cannot read {}", place.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let kind = entry.file_type()?;
        if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
            read_folder(root, &path, texts)?;
        } else if kind.is_file() && !SKIPPED.contains(&name.as_str()) {
            let bytes = fs::read(entry.path()).with_context(|| format!("cannot read {path}"))?;
            texts.push(Text { path, text: String::from_utf8_lossy(&bytes).into_owned() });
        }
    }
    Ok(())
}

/// A tree in memory, from pairs of path and text.
#[cfg(test)]
pub(super) fn tree(files: &[(&str, &str)]) -> Tree {
    let texts = files.iter().map(|(path, text)| Text { path: (*path).to_owned(), text: (*text).to_owned() });
    Tree::of(texts.collect())
}
