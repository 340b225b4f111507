//! The hook through which headers that authorize requests come.

use async_trait::async_trait;

use crate::challenge::Challenge;
use crate::headers::Headers;

/// Gets the server's challenges and may answer them with new headers.
///
/// It is asked when the server refused a request with 401, or with 403 and `insufficient_scope`:
/// in both cases the server did not run it. With new headers the request goes out once more, and
/// never a third time. Requests that are refused together ask once; those that were sent before
/// the headers changed are simply repeated with the new ones.
#[async_trait]
pub trait Authorize: Send + Sync + 'static {
    /// The headers to send from now on, on every request to the origin, over configured ones of
    /// the same name; `None` gives up, and the request fails with the server's refusal.
    ///
    /// # Cancel safety
    ///
    /// The future is dropped when the call that waits for it is given up or runs out of time.
    async fn authorize(&self, refusal: Refusal<'_>) -> Option<Headers>;
}

/// A refusal that authorization may help with.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Refusal<'a> {
    /// The address that refused, user info and query masked.
    pub url: &'a str,
    /// 401 or 403.
    pub status: u16,
    /// The challenges of `WWW-Authenticate`; may be empty.
    pub challenges: &'a [Challenge],
}
