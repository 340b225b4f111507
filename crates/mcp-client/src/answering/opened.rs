//! Addresses that the user was asked to open and that are not done yet.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Longest id that is remembered, in bytes; the completion of one that is longer is not told.
const LONGEST_ID: usize = 1024;

/// The ids of one connection. At the limit the oldest is forgotten.
#[derive(Debug)]
pub(crate) struct Opened {
    most: usize,
    ids: Mutex<VecDeque<Arc<str>>>,
}

impl Opened {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, ids: Mutex::default() }
    }

    /// Enters an id until the result is dropped, unless it is kept.
    pub(crate) fn begin(self: &Arc<Self>, id: &str) -> Opening {
        self.add(id);
        Opening { opened: self.clone(), id: id.into(), is_kept: false }
    }

    /// Enters an id. Twice is as good as once.
    pub(crate) fn add(&self, id: &str) {
        let mut ids = self.ids();
        if self.most == 0 || id.len() > LONGEST_ID || ids.iter().any(|known| **known == *id) {
            return;
        }
        if ids.len() >= self.most {
            ids.pop_front();
        }
        ids.push_back(id.into());
    }

    /// Takes an id out. `None` if it is unknown, or done already (C-349).
    pub(crate) fn finish(&self, id: &str) -> Option<Arc<str>> {
        let mut ids = self.ids();
        let place = ids.iter().position(|known| **known == *id)?;
        ids.remove(place)
    }

    fn ids(&self) -> MutexGuard<'_, VecDeque<Arc<str>>> {
        // What runs under the lock leaves whole entries behind, so a poisoned one is still sound.
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An id while the user is asked.
#[derive(Debug)]
pub(crate) struct Opening {
    opened: Arc<Opened>,
    id: Arc<str>,
    is_kept: bool,
}

impl Opening {
    /// The user agreed: the id stays until it is done.
    pub(crate) fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        if !self.is_kept {
            self.opened.finish(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{LONGEST_ID, Opened};

    #[test]
    fn an_id_is_finished_once() {
        let opened = Opened::new(4);
        opened.add("a");
        opened.add("a");
        assert_eq!(opened.finish("b"), None);
        assert_eq!(opened.finish("a").as_deref(), Some("a"));
        assert_eq!(opened.finish("a"), None);
    }

    #[test]
    fn at_the_limit_the_oldest_is_forgotten_and_long_ids_are_not_kept() {
        let opened = Opened::new(2);
        ["a", "b", "c"].into_iter().for_each(|id| opened.add(id));
        opened.add(&"x".repeat(LONGEST_ID + 1));
        assert_eq!(opened.finish("a"), None);
        assert!(opened.finish("b").is_some() && opened.finish("c").is_some());
    }

    #[test]
    fn an_id_that_was_not_agreed_to_is_forgotten() {
        let opened = Arc::new(Opened::new(2));
        drop(opened.begin("a"));
        opened.begin("b").keep();
        assert_eq!(opened.finish("a"), None);
        assert!(opened.finish("b").is_some());
    }
}
