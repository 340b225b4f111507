//! The headers of requests, through the life of a session.

use super::*;

fn session() -> Session {
    Session::new(Headers::default(), None, false)
}

fn heard(values: &[&[u8]]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(SESSION_ID, HeaderValue::from_bytes(value).unwrap());
    }
    headers
}

fn shown(headers: &HeaderMap) -> Vec<String> {
    let mut shown: Vec<_> = headers
        .iter()
        .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value.as_bytes())))
        .collect();
    shown.sort();
    shown
}

// Field case 97. Field case 98.
#[test]
fn each_method_carries_exactly_the_types_it_must() {
    let outgoing = session().outgoing();
    let post = ["accept: application/json, text/event-stream", "content-type: application/json"];
    assert_eq!(shown(&outgoing.post), post);
    assert_eq!(shown(&outgoing.get), ["accept: text/event-stream"]);
    assert_eq!(shown(&outgoing.delete), [""; 0]);
}

#[test]
fn configured_headers_never_replace_or_double_those_of_the_protocol() {
    let configured = Headers::new([
        ("accept", "application/json"),
        ("Content-Type", "text/plain"),
        ("Mcp-Session-Id", "mine"),
        ("MCP-Protocol-Version", "1999-01-01"),
        ("X-Api-Key", "SECRET-1"),
    ])
    .unwrap();
    let mut session = Session::new(configured, None, true);
    session.learn(&heard(&[b"S1"])).unwrap();
    session.negotiated("2025-06-18");
    let outgoing = session.outgoing();
    assert_eq!(
        shown(&outgoing.post),
        [
            "accept-encoding: gzip",
            "accept: application/json, text/event-stream",
            "content-type: application/json",
            "mcp-protocol-version: 2025-06-18",
            "mcp-session-id: S1",
            "x-api-key: SECRET-1",
        ]
    );
    assert!(shown(&outgoing.get).contains(&"x-api-key: SECRET-1".to_owned()));
    assert!(shown(&outgoing.delete).contains(&"mcp-session-id: S1".to_owned()));
    assert!(!format!("{session:?}").contains("S1") && !format!("{session:?}").contains("SECRET-1"));
}

// Field case 94.
#[test]
fn the_version_is_sent_once_it_is_agreed_on_and_not_before() {
    let mut session = session();
    assert!(session.outgoing().post.get(PROTOCOL_VERSION).is_none());
    session.negotiated("2025-03-26");
    for headers in [&session.outgoing().post, &session.outgoing().get, &session.outgoing().delete] {
        assert_eq!(headers.get(PROTOCOL_VERSION).unwrap(), "2025-03-26");
    }
}

// Field case 118.
#[test]
fn equal_session_ids_are_one_and_illegal_ones_are_never_sent_back() {
    let mut session = session();
    session.learn(&heard(&[b"S1", b"S1"])).unwrap();
    assert_eq!(session.outgoing().id.as_ref().unwrap(), "S1");
    let long = vec![b'a'; 64 * 1024];
    let bad: [&[&[u8]]; 5] = [&[b"S1", b"S2"], &[b"a b"], &[b"\x80"], &[b""], &[&long]];
    for values in bad {
        assert!(session.learn(&heard(values)).is_err(), "{values:?}");
        assert_eq!(session.outgoing().id.as_ref().unwrap(), "S1");
    }
}

#[test]
fn a_lost_session_is_forgotten_unless_another_took_its_place() {
    let mut session = session();
    session.learn(&heard(&[b"S1"])).unwrap();
    session.negotiated("2025-06-18");
    let old = session.outgoing().id.clone().unwrap();
    session.learn(&heard(&[b"S2"])).unwrap();
    session.lost(&old);
    assert_eq!(session.outgoing().id.as_ref().unwrap(), "S2");
    let new = session.outgoing().id.clone().unwrap();
    session.lost(&new);
    let outgoing = session.outgoing();
    assert!(outgoing.id.is_none() && outgoing.post.get(PROTOCOL_VERSION).is_none());
}

#[test]
fn the_hook_wins_over_the_configuration_and_that_over_the_address() {
    let basic = HeaderValue::from_static("Basic eDp5");
    let of = |session: &Session| session.outgoing().get.get(AUTHORIZATION).cloned().unwrap();
    let mut session = Session::new(Headers::default(), Some(basic.clone()), false);
    assert_eq!(of(&session), basic);
    session.authorized(Headers::new([("Authorization", "Bearer b")]).unwrap());
    assert_eq!((of(&session).to_str().unwrap(), session.outgoing().authorized), ("Bearer b", 1));
    let configured = Headers::new([("authorization", "Bearer a")]).unwrap();
    assert_eq!(of(&Session::new(configured, Some(basic), false)), "Bearer a");
}

// C-140, C-160.
#[test]
fn without_a_session_no_id_is_kept_and_each_message_names_the_version() {
    let mut session = session();
    assert!(session.of_each().is_none());
    session.learn(&heard(&[b"S1"])).unwrap();
    session.stateless("2026-07-28");
    for ids in [&[&b"S2"[..]][..], &[b"S2", b"S3"], &[b"a b"]] {
        session.learn(&heard(ids)).unwrap();
    }
    let outgoing = session.outgoing();
    assert!(outgoing.is_stateless && outgoing.id.is_none() && outgoing.post.get(SESSION_ID).is_none());
    assert_eq!(shown(&session.of_each().unwrap()), ["mcp-protocol-version: 2026-07-28"]);
    session.authorized(Headers::new([("Authorization", "Bearer b")]).unwrap());
    assert!(session.outgoing().is_stateless);
}

#[test]
fn going_back_to_the_beginning_undoes_version_and_statelessness() {
    let mut session = session();
    session.stateless("2026-07-28");
    session.begin();
    let post = ["accept: application/json, text/event-stream", "content-type: application/json"];
    assert_eq!(shown(&session.outgoing().post), post);
    assert!(session.of_each().is_none() && !session.outgoing().is_stateless);
    session.learn(&heard(&[b"S1"])).unwrap();
    session.negotiated("2025-11-25");
    assert_eq!(session.outgoing().post.get(PROTOCOL_VERSION).unwrap(), "2025-11-25");
    assert_eq!(session.outgoing().id.as_ref().unwrap(), "S1");
    session.stateless("2026-07-28");
    session.negotiated("2025-11-25");
    assert!(session.of_each().is_none() && session.outgoing().id.is_none());
}
