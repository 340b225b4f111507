//! Which file a command is, and what is needed to run it: for explanations, never for starting it.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::config::StdioConfig;

/// How much of a file is read to see whether it is a script, in bytes: as much as Linux looks at.
const FIRST_LINE: u64 = 256;

/// A command that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Located {
    /// The file.
    pub path: PathBuf,
    /// The program that runs it, if it is a script; the last one where `env` looks for it.
    pub interpreter: Option<PathBuf>,
}

/// Why a command cannot be run, as far as can be seen without running it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocateError {
    /// The command is a name, and no directory of `PATH` has it.
    #[error("no directory of PATH has `{command}`: {}", list(.searched))]
    NotOnPath {
        /// The name.
        command: String,
        /// The directories, in order.
        searched: Vec<PathBuf>,
    },
    /// The command is a path, and there is nothing.
    #[error("there is no file `{}`", .path.display())]
    NotFound {
        /// The path; one that was relative starts from the server's working directory.
        path: PathBuf,
    },
    /// There is something else than a file.
    #[error("`{}` is no file", .path.display())]
    NotAFile {
        /// Where.
        path: PathBuf,
    },
    /// The file is there, and nobody may execute it.
    #[error("`{}` is not executable", .path.display())]
    NotExecutable {
        /// The file.
        path: PathBuf,
    },
    /// The file is a script, and what should run it is not there.
    #[error("the script `{}` is run by `{}`, which is not there", .script.display(), .interpreter.escape_debug())]
    NoInterpreter {
        /// The script.
        script: PathBuf,
        /// The program that its first line names.
        interpreter: String,
    },
}

impl LocateError {
    /// What to try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotOnPath { command, .. } if command.contains(char::is_whitespace) => {
                "put the program alone into `command` and its arguments into `args`"
            }
            Self::NotOnPath { .. } => {
                "install it, add its folder to PATH, or give its whole path as `command`"
            }
            Self::NotFound { .. } => "check the path; a relative one starts from `cwd`",
            Self::NotAFile { .. } => "give the path of the program itself",
            Self::NotExecutable { .. } => "make it executable (`chmod +x`), or start it by its interpreter",
            Self::NoInterpreter { interpreter, .. } if interpreter.ends_with('\r') => {
                "its lines end as on Windows; save it with Unix line ends"
            }
            Self::NoInterpreter { .. } => "install the interpreter, or correct the first line of the script",
        }
    }
}

impl StdioConfig {
    /// Looks for the program as the operating system will: along the server's own `PATH`, a relative
    /// path from its working directory, and for a script also what runs it. Blocks on a few looks at
    /// files and starts nothing; what it says may have changed by the time of a start.
    ///
    /// # Errors
    ///
    /// [`LocateError`] says what is missing.
    pub fn locate(&self) -> Result<Located, LocateError> {
        let path = find(self, &self.command)?;
        match interpreter(&path) {
            None => Ok(Located { path, interpreter: None }),
            Some(line) => {
                let missing = |interpreter: &str| LocateError::NoInterpreter {
                    script: path.clone(),
                    interpreter: interpreter.to_owned(),
                };
                let found = find(self, &line.program).map_err(|_| missing(&line.program))?;
                let found = match line.looked_up {
                    Some(name) => find(self, &name).map_err(|_| missing(&name))?,
                    None => found,
                };
                Ok(Located { path, interpreter: Some(found) })
            }
        }
    }
}

/// The first line of a script.
struct FirstLine {
    program: String,
    /// What `env` is asked for.
    looked_up: Option<String>,
}

/// What runs this file, if it is a script.
fn interpreter(path: &Path) -> Option<FirstLine> {
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(FIRST_LINE).read_to_end(&mut bytes).ok()?;
    if cfg!(windows) { None } else { first_line(&bytes) }
}

fn first_line(bytes: &[u8]) -> Option<FirstLine> {
    let line = bytes.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    // A CR at the end is part of the name, which is what goes wrong.
    let mut words = line.split([' ', '\t']).filter(|word| !word.is_empty());
    let program = words.next()?.to_owned();
    let is_env = Path::new(&program).file_name().is_some_and(|name| name == "env");
    let looked_up = words.find(|word| !word.starts_with('-') && !word.contains('='));
    Some(FirstLine { program, looked_up: looked_up.filter(|_| is_env).map(str::to_owned) })
}

#[cfg(not(windows))]
fn find(config: &StdioConfig, command: &str) -> Result<PathBuf, LocateError> {
    let base = config.cwd.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    if command.contains('/') {
        let path = base.join(command);
        return check(&path).map(|()| path);
    }
    let path = variable(config, "PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    let searched: Vec<_> = std::env::split_paths(&path).map(|directory| base.join(directory)).collect();
    // A file that may not be executed does not end the search, but is worth telling.
    let mut close = None;
    for directory in &searched {
        let path = directory.join(command);
        match check(&path) {
            Ok(()) => return Ok(path),
            Err(problem @ LocateError::NotExecutable { .. }) => close = close.or(Some(problem)),
            Err(_) => {}
        }
    }
    Err(close.unwrap_or_else(|| LocateError::NotOnPath { command: command.to_owned(), searched }))
}

#[cfg(windows)]
fn find(config: &StdioConfig, command: &str) -> Result<PathBuf, LocateError> {
    use crate::resolve::{Program, program};

    let text = |name: &str| variable(config, name).unwrap_or_default().to_string_lossy().into_owned();
    let path = text("PATH");
    let is_file = |path: &str| Path::new(path).is_file();
    let (Program::Executable(found) | Program::Batch(found)) =
        program(command, &path, &text("PATHEXT"), &is_file);
    let found = PathBuf::from(found);
    if found.is_file() {
        return Ok(found);
    }
    if command.contains(['/', '\\', ':']) {
        return Err(check(&found).err().unwrap_or(LocateError::NotFound { path: found }));
    }
    let searched = std::env::split_paths(&path).collect();
    Err(LocateError::NotOnPath { command: command.to_owned(), searched })
}

/// Whether it is a file that somebody may execute.
fn check(path: &Path) -> Result<(), LocateError> {
    let path = path.to_owned();
    match std::fs::metadata(&path) {
        Err(_) => Err(LocateError::NotFound { path }),
        Ok(found) if !found.is_file() => Err(LocateError::NotAFile { path }),
        Ok(found) if !is_executable(&found) => Err(LocateError::NotExecutable { path }),
        Ok(_) => Ok(()),
    }
}

#[cfg(unix)]
fn is_executable(file: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;

    file.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    true
}

/// A variable as the server will have it. `PATH` and its like pass in every policy.
fn variable(config: &StdioConfig, name: &str) -> Option<OsString> {
    let same = |key: &str| if cfg!(windows) { key.eq_ignore_ascii_case(name) } else { key == name };
    match config.env.iter().find(|(key, _)| same(key)) {
        Some((_, value)) => value.clone().map(OsString::from),
        None => std::env::var_os(name),
    }
}

fn list(directories: &[PathBuf]) -> String {
    let directories: Vec<_> = directories.iter().map(|it| it.display().to_string()).collect();
    if directories.is_empty() { "it is empty".to_owned() } else { directories.join(", ") }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
