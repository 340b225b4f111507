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

    /// Wants to hear when a resource changes, or one below it (2024-11-05 to 2025-11-25). The changes
    /// come as [`Event::Notification`](crate::Event::Notification), to be read as
    /// [`ResourceUpdated`](mcp_types::ResourceUpdated).
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call). Whether the subscription began is not known then.
    pub async fn subscribe_with(&self, uri: &str, options: CallOptions) -> Result<(), ClientError> {
        self.call::<Subscribe>(&SubscribeParams::new(uri), options).await.map(drop)
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

    /// Wants to hear of a resource no longer. Nothing here remembers what was subscribed to: that it was
    /// (C-215) is up to the caller.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call). Whether the subscription ended is not known then.
    pub async fn unsubscribe_with(&self, uri: &str, options: CallOptions) -> Result<(), ClientError> {
        self.call::<Unsubscribe>(&UnsubscribeParams::new(uri), options).await.map(drop)
    }
}
