//! A cache that lives as long as its process.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::ToolCache;
use super::key::CacheKey;
use super::tools::{CachedTools, is_fresh};

/// Entries of a [`MemoryCache`] by default.
const DEFAULT_LIMIT: usize = 256;

/// A cache in memory, for tests and for managers that come and go within a process.
///
/// By default it holds 256 entries. At its limit, the entry with the oldest list makes room.
#[derive(Debug)]
pub struct MemoryCache {
    limit: usize,
    entries: Mutex<HashMap<CacheKey, CachedTools>>,
}

impl MemoryCache {
    /// An empty cache for at most `limit` entries; with 0 it keeps nothing.
    pub fn new(limit: usize) -> Self {
        Self { limit, entries: Mutex::default() }
    }

    pub(super) fn load_at(&self, key: &CacheKey, now: SystemTime) -> Option<CachedTools> {
        self.entries().get(key).filter(|entry| is_fresh(entry.stored_at, now)).cloned()
    }

    /// No entry is ever half changed, so a poisoned lock is as good as any.
    fn entries(&self) -> MutexGuard<'_, HashMap<CacheKey, CachedTools>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryCache {
    fn default() -> Self {
        Self::new(DEFAULT_LIMIT)
    }
}

#[async_trait::async_trait]
impl ToolCache for MemoryCache {
    async fn load(&self, key: &CacheKey) -> Option<CachedTools> {
        self.load_at(key, SystemTime::now())
    }

    async fn store(&self, key: &CacheKey, tools: &CachedTools) {
        let mut entries = self.entries();
        if tools.tools.is_empty() {
            entries.remove(key);
            return;
        }
        entries.insert(*key, tools.clone());
        while entries.len() > self.limit {
            let oldest = entries.iter().min_by_key(|(key, entry)| (entry.stored_at, **key));
            let Some(key) = oldest.map(|(key, _)| *key) else { return };
            entries.remove(&key);
        }
    }

    async fn remove(&self, key: &CacheKey) {
        self.entries().remove(key);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::MAX_AGE;
    use super::super::tests::{entry, key};
    use super::*;

    #[tokio::test]
    async fn the_oldest_list_makes_room() {
        let cache = MemoryCache::new(2);
        let keys = ["a", "b", "c"].map(|server| CacheKey::new(server, b""));
        let now = SystemTime::now();
        for (key, age) in keys.iter().zip([1, 3, 2]) {
            let mut entry = entry(&["t"]);
            entry.stored_at = now - Duration::from_secs(age);
            cache.store(key, &entry).await;
        }
        let found = keys.map(|key| cache.load_at(&key, now).is_some());
        assert_eq!(found, [true, false, true]);
    }

    #[tokio::test]
    async fn a_cache_without_room_keeps_nothing() {
        let cache = MemoryCache::new(0);
        cache.store(&key(), &entry(&["t"])).await;
        assert!(cache.load(&key()).await.is_none());
    }

    #[tokio::test]
    async fn a_stale_list_is_not_given_out() {
        let cache = MemoryCache::default();
        let entry = entry(&["t"]);
        cache.store(&key(), &entry).await;
        assert!(cache.load_at(&key(), entry.stored_at + MAX_AGE).is_some());
        assert!(cache.load_at(&key(), entry.stored_at + MAX_AGE * 2).is_none());
    }
}
