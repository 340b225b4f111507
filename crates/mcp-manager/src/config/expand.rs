//! Variables in a text, filled in once: what a value or a default holds is taken as it is.

use std::env::VarError;
use std::path::Path;

use super::values::{Input, Values};

/// Longest name that an error shows: what is longer is no name.
const MAX_SHOWN: usize = 64;

/// How variables are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// `${NAME}`, `${NAME:-default}`; `$$` is a `$`.
    Own,
    /// The same, but `$$` is two of them (Claude Code).
    Braces,
    /// `$NAME` as well (Gemini CLI).
    Bare,
    /// `${env:NAME}`, `${input:ID}`, `${workspaceFolder}` and the like; other braces are text (VS Code,
    /// Cursor, Windsurf).
    Prefixed,
    /// `{env:NAME}` and `{file:PATH}` (opencode).
    Curly,
    /// There are none.
    Literal,
}

/// What a text is filled in with.
pub(super) struct Filler<'a> {
    pub(super) syntax: Syntax,
    pub(super) values: &'a Values<'a>,
    pub(super) inputs: &'a [Input],
    /// Where relative paths start from.
    pub(super) folder: &'a Path,
}

impl Filler<'_> {
    /// Fills in the variables of `text`.
    pub(super) fn fill(&self, text: &str) -> Result<String, VariableProblem> {
        let (mark, open) = match self.syntax {
            Syntax::Literal => return Ok(text.to_owned()),
            Syntax::Curly => ('{', ""),
            _ => ('$', "{"),
        };
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(mark) {
            out.push_str(before);
            let filled = match after.strip_prefix(open) {
                Some(inner) => self.braces(inner)?,
                None => self.bare(after)?,
            };
            if let Some((value, after)) = filled {
                out.push_str(&value);
                rest = after;
            } else {
                out.push(mark);
                rest = after;
            }
        }
        out.push_str(rest);
        Ok(out)
    }

    /// What begins after a `$` that has no brace.
    fn bare<'t>(&self, text: &'t str) -> Result<Option<(String, &'t str)>, VariableProblem> {
        match self.syntax {
            Syntax::Own => Ok(text.strip_prefix('$').map(|rest| ("$".to_owned(), rest))),
            Syntax::Bare if text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_') => {
                let (name, rest) = name(text);
                Ok(Some((self.variable(name, None)?, rest)))
            }
            _ => Ok(None),
        }
    }

    /// What begins inside of the braces, and what follows them; `None` if that is only text.
    fn braces<'t>(&self, text: &'t str) -> Result<Option<(String, &'t str)>, VariableProblem> {
        match self.syntax {
            Syntax::Prefixed => self.prefixed(text),
            Syntax::Curly => self.curly(text),
            _ => self.default(text).map(Some),
        }
    }

    /// `NAME}` or `NAME:-default}`.
    fn default<'t>(&self, text: &'t str) -> Result<(String, &'t str), VariableProblem> {
        let (name, after) = name(text);
        let Some((inside, rest)) = after.split_once('}') else {
            return Err(VariableProblem::Unclosed { name: shown(name) });
        };
        // The rest of what is no name may be a value that went to the wrong place.
        let default = match inside.strip_prefix(":-") {
            _ if name.is_empty() || name.starts_with(|it: char| it.is_ascii_digit()) => {
                return Err(VariableProblem::NoName);
            }
            None if !inside.is_empty() => return Err(VariableProblem::NoName),
            default => default,
        };
        if default.is_some_and(|default| default.contains("${")) {
            return Err(VariableProblem::Nested { name: shown(name) });
        }
        Ok((self.variable(name, default)?, rest))
    }

    fn prefixed<'t>(&self, text: &'t str) -> Result<Option<(String, &'t str)>, VariableProblem> {
        // A shell's own `${` in an argument is as likely as a mistake here: both are left as they are.
        let Some((inside, rest)) = text.split_once('}') else { return Ok(None) };
        let value = match inside.split_once(':') {
            Some(("env", name)) => {
                // Cursor and Windsurf know no default, VS Code neither.
                self.variable(name, None)?
            }
            Some(("input", id)) => self.input(id)?,
            Some(("file", path)) => self.file(path)?,
            Some((form @ ("command" | "config"), _)) => {
                return Err(VariableProblem::Unsupported { form: format!("${{{form}:...}}") });
            }
            Some(_) => return Ok(None),
            None => match inside {
                "userHome" => folder(inside, self.values.home.as_deref())?,
                "workspaceFolder" | "workspaceRoot" => folder(inside, self.values.workspace.as_deref())?,
                "workspaceFolderBasename" => {
                    let name = self.values.workspace.as_deref().and_then(Path::file_name);
                    folder(inside, name.map(Path::new))?
                }
                "pathSeparator" | "/" => std::path::MAIN_SEPARATOR.to_string(),
                _ => return Ok(None),
            },
        };
        Ok(Some((value, rest)))
    }

    fn curly<'t>(&self, text: &'t str) -> Result<Option<(String, &'t str)>, VariableProblem> {
        let form = ["env:", "file:"].into_iter().find(|form| text.starts_with(form));
        let Some(form) = form else { return Ok(None) };
        let Some((inside, rest)) = text[form.len()..].split_once('}') else { return Ok(None) };
        let value = if form == "env:" { self.variable(inside, None)? } else { self.file(inside)? };
        Ok(Some((value, rest)))
    }

    fn variable(&self, name: &str, default: Option<&str>) -> Result<String, VariableProblem> {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(VariableProblem::NoName);
        }
        match (self.values.variable(name), default) {
            (Err(VarError::NotUnicode(_)), _) => Err(VariableProblem::NotText { name: shown(name) }),
            (Err(VarError::NotPresent), None) => Err(VariableProblem::Unset { name: shown(name) }),
            (Err(VarError::NotPresent), Some(default)) => Ok(default.to_owned()),
            (Ok(value), Some(default)) if value.is_empty() => Ok(default.to_owned()),
            (Ok(value), _) => Ok(value),
        }
    }

    fn input(&self, id: &str) -> Result<String, VariableProblem> {
        let unknown = || Input { id: id.to_owned(), ..Input::default() };
        let input = self.inputs.iter().find(|input| input.id == id).cloned().unwrap_or_else(unknown);
        let answer = self.values.input.and_then(|ask| ask(&input));
        answer.or(input.default).ok_or_else(|| VariableProblem::NoInput { id: shown(id) })
    }

    /// The text of a file, without the line break at its end.
    fn file(&self, path: &str) -> Result<String, VariableProblem> {
        let Some(read) = self.values.file else {
            return Err(VariableProblem::Unsupported { form: "{file:...}".to_owned() });
        };
        let path = match (path.strip_prefix("~/"), &self.values.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.folder.join(path),
        };
        let text = read(&path).map_err(|error| VariableProblem::File { reason: error.kind().to_string() })?;
        Ok(text.trim().to_owned())
    }
}

