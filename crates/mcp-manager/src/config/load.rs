//! Reads files that the caller names, all of them or none.

use std::collections::HashMap;
use std::path::Path;

use super::discover::{Discovered, Shadowed};
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
    load_all(files, values).map(|found| found.entries)
}

/// The same with the entries whose place others took, and the files, the last one first.
///
/// # Errors
///
/// Those of [`load`].
pub fn load_all<P: AsRef<Path>>(
    files: impl IntoIterator<Item = (P, Option<Host>)>,
    values: &Values<'_>,
) -> Result<Discovered, ConfigError> {
    let mut found = Discovered::default();
    // Where an entry of a name is, and which file it is from.
    let mut known: HashMap<String, (usize, usize)> = HashMap::new();
    let mut lost: Vec<Entry> = Vec::new();
    for (number, (path, host)) in files.into_iter().enumerate() {
        let file = read_file(path.as_ref(), host, Scope::Given, values)?;
        found.files.insert(0, path.as_ref().to_owned());
        for entry in file.entries {
            match known.get_mut(&entry.name) {
                // Those for one project come first in their file and count more than its others.
                Some((_, from)) if *from == number => lost.push(entry),
                Some((at, from)) => {
                    *from = number;
                    lost.push(std::mem::replace(&mut found.entries[*at], entry));
                }
                None => {
                    known.insert(entry.name.clone(), (found.entries.len(), number));
                    found.entries.push(entry);
                }
            }
        }
    }
    found.shadowed = lost
        .into_iter()
        .filter_map(|entry| {
            let (at, _) = known.get(&entry.name)?;
            Some(Shadowed { by: found.entries.get(*at)?.origin.clone(), entry })
        })
        .collect();
    Ok(found)
}
