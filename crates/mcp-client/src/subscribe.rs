//! Hearing of changes of single resources.

use mcp_types::{Subscribe, SubscribeParams, Unsubscribe, UnsubscribeParams};

use crate::client::Client;
use crate::error::ClientError;
use crate::options::CallOptions;

impl Client {
    /// Wants to hear when a resource changes.
    ///
    /// # Errors
    ///
    /// As [`subscribe_with`](Self::subscribe_with).
    ///
    /// # Cancel safety
    ///
    /// As [`subscribe_with`](Self::subscribe_with).
    pub async fn subscribe(&self, uri: &str) -> Result<(), ClientError> {
        self.subscribe_with(uri, CallOptions::default()).await
    }

    /// Wants to hear when a resource changes, or one below it. The changes come as
    /// [`Event::Notification`](crate::Event::Notification), to be read as
    /// [`ResourceUpdated`](mcp_types::ResourceUpdated); over HTTP up to 2025-11-25 they are heard only
    /// with [`ClientOptions::listen`](crate::ClientOptions::listen).
    ///
    /// Up to 2025-11-25 this is a request for each resource. In 2026-07-28 all that is watched shares
    /// one subscription, which begins or changes with this; a timeout bounds the wait for it.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call), and [`ClientError::Listen`] where the subscription does not cover the
    /// resource.
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call). Whether the subscription began is not known then.
    pub async fn subscribe_with(&self, uri: &str, options: CallOptions) -> Result<(), ClientError> {
        match &self.inner.modern {
            None => self.call::<Subscribe>(&SubscribeParams::new(uri), options).await.map(drop),
            Some(modern) => modern.watch(&self.inner, uri, &options).await,
        }
    }

    /// Wants to hear of a resource no longer.
    ///
    /// # Errors
    ///
    /// As [`unsubscribe_with`](Self::unsubscribe_with).
    ///
    /// # Cancel safety
    ///
    /// As [`unsubscribe_with`](Self::unsubscribe_with).
    pub async fn unsubscribe(&self, uri: &str) -> Result<(), ClientError> {
        self.unsubscribe_with(uri, CallOptions::default()).await
    }

    /// Wants to hear of a resource no longer. Up to 2025-11-25 nothing here remembers what was subscribed
    /// to: that it was (C-215) is up to the caller.
    ///
    /// # Errors
    ///
    /// As [`subscribe_with`](Self::subscribe_with).
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call). Whether the subscription ended is not known then.
    pub async fn unsubscribe_with(&self, uri: &str, options: CallOptions) -> Result<(), ClientError> {
        match &self.inner.modern {
            None => self.call::<Unsubscribe>(&UnsubscribeParams::new(uri), options).await.map(drop),
            Some(modern) => modern.unwatch(&self.inner, uri, &options).await,
        }
    }
}
