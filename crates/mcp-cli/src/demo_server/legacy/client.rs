//! A client of a session, which is asked by requests and waited for.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::super::asked::Answer;
use super::super::caller::{Caller, Question};
use super::super::level::Level;
use super::super::outcome::Ended;
use super::super::revision::Revision;
use super::super::wire::Wire;
use super::Legacy;

/// How long the client may take for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Client(pub(super) Arc<Legacy>);

impl Caller for Client {
    fn revision(&self) -> Revision {
        self.0.session().revision
    }

    fn answers(&self, method: &str) -> bool {
        let name = method.split('/').next().unwrap_or_default();
        self.0.session().capabilities.get(name).is_some()
    }

    fn wants(&self, level: Level) -> bool {
        level >= self.0.session().level
    }

    fn ask(&self, wire: &Wire, questions: &[Question]) -> Result<Vec<Answer>, Ended> {
        let ask = |question: &Question| {
            let answer = self.0.ask(wire, &question.method, question.params.as_ref(), PATIENCE);
            answer.ok_or_else(|| Ended::Failed(format!("the client did not answer {}", question.method)))
        };
        questions.iter().map(ask).collect()
    }

    fn come_again(&self) -> Result<(), Ended> {
        Ok(())
    }

    fn dress(&self, result: Value) -> Value {
        result
    }
}
