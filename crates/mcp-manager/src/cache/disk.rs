//! Files of entries: read within a limit, replaced in one step, removed. It blocks.

use std::collections::hash_map::RandomState;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::key::CacheKey;

/// The most bytes a file of an entry has, 16 MiB. Longer ones are neither written nor read.
pub const MAX_FILE: u64 = 16 * 1024 * 1024;
/// How often another name is tried for a file that is to be renamed.
const TRIES: u32 = 8;

pub(super) const ENDING: &str = ".entry";
pub(super) const UNFINISHED: &str = ".unfinished";

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
    let path = path(folder, key);
    match fs::symlink_metadata(&path) {
        // A pipe would hold up the reader, and a link leads elsewhere.
        Ok(data) if !data.is_file() => return Err(io::Error::other("it is no regular file")),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    Ok(Some(bytes))
}

/// Puts `bytes` in the place of the entry: readers see the old file or the new one, whole.
///
/// Nothing waits until it is on the disk. If the machine stops before that, the entry is damaged, which
/// its reader notices, and it is made anew.
pub(super) fn replace(folder: &Path, key: &CacheKey, bytes: &[u8]) -> io::Result<()> {
    if bytes.len() as u64 > MAX_FILE {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    make_folder(folder)?;
    let (mut file, unfinished) = create_unfinished(folder, key)?;
    let written = file.write_all(bytes);
    // Windows does not like to rename what is open.
    drop(file);
    let replaced = written.and_then(|()| fs::rename(&unfinished, path(folder, key)));
    if replaced.is_err() {
        // What stays is swept away later.
        let _ = fs::remove_file(&unfinished);
    }
    replaced
}

/// Removes the entry; it may be gone already.
pub(super) fn remove(folder: &Path, key: &CacheKey) -> io::Result<()> {
    match fs::remove_file(path(folder, key)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes the folder for its owner alone. One that is there stays as it is.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A new file for its owner alone, beside the entry, so that it can be renamed.
fn create_unfinished(folder: &Path, key: &CacheKey) -> io::Result<(File, PathBuf)> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut tries = 0;
    loop {
        let path = folder.join(format!("{key}-{:016x}{UNFINISHED}", random()));
        tries += 1;
        match options.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {}
            opened => return Ok((opened?, path)),
        }
    }
}

/// A number that other writers do not have; it need not be a secret.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
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
