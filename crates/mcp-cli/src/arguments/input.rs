//! JSON given on the command line: itself, `@FILE`, or `-` for stdin.

use std::fmt;
use std::io::Read;

use serde_json::value::RawValue;

use crate::show::json;

/// JSON that cannot be had.
#[derive(Debug)]
pub(crate) enum InputError {
    Read { from: String, source: std::io::Error },
    Json { from: String, source: serde_json::Error },
}

/// Reads the JSON that `given` is or points to. It comes back on one line, otherwise unchanged.
pub(crate) fn read_json(given: &str) -> Result<Box<RawValue>, InputError> {
    let (from, read) = match given.strip_prefix('@') {
        Some(file) => (format!("`{file}`"), std::fs::read_to_string(file)),
        None if given == "-" => {
            // This may wait for a person, and signals have to get through.
            ("stdin".to_owned(), tokio::task::block_in_place(read_stdin))
        }
        None => ("the JSON given".to_owned(), Ok(given.to_owned())),
    };
    match read {
        Ok(text) => parse(&text).map_err(|source| InputError::Json { from, source }),
        Err(source) => Err(InputError::Read { from, source }),
    }
}

fn read_stdin() -> std::io::Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

/// A frame is a line, so line ends between the tokens have to go.
pub(super) fn parse(text: &str) -> serde_json::Result<Box<RawValue>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: &RawValue = serde_json::from_str(text)?;
    RawValue::from_string(json::compact(value.get()).into_owned())
}

impl fmt::Display for InputError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { from, source } => write!(formatter, "cannot read {from}: {source}"),
            Self::Json { from, source } => write!(formatter, "{from} is not valid JSON: {source}"),
        }
    }
}
