//! Who answers the server.

use std::fmt;

use async_trait::async_trait;
use mcp_jsonrpc::{Notification, Raw, Request};
use mcp_types::{ErrorObject, InputRequest, RequestId};
use serde_json::value::RawValue;

/// Answers the requests of the server and hears its notifications, from the first byte on.
///
/// `ping` and progress are the client's own matter.
#[async_trait]
pub trait Delegate: Send + Sync + 'static {
    /// A notification came. Runs on the task that reads, in the order of arrival: it must not
    /// block, and a panic in it ends the connection.
    ///
    /// Progress is not among them: it goes to its call, or nowhere.
    fn on_notification(&self, notification: &Notification<'_>) {
        let _ = notification;
    }

    /// A request came. Runs on a task of its own; how it ends is the answer. The result must be an
    /// object. A panic answers `-32603`. The default answers `-32601`.
    ///
    /// # Errors
    ///
    /// The error is sent as it is: -32602 for unusable params, -32603 for a failure (C-018).
    ///
    /// # Cancel safety
    ///
    /// The future is dropped when the server cancels the request and when the connection closes.
    async fn on_request(&self, request: ServerRequest) -> Result<Box<RawValue>, ErrorObject> {
        Err(ErrorObject::method_not_found(&request.method))
    }
}

/// A request of the server.
#[derive(Clone)]
#[non_exhaustive]
pub struct ServerRequest {
    /// The server's id; its ids have nothing to do with ours. Where the request came inside of a
    /// result (2026-07-28), the key that it has there.
    pub id: RequestId,
    /// The method.
    pub method: String,
    /// The params, as they came.
    pub params: Option<Raw>,
}

impl ServerRequest {
    pub(crate) fn of(request: &Request<'_>) -> Self {
        Self {
            id: request.id.clone(),
            method: request.method.to_owned(),
            params: request.params.map(Raw::from),
        }
    }

    /// A request that came inside of a result, under `key`.
    pub(crate) fn within_result(key: &str, request: InputRequest) -> Self {
        Self { id: RequestId::from(key), method: request.method, params: request.params.map(Raw::from) }
    }
}

/// Without the params: they may be secret.
impl fmt::Debug for ServerRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ServerRequest")
            .field("id", &self.id)
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}
