//! What a request repeats of its body in headers, so that those on the way need not read it
//! (2026-07-28).
//!
//! Nothing here sends or waits.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use mcp_jsonrpc::{Mirrored, Sample};

use crate::session::{METHOD, PROTOCOL_VERSION, SESSION_ID};

/// How a value begins that is written in base64 (C-151).
const OPENING: &str = "=?base64?";
/// How it ends.
const CLOSING: &str = "?=";

/// How the name of each header begins that repeats a part of a body.
const PREFIX: &str = "mcp-";

/// Most values that are mirrored: how many there are is up to the server's schema, and a map of
/// headers has an end.
const MAX_MIRRORED: usize = 1000;

/// Why a request cannot be put into headers. Nothing was sent. No value is shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorError {
    /// The method cannot stand in a header, which has no other way to write it: it is empty, is
    /// not printable ASCII, or begins or ends with a space.
    #[error("the method `{0}` cannot stand in a header")]
    Method(Sample),
    /// The name is none that HTTP allows.
    #[error("`{0}` is no name of a header")]
    Name(Sample),
    /// The name belongs to another header of a request: it does not begin with `Mcp-`, or it is
    /// that of the session, the version or the method.
    #[error("the header `{0}` is not one that repeats a part of the body")]
    Taken(HeaderName),
    /// There are more than 1000 values.
    #[error("more than {MAX_MIRRORED} values are to be repeated in headers")]
    TooMany,
}

/// Adds the method and the mirrored values of one message to its headers. The last of two values
/// for the same name counts.
///
/// # Errors
///
/// See [`MirrorError`].
pub(crate) fn add(headers: &mut HeaderMap, method: &str, mirrored: &[Mirrored]) -> Result<(), MirrorError> {
    let unfit = || MirrorError::Method(Sample::of(method.as_bytes()));
    let value = Some(method).filter(|it| !it.is_empty() && is_plain(it));
    let value = value.and_then(|it| HeaderValue::from_str(it).ok()).ok_or_else(unfit)?;
    if mirrored.len() > MAX_MIRRORED {
        return Err(MirrorError::TooMany);
    }
    headers.insert(METHOD, value);
    for Mirrored { header, value } in mirrored {
        headers.insert(name(header)?, encoded(value));
    }
    Ok(())
}

fn name(text: &str) -> Result<HeaderName, MirrorError> {
    let name = HeaderName::from_bytes(text.as_bytes())
        .map_err(|_| MirrorError::Name(Sample::of(text.as_bytes())))?;
    let is_ours = [METHOD, PROTOCOL_VERSION, SESSION_ID].contains(&name);
    if is_ours || !name.as_str().starts_with(PREFIX) {
        return Err(MirrorError::Taken(name));
    }
    Ok(name)
}

/// A value as it stands in a header: a part of what the caller sends, and so not for logs.
fn encoded(value: &str) -> HeaderValue {
    // What is written is printable ASCII, which every header can hold.
    let mut value =
        HeaderValue::from_bytes(written(value).as_bytes()).unwrap_or_else(|_| HeaderValue::from_static(""));
    value.set_sensitive(true);
    value
}

/// A value as it is where that is safe, else its base64 between markers (C-145, C-149, C-150).
fn written(value: &str) -> Cow<'_, str> {
    if is_plain(value) {
        return Cow::Borrowed(value);
    }
    let mut text = String::with_capacity(OPENING.len() + value.len().div_ceil(3) * 4 + CLOSING.len());
    text.push_str(OPENING);
    STANDARD.encode_string(value, &mut text);
    text.push_str(CLOSING);
    Cow::Owned(text)
}

/// Whether a value passes through a header unchanged. A tab may not: some count it among the
/// control characters.
fn is_plain(value: &str) -> bool {
    let is_marked = value.starts_with(OPENING) && value.ends_with(CLOSING);
    let has_outer_space = value.starts_with(' ') || value.ends_with(' ');
    !is_marked && !has_outer_space && value.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

#[cfg(test)]
mod tests;
