//! What an entry of the cache is found by.

use std::fmt;

use sha2::{Digest, Sha256};

/// A hash over the name of a server and all of its configuration: another configuration may well have
/// other tools. It shows as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CacheKey([u8; 32]);

impl CacheKey {
    /// The key of a server.
    ///
    /// `config` is everything that decides which tools it has, in any form that is always the same for the
    /// same configuration. Secrets may be among it: only the hash (SHA-256) is kept.
    pub fn new(server: &str, config: &[u8]) -> Self {
        let mut hash = Sha256::new();
        // With its length, no name can run into the configuration.
        hash.update((server.len() as u64).to_be_bytes());
        hash.update(server);
        hash.update(config);
        Self(hash.finalize().into())
    }

    /// A hash over the key and `bytes`: bytes that were kept under another key do not have it.
    pub(super) fn seal(&self, bytes: &[u8]) -> Self {
        Self(Sha256::new().chain_update(self.0).chain_update(bytes).finalize().into())
    }
}

impl fmt::Debug for CacheKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CacheKey({self})")
    }
}

impl fmt::Display for CacheKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_shows_as_digits_and_never_as_what_it_is_made_of() {
        let key = CacheKey::new("files", b"token=SECRET-1");
        let shown = key.to_string();
        assert_eq!(shown.len(), 64);
        assert!(shown.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "{shown}");
        assert_eq!(format!("{key:?}"), format!("CacheKey({shown})"));
    }

    #[test]
    fn name_and_configuration_both_count() {
        let key = CacheKey::new("ab", b"c");
        assert_eq!(key, CacheKey::new("ab", b"c"));
        for other in [CacheKey::new("ab", b"d"), CacheKey::new("a", b"bc"), CacheKey::new("abc", b"")] {
            assert_ne!(key, other);
        }
    }
}
