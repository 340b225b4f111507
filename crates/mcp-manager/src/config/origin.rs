//! Where an entry or a value comes from.

use std::fmt;
use std::path::PathBuf;

use super::host::{Host, Scope};
use super::lines::Place;

/// Where something stands: in which file, whose file that is, and at which place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Origin {
    /// The file.
    pub file: PathBuf,
    /// The host it is written for.
    pub host: Host,
    /// Whose it is.
    pub scope: Scope,
    /// Where in the file.
    pub place: Place,
}

impl Origin {
    /// The same at another place of the file.
    #[must_use]
    pub fn at(&self, place: Place) -> Self {
        Self { place, ..self.clone() }
    }
}

/// `FILE:LINE:COLUMN`, as editors take it.
impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}", self.file.display(), self.place.line, self.place.column)
    }
}
