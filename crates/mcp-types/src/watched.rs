//! Single resources that a client wants to hear of (up to 2025-11-25), and the notice that one changed.

use crate::extra::Extra;
use crate::meta::Meta;
use crate::object::object;

/// Params of `resources/subscribe`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SubscribeParams {
    /// The identifier of the resource.
    pub uri: String,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl SubscribeParams {
    /// Wants to hear of this resource and of what is below it.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), ..Self::default() }
    }
}

object!(SubscribeParams {
    "uri" => uri: required,
    "_meta" => meta: optional,
});

/// Params of `resources/unsubscribe`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct UnsubscribeParams {
    /// The identifier that was subscribed to.
    pub uri: String,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl UnsubscribeParams {
    /// Wants to hear of this resource no longer.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), ..Self::default() }
    }
}

object!(UnsubscribeParams {
    "uri" => uri: required,
    "_meta" => meta: optional,
});

/// Params of `notifications/resources/updated`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ResourceUpdatedParams {
    /// The resource that changed: the one that was subscribed to, or one below it (C-217).
    pub uri: String,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ResourceUpdatedParams {
    /// This resource has changed.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), ..Self::default() }
    }
}

object!(ResourceUpdatedParams {
    "uri" => uri: required,
    "_meta" => meta: optional,
});
