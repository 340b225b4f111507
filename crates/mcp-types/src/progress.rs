//! How far a request has come.

use crate::extra::Extra;
use crate::id::ProgressToken;
use crate::meta::Meta;
use crate::object::object;

/// Params of `notifications/progress`. The numbers need not be integers (C-249).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProgressParams {
    /// The token that the request carried in its `_meta`.
    pub progress_token: ProgressToken,
    /// How much is done. It should grow each time; do not fail if it does not.
    pub progress: f64,
    /// How much there is to do, if known.
    pub total: Option<f64>,
    /// What is going on, for people (2025-03-26 and later).
    pub message: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ProgressParams {
    /// Progress towards an unknown total.
    pub fn new(progress_token: impl Into<ProgressToken>, progress: f64) -> Self {
        Self {
            progress_token: progress_token.into(),
            progress,
            total: None,
            message: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

object!(ProgressParams {
    "progressToken" => progress_token: required,
    "progress" => progress: required,
    "total" => total: optional,
    "message" => message: optional,
    "_meta" => meta: optional,
});
