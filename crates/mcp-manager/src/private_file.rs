//! Files for their owner alone: read within a limit, replaced in one step. It blocks.

use std::collections::hash_map::RandomState;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The ending of what is being written, or was when a process ended.
pub(crate) const UNFINISHED: &str = ".unfinished";
/// How often another name is tried for a file that is to be renamed.
const TRIES: u32 = 8;

/// The bytes of a file. `None` if there is none; one that is longer than `limit` is an error.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    match fs::symlink_metadata(path) {
        // A pipe would hold up the reader, and a link leads elsewhere.
        Ok(data) if !data.is_file() => return Err(io::Error::other("it is no regular file")),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    Ok(Some(bytes))
}

/// Puts `bytes` in the place of `folder/name`: readers see the old file or the new one, whole. Until then
/// they are in a file beside it, whose name begins with `stem`.
///
/// Nothing waits until it is on the disk. If the machine stops before that, the file may be damaged.
pub(crate) fn replace(folder: &Path, stem: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
    make_folder(folder)?;
    put(folder, stem, name, bytes, None)
}

/// The same for a file in a folder that is there; it has these permissions, or else is for its owner alone.
pub(crate) fn put(
    folder: &Path,
    stem: &str,
    name: impl AsRef<Path>,
    bytes: &[u8],
    permissions: Option<fs::Permissions>,
) -> io::Result<()> {
    let (mut file, unfinished) = create_unfinished(folder, stem)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions)));
    // Windows does not like to rename what is open.
    drop(file);
    let replaced = written.and_then(|()| fs::rename(&unfinished, folder.join(name)));
    if replaced.is_err() {
        // What stays does no harm.
        let _ = fs::remove_file(&unfinished);
    }
    replaced
}

/// Makes the folder for its owner alone. One that is there stays as it is.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A new file for its owner alone, so that it can be renamed.
fn create_unfinished(folder: &Path, stem: &str) -> io::Result<(File, PathBuf)> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut tries = 0;
    loop {
        let path = folder.join(format!("{stem}-{:016x}{UNFINISHED}", random()));
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
