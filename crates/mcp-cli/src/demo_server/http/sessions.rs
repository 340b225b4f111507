//! The sessions, by id. There is room for so many; then the one that was idle the longest goes.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::session::Session;

pub(super) struct Sessions {
    most: usize,
    /// Secret and random for each run of the program.
    key: RandomState,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    begun: u64,
    /// Counts uses, to tell which was first.
    now: u64,
    open: HashMap<String, Entry>,
}

struct Entry {
    session: Arc<Session>,
    used: u64,
}

impl Sessions {
    /// Room for `most`.
    pub(super) fn new(most: usize) -> Self {
        Self { most, key: RandomState::new(), table: Mutex::default() }
    }

    /// Takes a session in and gives it an id; `None` if there is no room and all others are busy.
    pub(super) fn add(&self, session: Arc<Session>) -> Option<String> {
        let mut table = self.lock();
        let mut gone = None;
        if table.open.len() >= self.most {
            gone = Some(table.take_idle()?);
        }
        table.begun += 1;
        let id = self.id(table.begun);
        let used = table.tick();
        table.open.insert(id.clone(), Entry { session, used });
        drop(table);
        if let Some(gone) = gone {
            gone.end();
        }
        Some(id)
    }

    /// The session of this id, which counts as used now.
    pub(super) fn find(&self, id: &str) -> Option<Arc<Session>> {
        let mut table = self.lock();
        let now = table.tick();
        let entry = table.open.get_mut(id)?;
        entry.used = now;
        Some(Arc::clone(&entry.session))
    }

    pub(super) fn remove(&self, id: &str) -> Option<Arc<Session>> {
        self.lock().open.remove(id).map(|entry| entry.session)
    }

    pub(super) fn remove_all(&self) -> Vec<Arc<Session>> {
        self.lock().open.drain().map(|(_, entry)| entry.session).collect()
    }

    /// Cannot be guessed from others: a keyed hash, whose key stays here.
    fn id(&self, number: u64) -> String {
        format!("{:016x}{:016x}", self.key.hash_one((number, 0)), self.key.hash_one((number, 1)))
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn tick(&mut self) -> u64 {
        self.now += 1;
        self.now
    }

    /// Takes out the one that was idle the longest.
    fn take_idle(&mut self) -> Option<Arc<Session>> {
        let idle = self.open.iter().filter(|(_, entry)| entry.session.is_idle());
        let id = idle.min_by_key(|(_, entry)| entry.used)?.0.clone();
        self.open.remove(&id).map(|entry| entry.session)
    }
}

/// Ids are secrets, so only their number shows.
impl fmt::Debug for Sessions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sessions").field("open", &self.lock().open.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo_server::{Era, Options, world::World};

    fn session() -> Arc<Session> {
        Arc::new(Session::new(&Arc::new(World::new(&Options { page: 1, era: Era::Both }))))
    }

    #[test]
    fn the_one_that_was_idle_the_longest_makes_room() {
        let sessions = Sessions::new(2);
        let (first, second) = (sessions.add(session()).unwrap(), sessions.add(session()).unwrap());
        assert!(sessions.find(&first).is_some());
        let third = sessions.add(session()).unwrap();
        let known = [&first, &second, &third].map(|id| sessions.find(id).is_some());
        assert_eq!(known, [true, false, true]);
    }

    #[test]
    fn one_that_listens_does_not_make_room() {
        let sessions = Sessions::new(1);
        let busy = session();
        let _stream = busy.listener.open();
        let id = sessions.add(Arc::clone(&busy)).unwrap();
        assert_eq!(sessions.add(session()), None);
        assert!(sessions.find(&id).is_some());
        sessions.remove(&id).unwrap().end();
        assert!(sessions.add(session()).is_some());
    }

    #[test]
    fn ids_are_visible_ascii_and_differ_even_between_runs() {
        let ids: Vec<_> = (0..2).map(|_| Sessions::new(1).add(session()).unwrap()).collect();
        assert_ne!(ids[0], ids[1]);
        assert!(ids.iter().all(|id| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit())));
    }

    #[test]
    fn ids_do_not_show_in_debug_output() {
        let sessions = Sessions::new(1);
        let id = sessions.add(session()).unwrap();
        assert!(!format!("{sessions:?}").contains(&id));
    }
}
