//! Where the values come from that a file only names: nothing here looks around by itself.

use std::env::VarError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Looks up a variable of the environment, such as [`std::env::var`].
pub type Env<'a> = &'a dyn Fn(&str) -> Result<String, VarError>;
/// Asks for an input; `None` if there is no answer.
pub type Ask<'a> = &'a dyn Fn(&Input) -> Option<String>;
/// Reads a file, such as [`std::fs::read_to_string`].
pub type ReadText<'a> = &'a dyn Fn(&Path) -> io::Result<String>;

/// What stands in for the names in a file. The default knows nothing.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Values<'a> {
    /// The environment. None: every variable is unset.
    pub env: Option<Env<'a>>,
    /// What the user answers to the input of this id (VS Code). None: an input without a default disables
    /// its server.
    pub input: Option<Ask<'a>>,
    /// Reads a file that a value names: `envFile`, `{file:...}`. None: they are not read, which disables
    /// the server.
    pub file: Option<ReadText<'a>>,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The folder of the project that is worked on. It says which entries for one project count, and
    /// stands in for `${workspaceFolder}`.
    pub workspace: Option<PathBuf>,
}

impl<'a> Values<'a> {
    /// These variables and nothing else.
    pub fn of_env(env: Env<'a>) -> Self {
        Self { env: Some(env), ..Self::default() }
    }

    pub(super) fn variable(&self, name: &str) -> Result<String, VarError> {
        self.env.map_or(Err(VarError::NotPresent), |env| env(name))
    }
}

impl fmt::Debug for Values<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Values")
            .field("home", &self.home)
            .field("workspace", &self.workspace)
            .finish_non_exhaustive()
    }
}

/// Something that the user is to be asked for (VS Code).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Input {
    /// What values call it.
    pub id: String,
    /// What to ask.
    pub description: Option<String>,
    /// Whether the answer is to be hidden.
    pub password: bool,
    /// What counts without an answer.
    pub default: Option<String>,
    /// The answers there are, where one is to be picked.
    pub options: Vec<String>,
}
