//! Reads files that the caller names, all of them or none.

use std::collections::HashMap;
use std::path::Path;

use super::entry::Entry;
use super::error::ConfigError;
use super::file::read_file;
use super::host::{Host, Scope};
use super::values::Values;

/// Reads the files in order; an entry of a later one takes the place of that of an earlier one. The
/// entries come in the order of their first mention.
///
/// # Errors
///
/// Fails if a file cannot be read as a whole. Bad entries do not fail; see [`Entry::state`].
pub fn load<P: AsRef<Path>>(
    files: impl IntoIterator<Item = (P, Option<Host>)>,
    values: &Values<'_>,
) -> Result<Vec<Entry>, ConfigError> {
    let mut entries: Vec<Entry> = Vec::new();
    // Where an entry of a name is, and which file it is from.
    let mut known: HashMap<String, (usize, usize)> = HashMap::new();
    for (number, (path, host)) in files.into_iter().enumerate() {
        let file = read_file(path.as_ref(), host, Scope::Given, values)?;
        for entry in file.entries {
            match known.get_mut(&entry.name) {
                // Those for one project come first in their file and count more than its others.
                Some((_, from)) if *from == number => {}
                Some((at, from)) => {
                    *from = number;
                    entries[*at] = entry;
                }
                None => {
                    known.insert(entry.name.clone(), (entries.len(), number));
                    entries.push(entry);
                }
            }
        }
    }
    Ok(entries)
}
