//! The calls that run right now, by id, so that the client can cancel them.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Running {
    /// Calls at once; more are refused.
    most: usize,
    calls: Mutex<Calls>,
}

#[derive(Debug, Default)]
struct Calls {
    /// By a key: the JSON text of the id, where ids of one client only are in the table.
    stops: HashMap<String, Arc<Stop>>,
    over: bool,
}

impl Running {
    /// Room for `most`.
    pub(super) fn new(most: usize) -> Self {
        Self { most, calls: Mutex::default() }
    }

    /// Takes up a call, or says why not.
    pub(super) fn begin(&self, key: &str) -> Result<Arc<Stop>, &'static str> {
        let mut calls = self.lock();
        if calls.over {
            return Err("the session is over");
        }
        if calls.stops.contains_key(key) {
            return Err("a call with this id is running");
        }
        if calls.stops.len() >= self.most {
            return Err("too many calls at once");
        }
        let stop = Arc::new(Stop::default());
        calls.stops.insert(key.to_owned(), Arc::clone(&stop));
        Ok(stop)
    }

    /// Lets a call go; true if it is still to be answered.
    pub(super) fn finish(&self, key: &str) -> bool {
        self.lock().stops.remove(key).is_some_and(|stop| stop.state() != State::Cancelled)
    }

    /// Stops a call. It is not answered any more. Unknown keys are ignored, as the specification
    /// asks: the call may just have ended.
    pub(super) fn cancel(&self, key: &str) {
        if let Some(stop) = self.lock().stops.get(key) {
            stop.set(State::Cancelled);
        }
    }

    /// The client is gone: no call waits any longer, and none is taken up.
    pub(super) fn end_all(&self) {
        let mut calls = self.lock();
        calls.over = true;
        calls.stops.values().for_each(|stop| stop.set(State::Ended));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().stops.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells one call to stop.
#[derive(Debug, Default)]
pub(super) struct Stop {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    #[default]
    Running,
    Cancelled,
    /// What is done is still answered: whoever hung up may yet read.
    Ended,
}

impl Stop {
    /// Waits so long; true if told to stop meanwhile.
    pub(super) fn wait(&self, time: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.lock(), time, |state| *state == State::Running);
        *waited.unwrap_or_else(PoisonError::into_inner).0 != State::Running
    }

    fn state(&self) -> State {
        *self.lock()
    }

    /// The first reason to stop counts.
    fn set(&self, reason: State) {
        let mut state = self.lock();
        if *state == State::Running {
            *state = reason;
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