/// The value of a variable that a field names as a whole. It must not be empty, as that would be sent.
pub(super) fn named(name: &str, values: &Values<'_>) -> Result<String, VariableProblem> {
    let env = Filler { syntax: Syntax::Own, values, inputs: &[], folder: Path::new("") };
    match env.variable(name, None)? {
        value if value.is_empty() => Err(VariableProblem::Empty { name: shown(name) }),
        value => Ok(value),
    }
}

fn folder(form: &str, folder: Option<&Path>) -> Result<String, VariableProblem> {
    let folder = folder.and_then(Path::to_str);
    folder.map(str::to_owned).ok_or_else(|| VariableProblem::Unknown { form: format!("${{{form}}}") })
}

/// The name at the beginning of a text, and what follows.
fn name(text: &str) -> (&str, &str) {
    let end = text.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(text.len());
    text.split_at(end)
}

fn shown(name: &str) -> String {
    name.chars().take(MAX_SHOWN).collect::<String>().escape_debug().to_string()
}

/// Why a text cannot be filled in. No message shows a value, or text that stands around a variable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VariableProblem {
    /// It is not set, and has no default.
    #[error("the variable `{name}` is not set")]
    Unset {
        /// Its name.
        name: String,
    },
    /// It is set to nothing where that cannot be meant.
    #[error("the variable `{name}` is empty")]
    Empty {
        /// Its name.
        name: String,
    },
    /// Its value is not Unicode.
    #[error("the value of the variable `{name}` is not Unicode")]
    NotText {
        /// Its name.
        name: String,
    },
    /// There is no `}`.
    #[error("`${{{name}` has no closing brace")]
    Unclosed {
        /// Its name.
        name: String,
    },
    /// A variable in the default of another one.
    #[error("the default of the variable `{name}` holds a variable itself")]
    Nested {
        /// Its name.
        name: String,
    },
    /// What stands there is no name, and is not shown, as it may be a secret.
    #[error("what stands between `${{` and `}}` is not the name of a variable")]
    NoName,
    /// Nobody gave a value for an input.
    #[error("the input `{id}` has no value")]
    NoInput {
        /// Its id.
        id: String,
    },
    /// The host knows this, and the caller did not say it.
    #[error("`{form}` is not known here")]
    Unknown {
        /// How it is written.
        form: String,
    },
    /// The host would run or read something, which is not done here.
    #[error("`{form}` is not supported here")]
    Unsupported {
        /// How it is written.
        form: String,
    },
    /// A file that a value names cannot be read.
    #[error("the file that the value is to come from cannot be read: {reason}")]
    File {
        /// The kind of error.
        reason: String,
    },
}

impl VariableProblem {
    /// What may help.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unset { .. } => "set it, or give it a default: ${NAME:-default}",
            Self::Empty { .. } => "set it to the value that the server expects",
            Self::NotText { .. } | Self::Nested { .. } => "put the value into a variable of its own",
            Self::Unclosed { .. } | Self::NoName => {
                "a variable is ${NAME} or ${NAME:-default}; a $ that is none is written $$"
            }
            Self::NoInput { .. } => "give it a default in \"inputs\", or put a variable in its place",
            Self::Unknown { .. } | Self::Unsupported { .. } => {
                "put the value itself, or a variable, in its place"
            }
            Self::File { .. } => "put the value into a variable",
        }
    }
}

#[cfg(test)]
mod tests;
