//! Calls that fail until the user has opened an address (error -32042, 2025-11-25).

use mcp_jsonrpc::CallError;
use mcp_types::{ErrorCode, UrlElicitationRequired};

use crate::answering::UrlElicitation;
use crate::client::Inner;

/// The addresses that the server wants opened first, if that is what the error says.
pub(crate) fn required_by(error: &CallError) -> Option<Vec<UrlElicitation>> {
    let error = error.as_rpc().filter(|error| error.code == ErrorCode::URL_ELICITATION_REQUIRED)?;
    let data = error.data.as_ref().map(|data| serde_json::from_str::<UrlElicitationRequired>(data.get()));
    let elicitations = data.and_then(Result::ok).map(|data| data.elicitations).unwrap_or_default();
    Some(elicitations.iter().filter_map(|params| UrlElicitation::read(params).ok()).collect())
}

impl Inner {
    /// Enters the ids of those addresses, so that their completion is told.
    pub(crate) fn remember_urls(&self, error: &CallError) {
        for elicitation in required_by(error).into_iter().flatten() {
            if let Some(id) = &elicitation.id {
                self.router.answerers.opened.add(id);
            }
        }
    }
}
