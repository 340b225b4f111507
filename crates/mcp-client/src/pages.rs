//! The guard around paged listings: a server must not keep us turning pages for ever (D-14).

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use crate::error::PagesError;
use crate::options::ClientOptions;

/// Counts the pages of one listing and remembers their cursors.
#[derive(Debug)]
pub(crate) struct Pages {
    max_pages: usize,
    max_items: usize,
    max_bytes: usize,
    pages: usize,
    items: usize,
    bytes: usize,
    /// Cursors as keyed hashes: a cursor can be long, and nobody can aim at a collision.
    seen: HashSet<u64>,
    hasher: RandomState,
}

impl Pages {
    /// For one listing, within the limits of `options`.
    pub(crate) fn new(options: &ClientOptions) -> Self {
        Self {
            max_pages: options.max_pages,
            max_items: options.max_items,
            max_bytes: options.max_list_bytes,
            pages: 0,
            items: 0,
            bytes: 0,
            seen: HashSet::new(),
            hasher: RandomState::new(),
        }
    }

    /// Takes note of a page of so many items and bytes; the next page may be asked for, if it has
    /// a cursor, unless this fails. Any string is a cursor, the empty one too (C-272).
    pub(crate) fn turn(&mut self, items: usize, bytes: usize, next: Option<&str>) -> Result<(), PagesError> {
        self.pages += 1;
        self.items = self.items.saturating_add(items);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.items > self.max_items {
            return Err(PagesError::TooManyItems { limit: self.max_items });
        }
        if self.bytes > self.max_bytes {
            return Err(PagesError::TooManyBytes { limit: self.max_bytes });
        }
        let Some(cursor) = next else { return Ok(()) };
        if !self.seen.insert(self.hasher.hash_one(cursor)) {
            return Err(PagesError::RepeatedCursor { page: self.pages });
        }
        if self.pages >= self.max_pages {
            return Err(PagesError::TooManyPages { limit: self.max_pages });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{ClientOptions, Pages, PagesError};

    fn pages() -> Pages {
        let mut options = ClientOptions::new("t", "0");
        (options.max_pages, options.max_items, options.max_list_bytes) = (5, 10, 100);
        Pages::new(&options)
    }

    /// Turns a page of two items for each cursor, until one is refused.
    fn turn(cursors: &[Option<&str>]) -> Result<(), PagesError> {
        let mut pages = pages();
        cursors.iter().try_for_each(|cursor| pages.turn(2, 10, *cursor))
    }

    #[test]
    fn a_listing_ends_where_there_is_no_cursor() {
        turn(&[None]).unwrap();
        turn(&[Some("a"), Some("b"), None]).unwrap();
    }

    #[test]
    fn an_empty_cursor_is_a_cursor() {
        turn(&[Some(""), Some("0"), None]).unwrap();
        assert!(matches!(turn(&[Some(""), Some("")]), Err(PagesError::RepeatedCursor { page: 2 })));
    }

    #[test]
    fn a_cursor_that_repeats_is_found_also_when_cursors_alternate() {
        assert!(matches!(turn(&[Some("c1"), Some("c1")]), Err(PagesError::RepeatedCursor { page: 2 })));
        let alternating = [Some("c1"), Some("c2"), Some("c1")];
        assert!(matches!(turn(&alternating), Err(PagesError::RepeatedCursor { page: 3 })));
    }

    #[test]
    fn pages_items_and_bytes_are_capped() {
        let fresh = [Some("1"), Some("2"), Some("3"), Some("4"), Some("5")];
        assert!(matches!(turn(&fresh), Err(PagesError::TooManyPages { limit: 5 })));
        turn(&[Some("1"), Some("2"), Some("3"), Some("4"), None]).unwrap();

        assert!(matches!(pages().turn(11, 0, None), Err(PagesError::TooManyItems { limit: 10 })));
        assert!(matches!(pages().turn(1, 101, None), Err(PagesError::TooManyBytes { limit: 100 })));
        pages().turn(10, 100, None).unwrap();
    }
}
