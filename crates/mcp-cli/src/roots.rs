//! The folders of `--root`, which servers are told of.

use std::path::PathBuf;

use async_trait::async_trait;
use mcp_client::{Refusal, RootsProvider, file_uri};
use mcp_types::Root;

use crate::args::Globals;
use crate::failure::Failure;

/// Folders that the user named, and nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Folders(Vec<PathBuf>);

impl Folders {
    /// The folders of the command line, as absolute paths without links. `None` if there are none.
    pub(crate) fn of(globals: &Globals) -> Result<Option<Self>, Failure> {
        let folders = globals.root.iter().map(|folder| {
            let failed = |why: &str| Failure::usage(format!("--root {}: {why}", folder.display()));
            let path = std::fs::canonicalize(folder).map_err(|error| failed(&error.to_string()))?;
            match (path.is_dir(), file_uri(&path)) {
                (false, _) => Err(failed("it is not a folder")),
                (true, None) => Err(failed("no URI can name it")),
                (true, Some(_)) => Ok(path),
            }
        });
        let folders = folders.collect::<Result<Vec<_>, _>>()?;
        Ok((!folders.is_empty()).then_some(Self(folders)))
    }
}

#[async_trait]
impl RootsProvider for Folders {
    /// Those that are still there.
    async fn roots(&self) -> Result<Vec<Root>, Refusal> {
        let folders = self.0.iter().filter(|path| path.is_dir());
        let root = |path: &PathBuf| {
            let mut root = Root::new(file_uri(path)?);
            root.name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            Some(root)
        };
        Ok(folders.filter_map(root).collect())
    }
}
