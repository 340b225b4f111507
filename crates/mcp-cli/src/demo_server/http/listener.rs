//! The stream for what belongs to no call, which a client may open with GET or not.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use super::content::Said;

/// Messages that wait for a client; of more, the oldest go while no stream is open, and the newest
/// while it is not read.
const MOST: usize = 64;

/// At most one stream at a time.
#[derive(Debug, Default)]
pub(super) struct Listener {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// What was said while nobody listened.
    missed: VecDeque<String>,
    stream: Option<mpsc::Sender<Said>>,
    over: bool,
}

impl Listener {
    /// Opens the stream. An older one ends: its client may have lost it without our having noticed.
    pub(super) fn open(&self) -> mpsc::Receiver<Said> {
        let (sender, receiver) = mpsc::channel(MOST);
        let mut state = self.lock();
        if !state.over {
            for message in state.missed.drain(..) {
                // There is room for all that are kept.
                let _ = sender.try_send(Said::Meanwhile(message));
            }
            state.stream = Some(sender);
        }
        receiver
    }

    /// Says something to whoever listens, or will; false if nobody ever will.
    pub(super) fn say(&self, message: String) -> bool {
        let mut state = self.lock();
        if state.over {
            return false;
        }
        match state.stream.as_ref().filter(|stream| !stream.is_closed()) {
            Some(stream) => {
                let _ = stream.try_send(Said::Meanwhile(message));
            }
            None => {
                if state.missed.len() == MOST {
                    state.missed.pop_front();
                }
                state.missed.push_back(message);
            }
        }
        true
    }

    /// Ends the stream for good.
    pub(super) fn end(&self) {
        *self.lock() = State { over: true, ..State::default() };
    }

    pub(super) fn is_open(&self) -> bool {
        self.lock().stream.as_ref().is_some_and(|stream| !stream.is_closed())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that has arrived, and whether the stream goes on.
    fn heard(stream: &mut mpsc::Receiver<Said>) -> (Vec<String>, bool) {
        let mut heard = Vec::new();
        loop {
            match stream.try_recv() {
                Ok(Said::Meanwhile(text)) => heard.push(text),
                Ok(Said::Answer(answer)) => heard.push(answer.text),
                Err(mpsc::error::TryRecvError::Empty) => return (heard, true),
                Err(mpsc::error::TryRecvError::Disconnected) => return (heard, false),
            }
        }
    }

    #[test]
    fn what_was_missed_comes_first_and_the_oldest_of_too_much_is_gone() {
        let listener = Listener::default();
        for number in 0..=MOST {
            listener.say(number.to_string());
        }
        let mut stream = listener.open();
        let (messages, open) = heard(&mut stream);
        assert_eq!((messages.len(), messages[0].as_str(), open), (MOST, "1", true));
        listener.say("now".to_owned());
        assert_eq!(heard(&mut stream), (vec!["now".to_owned()], true));
    }

    #[test]
    fn a_stream_that_is_not_read_does_not_grow() {
        let listener = Listener::default();
        let mut stream = listener.open();
        for number in 0..=MOST {
            listener.say(number.to_string());
        }
        assert_eq!(heard(&mut stream).0.len(), MOST);
    }

    #[test]
    fn a_new_stream_ends_the_one_before() {
        let listener = Listener::default();
        let (mut old, mut new) = (listener.open(), listener.open());
        listener.say("x".to_owned());
        assert_eq!(heard(&mut old), (vec![], false));
        assert_eq!(heard(&mut new), (vec!["x".to_owned()], true));
        drop(new);
        assert!(!listener.is_open());
    }

    #[test]
    fn after_the_end_no_stream_goes_on() {
        let listener = Listener::default();
        let mut before = listener.open();
        listener.end();
        listener.say("x".to_owned());
        assert_eq!((heard(&mut before), heard(&mut listener.open())), ((vec![], false), (vec![], false)));
    }
}
