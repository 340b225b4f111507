//! Takes away files that nobody will read again. It blocks.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::disk::Kind;
use super::tools::MAX_AGE;

/// Writing takes moments. What is unfinished after an hour was left by a process that ended.
const MAX_UNFINISHED: Duration = Duration::from_secs(60 * 60);
/// How many names are looked at in one go. The rest waits for the next one: an entry is replaced now and
/// then, while of what is looked at first the old is taken away.
pub(super) const MAX_LOOKED_AT: usize = 1024;
/// How many files are taken away in one go.
pub(super) const MAX_REMOVED: usize = 64;

/// Removes old files of ours from the folder; tells how many. Links, folders and foreign files stay.
pub(super) fn sweep(folder: &Path, now: SystemTime) -> io::Result<usize> {
    let mut removed = 0;
    for entry in fs::read_dir(folder)?.take(MAX_LOOKED_AT) {
        let entry = entry?;
        let limit = match entry.file_name().to_str().map(Kind::of) {
            Some(Kind::Entry) => MAX_AGE,
            Some(Kind::Unfinished) => MAX_UNFINISHED,
            Some(Kind::Foreign) | None => continue,
        };
        // Another process may have been faster; then there is nothing left to do for this one.
        if is_older(&entry, limit, now) && fs::remove_file(entry.path()).is_ok() {
            removed += 1;
        }
        if removed == MAX_REMOVED {
            break;
        }
    }
    Ok(removed)
}

fn is_older(entry: &fs::DirEntry, limit: Duration, now: SystemTime) -> bool {
    let Ok(data) = entry.metadata() else { return false };
    let age = data.modified().ok().and_then(|modified| now.duration_since(modified).ok());
    data.is_file() && age.is_some_and(|age| age > limit)
}
