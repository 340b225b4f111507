//! A user with a home folder, and a project, both of one test alone.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{PROGRAM, Ran, program_in};

/// Both folders, empty at first.
pub(crate) struct World {
    pub(crate) root: PathBuf,
}

impl World {
    pub(crate) fn new(test: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("world-{test}"));
        let _ = fs::remove_dir_all(&root);
        for folder in ["home", "project"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        // The program sees it without links.
        Self { root: fs::canonicalize(root).unwrap() }
    }

    pub(crate) fn path(&self, path: &str) -> String {
        self.root.join(path).to_str().unwrap().to_owned()
    }

    /// Writes a file below `home` or `project`.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> String {
        let file = self.root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        self.path(path)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        program_in(&self.root.join("home"), &self.root.join("project"), args).output().unwrap().into()
    }
}

/// A file with the demo server under these names.
pub(crate) fn demo(names: &[&str]) -> String {
    let servers: Vec<_> = names
        .iter()
        .map(|name| format!(r#""{name}":{{"command":"{PROGRAM}","args":["demo-server"]}}"#))
        .collect();
    format!(r#"{{"mcpServers":{{{}}}}}"#, servers.join(","))
}

/// A file with a server that leaves a mark when it is started.
pub(crate) fn marker(name: &str, mark: &str) -> String {
    format!(r#"{{"mcpServers":{{"{name}":{{"command":"sh","args":["-c","touch '{mark}'"]}}}}}}"#)
}
