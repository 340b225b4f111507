//! What the tools of a server were the last time, so that they can be offered before it is there (S-106).
//!
//! A cache holds lists of tools and nothing else: no secret of a configuration, of which only a hash is
//! seen ([`CacheKey`]), and no answer of a tool. It is a help, never a condition: what goes wrong is
//! logged, and the server is asked as if nothing had been cached. An entry is good for [`MAX_AGE`].

mod disk;
mod file;
mod format;
mod key;
mod memory;
mod platform;
mod sweep;
mod tools;

pub use disk::MAX_FILE;
pub use file::{FileCache, NoPlatformFolder};
pub use key::CacheKey;
pub use memory::MemoryCache;
pub use platform::{Platform, platform_folder, state_folder};
pub use tools::{CachedTools, MAX_AGE, MAX_SKEW, is_fresh};

/// Where lists of tools outlive their connection.
///
/// No method fails: what does not work is logged and does nothing.
#[async_trait::async_trait]
pub trait ToolCache: Send + Sync {
    /// The entry of that key, if there is one that is fresh and can be read.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    async fn load(&self, key: &CacheKey) -> Option<CachedTools>;

    /// Puts an entry in the place of the one before it. A list without tools is never kept: it removes
    /// the entry, since a server that had none once must not look empty for a month.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the entry is the old or the new one, whole.
    async fn store(&self, key: &CacheKey, tools: &CachedTools);

    /// Removes the entry, if there is one.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the entry is gone or still there.
    async fn remove(&self, key: &CacheKey);
}

#[cfg(test)]
mod tests;
