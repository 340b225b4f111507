//! Addresses that a server wants the user to open. Nothing here opens or fetches one (C-341).

use std::fmt;

use mcp_types::ElicitParams;
use thiserror::Error;

/// What a server wants opened. `Debug` shows the host of the address alone.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UrlElicitation {
    /// Why.
    pub message: String,
    /// The address, which is to be shown in full (C-343): `http` or `https`, with a host, and without
    /// spaces, control characters and backslashes.
    pub url: String,
    /// Which elicitation it is: opaque, and named again when it is done (C-348).
    pub id: Option<String>,
}

/// Why something is no address to open.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlError {
    /// There is none.
    #[error("URL mode needs a `url`")]
    Missing,
    /// It is no `http://` or `https://` with a host, or has characters that no address has.
    #[error("`url` is no http or https address")]
    NotAnAddress,
}

impl UrlElicitation {
    /// An address to open.
    ///
    /// # Errors
    ///
    /// [`UrlError::NotAnAddress`] if it is none that a browser opens as a page.
    pub fn new(message: &str, url: &str, id: Option<&str>) -> Result<Self, UrlError> {
        let is_plain = !url.contains(|character: char| {
            character.is_whitespace() || character.is_control() || character == '\\'
        });
        match authority(url) {
            Some(authority) if is_plain && !host_in(authority).is_empty() => {}
            _ => return Err(UrlError::NotAnAddress),
        }
        Ok(Self { message: message.to_owned(), url: url.to_owned(), id: id.map(str::to_owned) })
    }

    pub(crate) fn read(params: &ElicitParams) -> Result<Self, UrlError> {
        let url = params.url.as_deref().ok_or(UrlError::Missing)?;
        Self::new(&params.message, url, params.elicitation_id.as_deref())
    }

    /// The host where the address leads, which the user is to see clearly (C-333, C-345).
    pub fn host(&self) -> &str {
        authority(&self.url).map_or("", host_in)
    }

    /// Whether the address could be taken for another one, so that a warning is due (C-346): by
    /// Punycode or letters beyond ASCII in the host, by a name before it, or since it is not `https`.
    pub fn is_suspicious(&self) -> bool {
        let host = self.host();
        let is_encoded = host.split('.').any(|label| label.to_ascii_lowercase().starts_with("xn--"));
        let has_name = authority(&self.url).is_some_and(|authority| authority.contains('@'));
        is_encoded || has_name || !host.is_ascii() || host.contains('%') || scheme(&self.url) != Some("https")
    }
}

fn scheme(url: &str) -> Option<&'static str> {
    let (scheme, _) = url.split_once("://")?;
    ["http", "https"].into_iter().find(|known| known.eq_ignore_ascii_case(scheme))
}

/// What stands between the scheme and the path.
fn authority(url: &str) -> Option<&str> {
    scheme(url)?;
    let (_, rest) = url.split_once("://")?;
    rest.split(['/', '?', '#']).next()
}

/// Without name and port.
fn host_in(authority: &str) -> &str {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if let Some(end) = host.strip_prefix('[').and_then(|rest| rest.find(']')) {
        return &host[..end + 2];
    }
    host.split_once(':').map_or(host, |(host, _)| host)
}

/// Without message and path.
impl fmt::Debug for UrlElicitation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("UrlElicitation")
            .field("host", &self.host())
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::ElicitParams;

    use super::{UrlElicitation, UrlError};

    fn read(url: &str) -> Result<UrlElicitation, UrlError> {
        UrlElicitation::new("m", url, None)
    }

    #[test]
    fn the_host_is_where_the_address_leads() {
        for (url, host) in [
            ("https://example.com", "example.com"),
            ("HTTPS://example.com:8443/a@b?c#d", "example.com"),
            ("https://good.example@evil.example/", "evil.example"),
            ("https://a@b@evil.example:1?x", "evil.example"),
            ("http://[::1]:80/", "[::1]"),
            ("https://evil.example#@good.example", "evil.example"),
        ] {
            assert_eq!(read(url).unwrap().host(), host, "{url}");
        }
    }

    #[test]
    fn what_a_browser_would_not_open_as_a_page_is_refused() {
        for url in [
            "",
            "example.com",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https:/a",
            "https://",
            "https:///a",
            "https://:80/",
            "https://a@/",
            "https://a b",
            "https://a\n",
            "https://good.example\\@evil.example/",
            "data://x",
            " https://a",
        ] {
            assert_eq!(read(url), Err(UrlError::NotAnAddress), "{url}");
        }
        assert_eq!(UrlElicitation::read(&ElicitParams::default()), Err(UrlError::Missing));
    }

    #[test]
    fn an_address_that_can_be_mistaken_is_suspicious() {
        for url in [
            "http://example.com",
            "https://xn--e1awd7f.com",
            "https://a.XN--b.com",
            "https://еxample.com",
            "https://good.example@evil.example",
            "https://ex%61mple.com",
        ] {
            assert!(read(url).unwrap().is_suspicious(), "{url}");
        }
        assert!(!read("https://example.com/xn--/@/é").unwrap().is_suspicious());
    }

    #[test]
    fn only_the_host_is_shown_to_who_debugs() {
        let shown = format!("{:?}", read("https://u:SECRET-1@example.com/SECRET-2?k=SECRET-3").unwrap());
        assert!(shown.contains("example.com") && !shown.contains("SECRET"), "{shown}");
    }
}
