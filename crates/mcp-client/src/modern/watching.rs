//! Single resources, where all that is heard shares one subscription.

use mcp_types::{Listen, Method, Subscribe};

use super::{ListenError, Modern};
use crate::client::Inner;
use crate::error::ClientError;

impl Modern {
    /// Wants the changes of a resource; done when the server has said that it tells of them.
    pub(crate) async fn watch(&self, inner: &Inner, uri: &str) -> Result<(), ClientError> {
        inner.check_offered(Subscribe::NAME)?;
        self.subscription_of(inner).add(uri).await.map_err(|error| not_heard(inner, error))
    }

    /// Wants them no more. What is on its way may still come.
    pub(crate) async fn unwatch(&self, inner: &Inner, uri: &str) -> Result<(), ClientError> {
        match self.subscription() {
            Some(subscription) => subscription.remove(uri).await.map_err(|error| not_heard(inner, error)),
            None => Ok(()),
        }
    }
}

fn not_heard(inner: &Inner, source: ListenError) -> ClientError {
    ClientError::Listen { server: inner.server.clone(), method: Listen::NAME.into(), source }
}
