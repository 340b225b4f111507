//! Single resources, where all that is heard shares one subscription.

use mcp_jsonrpc::CallError;
use mcp_types::{Listen, Method};

use super::budget::Budget;
use super::subscription::ACKNOWLEDGED_WITHIN;
use super::{ListenError, Modern};
use crate::client::Inner;
use crate::error::ClientError;
use crate::options::CallOptions;

impl Modern {
    /// Wants the changes of a resource; done when the server has said that it tells of them.
    pub(crate) async fn watch(
        &self,
        inner: &Inner,
        uri: &str,
        options: &CallOptions,
    ) -> Result<(), ClientError> {
        let resources = inner.agreed.capabilities.resources.as_ref();
        let is_offered = resources.is_some_and(|resources| resources.subscribe == Some(true));
        if inner.options.require_capabilities && !is_offered {
            return Err(inner.not_offered(Listen::NAME, "resources.subscribe"));
        }
        done(inner, within(inner, options, self.subscription_of(inner).add(uri)).await)
    }

    /// Wants them no more. What is on its way may still come.
    pub(crate) async fn unwatch(
        &self,
        inner: &Inner,
        uri: &str,
        options: &CallOptions,
    ) -> Result<(), ClientError> {
        match self.subscription() {
            Some(subscription) => done(inner, within(inner, options, subscription.remove(uri)).await),
            None => Ok(()),
        }
    }
}

/// Waits as long as one request may take, until the caller gives up. There is always a limit unless one
/// says that there is none, since a subscription is asked for until it is acknowledged.
async fn within<T>(
    inner: &Inner,
    options: &CallOptions,
    work: impl Future<Output = T>,
) -> Result<T, CallError> {
    let limits =
        [options.max_total_timeout, options.timeout, inner.options.max_total_timeout, inner.options.timeout];
    let limit = limits.into_iter().flatten().next().or(Some(ACKNOWLEDGED_WITHIN));
    let budget = Budget::new(inner.transport.now(), limit);
    budget.spend(work, options.cancel.as_ref(), &*inner.transport).await
}

fn done(inner: &Inner, outcome: Result<Result<(), ListenError>, CallError>) -> Result<(), ClientError> {
    let heard = outcome.map_err(|error| inner.unanswered(Listen::NAME, error))?;
    heard.map_err(|source| ClientError::Listen {
        server: inner.server.clone(),
        method: Listen::NAME.into(),
        source,
    })
}
