//! Reads one file and finds the entries in it.

use std::io::Read;
use std::path::Path;

use serde_json::value::RawValue;

use super::Source;
use super::entry::{self, Entry};
use super::error::{ConfigError, EntryProblem, FileProblem};
use super::fields::kind_of;
use super::members::Members;

/// The entries of the file, good ones and bad ones.
pub(super) fn read(path: &Path) -> Result<Vec<Entry>, ConfigError> {
    let fail = |problem| ConfigError::new(path, problem);
    let bytes = read_bounded(path).map_err(|error| fail(FileProblem::Read(error)))?;
    if bytes.len() as u64 > LONGEST {
        return Err(fail(FileProblem::TooLong { limit: LONGEST }));
    }
    entries(path, &bytes)
}

/// The longest file that is read, in bytes.
const LONGEST: u64 = 16 * 1024 * 1024;

fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The entries in what the file holds.
pub(super) fn entries(path: &Path, bytes: &[u8]) -> Result<Vec<Entry>, ConfigError> {
    let fail = |problem| ConfigError::new(path, problem);
    let text = std::str::from_utf8(bytes)
        .map_err(|error| fail(FileProblem::Utf8 { line: line_at(bytes, error.valid_up_to()) }))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(fail(FileProblem::Empty));
    }
    let top: Members<'_> = serde_json::from_str(text).map_err(|error| fail(FileProblem::Json(error)))?;
    if top.0.iter().filter(|(name, _)| name == "mcpServers").count() > 1 {
        return Err(fail(FileProblem::ServersTwice));
    }
    let servers = top.find("mcpServers").ok_or_else(|| fail(FileProblem::NoServers))?;
    let line = |value: &RawValue| line_at(text.as_bytes(), offset(text, value));
    let members: Members<'_> = serde_json::from_str(servers.get())
        .map_err(|_| fail(FileProblem::NotServers { found: kind_of(servers), line: line(servers) }))?;

    let mut entries: Vec<Entry> = Vec::new();
    for (name, value) in members.0 {
        let source = Source { file: path.to_owned(), line: line(value) };
        match entries.iter_mut().find(|known| known.name == name) {
            Some(known) => known.spoil(EntryProblem::Twice),
            None => entries.push(entry::read(name, source, value)),
        }
    }
    Ok(entries)
}

/// Where `part`, which was read from `text` without a copy, begins in it.
fn offset(text: &str, part: &RawValue) -> usize {
    (part.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

fn line_at(text: &[u8], offset: usize) -> usize {
    1 + text[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}
