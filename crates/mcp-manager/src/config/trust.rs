//! Which files of projects the user trusts, each as it was when that was said.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::host::{Scope, folder_of};
use crate::cache::{NoPlatformFolder, Platform, state_folder};
use crate::private_file;

/// The longest file of a store, in bytes: some ten thousand files.
const LONGEST: u64 = 2 * 1024 * 1024;
const VERSION: u32 = 1;
const STEM: &str = "trust";
const NAME: &str = "trust.json";

/// The file in which trust is kept, `trust.json`: for its owner alone, and replaced in one step. Of two
/// processes that write at once the later one counts, so that the other file is asked for again.
#[derive(Clone, Debug)]
pub struct TrustStore {
    folder: PathBuf,
}

/// Files and the hash over path and content that each had. At most 2 MiB are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trusted {
    files: BTreeMap<String, String>,
}

/// Why nothing is trusted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The file cannot be read.
    #[error("cannot read the list of trusted files {}", file.display())]
    Read {
        /// The file of the store.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file holds something else.
    #[error("the list of trusted files {} is damaged", file.display())]
    Damaged {
        /// The file of the store.
        file: PathBuf,
        /// What is wrong with it, if it is no JSON.
        source: Option<serde_json::Error>,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    files: BTreeMap<String, String>,
}

impl TrustStore {
    /// The store in that folder, which is made when it is first needed.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The store where the platform keeps the state of programs; see [`state_folder`].
    ///
    /// # Errors
    ///
    /// [`NoPlatformFolder`] if the environment names no such folder.
    pub fn in_platform_folder() -> Result<Self, NoPlatformFolder> {
        let folder = state_folder(Platform::CURRENT, |name| std::env::var_os(name));
        folder.map(Self::new).ok_or(NoPlatformFolder)
    }

    /// Its file.
    pub fn file(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    /// What is trusted; nothing if there is no file yet. It blocks.
    ///
    /// # Errors
    ///
    /// [`TrustError`]. Then nothing is to be trusted.
    pub fn read(&self) -> Result<Trusted, TrustError> {
        let file = self.file();
        let bytes = match private_file::read(&file, LONGEST) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(Trusted::default()),
            Err(source) => return Err(TrustError::Read { file, source }),
        };
        match serde_json::from_slice::<Document>(&bytes) {
            Ok(Document { version: VERSION, files }) => Ok(Trusted { files }),
            Ok(_) => Err(TrustError::Damaged { file, source: None }),
            Err(source) => Err(TrustError::Damaged { file, source: Some(source) }),
        }
    }

    /// Keeps this in the place of what was there. It blocks.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written, or would be longer than 2 MiB; then the old one stays.
    pub fn write(&self, trusted: &Trusted) -> io::Result<()> {
        let document = Document { version: VERSION, files: trusted.files.clone() };
        let bytes = serde_json::to_vec_pretty(&document)?;
        if bytes.len() as u64 > LONGEST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        private_file::replace(&self.folder, STEM, NAME, &bytes)
    }
}

impl Trusted {
    /// Whether the file is trusted as it is.
    pub fn covers(&self, file: &Path, content: &[u8]) -> bool {
        let Ok(name) = name(file) else { return false };
        self.files.get(&name).is_some_and(|known| *known == digest(&name, content))
    }

    /// Trusts the file as it is; one that had another content is trusted no more with that.
    ///
    /// # Errors
    ///
    /// Fails if the folder of its project is not there, or if its path is not Unicode.
    pub fn add(&mut self, file: &Path, content: &[u8]) -> io::Result<()> {
        let name = name(file)?;
        let digest = digest(&name, content);
        self.files.insert(name, digest);
        Ok(())
    }

    /// Trusts the file no more, be it there or not; false if it was not trusted.
    pub fn remove(&mut self, file: &Path) -> bool {
        let name = name(file).ok().or_else(|| {
            // What is gone with its folder has nothing but the path that was kept.
            std::path::absolute(file).ok()?.to_str().map(str::to_owned)
        });
        name.is_some_and(|name| self.files.remove(&name).is_some())
    }

    /// The files, whatever they hold by now.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(Path::new)
    }
}

/// The one path of a file: that of its project without links, and from there on as it is written. A link in
/// one project to the file of another is not that file, since relative paths in it lead elsewhere.
fn name(file: &Path) -> io::Result<String> {
    let project = folder_of(file, Scope::Project);
    let below = file.strip_prefix(&project).unwrap_or(file);
    let project = if project.as_os_str().is_empty() { Path::new(".") } else { &project };
    let path = std::fs::canonicalize(project)?.join(below);
    let name = path.to_str().map(str::to_owned);
    name.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path is not Unicode"))
}

/// Over the path as well: a file that was trusted in one folder may start something else in another.
fn digest(name: &str, content: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update((name.len() as u64).to_le_bytes());
    hash.update(name);
    hash.update(content);
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
