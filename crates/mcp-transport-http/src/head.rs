//! What the head of a response means. Status before media type.

use hyper::StatusCode;
use hyper::header::{CONTENT_LENGTH, HeaderMap};

use crate::media::{self, Media};

/// What a client does with a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// One JSON text: a message, or a batch.
    Json,
    /// An event stream.
    Events,
    /// Accepted, with nothing to read.
    Nothing,
    /// Accepted, with a body of no known type.
    Other,
    /// A redirect.
    Redirect,
    /// Refused or failed.
    Failed,
}

pub(crate) fn meaning(status: StatusCode, headers: &HeaderMap) -> Meaning {
    let is_empty = || headers.get(CONTENT_LENGTH).is_some_and(|length| length == "0");
    match status {
        StatusCode::ACCEPTED | StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT => Meaning::Nothing,
        _ if status.is_success() => match media::of(headers) {
            Media::EventStream => Meaning::Events,
            _ if is_empty() => Meaning::Nothing,
            Media::Json => Meaning::Json,
            Media::Other | Media::Missing => Meaning::Other,
        },
        StatusCode::MOVED_PERMANENTLY
        | StatusCode::FOUND
        | StatusCode::SEE_OTHER
        | StatusCode::TEMPORARY_REDIRECT
        | StatusCode::PERMANENT_REDIRECT => Meaning::Redirect,
        _ => Meaning::Failed,
    }
}

/// How long the server keeps an idle connection, if it says so (`Keep-Alive: timeout=5`).
pub(crate) fn keep_alive(headers: &HeaderMap) -> Option<std::time::Duration> {
    let value = headers.get("keep-alive")?.to_str().ok()?;
    let mut parameters = value.split(',').filter_map(|parameter| parameter.split_once('='));
    let (_, seconds) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("timeout"))?;
    seconds.trim().parse().ok().map(std::time::Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hyper::header::{CONTENT_TYPE, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (hyper::header::HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    fn of(status: u16, kind: &'static str) -> Meaning {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(kind))]);
        meaning(StatusCode::from_u16(status).unwrap(), &headers)
    }

    #[test]
    fn the_status_is_looked_at_before_the_type() {
        for status in [400, 401, 404, 405, 500, 503] {
            assert_eq!(of(status, "application/json"), Meaning::Failed);
            assert_eq!(of(status, "text/event-stream"), Meaning::Failed);
        }
        assert_eq!(of(202, "application/json"), Meaning::Nothing);
        assert_eq!(of(204, "text/event-stream"), Meaning::Nothing);
    }

    // Field case 95.
    #[test]
    fn types_compare_without_case_and_parameters() {
        assert_eq!(of(200, "application/json;charset=utf-8"), Meaning::Json);
        assert_eq!(of(200, "Text/Event-Stream; charset=UTF-8"), Meaning::Events);
        assert_eq!(of(200, "text/html"), Meaning::Other);
        assert_eq!(meaning(StatusCode::OK, &HeaderMap::new()), Meaning::Other);
    }

    #[test]
    fn an_empty_body_is_nothing_whatever_its_type() {
        let empty = headers(&[("content-type", "application/json"), ("content-length", "0")]);
        assert_eq!(meaning(StatusCode::OK, &empty), Meaning::Nothing);
    }

    #[test]
    fn the_keep_alive_hint_is_read_where_there_is_one() {
        let of = |value| keep_alive(&headers(&[("keep-alive", value)]));
        assert_eq!(of("timeout=5, max=100"), Some(Duration::from_secs(5)));
        assert_eq!(of("max=100, Timeout = 7"), Some(Duration::from_secs(7)));
        assert_eq!((of("timeout=x"), of("")), (None, None));
    }
}
