//! What the headers of a request have to say, and how they are read.

use std::net::{IpAddr, Ipv6Addr};

use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

pub(super) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(super) const NAME: HeaderName = HeaderName::from_static("mcp-name");
/// How the names of headers begin that repeat an argument.
pub(super) const PARAM: &str = "mcp-param-";

pub(super) const JSON: &str = "application/json";
pub(super) const EVENTS: &str = "text/event-stream";

/// Whether `Accept` lists this type, or a range that it is in. The protocol wants it listed, so
/// having no such header is no consent.
pub(super) fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    let main = media_type.split('/').next().unwrap_or_default();
    let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(essence).any(|range| {
        range == "*/*" || range.eq_ignore_ascii_case(media_type) || range.strip_suffix("/*") == Some(main)
    })
}

/// Whether the body is said to be JSON.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.is_some_and(|value| essence(value).eq_ignore_ascii_case(JSON))
}

/// Whether a page that this machine itself serves is behind a request. One of any other origin may
/// have got here by a name that was made to point to this machine.
pub(super) fn is_loopback(origin: &HeaderValue) -> bool {
    let origin = origin.to_str().unwrap_or_default();
    let Some((_, authority)) = origin.split_once("://") else { return false };
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    if let Some(host) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        return host.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback());
    }
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A media type without its parameters.
fn essence(value: &str) -> &str {
    value.split(';').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: HeaderName, values: &[&'static str]) -> HeaderMap {
        values.iter().map(|value| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn a_type_is_accepted_by_its_name_or_by_a_range() {
        for accept in ["text/event-stream", "a/b, Text/Event-Stream;q=0.5", "*/*", "text/*"] {
            assert!(accepts(&headers(ACCEPT, &[accept]), EVENTS), "{accept}");
        }
        assert!(accepts(&headers(ACCEPT, &["application/json", "text/event-stream"]), EVENTS));
        for accept in ["", "application/json", "text/event-streams", "application/*", "text"] {
            assert!(!accepts(&headers(ACCEPT, &[accept]), EVENTS), "{accept}");
        }
        assert!(!accepts(&HeaderMap::new(), EVENTS));
    }

    #[test]
    fn parameters_and_case_do_not_matter_to_the_type_of_a_body() {
        assert!(is_json(&headers(CONTENT_TYPE, &["Application/JSON; charset=utf-8"])));
        assert!(!is_json(&headers(CONTENT_TYPE, &["text/plain"])));
        assert!(!is_json(&HeaderMap::new()));
    }

    #[test]
    fn loopback_origins_are_told_from_others() {
        let check = |origin| is_loopback(&HeaderValue::from_static(origin));
        for origin in
            ["http://localhost:5173", "https://LOCALHOST", "http://127.0.0.1:1", "http://[::1]:8080"]
        {
            assert!(check(origin), "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://example.com",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com:80",
        ] {
            assert!(!check(origin), "{origin}");
        }
        assert!(
            !check("http://localhost:x@example.com") && !check("http://[::2]") && !check("http://10.0.0.1")
        );
    }
}
