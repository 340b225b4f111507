//! Events in the order of their time, and chance that can be repeated.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

pub(super) struct Queue<E> {
    /// By time, then in the order they were put in.
    heap: BinaryHeap<Reverse<(Duration, usize)>>,
    events: Vec<Option<E>>,
}

impl<E> Queue<E> {
    pub(super) fn new() -> Self {
        Self { heap: BinaryHeap::new(), events: Vec::new() }
    }

    pub(super) fn put(&mut self, at: Duration, event: E) {
        self.heap.push(Reverse((at, self.events.len())));
        self.events.push(Some(event));
    }

    /// The next event that comes before `end`.
    pub(super) fn take(&mut self, end: Duration) -> Option<(Duration, E)> {
        let Reverse((at, number)) = self.heap.pop()?;
        let event = self.events[number].take()?;
        (at < end).then_some((at, event))
    }
}

/// Xorshift with a multiplier: even enough for waits, and the same everywhere.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Some time from the first up to the second.
    pub(super) fn between(&mut self, shortest: Duration, longest: Duration) -> Duration {
        let micros = (longest - shortest).as_micros();
        let share = (u128::from(self.number()) * micros) >> u64::BITS;
        shortest + Duration::from_micros(u64::try_from(share).unwrap())
    }

    pub(super) fn percent(&mut self, percent: u64) -> bool {
        self.number() >> 32 < (percent << 32) / 100
    }
}
