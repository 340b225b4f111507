//! A session that hears anything at all from its server.

use hyper::StatusCode;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::challenge;
use crate::head::{self, Meaning};
use crate::headers::Headers;
use crate::session::{LAST_EVENT_ID, MAX_SESSION_ID, PROTOCOL_VERSION, SESSION_ID, Session};

/// Names of headers that are read, for short inputs that reach something.
const NAMES: [&str; 7] = [
    "mcp-session-id",
    "www-authenticate",
    "content-type",
    "content-length",
    "keep-alive",
    "mcp-auth-server",
    "mcp-protocol-version",
];

/// Any responses, one a line: status byte, then `name value` pairs between NUL bytes. Whatever
/// they say, requests carry what they must, and nothing that may not stand in a header.
///
/// A line that begins with `l` loses the session, one that begins with `v` agrees on a version, `s`
/// goes on without a session, and `i` begins anew.
pub fn session(data: &[u8]) {
    let configured = Headers::new([("x-api-key", "SECRET-1"), ("accept", "text/html")]).unwrap_or_default();
    let mut session = Session::new(configured, None, true);
    for line in data.split(|byte| *byte == b'\n').take(64) {
        match line {
            [b'l', ..] => {
                if let Some(id) = session.outgoing().id.clone() {
                    session.lost(&id);
                    assert!(session.outgoing().id.is_none(), "a lost session is forgotten");
                }
            }
            [b'v', version @ ..] => session.negotiated(&String::from_utf8_lossy(version)),
            [b's', version @ ..] => session.stateless(&String::from_utf8_lossy(version)),
            [b'i', ..] => session.begin(),
            [status, rest @ ..] => hear(&mut session, *status, rest),
            [] => {}
        }
        check(&session);
    }
}

fn hear(session: &mut Session, status: u8, rest: &[u8]) {
    let mut headers = HeaderMap::new();
    for pair in rest.split(|byte| *byte == 0).take(32) {
        let [name, value @ ..] = pair else { continue };
        let name = NAMES[usize::from(*name) % NAMES.len()];
        if let Ok(value) = HeaderValue::from_bytes(value) {
            headers.append(HeaderName::from_static(name), value);
        }
    }
    let status = StatusCode::from_u16(100 + u16::from(status) * 2).unwrap_or(StatusCode::OK);
    let meaning = head::meaning(status, &headers);
    assert_eq!(meaning == Meaning::Failed, !status.is_success() && meaning != Meaning::Redirect);
    // Whatever a hook or a person gets to see of it is bounded.
    let _ = head::keep_alive(&headers);
    assert!(challenge::challenges(&headers).len() <= 16);
    let hints = challenge::hints(&headers);
    assert!(hints.len() <= 16 * 1024 && !hints.contains(char::is_control), "{hints:?}");
    let before = session.outgoing().id.clone();
    if session.learn(&headers).is_err() {
        assert_eq!(session.outgoing().id, before, "an unusable id is not kept");
    }
}

fn check(session: &Session) {
    let outgoing = session.outgoing();
    for (headers, accepts) in [
        (&outgoing.post, Some("application/json, text/event-stream")),
        (&outgoing.get, Some("text/event-stream")),
        (&outgoing.delete, None),
    ] {
        let accept: Vec<_> = headers.get_all(ACCEPT).iter().collect();
        assert_eq!(accept.first().map(|value| value.as_bytes()), accepts.map(str::as_bytes));
        assert!(accept.len() <= 1 && headers.get_all("x-api-key").iter().count() == 1);
        assert!(headers.get_all(SESSION_ID).iter().count() <= 1);
        assert!(headers.get_all(PROTOCOL_VERSION).iter().count() <= 1);
        assert_eq!(headers.get(SESSION_ID), outgoing.id.as_ref());
        assert!(!headers.contains_key(LAST_EVENT_ID));
    }
    assert_eq!(outgoing.post.get(CONTENT_TYPE).map(HeaderValue::as_bytes), Some(&b"application/json"[..]));
    assert!(!(outgoing.is_stateless && outgoing.id.is_some()), "without a session there is no id");
    assert_eq!(session.of_each().is_some(), outgoing.is_stateless);
    if let Some(id) = &outgoing.id {
        assert!(!id.is_empty() && id.len() <= MAX_SESSION_ID);
        assert!(id.as_bytes().iter().all(u8::is_ascii_graphic));
    }
    assert!(!format!("{session:?}").contains("SECRET-1"), "nothing shows the configured value");
}
