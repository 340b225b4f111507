//! The media type of a response, as far as it matters here.

use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use mcp_jsonrpc::Sample;

/// What a body is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    /// `application/json`, or a type that is JSON by its suffix.
    Json,
    /// `text/event-stream`.
    EventStream,
    /// Anything else.
    Other,
    /// There is no type.
    Missing,
}

/// The type by `Content-Type`, without regard to case and parameters (RFC 9110 8.3.1).
///
/// Of two types the first counts, whether they stand in two lines or in one.
pub(crate) fn of(headers: &HeaderMap) -> Media {
    let Some(value) = first(headers) else { return Media::Missing };
    let essence = value.split(|byte| matches!(byte, b';' | b',')).next().unwrap_or_default();
    let essence = essence.trim_ascii().to_ascii_lowercase();
    let is_suffixed = || essence.starts_with(b"application/") && essence.ends_with(b"+json");
    match essence.as_slice() {
        b"" => Media::Missing,
        b"application/json" => Media::Json,
        b"text/event-stream" => Media::EventStream,
        _ if is_suffixed() => Media::Json,
        _ => Media::Other,
    }
}

/// The value of `Content-Type` for an error message, if there is one.
pub(crate) fn shown(headers: &HeaderMap) -> Option<Sample> {
    first(headers).filter(|value| !value.is_empty()).map(Sample::of)
}

fn first(headers: &HeaderMap) -> Option<&[u8]> {
    headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).map(<[u8]>::trim_ascii)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[&[u8]]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(CONTENT_TYPE, HeaderValue::from_bytes(line).unwrap());
        }
        headers
    }

    #[track_caller]
    fn check(lines: &[&str], expected: Media) {
        let lines: Vec<_> = lines.iter().map(|line| line.as_bytes()).collect();
        assert_eq!(of(&headers(&lines)), expected, "{lines:?}");
    }

    #[test]
    fn json_is_found_in_any_case_with_any_parameters() {
        for line in [
            "application/json",
            "Application/JSON",
            " application/json ; charset=utf-8",
            "application/json;charset=\"a;b,c\"",
            "application/problem+json",
            "application/vnd.x+JSON; v=1",
        ] {
            check(&[line], Media::Json);
        }
    }

    #[test]
    fn an_event_stream_is_found_in_any_case_with_any_parameters() {
        for line in ["text/event-stream", "TEXT/Event-Stream", "text/event-stream\t;charset=utf-8"] {
            check(&[line], Media::EventStream);
        }
    }

    #[test]
    fn what_only_looks_alike_is_another_type() {
        for line in [
            "text/json",
            "text/x+json",
            "application/jsonp",
            "application/json-seq",
            "application/json x",
            "application",
            "text/event-streams",
            "text/html; a=application/json",
        ] {
            check(&[line], Media::Other);
        }
        assert_eq!(of(&headers(&[b"application/js\xf6n"])), Media::Other);
    }

    #[test]
    fn of_two_types_the_first_counts() {
        check(&["application/json", "text/html"], Media::Json);
        check(&["text/html", "application/json"], Media::Other);
        check(&["text/event-stream, application/json"], Media::EventStream);
    }

    #[test]
    fn no_type_and_an_empty_one_are_missing() {
        for lines in [&[][..], &[""], &["  "], &["; charset=utf-8"]] {
            check(lines, Media::Missing);
        }
    }

    #[test]
    fn a_type_is_shown_as_it_came_but_escaped() {
        let shown = |lines: &[&[u8]]| shown(&headers(lines)).map(|sample| sample.to_string());
        assert_eq!(shown(&[b" Text/HTML\t;x\xff "]).as_deref(), Some(r"Text/HTML\t;x\xff"));
        assert_eq!(shown(&[b""]), None);
        assert_eq!(shown(&[]), None);
    }
}
