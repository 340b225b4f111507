//! The table of requests that wait for their response.

use std::collections::{HashMap, VecDeque};

/// How many given-up requests are remembered, to tell a late response from an unknown one.
pub const REMEMBERED: usize = 1024;

/// Requests in flight, by number; generic over who waits, so that it can be tested with `&str`.
///
/// Numbers are handed out from 1 and never used twice.
#[derive(Debug)]
pub struct Pending<W> {
    next: u64,
    waiting: HashMap<u64, W>,
    /// The last requests that were given up, oldest first; at most [`REMEMBERED`].
    abandoned: VecDeque<u64>,
}

/// What the number of a response turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub enum Match<W> {
    /// A request that waits; it is no longer in the table.
    Waiting(W),
    /// A request that was given up before.
    Late,
    /// A request that was settled before (or given up long ago).
    Duplicate,
    /// A request that was never made.
    Unknown,
}

impl<W> Pending<W> {
    /// An empty table.
    pub fn new() -> Self {
        Self { next: 1, waiting: HashMap::new(), abandoned: VecDeque::new() }
    }

    /// Enters a request and yields its number.
    pub fn begin(&mut self, waiter: W) -> u64 {
        let number = self.next;
        self.next += 1;
        self.waiting.insert(number, waiter);
        number
    }

    /// Takes the waiter of a response out of the table.
    pub fn settle(&mut self, number: u64) -> Match<W> {
        if let Some(waiter) = self.waiting.remove(&number) {
            Match::Waiting(waiter)
        } else if self.abandoned.contains(&number) {
            Match::Late
        } else if (1..self.next).contains(&number) {
            Match::Duplicate
        } else {
            Match::Unknown
        }
    }

    /// Takes a request out of the table if it still waits.
    pub fn take(&mut self, number: u64) -> Option<W> {
        self.waiting.remove(&number)
    }

    /// Gives a request up; false if it was settled already.
    pub fn abandon(&mut self, number: u64) -> bool {
        let waited = self.waiting.remove(&number).is_some();
        if waited {
            if self.abandoned.len() == REMEMBERED {
                self.abandoned.pop_front();
            }
            self.abandoned.push_back(number);
        }
        waited
    }

    /// Takes out all that wait.
    pub fn drain(&mut self) -> Vec<W> {
        let mut all: Vec<_> = std::mem::take(&mut self.waiting).into_iter().collect();
        all.sort_unstable_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, waiter)| waiter).collect()
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many were ever begun.
    pub fn begun(&self) -> u64 {
        self.next - 1
    }
}

impl<W> Default for Pending<W> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::{Match, Pending, REMEMBERED};

    #[test]
    fn answers_find_their_request_in_any_order() {
        let mut pending = Pending::new();
        let [a, b] = ["a", "b"].map(|waiter| pending.begin(waiter));
        assert_eq!(pending.settle(b), Match::Waiting("b"));
        assert_eq!(pending.settle(a), Match::Waiting("a"));
        assert!(pending.is_empty());
    }

    #[test]
    fn late_duplicate_and_unknown_are_told_apart() {
        let mut pending = Pending::new();
        let [a, b] = ["a", "b"].map(|waiter| pending.begin(waiter));
        assert!(pending.abandon(a));
        assert!(!pending.abandon(a));
        assert_eq!(pending.settle(b), Match::Waiting("b"));
        assert_eq!(pending.settle(a), Match::Late);
        assert_eq!(pending.settle(b), Match::Duplicate);
        assert_eq!(pending.settle(0), Match::Unknown);
        assert_eq!(pending.settle(99), Match::Unknown);
    }

    #[test]
    fn given_up_requests_leave_no_growth() {
        let mut pending = Pending::new();
        for _ in 0..10 * REMEMBERED {
            let number = pending.begin(());
            assert!(pending.abandon(number));
        }
        assert_eq!((pending.len(), pending.abandoned.len()), (0, REMEMBERED));
        assert_eq!(pending.settle(1), Match::Duplicate);
    }
}
