//! Results kept for as long as the server says that they hold (`ttlMs`, 2026-07-28).
//!
//! ```text
//!   Key::of(method, params) ──► lookup(key, now) ──► a fresh result
//!                                     │ none
//!                               ticket(key) … the call … insert(key, ticket, result, received)
//!   what the server says has changed ──► invalidate(…)
//! ```
//!
//! Pure: it reads no clock and sends nothing. It has no polling either (C-425): what is no longer
//! fresh is fetched when somebody asks for it the next time.
//!
//! A client has one server and one user, so what is `private` may be used here like what is `public`;
//! the scope is kept for whoever shares results with others (C-429). If the user of a connection
//! changes, [`Stale::Private`] drops what was theirs.

mod freshness;
mod key;
mod stale;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_jsonrpc::Raw;

use self::freshness::Freshness;
use self::freshness::Scope;
pub(crate) use self::key::{Area, Key};
pub(crate) use self::stale::Stale;

/// How much is kept, and for how long.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub(crate) struct CacheLimits {
    /// Most results; 512 by default, 0 keeps none. At the limit the result that would be fresh for the
    /// shortest time goes.
    pub(crate) max_entries: usize,
    /// Most bytes of results and keys together; 16 MiB by default. At the limit results go in the same
    /// order; one that is larger by itself is not kept.
    pub(crate) max_bytes: usize,
    /// The longest time that a result is fresh, whatever the server says; 24 h by default.
    pub(crate) max_ttl: Duration,
}

impl Default for CacheLimits {
    fn default() -> Self {
        Self { max_entries: 512, max_bytes: 16 * 1024 * 1024, max_ttl: Duration::from_secs(24 * 60 * 60) }
    }
}

/// The cache of one client.
#[derive(Debug)]
pub(crate) struct ResultCache {
    limits: CacheLimits,
    entries: HashMap<Arc<Key>, Entry>,
    /// The entries by deadline, then by age.
    order: BTreeMap<(Instant, u64), Arc<Key>>,
    bytes: usize,
    /// How many entries there ever were.
    inserted: u64,
    /// How often each area was invalidated.
    generations: [u64; Area::COUNT],
}

#[derive(Debug)]
struct Entry {
    result: Raw,
    scope: Scope,
    at: (Instant, u64),
    bytes: usize,
}

/// What was known to have changed when a request was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket {
    generation: u64,
}

/// What became of a result that was to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Insertion {
    /// It is kept.
    Kept,
    /// The server gives it no time (C-420, C-422, C-423), or it came too long ago.
    NotFresh,
    /// It is no complete result, or no JSON object (C-419).
    NotComplete,
    /// Something that it covers changed while it was on its way.
    Outdated,
    /// It alone is over a limit.
    TooLarge,
}

impl ResultCache {
    /// Nothing yet.
    pub(crate) fn new(limits: CacheLimits) -> Self {
        Self {
            limits,
            entries: HashMap::new(),
            order: BTreeMap::new(),
            bytes: 0,
            inserted: 0,
            generations: [0; Area::COUNT],
        }
    }

    /// The ticket of a request that is sent now; without it, its result cannot be kept.
    pub(crate) fn ticket(&self, key: &Key) -> Ticket {
        Ticket { generation: self.generations[key.area() as usize] }
    }

    /// Keeps a result that was received at `received`, for as long as it says (C-421, C-584).
    ///
    /// What was kept for the same key is gone, whatever becomes of this one. The result is read once,
    /// for three of its members, and what is kept is a copy of its own. Work: at worst all entries
    /// go, each of which was inserted once.
    ///
    /// The key is to be that of the params that were sent for this very result: a request that carried
    /// `inputResponses` or `requestState` has none, so the last round of several cannot get in. A
    /// result that asks back is not complete.
    pub(crate) fn insert(&mut self, key: Key, ticket: Ticket, result: &Raw, received: Instant) -> Insertion {
        self.remove(&key);
        if ticket.generation != self.generations[key.area() as usize] {
            return Insertion::Outdated;
        }
        let bytes = key.bytes().saturating_add(result.as_bytes().len());
        if self.limits.max_entries == 0 || bytes > self.limits.max_bytes {
            return Insertion::TooLarge;
        }
        let Some(freshness) = Freshness::of(result) else { return Insertion::NotComplete };
        let ttl = freshness.ttl.min(self.limits.max_ttl);
        let Some(until) = received.checked_add(ttl).filter(|until| *until > received) else {
            return Insertion::NotFresh;
        };
        while self.entries.len() >= self.limits.max_entries || self.bytes > self.limits.max_bytes - bytes {
            let Some((_, key)) = self.order.pop_first() else { break };
            self.remove(&key);
        }
        let (key, at) = (Arc::new(key), (until, self.inserted));
        self.inserted += 1;
        self.bytes += bytes;
        self.order.insert(at, Arc::clone(&key));
        self.entries.insert(key, Entry { result: result.compact(), scope: freshness.scope, at, bytes });
        Insertion::Kept
    }

    /// The result for this key, if one is fresh: `now` is before its deadline (C-418). One that is no
    /// longer fresh goes (C-424).
    pub(crate) fn lookup(&mut self, key: &Key, now: Instant) -> Option<Raw> {
        let entry = self.entries.get(key)?;
        let (until, _) = entry.at;
        if now >= until {
            self.remove(key);
            return None;
        }
        Some(entry.result.clone())
    }

    /// Drops what has changed, and sees to it that what is on its way at the moment is not kept either
    /// (C-431). Looks at each entry once.
    pub(crate) fn invalidate(&mut self, stale: Stale<'_>) {
        for area in Area::ALL.into_iter().filter(|area| stale.touches(*area)) {
            self.generations[area as usize] += 1;
        }
        let is_stale = |(key, entry): &(&Arc<Key>, &Entry)| stale.covers(key, entry.scope);
        let keys: Vec<_> = self.entries.iter().filter(is_stale).map(|(key, _)| Arc::clone(key)).collect();
        for key in keys {
            self.remove(&key);
        }
    }

    /// How many results there are, fresh or not.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The bytes that count against the limit.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.entries.remove(key) {
            self.order.remove(&entry.at);
            self.bytes -= entry.bytes;
        }
    }
}

#[cfg(test)]
mod tests;
