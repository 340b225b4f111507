//! Commands that are there, and each way not to be.

use std::os::unix::fs::PermissionsExt;

use super::*;

/// A folder of one test with these files: name, mode, text.
fn folder(test: &str, files: &[(&str, u32, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("mcp-locate-{}-{test}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (name, mode, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
        std::fs::set_permissions(folder.join(name), PermissionsExt::from_mode(*mode)).unwrap();
    }
    folder
}

fn config(command: &str, folder: &Path) -> StdioConfig {
    let mut config = StdioConfig::new(command);
    config.env.insert("PATH".to_owned(), Some(folder.display().to_string()));
    config
}

fn located(path: PathBuf, interpreter: Option<PathBuf>) -> Located {
    Located { path, interpreter }
}

#[test]
fn a_name_is_looked_up_along_the_path_of_the_server() {
    let folder = folder("path", &[("tool", 0o755, "x")]);
    assert_eq!(config("tool", &folder).locate(), Ok(located(folder.join("tool"), None)));
    let expected = LocateError::NotOnPath { command: "other".to_owned(), searched: vec![folder.clone()] };
    assert_eq!(config("other", &folder).locate(), Err(expected));
}

#[test]
fn a_relative_path_starts_from_the_working_directory() {
    let folder = folder("cwd", &[("tool", 0o755, "x")]);
    let mut config = StdioConfig::new("./tool");
    config.cwd = Some(folder.clone());
    assert_eq!(config.locate().map(|it| it.path), Ok(folder.join("./tool")));
    config.command = "./none".to_owned();
    assert_eq!(config.locate(), Err(LocateError::NotFound { path: folder.join("./none") }));
}

#[test]
fn what_is_no_program_is_told_apart() {
    let folder = folder("none", &[("plain", 0o644, "x")]);
    let plain = folder.join("plain");
    let not_executable = Err(LocateError::NotExecutable { path: plain.clone() });
    assert_eq!(config("plain", &folder).locate(), not_executable);
    assert_eq!(config(&plain.display().to_string(), &folder).locate(), not_executable);
    let is_folder = config(&folder.display().to_string(), &folder).locate();
    assert_eq!(is_folder, Err(LocateError::NotAFile { path: folder }));
}

#[test]
fn a_script_needs_its_interpreter() {
    let folder = folder(
        "script",
        &[
            ("good", 0o755, "#! /bin/sh -e\nx"),
            ("by-env", 0o755, "#!/usr/bin/env -S X=1 runner --fast\n"),
            ("runner", 0o755, "x"),
            ("gone", 0o755, "#!/nonexistent/node\n"),
            ("gone-by-env", 0o755, "#!/usr/bin/env no-such-runner\n"),
            ("windows", 0o755, "#!/bin/sh\r\nx"),
            ("empty", 0o755, "#!"),
            ("no-text", 0o755, "#!\u{0}"),
        ],
    );
    let locate = |command: &str| config(command, &folder).locate();
    assert_eq!(locate("good"), Ok(located(folder.join("good"), Some("/bin/sh".into()))));
    assert_eq!(locate("by-env"), Ok(located(folder.join("by-env"), Some(folder.join("runner")))));
    for (script, interpreter) in
        [("gone", "/nonexistent/node"), ("gone-by-env", "no-such-runner"), ("windows", "/bin/sh\r")]
    {
        let script = folder.join(script);
        let error = config(&script.display().to_string(), &folder).locate();
        assert_eq!(error, Err(LocateError::NoInterpreter { script, interpreter: interpreter.to_owned() }));
    }
    assert_eq!(locate("empty").map(|it| it.interpreter), Ok(None));
    assert!(locate("no-text").is_err());
}

#[test]
fn each_problem_says_what_to_try() {
    let hint = |command: &str| config(command, Path::new("/nonexistent")).locate().unwrap_err().hint();
    assert!(hint("npx -y server").contains("`args`"));
    assert!(hint("npx").contains("PATH"));
    let error = LocateError::NoInterpreter { script: "s".into(), interpreter: "/bin/sh\r".to_owned() };
    assert!(error.hint().contains("line ends"));
    assert_eq!(error.to_string(), r"the script `s` is run by `/bin/sh\r`, which is not there");
}
