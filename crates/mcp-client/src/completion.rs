//! Completing arguments while they are typed.

use mcp_types::{Complete, CompleteParams, Completion, Revision};

use crate::client::Client;
use crate::error::ClientError;
use crate::options::CallOptions;

impl Client {
    /// What an argument may become.
    ///
    /// # Errors
    ///
    /// As [`complete_with`](Self::complete_with).
    ///
    /// # Cancel safety
    ///
    /// As [`complete_with`](Self::complete_with).
    pub async fn complete(&self, params: CompleteParams) -> Result<Completion, ClientError> {
        self.complete_with(params, CallOptions::default()).await
    }

    /// What an argument may become, as far as the server tells. Nothing here waits for the user to stop
    /// typing, or remembers what came before (C-223, C-224): that is the caller's.
    ///
    /// What `params` say of other arguments goes only to servers that know of it, those of 2025-06-18
    /// and later. For others it is left out, and they may give more values than fit.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call). A server of 2024-11-05 that does not complete says so by -32601, since
    /// that revision has no capability for it.
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call).
    pub async fn complete_with(
        &self,
        mut params: CompleteParams,
        options: CallOptions,
    ) -> Result<Completion, ClientError> {
        if self.agreed().version < Revision::V2025_06_18 {
            params.context = None;
        }
        self.call::<Complete>(&params, options).await.map(|result| result.completion)
    }
}
