//! Where a server is: its URL, taken apart once, with the parts that requests need made ready.

mod mask;
mod origin;

#[cfg(test)]
mod tests;

use std::fmt;

use hyper::Uri;
use hyper::header::HeaderValue;
use hyper::http::uri::PathAndQuery;
use iri_string::types::{UriAbsoluteStr, UriReferenceStr, UriStr};

use self::origin::Authority;
pub use self::origin::{Origin, Scheme};
pub(crate) use self::origin::{host_and_port, is_localhost};

/// The longest URL that is looked at. A path and query beyond 64 KiB cannot be sent anyway.
const MAX_URL: usize = 60 * 1024;

/// Where a server is, parsed from `http://`, `https://` or `http+unix://%2Fpath%2Fto.sock/path`.
///
/// What it prints, by `Display` and `Debug` alike, has no user info and no query values:
/// `https://a.test/mcp?key=***`.
#[derive(Clone)]
pub struct Endpoint {
    origin: Origin,
    /// As it stands in a URL: of a Unix socket the encoded path, elsewhere what `Host` says.
    authority: String,
    user_info: Option<String>,
    target: PathAndQuery,
    uri: Uri,
    absolute: Uri,
    host_header: HeaderValue,
}

/// Why a text is not the URL of a server. No message shows a part of the URL that may be secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// There is no `scheme://` in front, or nothing at all.
    #[error("not a URL: it must begin with `http://` or `https://`")]
    NotAUrl,
    /// A scheme that names no HTTP server.
    #[error("the scheme `{0}` is not supported: it must be `http` or `https`")]
    Scheme(String),
    /// Nothing between `//` and the path.
    #[error("the URL has no host")]
    NoHost,
    /// What stands for a host can be none.
    #[error("the URL's host is neither a host name nor an IP address")]
    Host,
    /// The port is not a number from 1 to 65535.
    #[error("the URL's port is not a number from 1 to 65535")]
    Port,
    /// Letters beyond ASCII.
    #[error(
        "the URL has characters that are not ASCII: write a host name in its ASCII form (punycode) \
         and the rest percent-encoded"
    )]
    NotAscii,
    /// Spaces, control characters, backslashes and others that no URL may hold as they are.
    #[error("the URL has a character that must be percent-encoded")]
    Character,
    /// The URL is longer than 60 KiB.
    #[error("the URL is longer than {MAX_URL} bytes")]
    TooLong,
    /// The part after `http+unix://` is not the percent-encoded absolute path of a socket.
    #[error("the URL names no socket: it must look like `http+unix://%2Fpath%2Fto.sock/path`")]
    Socket,
    /// This system has no Unix sockets.
    #[error("Unix sockets are not available on this system")]
    NoSockets,
}

impl Endpoint {
    /// Takes a URL apart.
    ///
    /// Spaces around it are passed over, a fragment is dropped, the path is `/` by default, and the
    /// query stays byte for byte what it is.
    ///
    /// # Errors
    ///
    /// [`EndpointError`] says what is wrong with it.
    pub fn parse(url: &str) -> Result<Self, EndpointError> {
        let (front, query) = split(url)?;
        Self::from_parts(front, query)
    }

    /// The endpoint that a reference means which was found here, such as `Location` or the address in
    /// an `endpoint` event: the rules of RFC 3986, section 5.2.
    ///
    /// User info of this endpoint goes along as long as the origin stays the same.
    ///
    /// # Errors
    ///
    /// [`EndpointError`], when the reference, or what it comes to, is not the URL of a server.
    pub fn resolve(&self, reference: &str) -> Result<Self, EndpointError> {
        let (front, query) = match split(reference) {
            Ok(parts) => parts,
            Err(EndpointError::NotAUrl) => ("", None),
            Err(error) => return Err(error),
        };
        // Queries take no part in the merging of paths, so they need not pass through the parser,
        // which is stricter with them than servers are.
        let query = if front.is_empty() { query.or(self.target.query()) } else { query };
        let base = format!("{}://{}{}", self.origin.scheme, self.authority, self.target.path());
        let base = UriAbsoluteStr::new(&base).map_err(|_| EndpointError::Character)?;
        let reference = UriReferenceStr::new(front).map_err(|_| EndpointError::Character)?;
        let front = reference.resolve_against(base).to_string();
        let mut resolved = Self::from_parts(&front, query)?;
        if self.user_info.is_some() && self.is_same_origin(&resolved) {
            resolved.user_info.clone_from(&self.user_info);
        }
        Ok(resolved)
    }

