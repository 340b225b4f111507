//! Which files are read, and what stands in for the names in them; `mcp-manager` does the reading.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use mcp_manager::config::{ConfigError, Entry, Origin, ServerKind, Values, load};

/// The longest file that a value may name, in bytes.
const LONGEST_VALUE: u64 = 1024 * 1024;

/// All entries of these files; those of a later one win.
pub(crate) fn entries(files: &[PathBuf]) -> Result<Vec<Entry>, ConfigError> {
    with_values(|values| load(files.iter().map(|file| (file, None)), values))
}

/// Calls `read` with what this process knows: its environment, the user's folder and its own.
pub(crate) fn with_values<T>(read: impl FnOnce(&Values<'_>) -> T) -> T {
    let env = |name: &str| std::env::var(name);
    let mut values = Values::of_env(&env);
    values.file = Some(&read_text);
    values.home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    values.workspace = std::env::current_dir().ok();
    read(&values)
}

fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(LONGEST_VALUE + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST_VALUE {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(text)
}

/// Where something stands, in words.
pub(crate) fn place(origin: &Origin) -> String {
    let place = origin.place;
    format!("in {}, line {}, column {}", origin.file.display(), place.line, place.column)
}

/// The address of a server behind one, secrets masked.
pub(crate) fn url(kind: &ServerKind) -> Option<String> {
    match kind {
        ServerKind::Http(server) | ServerKind::Sse(server) => Some(server.endpoint().to_string()),
        _ => None,
    }
}
