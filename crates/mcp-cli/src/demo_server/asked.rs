//! What the server asked the client, and the answers that come back.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;

/// The client's result, or its error object.
pub(super) type Answer = Result<Box<RawValue>, Box<RawValue>>;

#[derive(Debug, Default)]
pub(super) struct Asked {
    questions: Mutex<Questions>,
}

#[derive(Debug, Default)]
struct Questions {
    asked: u64,
    /// By the JSON text of the id.
    open: HashMap<String, Sender<Answer>>,
    over: bool,
}

impl Asked {
    /// A new question: its id, and where its answer arrives.
    pub(super) fn begin(&self) -> (String, Receiver<Answer>) {
        let (sender, receiver) = channel();
        let mut questions = self.lock();
        questions.asked += 1;
        let id = format!("demo-{}", questions.asked);
        if !questions.over {
            questions.open.insert(format!("\"{id}\""), sender);
        }
        (id, receiver)
    }

    /// Hands an answer to whoever asked; one to an unknown id is ignored.
    pub(super) fn settle(&self, id: &RawValue, answer: Answer) {
        let waiting = self.lock().open.remove(id.get());
        if let Some(sender) = waiting {
            // Whoever asked may have given up.
            let _ = sender.send(answer);
        }
    }

    pub(super) fn forget(&self, id: &str) {
        self.lock().open.remove(&format!("\"{id}\""));
    }

    /// No more answers come: wakes all who wait for one.
    pub(super) fn end(&self) {
        let mut questions = self.lock();
        questions.over = true;
        questions.open.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Questions> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
