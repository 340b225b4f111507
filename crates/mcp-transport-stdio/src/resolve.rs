//! Which file a command names on Windows: the search along `PATH` with `PATHEXT`.
//!
//! Windows itself appends only `.exe`, so that launchers such as `npx`, which are `.cmd` files,
//! are not found (case 45). Pure, so that it is tested on every platform.

/// What `PATHEXT` holds where it is not set.
const DEFAULT_PATHEXT: &str = ".COM;.EXE;.BAT;.CMD";

/// What a command turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// Something the operating system can start itself; also what was not found, so that the
    /// operating system gives the error.
    Executable(String),
    /// A batch file, which needs the command interpreter.
    Batch(String),
}

/// Looks for `command`, asking `is_file` about each candidate in order.
///
/// A command with a path in it is looked for there only, others in each directory of `path`. A
/// command that has one of the extensions is tried as it is first. The current directory is not
/// searched.
pub(crate) fn program(command: &str, path: &str, pathext: &str, is_file: &dyn Fn(&str) -> bool) -> Program {
    let pathext = if pathext.trim().is_empty() { DEFAULT_PATHEXT } else { pathext };
    let extensions = || pathext.split(';').map(str::trim).filter(|extension| !extension.is_empty());
    let has_extension = extensions().any(|extension| ends_with(command, extension));
    let has_directory = command.contains(['/', '\\', ':']);
    let directories: Vec<_> = if has_directory {
        vec![String::new()]
    } else {
        path.split(';').map(directory).filter(|directory| !directory.is_empty()).collect()
    };
    for directory in &directories {
        let stem = format!("{directory}{command}");
        let as_it_is = has_extension.then(|| stem.clone());
        let extended = extensions().map(|extension| format!("{stem}{}", extension.to_ascii_lowercase()));
        if let Some(found) = as_it_is.into_iter().chain(extended).find(|candidate| is_file(candidate)) {
            return classify(found);
        }
    }
    classify(command.to_owned())
}

/// A directory of `PATH`, without quotes and with a separator at its end.
fn directory(entry: &str) -> String {
    let entry = entry.trim().trim_matches('"');
    match entry.chars().last() {
        None | Some('\\' | '/') => entry.to_owned(),
        Some(_) => format!("{entry}\\"),
    }
}

fn classify(path: String) -> Program {
    if ends_with(&path, ".cmd") || ends_with(&path, ".bat") {
        Program::Batch(path)
    } else {
        Program::Executable(path)
    }
}

fn ends_with(text: &str, end: &str) -> bool {
    let at = text.len().checked_sub(end.len());
    at.and_then(|at| text.get(at..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

#[cfg(test)]
mod tests {
    use super::{Program, program};

    const FILES: &[&str] = &[
        r"C:\node\npx.cmd",
        r"C:\node\npx",
        r"C:\bin\tool.cmd",
        r"C:\bin\tool.exe",
        r"C:\a b\x.bat",
        r"D:\srv\run.cmd",
        r"C:\bin\odd.js",
    ];

    fn check(command: &str, expected: &Program) {
        let is_file = |path: &str| FILES.iter().any(|file| file.eq_ignore_ascii_case(path));
        let path = r#"C:\empty;;C:\node\;"C:\a b";C:\bin"#;
        assert_eq!(&program(command, path, "", &is_file), expected, "{command}");
    }

    fn batch(path: &str) -> Program {
        Program::Batch(path.to_owned())
    }

    fn executable(path: &str) -> Program {
        Program::Executable(path.to_owned())
    }

    #[test]
    fn launcher_scripts_are_found_along_path() {
        check("npx", &batch(r"C:\node\npx.cmd"));
        check("x", &batch(r"C:\a b\x.bat"));
    }

    #[test]
    fn the_order_of_pathext_decides() {
        check("tool", &executable(r"C:\bin\tool.exe"));
        check("tool.cmd", &batch(r"C:\bin\tool.cmd"));
        check("TOOL.CMD", &batch(r"C:\bin\TOOL.CMD"));
    }

    #[test]
    fn a_command_with_a_directory_is_looked_for_there_only() {
        check(r"D:\srv\run", &batch(r"D:\srv\run.cmd"));
        check(r"D:\srv\tool", &executable(r"D:\srv\tool"));
    }

    #[test]
    fn what_is_not_found_is_left_to_the_operating_system() {
        check("does-not-exist-x", &executable("does-not-exist-x"));
        check("ghost.cmd", &batch("ghost.cmd"));
    }

    #[test]
    fn pathext_may_name_other_extensions() {
        let is_file = |path: &str| path == r"C:\bin\odd.js";
        assert_eq!(program("odd", r"C:\bin", ".EXE; .JS", &is_file), executable(r"C:\bin\odd.js"));
    }
}
