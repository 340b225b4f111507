//! Files of entries: read within a limit, replaced in one step, removed. It blocks.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::key::CacheKey;
use crate::private_file::{self, UNFINISHED};

/// The most bytes a file of an entry has, 16 MiB. Longer ones are neither written nor read.
pub const MAX_FILE: u64 = 16 * 1024 * 1024;

pub(super) const ENDING: &str = ".entry";

/// What a name of a file in the folder says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An entry.
    Entry,
    /// What is being written, or was when a process ended.
    Unfinished,
    /// Not ours.
    Foreign,
}

impl Kind {
    pub(super) fn of(name: &str) -> Self {
        let (stem, kind) = if let Some(stem) = name.strip_suffix(ENDING) {
            (stem, Self::Entry)
        } else if let Some(stem) = name.strip_suffix(UNFINISHED) {
            let Some((stem, random)) = stem.split_once('-') else { return Self::Foreign };
            if !is_hex(random, 16) {
                return Self::Foreign;
            }
            (stem, Self::Unfinished)
        } else {
            return Self::Foreign;
        };
        if is_hex(stem, 64) { kind } else { Self::Foreign }
    }
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

pub(super) fn path(folder: &Path, key: &CacheKey) -> PathBuf {
    folder.join(format!("{key}{ENDING}"))
}

/// The bytes of an entry. `None` if there is none.
pub(super) fn read(folder: &Path, key: &CacheKey) -> io::Result<Option<Vec<u8>>> {
    private_file::read(&path(folder, key), MAX_FILE)
}

/// Puts `bytes` in the place of the entry: readers see the old file or the new one, whole. A damaged entry
/// is noticed by its reader, and made anew; what was never finished is swept away later.
pub(super) fn replace(folder: &Path, key: &CacheKey, bytes: &[u8]) -> io::Result<()> {
    if bytes.len() as u64 > MAX_FILE {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    private_file::replace(folder, &key.to_string(), &format!("{key}{ENDING}"), bytes)
}

/// Removes the entry; it may be gone already.
pub(super) fn remove(folder: &Path, key: &CacheKey) -> io::Result<()> {
    match fs::remove_file(path(folder, key)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_tell_ours_from_others() {
        let (key, random) = ("0a".repeat(32), "0123456789abcdef");
        assert_eq!(Kind::of(&format!("{key}.entry")), Kind::Entry);
        assert_eq!(Kind::of(&format!("{key}-{random}.unfinished")), Kind::Unfinished);
        for foreign in [
            "notes.entry".to_owned(),
            key.clone(),
            format!("{key}.json"),
            format!("{key}.unfinished"),
            format!("{key}-{random}.entry"),
            format!("{key}-x.unfinished"),
            format!("{}.entry", key.to_uppercase()),
            format!("../{}.entry", &key[3..]),
        ] {
            assert_eq!(Kind::of(&foreign), Kind::Foreign, "{foreign}");
        }
    }
}
