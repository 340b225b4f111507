//! What happens when the client closes the stream of a request of 2026-07-28: the request is cancelled.

use std::sync::Arc;

use super::super::modern::Modern;

/// Cancels a request when it is dropped, which does nothing to one that is done.
#[derive(Debug)]
pub(super) struct HangUp {
    modern: Arc<Modern>,
    key: String,
}

impl HangUp {
    pub(super) fn new(modern: &Arc<Modern>, key: &str) -> Self {
        Self { modern: Arc::clone(modern), key: key.to_owned() }
    }
}

impl Drop for HangUp {
    fn drop(&mut self) {
        self.modern.cancel(&self.key);
    }
}
