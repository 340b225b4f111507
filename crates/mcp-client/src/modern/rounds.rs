//! Multi round-trip requests: a result that asks back, and what goes with the request the next time.

use mcp_jsonrpc::{Raw, Sample};
use mcp_types::{Extra, InputRequest, InputRequiredResult};
use serde_json::value::{RawValue, to_raw_value};

use crate::answering::Refusal;
use crate::router::Router;

/// What the server asked for, as the next request carries it. Only the newest round's is ever sent.
#[derive(Debug, Default)]
pub(crate) struct Responses {
    inputs: Option<Extra>,
    /// As it came, to the byte.
    state: Option<Box<RawValue>>,
}

impl Responses {
    /// Puts them into the params, in place of what may be there.
    pub(super) fn insert_into(&self, params: &mut Extra) -> serde_json::Result<()> {
        if let Some(inputs) = &self.inputs {
            params.insert("inputResponses", to_raw_value(inputs)?);
        }
        if let Some(state) = &self.state {
            params.insert("requestState", state.clone());
        }
        Ok(())
    }

    /// What the handlers said, under the server's keys.
    pub(super) fn into_inputs(self) -> Extra {
        self.inputs.unwrap_or_default()
    }
}

/// A result that asks back.
#[derive(Debug)]
pub(super) struct Question {
    requests: Option<Extra>,
    state: Option<Box<RawValue>>,
}

/// Why a question cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// It asks for nothing: neither input requests nor a state to send back.
    #[error("it neither asks for anything nor gives a state to send back")]
    Nothing,
    /// It is of another shape than the protocol gives it.
    #[error("it does not fit: {0}")]
    Shape(String),
    /// It asks for more at once than [`ClientOptions::max_server_requests`] allows.
    ///
    /// [`ClientOptions::max_server_requests`]: crate::ClientOptions::max_server_requests
    #[error("it asks for {asked} things at once, more than the limit of {limit}")]
    TooMany {
        /// How many it asks for.
        asked: usize,
        /// The limit.
        limit: usize,
    },
    /// One of the things it asks for is not given.
    #[error("there is no answer to {key}")]
    Refused {
        /// The server's name for it.
        key: Sample,
        /// Why not.
        #[source]
        refusal: Refusal,
    },
    /// It still asks after so many rounds.
    #[error("it still asks after {limit} rounds")]
    TooManyRounds {
        /// The limit.
        limit: usize,
    },
}

impl Question {
    pub(super) fn read(result: &Raw) -> Result<Self, InputError> {
        let shape = |error: serde_json::Error| {
            InputError::Shape(Sample::of(error.to_string().as_bytes()).to_string())
        };
        let result: InputRequiredResult = result.parse().map_err(shape)?;
        let state = result.request_state.filter(|state| state.get() != "null");
        if state.as_ref().is_some_and(|state| !state.get().starts_with('"')) {
            return Err(InputError::Shape("`requestState` is not a string".to_owned()));
        }
        match (&result.input_requests, &state) {
            (None, None) => Err(InputError::Nothing),
            _ => Ok(Self { requests: result.input_requests, state }),
        }
    }

    /// What a task asks.
    pub(super) fn of_task(requests: Extra) -> Self {
        Self { requests: Some(requests), state: None }
    }

    /// Whether somebody has to be asked; else the request may just be repeated.
    pub(super) fn needs_input(&self) -> bool {
        self.requests.as_ref().is_some_and(|requests| requests.iter().next().is_some())
    }

    /// Asks the handlers, one after the other in the server's order: a user can answer one question at
    /// a time.
    pub(super) async fn answer(self, router: &Router, limit: usize) -> Result<Responses, InputError> {
        let Some(requests) = self.requests else { return Ok(Responses { inputs: None, state: self.state }) };
        let asked = requests.iter().count();
        if asked > limit {
            return Err(InputError::TooMany { asked, limit });
        }
        let mut inputs = Extra::new();
        for (key, request) in requests.iter() {
            let refused = |refusal| InputError::Refused { key: Sample::of(key.as_bytes()), refusal };
            let request: InputRequest = serde_json::from_str(request.get())
                .map_err(|error| refused(Refusal::Unusable(error.to_string())))?;
            inputs.insert(key, router.input(key, request).await.map_err(refused)?);
        }
        Ok(Responses { inputs: Some(inputs), state: self.state })
    }
}
