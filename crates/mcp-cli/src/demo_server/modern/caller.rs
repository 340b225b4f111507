//! A client that is told to ask again with the answers, since it cannot be asked in between.

use std::sync::Arc;

use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};

use super::super::asked::Answer;
use super::super::caller::{Caller, Question};
use super::super::level::Level;
use super::super::message::Params;
use super::super::outcome::{Ended, MISSING_CAPABILITY, RpcError};
use super::super::revision::Revision;
use super::super::wire::Wire;
use super::super::world::World;
use super::dressed;
use super::meta::Meta;

#[derive(Debug)]
pub(super) struct ModernCaller {
    world: Arc<World>,
    meta: Meta,
    method: String,
    /// What a state of this request is good for: nothing but this.
    purpose: String,
    /// All answers so far, by the keys of their questions.
    answers: Map<String, Value>,
    /// Whether the request came with a state of ours.
    came_again: bool,
}

impl ModernCaller {
    pub(super) fn new(
        world: &Arc<World>,
        meta: Meta,
        method: &str,
        params: &Params,
    ) -> Result<Self, RpcError> {
        let of = |name| params.get(name).and_then(Value::as_str).unwrap_or_default();
        let purpose = format!("{method} {} {}", of("name"), of("uri"));
        let mut answers = match params.get("requestState") {
            None => Map::new(),
            Some(state) => {
                let answers = state.as_str().and_then(|state| world.seal.open(&purpose, state));
                answers.ok_or_else(|| RpcError::invalid("`requestState` is not one of this request"))?
            }
        };
        match params.get("inputResponses") {
            None => {}
            Some(Value::Object(responses)) if responses.values().all(Value::is_object) => {
                answers.extend(responses.clone());
            }
            Some(_) => return Err(RpcError::invalid("`inputResponses` must be an object of objects")),
        }
        let (world, method) = (Arc::clone(world), method.to_owned());
        let came_again = params.contains_key("requestState");
        Ok(Self { world, meta, method, purpose, answers, came_again })
    }

    fn state(&self) -> String {
        self.world.seal.close(&self.purpose, &self.answers)
    }

    /// The part of the client's capabilities that a question needs and the client does not have.
    fn lacks(&self, question: &Question) -> Result<Option<Value>, Ended> {
        let declared = |name: &str| self.meta.capabilities.get(name);
        let param = |name: &str| question.params.as_ref().and_then(|params| params.get(name));
        let has =
            |name: &str, part: &str| declared(name).is_some_and(|declared| declared.get(part).is_some());
        let (has, needed) = match question.method.as_str() {
            "roots/list" => (declared("roots").is_some(), json!({ "roots": {} })),
            "sampling/createMessage" if param("tools").or(param("toolChoice")).is_some() => {
                (has("sampling", "tools"), json!({ "sampling": { "tools": {} } }))
            }
            "sampling/createMessage" => (declared("sampling").is_some(), json!({ "sampling": {} })),
            "elicitation/create" if param("mode").is_some_and(|mode| mode == "url") => {
                (has("elicitation", "url"), json!({ "elicitation": { "url": {} } }))
            }
            "elicitation/create" => {
                // No mode at all means forms.
                let forms = declared("elicitation")
                    .is_some_and(|declared| declared.get("form").is_some() || declared.get("url").is_none());
                (forms, json!({ "elicitation": { "form": {} } }))
            }
            method => return Err(Ended::Failed(format!("2026-07-28 has no way to ask {method}"))),
        };
        Ok((!has).then_some(needed))
    }
}

impl Caller for ModernCaller {
    fn revision(&self) -> Revision {
        Revision::MODERN
    }

    fn answers(&self, method: &str) -> bool {
        let question = Question { key: "", method: method.to_owned(), params: None };
        matches!(self.lacks(&question), Ok(None))
    }

    fn wants(&self, level: Level) -> bool {
        self.meta.level.is_some_and(|wanted| level >= wanted)
    }

    fn ask(&self, _: &Wire, questions: &[Question]) -> Result<Vec<Answer>, Ended> {
        let mut open = Map::new();
        let mut answers = Vec::new();
        for question in questions {
            if let Some(needed) = self.lacks(question)? {
                let text = format!("The client does not answer {}", question.method);
                let data = json!({ "requiredCapabilities": needed });
                return Err(RpcError::new(MISSING_CAPABILITY, text).with(data).into());
            }
            match self.answers.get(question.key).and_then(|answer| to_raw_value(answer).ok()) {
                Some(answer) => answers.push(Ok(answer)),
                None => {
                    let mut request = json!({ "method": question.method });
                    if let Some(params) = &question.params {
                        request["params"] = params.clone();
                    }
                    open.insert(question.key.to_owned(), request);
                }
            }
        }
        if open.is_empty() {
            return Ok(answers);
        }
        let state = self.state();
        Err(Ended::Asks(
            json!({ "resultType": "input_required", "inputRequests": open, "requestState": state }),
        ))
    }

    fn come_again(&self) -> Result<(), Ended> {
        if self.came_again {
            return Ok(());
        }
        Err(Ended::Asks(json!({ "resultType": "input_required", "requestState": self.state() })))
    }

    fn dress(&self, result: Value) -> Value {
        dressed(&self.method, &Params::new(), result)
    }
}
