//! Requests for an answer of the host's model.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_types::{CreateMessageParams, CreateMessageResult, SamplingCapability};

use super::refusal::Refusal;
use super::tool_results::check_tool_results;

/// Lets the server use the host's model. The user must be able to see, change and refuse each
/// request (C-291 to C-295), which is the host's matter.
///
/// No more of them run at once than [`ClientOptions::max_server_requests`] says; a limit on their
/// rate, and on rounds of tool use (C-308, C-315), is the host's.
///
/// [`ClientOptions::max_server_requests`]: crate::ClientOptions::max_server_requests
#[async_trait]
pub trait SamplingHandler: Send + Sync + 'static {
    /// What is declared: `tools` if tools are taken, `context` if `includeContext` is served. Asked
    /// before the handshake and with each request. Defaults to neither.
    fn capability(&self) -> SamplingCapability {
        SamplingCapability::default()
    }

    /// Asks the model. A request with tools comes only if they were declared (C-290), and its results
    /// of tools are where they belong (C-311, C-312).
    ///
    /// # Errors
    ///
    /// What the server is told instead; [`Refusal::Rejected`] if the user said no (C-310).
    ///
    /// # Cancel safety
    ///
    /// The future is dropped when the server cancels the request and when the connection closes.
    async fn create_message(&self, request: SamplingRequest) -> Result<CreateMessageResult, Refusal>;
}

/// A request for an answer of a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SamplingRequest {
    /// The name of the server that asks.
    pub server: Arc<str>,
    /// What it asks. Its `task` is to be ignored: tasks are not declared.
    pub params: CreateMessageParams,
}

impl SamplingRequest {
    /// A request of a server, as its handler gets it.
    pub fn new(server: impl Into<Arc<str>>, params: CreateMessageParams) -> Self {
        Self { server: server.into(), params }
    }
}

pub(super) async fn answer(
    handler: &dyn SamplingHandler,
    server: &Arc<str>,
    params: CreateMessageParams,
) -> Result<CreateMessageResult, Refusal> {
    let wants_tools = params.tools.is_some() || params.tool_choice.is_some();
    if wants_tools && handler.capability().tools.is_none() {
        return Err(Refusal::Unusable("Tools in sampling were not declared".to_owned()));
    }
    check_tool_results(&params.messages).map_err(|error| Refusal::Unusable(error.to_string()))?;
    handler.create_message(SamplingRequest::new(server.clone(), params)).await
}
