//! Why a listing was broken off.

/// A listing that does not end, or is too long (D-14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PagesError {
    /// A page led back to an earlier one.
    #[error("page {page} has a cursor that an earlier page had")]
    RepeatedCursor {
        /// The page, counted from 1.
        page: usize,
    },
    /// There are more pages than allowed.
    #[error("there are more than {limit} pages")]
    TooManyPages {
        /// The limit.
        limit: usize,
    },
    /// There are more items than allowed.
    #[error("there are more than {limit} items")]
    TooManyItems {
        /// The limit.
        limit: usize,
    },
    /// The pages are longer than allowed.
    #[error("the pages are longer than {limit} bytes together")]
    TooManyBytes {
        /// The limit, in bytes.
        limit: usize,
    },
}
