//! Why a question of the server gets no answer.

use mcp_types::{ErrorCode, ErrorObject};
use thiserror::Error;

/// Why there is no answer. The texts go to the server.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Nothing of the kind was declared: `-32601`.
    #[error("Method not found: {0}")]
    NotOffered(String),
    /// The params cannot be used, or ask for more than was declared: `-32602`.
    #[error("{0}")]
    Unusable(String),
    /// The user said no to a sampling request: `-1` (C-310).
    #[error("User rejected sampling request")]
    Rejected,
    /// The handler failed: `-32603`.
    #[error("{0}")]
    Failed(String),
}

impl Refusal {
    /// The code in messages.
    pub fn code(&self) -> i64 {
        match self {
            Self::NotOffered(_) => ErrorCode::METHOD_NOT_FOUND,
            Self::Unusable(_) => ErrorCode::INVALID_PARAMS,
            Self::Rejected => ErrorCode::USER_REJECTED,
            Self::Failed(_) => ErrorCode::INTERNAL_ERROR,
        }
    }
}

impl From<Refusal> for ErrorObject {
    fn from(refusal: Refusal) -> Self {
        Self::new(refusal.code(), refusal.to_string())
    }
}
