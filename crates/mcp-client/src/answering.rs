//! Answers to what a server may ask, by the typed handlers of the host.
//!
//! An answer is asked for by method and params and given as a result or a typed refusal, without any
//! message: a request of the server becomes one, and so can whatever else carries the same question.

mod elicitation;
mod opened;
mod refusal;
mod related;
mod roots;
mod sampling;
mod tool_results;
mod url;

use std::sync::Arc;

use mcp_types::{ClientCapabilities, CreateMessage, Elicit, ListRoots, Method, RootsCapability};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

pub use self::elicitation::{ElicitationHandler, FormAnswer, FormRequest, UrlAnswer, UrlRequest};
pub(crate) use self::opened::Opened;
pub use self::refusal::Refusal;
pub(crate) use self::related::to_task;
pub use self::roots::{RootsProvider, file_uri};
pub use self::sampling::{SamplingHandler, SamplingRequest};
pub use self::tool_results::{ToolResultsError, check_tool_results};
pub use self::url::{UrlElicitation, UrlError};
use crate::options::ClientOptions;

/// The handlers of one connection.
pub(crate) struct Answerers {
    server: Arc<str>,
    roots: Option<Arc<dyn RootsProvider>>,
    sampling: Option<Arc<dyn SamplingHandler>>,
    elicitation: Option<Arc<dyn ElicitationHandler>>,
    pub(crate) opened: Arc<Opened>,
}

impl Answerers {
    pub(crate) fn new(server: Arc<str>, options: &ClientOptions) -> Self {
        Self {
            server,
            roots: options.roots.clone(),
            sampling: options.sampling.clone(),
            elicitation: options.elicitation.clone(),
            opened: Arc::new(Opened::new(options.max_open_elicitations)),
        }
    }

    /// Whether there is a handler for the method.
    pub(crate) fn serves(&self, method: &str) -> bool {
        match method {
            ListRoots::NAME => self.roots.is_some(),
            CreateMessage::NAME => self.sampling.is_some(),
            Elicit::NAME => self.elicitation.is_some(),
            _ => false,
        }
    }

    /// Asks the handler of the method. What it says is checked before it is handed out.
    ///
    /// Dropping the future drops that of the handler.
    pub(crate) async fn answer(
        &self,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Box<RawValue>, Refusal> {
        match (method, &self.roots, &self.sampling, &self.elicitation) {
            (ListRoots::NAME, Some(handler), _, _) => written(&roots::answer(&**handler).await?),
            (CreateMessage::NAME, _, Some(handler), _) => {
                written(&sampling::answer(&**handler, &self.server, read(params)?).await?)
            }
            (Elicit::NAME, _, _, Some(handler)) => {
                let asked = elicitation::Asked { server: &self.server, opened: &self.opened };
                written(&asked.answer(&**handler, read(params)?).await?)
            }
            _ => Err(Refusal::NotOffered(method.to_owned())),
        }
    }
}

/// What is declared: the caller's own, and what the handlers do in place of what it says of that.
pub(crate) fn capabilities(options: &ClientOptions) -> ClientCapabilities {
    let mut capabilities = options.capabilities.clone();
    if let Some(handler) = &options.roots {
        let mut roots = RootsCapability::default();
        roots.list_changed = handler.list_changed().then_some(true);
        capabilities.roots = Some(roots);
    }
    if let Some(handler) = &options.sampling {
        capabilities.sampling = Some(handler.capability());
    }
    if let Some(handler) = &options.elicitation {
        capabilities.elicitation = Some(handler.capability());
    }
    capabilities
}

fn read<T: DeserializeOwned>(params: Option<&RawValue>) -> Result<T, Refusal> {
    let params = params.map_or("{}", RawValue::get);
    serde_json::from_str(params).map_err(|error| Refusal::Unusable(error.to_string()))
}

fn written<T: Serialize>(result: &T) -> Result<Box<RawValue>, Refusal> {
    to_raw_value(result).map_err(|error| Refusal::Failed(error.to_string()))
}
