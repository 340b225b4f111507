//! Giving up a request.

use crate::extra::Extra;
use crate::id::RequestId;
use crate::meta::Meta;
use crate::object::object;

/// Params of `notifications/cancelled`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CancelledParams {
    /// The request that is given up: one of the sender's own. Always there in what we send (C-252).
    pub request_id: Option<RequestId>,
    /// Why, for logs and people.
    pub reason: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl CancelledParams {
    /// Gives up a request without saying why.
    pub fn new(request_id: impl Into<RequestId>) -> Self {
        Self { request_id: Some(request_id.into()), ..Self::default() }
    }
}

object!(CancelledParams {
    "requestId" => request_id: optional,
    "reason" => reason: optional,
    "_meta" => meta: optional,
});
