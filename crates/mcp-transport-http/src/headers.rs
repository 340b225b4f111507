//! Headers from a configuration, checked before anything is sent.

use std::fmt;

use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue, PROXY_AUTHORIZATION};

/// Most headers that can be configured.
const MAX_HEADERS: usize = 100;
/// Most bytes of names and values together.
const MAX_BYTES: usize = 64 * 1024;
/// Most bytes of a bad name that an error shows.
const MAX_SHOWN: usize = 64;

/// What the connection sets itself: a second one would break the framing, or lead elsewhere.
const OF_THE_CONNECTION: [&str; 10] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// What the protocol sets itself, where it belongs.
const OF_THE_PROTOCOL: [&str; 8] = [
    "accept",
    "accept-encoding",
    "content-type",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
];
/// So does it those that begin so.
const OF_PARAMS: &str = "mcp-param-";

/// Headers that go on every request to the origin, and never to another one (D-10).
///
/// Names that the protocol sets itself (`Accept`, `Accept-Encoding`, `Content-Type`,
/// `Last-Event-ID`, `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name`, `Mcp-Param-*`,
/// `Mcp-Session-Id`) are left out; [`ignored`](Self::ignored) tells which. A name that is given
/// twice is sent twice, in order. Values are taken for secrets: `Debug` shows names only.
#[derive(Clone, Default)]
pub struct Headers {
    sent: Vec<(HeaderName, HeaderValue)>,
    ignored: Vec<HeaderName>,
}

impl Headers {
    /// Checks `pairs` of names and values. Space around a value is dropped.
    ///
    /// # Errors
    ///
    /// A name or value that HTTP does not allow, a name that belongs to the connection, more than
    /// 100 headers, or more than 64 KiB of them. No error holds a value.
    pub fn new<N: AsRef<str>, V: AsRef<str>>(
        pairs: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self, HeaderError> {
        let mut headers = Self::default();
        let (mut count, mut bytes) = (0, 0_usize);
        for (name, value) in pairs {
            let (name, value) = (name.as_ref(), value.as_ref());
            count += 1;
            bytes = bytes.saturating_add(name.len()).saturating_add(value.len());
            if count > MAX_HEADERS {
                return Err(HeaderError::TooMany);
            }
            if bytes > MAX_BYTES {
                return Err(HeaderError::TooLarge);
            }
            headers.add(name, value)?;
        }
        Ok(headers)
    }

    fn add(&mut self, name: &str, value: &str) -> Result<(), HeaderError> {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| name_error(name))?;
        if OF_THE_CONNECTION.contains(&name.as_str()) {
            return Err(HeaderError::OfTheConnection { name });
        }
        let bytes = value.trim_matches([' ', '\t']).as_bytes();
        let Ok(mut value) = HeaderValue::from_bytes(bytes) else {
            return Err(HeaderError::Value { name, problem: value_problem(bytes) });
        };
        if OF_THE_PROTOCOL.contains(&name.as_str()) || name.as_str().starts_with(OF_PARAMS) {
            if !self.ignored.contains(&name) {
                self.ignored.push(name);
            }
            return Ok(());
        }
        value.set_sensitive(true);
        self.sent.push((name, value));
        Ok(())
    }

    /// Whether nothing is sent.
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }

    /// The headers that are sent, in order. The values are marked as sensitive.
    pub fn iter(&self) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
        self.sent.iter().map(|(name, value)| (name, value))
    }

    /// The names that were configured but are left out, since the protocol sets them; each once.
    pub fn ignored(&self) -> &[HeaderName] {
        &self.ignored
    }

    /// What must not be shown to anyone: the values, and credentials without their scheme.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let mut secrets = Vec::new();
        for (name, value) in self.iter() {
            // They came from texts, so nothing is lost.
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            let has_scheme = *name == AUTHORIZATION || *name == PROXY_AUTHORIZATION;
            let credentials = value.split_once([' ', '\t']).filter(|_| has_scheme);
            let credentials = credentials.map(|(_, rest)| rest.trim_ascii().to_owned());
            secrets.push(value);
            secrets.extend(credentials);
        }
        secrets.retain(|secret| !secret.is_empty());
        secrets
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sent = self.sent.iter().map(|(name, _)| (name.as_str(), format_args!("***")));
        formatter.debug_map().entries(sent).finish()
    }
}

/// Why headers cannot be used. The value is never shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// A header has no name.
    #[error("a header has no name")]
    NoName,
    /// A name has a character that no header name may have.
    #[error(
        "the header name that begins with `{start}` has a character that no header name may have: {bad:?}"
    )]
    Name {
        /// The name up to that character; what follows may be a value that went to the wrong place.
        start: String,
        /// The character.
        bad: char,
    },
    /// A name is longer than any can be.
    #[error("a header name is too long")]
    LongName,
    /// A value has a character that no header value may have.
    #[error("the value of header `{name}` has {problem}")]
    Value {
        /// The header.
        name: HeaderName,
        /// What it has.
        problem: &'static str,
    },
    /// The header belongs to the connection.
    #[error("header `{name}` is set by the connection itself and cannot be configured")]
    OfTheConnection {
        /// The header.
        name: HeaderName,
    },
    /// There are more than 100 headers.
    #[error("more than {MAX_HEADERS} headers are configured")]
    TooMany,
    /// Names and values are larger than 64 KiB together.
    #[error("the configured headers are larger than {MAX_BYTES} bytes")]
    TooLarge,
}

/// What is wrong with a name that cannot be read.
fn name_error(name: &str) -> HeaderError {
    let is_token = |it: char| it.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(it);
    match name.find(|it| !is_token(it)) {
        _ if name.is_empty() => HeaderError::NoName,
        // All before it is ASCII, so it can be cut anywhere.
        Some(at) => HeaderError::Name {
            start: name[..at.min(MAX_SHOWN)].to_owned(),
            bad: name[at..].chars().next().unwrap_or_default(),
        },
        None => HeaderError::LongName,
    }
}

/// What a value has that no value may have.
fn value_problem(value: &[u8]) -> &'static str {
    match () {
        () if value.contains(&b'\r') || value.contains(&b'\n') => "a line break",
        () if value.contains(&0) => "a NUL character",
        () => "a control character",
    }
}

#[cfg(test)]
mod tests;