    /// Scheme, host and port: what a connection is made to.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// What stands in the request line.
    pub fn path_and_query(&self) -> &str {
        self.target.as_str()
    }

    /// [`path_and_query`](Self::path_and_query) alone, for requests over HTTP/1.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// The whole URL without user info, for HTTP/2 and for forward proxies. That of a Unix socket
    /// begins with `http://localhost/`.
    pub fn absolute_uri(&self) -> &Uri {
        &self.absolute
    }

    /// The value of `Host`: without the port when it is the scheme's own, `localhost` for Unix sockets.
    pub fn host_header(&self) -> &HeaderValue {
        &self.host_header
    }

    /// `Basic ...`, made from the URL's user info and marked as sensitive.
    pub fn authorization(&self) -> Option<HeaderValue> {
        let basic = format!("Basic {}", mask::basic(self.user_info.as_deref()?));
        let mut value = HeaderValue::try_from(basic).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Whether both have the same scheme, host and port, or the same socket.
    pub fn is_same_origin(&self, other: &Self) -> bool {
        self.origin == other.origin
    }

    /// Every secret in the URL, for masking texts in which a peer repeats it: user name, password,
    /// the token made of both, and each query value, as written and percent-decoded. The longest come
    /// first, so that replacing one after the other leaves no remainder of a longer one.
    pub(crate) fn secrets(&self) -> Vec<String> {
        mask::secrets(self.user_info.as_deref(), self.target.query())
    }

    /// `front` is the URL up to its query.
    fn from_parts(front: &str, query: Option<&str>) -> Result<Self, EndpointError> {
        let (scheme, rest) = front.split_once("://").ok_or(EndpointError::NotAUrl)?;
        let scheme = Scheme::parse(scheme)?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let Authority { origin, host, user_info } = Authority::parse(scheme, authority)?;
        UriStr::new(front).map_err(|_| EndpointError::Character)?;

        let path = if path.is_empty() { "/" } else { path };
        let target = match query {
            Some(query) => format!("{path}?{query}"),
            None => path.to_owned(),
        };
        let target = PathAndQuery::try_from(target).map_err(|_| EndpointError::Character)?;
        let absolute = Uri::builder()
            .scheme(if scheme == Scheme::Https { "https" } else { "http" })
            .authority(host.as_str())
            .path_and_query(target.clone())
            .build()
            .map_err(|_| EndpointError::Host)?;
        let host_header = HeaderValue::try_from(&host).map_err(|_| EndpointError::Host)?;
        let authority = if scheme == Scheme::Unix { authority.to_owned() } else { host };
        let uri = Uri::from(target.clone());
        Ok(Self { origin, authority, user_info, target, uri, absolute, host_header })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.origin.scheme, self.authority, self.target.path())?;
        self.target.query().map_or(Ok(()), |query| mask::write_query(f, query))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What stands before the query, and the query; without the spaces around and the fragment.
fn split(text: &str) -> Result<(&str, Option<&str>), EndpointError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(EndpointError::NotAUrl);
    }
    if text.len() > MAX_URL {
        return Err(EndpointError::TooLong);
    }
    if !text.is_ascii() {
        return Err(EndpointError::NotAscii);
    }
    if text.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
        return Err(EndpointError::Character);
    }
    let text = text.split_once('#').map_or(text, |(text, _)| text);
    Ok(text.split_once('?').map_or((text, None), |(front, query)| (front, Some(query))))
}
