//! What both caches do, and what files come to.

mod files;
mod shared;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{env, fs, process};

use mcp_types::{Implementation, Tool};
use serde_json::value::RawValue;

use super::*;

/// A schema that nothing but its own bytes could stand for.
const SCHEMA: &str =
    "{ \"type\":\"object\",\n \"b\":1e400, \"a\":[0.10, 9007199254740993], \"a\":\"\\u00e9\" }";

pub(super) fn key() -> CacheKey {
    CacheKey::new("files", b"command=x")
}

/// Taken just now, to the millisecond.
pub(super) fn entry(names: &[&str]) -> CachedTools {
    let tool = |name: &&str| Tool::new(*name, RawValue::from_string(SCHEMA.to_owned()).unwrap());
    let mut tools: Vec<_> = names.iter().map(tool).collect();
    if let Some(first) = tools.first_mut() {
        first.output_schema = Some(RawValue::from_string("{\"x\" : -0}".to_owned()).unwrap());
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(now).unwrap());
    CachedTools::new(tools, Some(Implementation::new("server", "1.0")), "2025-11-25", now)
}

/// Everything in it but the time.
pub(super) fn shown(entry: &CachedTools) -> String {
    serde_json::to_string(&(&entry.tools, &entry.server_info, &entry.protocol_version)).unwrap()
}

fn names(entry: &CachedTools) -> Vec<&str> {
    entry.tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// A folder that goes with the value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("mcp-manager-cache-{}-{count}", process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    /// A cache in a folder below, which is not there yet.
    fn cache(&self) -> FileCache {
        FileCache::new(self.entries())
    }

    fn entries(&self) -> PathBuf {
        self.0.join("a").join("b")
    }

    /// The names of its files, sorted.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.entries()).unwrap();
        let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

async fn keeps_the_rules(cache: &dyn ToolCache) {
    assert!(cache.load(&key()).await.is_none());
    cache.remove(&key()).await;

    let first = entry(&["b", "a"]);
    cache.store(&key(), &first).await;
    let loaded = cache.load(&key()).await.unwrap();
    assert_eq!(shown(&loaded), shown(&first));
    assert_eq!(loaded.stored_at, first.stored_at);
    assert_eq!(loaded.tools[1].input_schema.get(), SCHEMA);

    let other = CacheKey::new("files", b"command=y");
    assert!(cache.load(&other).await.is_none());

    cache.store(&key(), &entry(&["c"])).await;
    assert_eq!(names(&cache.load(&key()).await.unwrap()), ["c"]);

    cache.store(&key(), &entry(&[])).await;
    assert!(cache.load(&key()).await.is_none());

    cache.store(&key(), &entry(&["d"])).await;
    cache.remove(&key()).await;
    assert!(cache.load(&key()).await.is_none());
}

#[tokio::test]
async fn a_cache_in_memory_keeps_the_rules() {
    keeps_the_rules(&MemoryCache::default()).await;
}

#[tokio::test]
async fn a_cache_of_files_keeps_the_rules() {
    let folder = Folder::new();
    keeps_the_rules(&folder.cache()).await;
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}
