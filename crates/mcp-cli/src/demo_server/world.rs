//! What all clients share: what the catalogue has grown by, the counter, and who hears of changes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Options;
use super::audience::{Audience, Change};
use super::catalogue::resources;
use super::era::Era;
use super::seal::Seal;

/// How many of a kind `grow` adds.
pub(super) const MOST_GROWN: usize = 64;

#[derive(Debug)]
pub(super) struct World {
    /// Items on one page of a list.
    pub(super) page: usize,
    pub(super) era: Era,
    pub(super) audience: Audience,
    pub(super) seal: Seal,
    shelf: Mutex<Shelf>,
    keys: AtomicU64,
}

/// What changes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shelf {
    pub(super) tools: usize,
    pub(super) prompts: usize,
    pub(super) resources: usize,
    pub(super) counter: u64,
}

impl World {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            page: options.page,
            era: options.era,
            audience: Audience::default(),
            seal: Seal::default(),
            shelf: Mutex::default(),
            keys: AtomicU64::new(0),
        }
    }

    pub(super) fn shelf(&self) -> Shelf {
        *self.lock()
    }

    /// Adds one of a kind and announces it. Its number; `None` if there are too many already.
    pub(super) fn grow(&self, change: Change<'_>) -> Option<usize> {
        let mut shelf = self.lock();
        let grown = match change {
            Change::Tools => &mut shelf.tools,
            Change::Prompts => &mut shelf.prompts,
            Change::Resources | Change::Resource(_) => &mut shelf.resources,
        };
        if *grown >= MOST_GROWN {
            return None;
        }
        *grown += 1;
        let number = *grown;
        drop(shelf);
        self.audience.announce(change);
        Some(number)
    }

    /// Counts one further and announces it.
    pub(super) fn count(&self) -> u64 {
        let counter = {
            let mut shelf = self.lock();
            shelf.counter = shelf.counter.saturating_add(1);
            shelf.counter
        };
        self.audience.announce(Change::Resource(resources::COUNTER));
        counter
    }

    /// A key that no other has, nor any id of a client's in JSON.
    pub(super) fn key(&self) -> String {
        format!("key{}", self.keys.fetch_add(1, Ordering::Relaxed))
    }

    fn lock(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
