//! Completions: a small script for each shell, and the candidates that it asks the program for.
//!
//! ```text
//! script ──► complete-names ──► words: what was typed ──► candidates ──► words: quoted for the shell
//! ```
//!
//! The scripts evaluate nothing of what the program prints. Names come from servers and files, so those
//! that no line could hold are left out and all others are quoted.

mod candidates;
mod words;

use std::ffi::OsString;
use std::io::Write;

use clap::ValueEnum;

use self::words::Typed;

/// A shell that there is a script for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Shell {
    /// The script, which the shell reads at its start.
    pub(crate) fn script(self) -> &'static str {
        match self {
            Self::Bash => include_str!("completions/mcp-cli.bash"),
            Self::Zsh => include_str!("completions/mcp-cli.zsh"),
            Self::Fish => include_str!("completions/mcp-cli.fish"),
        }
    }
}

/// Prints what may stand at the end of a line, one a line; nothing at all if anything goes wrong.
///
/// bash gives the line up to the cursor and the characters that it breaks words at; the others give the
/// words after the program, unquoted, the last of which is being typed.
pub(crate) fn print_names(shell: Shell, given: &[OsString]) {
    let given: Vec<_> = given.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let Some(typed) = (match shell {
        Shell::Bash => Typed::in_bash(given.first().map_or("", String::as_str), given.get(1)),
        Shell::Zsh | Shell::Fish => Typed::in_words(given),
    }) else {
        return;
    };
    let names = candidates::find(&typed.before, &typed.prefix);
    let lines: String =
        names.iter().filter_map(|name| typed.render(name)).map(|name| format!("{name}\n")).collect();
    // A shell that is gone wants no names.
    let _ = std::io::stdout().lock().write_all(lines.as_bytes());
}
