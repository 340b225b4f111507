//! Watching single resources: by a request for each, or all of them by one subscription.

use mcp_types::{Subscribe, SubscribeParams, Unsubscribe, UnsubscribeParams};

use crate::client::Client;
use crate::error::ClientError;
use crate::options::CallOptions;

impl Client {
    /// Asks the server to tell of changes of a resource, and of what is below it. They come as
    /// notifications, see [`Client::events`](Self::events), of the kind
    /// [`ResourceUpdated`](mcp_types::ResourceUpdated). Over HTTP they are heard only with
    /// [`ClientOptions::listen`](crate::ClientOptions::listen) up to 2025-11-25; in 2026-07-28 all
    /// resources that are watched share one subscription, which this begins or changes.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call), and [`ClientError::Listen`] where a subscription does not cover the
    /// resource.
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call); in 2026-07-28 the resource may then be watched or not.
    pub async fn subscribe(&self, uri: &str) -> Result<(), ClientError> {
        match &self.inner.modern {
            Some(modern) => modern.watch(&self.inner, uri).await,
            None => {
                let params = SubscribeParams::new(uri);
                self.call::<Subscribe>(&params, CallOptions::default()).await.map(drop)
            }
        }
    }

    /// Ends what [`subscribe`](Self::subscribe) began. What is on its way may still come.
    ///
    /// # Errors
    ///
    /// As [`subscribe`](Self::subscribe).
    ///
    /// # Cancel safety
    ///
    /// As [`subscribe`](Self::subscribe).
    pub async fn unsubscribe(&self, uri: &str) -> Result<(), ClientError> {
        match &self.inner.modern {
            Some(modern) => modern.unwatch(&self.inner, uri).await,
            None => {
                let params = UnsubscribeParams::new(uri);
                self.call::<Unsubscribe>(&params, CallOptions::default()).await.map(drop)
            }
        }
    }
}
