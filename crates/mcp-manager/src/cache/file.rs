//! A cache in a folder, which processes may share.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use std::{env, io};

use super::key::CacheKey;
use super::platform::{Platform, platform_folder};
use super::tools::{CachedTools, is_fresh};
use super::{ToolCache, disk, format, sweep};

/// A cache of files, one for each server, named by its key.
///
/// Any number of processes may use the same folder. A file is written beside its place and renamed, so
/// that readers find all of it or none; the last writer wins. A file that is damaged, too long
/// ([`super::MAX_FILE`]) or of a newer version of the format is passed over, and replaced by the next
/// store. Each store also takes a bounded number of files away that are older than [`super::MAX_AGE`].
///
/// On Unix a folder that has to be made gets mode 0700 and files get 0600. A folder that is there already
/// keeps its mode. Its methods run in a Tokio runtime; files are handled on its threads for blocking.
#[derive(Clone, Debug)]
pub struct FileCache {
    folder: Arc<Path>,
}

/// The environment names no folder for caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the environment names no folder for caches")]
pub struct NoPlatformFolder;

impl FileCache {
    /// A cache in that folder, which is made when it is first needed.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into().into() }
    }

    /// A cache where the platform keeps those of this user; see [`Platform`]. Below that folder it is
    /// `mcp-manager/tools`.
    pub fn in_platform_folder() -> Result<Self, NoPlatformFolder> {
        let folder = platform_folder(Platform::CURRENT, |name| env::var_os(name));
        folder.map(Self::new).ok_or(NoPlatformFolder)
    }

    /// Where the files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) async fn load_at(&self, key: &CacheKey, now: SystemTime) -> Option<CachedTools> {
        let key = *key;
        self.blocking(move |folder| load(folder, &key, now)).await.flatten()
    }

    pub(super) async fn store_at(&self, key: &CacheKey, tools: &CachedTools, now: SystemTime) {
        if tools.tools.is_empty() {
            return self.remove(key).await;
        }
        let bytes = match format::encode(key, tools) {
            Ok(bytes) => bytes,
            Err(error) => return tracing::warn!(%key, %error, "a list of tools cannot be written down"),
        };
        let key = *key;
        self.blocking(move |folder| store(folder, &key, &bytes, now)).await;
    }

    /// Runs what blocks elsewhere. It is finished even if nobody waits any more.
    async fn blocking<T: Send + 'static>(&self, work: impl FnOnce(&Path) -> T + Send + 'static) -> Option<T> {
        let folder = self.folder.clone();
        let done = tokio::task::spawn_blocking(move || work(&folder)).await;
        done.inspect_err(|error| tracing::warn!(%error, "work on cached tools was lost")).ok()
    }
}

#[async_trait::async_trait]
impl ToolCache for FileCache {
    async fn load(&self, key: &CacheKey) -> Option<CachedTools> {
        self.load_at(key, SystemTime::now()).await
    }

    async fn store(&self, key: &CacheKey, tools: &CachedTools) {
        self.store_at(key, tools, SystemTime::now()).await;
    }

    async fn remove(&self, key: &CacheKey) {
        let key = *key;
        self.blocking(move |folder| report(&key, "cannot be removed", disk::remove(folder, &key))).await;
    }
}

fn load(folder: &Path, key: &CacheKey, now: SystemTime) -> Option<CachedTools> {
    let bytes = report(key, "cannot be read", disk::read(folder, key))??;
    match format::decode(key, &bytes) {
        Ok(entry) => Some(entry).filter(|it| is_fresh(it.stored_at, now) && !it.tools.is_empty()),
        Err(error) => {
            // At `debug`, since another version of this program may have left it.
            tracing::debug!(%key, %error, "cached tools are passed over");
            None
        }
    }
}

fn store(folder: &Path, key: &CacheKey, bytes: &[u8], now: SystemTime) {
    if report(key, "cannot be stored", disk::replace(folder, key, bytes)).is_none() {
        // What is there is not what the server has now.
        report(key, "cannot be removed", disk::remove(folder, key));
    }
    if let Err(error) = sweep::sweep(folder, now) {
        tracing::debug!(%error, "old cached tools cannot be looked for");
    }
}

fn report<T>(key: &CacheKey, what: &str, result: io::Result<T>) -> Option<T> {
    result.inspect_err(|error| tracing::warn!(%key, %error, "cached tools {what}")).ok()
}
