//! What a server says about authorization: `WWW-Authenticate` as data, and as a hint for people.

use std::fmt;

use hyper::header::{HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use mcp_jsonrpc::{SAMPLE_BYTES, Sample};

mod reader;

const MCP_AUTH_SERVER: HeaderName = HeaderName::from_static("mcp-auth-server");

/// Most bytes of a header that a hint shows.
const MAX_HINT: usize = 1024;

/// One challenge of a `WWW-Authenticate` header (RFC 9110 11.6.1).
///
/// All of it comes from the server as it is: nothing was looked up or checked, and what is shown
/// to a person should be escaped first. `Debug` shows no values, since a server may repeat what it was
/// sent.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Challenge {
    /// The scheme as it was sent; [`is`](Self::is) compares it.
    pub scheme: String,
    /// What some schemes send in place of parameters.
    pub token68: Option<String>,
    /// The parameters in order, names in lower case, each name once.
    pub params: Vec<(String, String)>,
}

impl Challenge {
    /// Whether this is a challenge of `scheme`, in any case.
    pub fn is(&self, scheme: &str) -> bool {
        self.scheme.eq_ignore_ascii_case(scheme)
    }

    /// The value of a parameter; the name may be in any case.
    pub fn param(&self, name: &str) -> Option<&str> {
        let found = self.params.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Where the server describes how it is protected (RFC 9728).
    pub fn resource_metadata(&self) -> Option<&str> {
        self.param("resource_metadata")
    }

    /// The scopes that a token needs, separated by spaces.
    pub fn scope(&self) -> Option<&str> {
        self.param("scope")
    }

    /// What is wrong with the token that was sent, as a code (RFC 6750 3.1).
    pub fn error(&self) -> Option<&str> {
        self.param("error")
    }

    /// What is wrong with the token that was sent, as a sentence.
    pub fn error_description(&self) -> Option<&str> {
        self.param("error_description")
    }
}

impl fmt::Debug for Challenge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.params.iter().map(|(name, _)| name).collect();
        let mut shown = formatter.debug_struct("Challenge");
        shown.field("scheme", &self.scheme).field("params", &names).finish_non_exhaustive()
    }
}

/// All challenges of a response. What cannot be read is passed over, the rest counts.
pub(crate) fn challenges(headers: &HeaderMap) -> Vec<Challenge> {
    reader::read(headers.get_all(WWW_AUTHENTICATE).iter().map(HeaderValue::as_bytes))
}

/// What the message of a refusal shows of the two headers; empty where there is neither.
pub(crate) fn hints(headers: &HeaderMap) -> String {
    let shown = [("WWW-Authenticate", WWW_AUTHENTICATE), ("Mcp-Auth-Server", MCP_AUTH_SERVER)];
    let shown: Vec<_> = shown
        .into_iter()
        .filter_map(|(label, name)| Some(format!("{label}: {}", hint(headers, &name)?)))
        .collect();
    if shown.is_empty() { String::new() } else { format!(" [{}]", shown.join("; ")) }
}

/// All lines of a header, escaped and bounded.
fn hint(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let mut joined = Vec::new();
    for line in headers.get_all(name).iter().map(|value| value.as_bytes().trim_ascii()) {
        if line.is_empty() {
            continue;
        }
        if !joined.is_empty() {
            joined.extend_from_slice(b", ");
        }
        // One byte over the limit is enough to know that something is left out.
        joined.extend_from_slice(&line[..line.len().min(MAX_HINT + 1)]);
        if joined.len() > MAX_HINT {
            break;
        }
    }
    if joined.is_empty() {
        return None;
    }
    let is_cut = joined.len() > MAX_HINT;
    joined.truncate(MAX_HINT);
    let mut shown = String::with_capacity(joined.len());
    // A byte that is not ASCII stands alone, so that it is escaped even where it is part of UTF-8.
    for run in joined.chunk_by(|one, other| one.is_ascii() && other.is_ascii()) {
        for piece in run.chunks(SAMPLE_BYTES) {
            shown.push_str(Sample::of(piece).as_str());
        }
    }
    if is_cut {
        shown.push('…');
    }
    Some(shown)
}

#[cfg(test)]
mod tests;
