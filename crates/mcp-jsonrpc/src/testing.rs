//! Helpers for tests of this workspace: cutting input everywhere, and a transport in memory.
//!
//! Behind the feature `testing`. This module alone may use tokio's clock.

mod memory;

#[cfg(test)]
pub(crate) use memory::TokioClock;
pub use memory::{MemoryConnect, MemoryPeer, MemoryTransport};

/// Hands `bytes` to `check` in every interesting cut: whole, in each two pieces, byte by byte.
pub fn every_cut(bytes: &[u8], mut check: impl FnMut(&[&[u8]])) {
    check(&[bytes]);
    for at in 0..=bytes.len() {
        let (left, right) = bytes.split_at(at);
        check(&[left, right]);
    }
    check(&bytes.chunks(1).collect::<Vec<_>>());
}
