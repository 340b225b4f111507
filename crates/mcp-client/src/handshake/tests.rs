//! The handshake as decisions.

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::*;

fn handshake() -> Handshake {
    Handshake::new(ClientCapabilities::default(), Implementation::new("t", "0"))
}

fn answer(answer: &Value) -> Raw {
    Raw::from(to_raw_value(answer).unwrap())
}

fn refusal(data: &Value) -> ErrorObject {
    ErrorObject::new(-32602, "no").with_data(to_raw_value(data).unwrap())
}

fn offered(handshake: &Handshake) -> String {
    handshake.params().protocol_version
}

#[test]
fn the_newest_revision_is_offered_first() {
    assert_eq!(offered(&handshake()), "2025-11-25");
}

#[test]
fn a_chosen_revision_is_offered_and_no_other_will_do() {
    let mut handshake = handshake().only(Revision::V2025_03_26);
    assert_eq!(offered(&handshake), "2025-03-26");
    let says = |version: &str| {
        answer(
            &json!({"protocolVersion": version, "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}),
        )
    };
    assert_eq!(handshake.answered(&says("2025-03-26")).unwrap().version, Revision::V2025_03_26);
    assert!(matches!(handshake.answered(&says("2025-06-18")), Err(Failure::Version { .. })));
    let refusal = refusal(&json!({"supported": ["2025-06-18"]}));
    assert!(matches!(handshake.refused(refusal), Err(Failure::Version { .. })));
}

#[test]
fn the_newest_shared_version_of_a_refusal_is_offered_once() {
    let mut handshake = handshake();
    let refusal = refusal(&json!({"supported": ["2025-06-18", "2024-11-05", "x"]}));
    handshake.refused(refusal.clone()).unwrap();
    assert_eq!(offered(&handshake), "2025-06-18");
    assert!(matches!(handshake.refused(refusal), Err(Failure::Refused(_))));
}

#[test]
fn an_older_answer_than_the_offer_is_agreed_on() {
    let result = json!({
        "protocolVersion": "2024-11-05",
        "capabilities": {"logging": {}, "x": 1},
        "serverInfo": {"name": "s", "version": "1", "title": "S"},
    });
    let agreed = handshake().answered(&answer(&result)).unwrap();
    assert_eq!(agreed.version, Revision::V2024_11_05);
    assert_eq!(agreed.server_info.unwrap().display_name(), "S");
    assert!(agreed.capabilities.logging.is_some() && agreed.capabilities.tools.is_none());
}

#[test]
fn versions_from_a_server_are_bounded_and_escaped() {
    let long = "\u{1b}".repeat(10_000);
    let Err(Failure::Version { answered, .. }) =
        handshake().answered(&answer(&json!({"protocolVersion": long})))
    else {
        panic!()
    };
    assert!(answered.unwrap().as_str().starts_with(r"\u{1b}\u{1b}"));

    let Err(Failure::Version { supported, .. }) =
        handshake().refused(refusal(&json!({"supported": vec![long; 1000]})))
    else {
        panic!()
    };
    assert_eq!(supported.len(), SHOWN_VERSIONS);
}

#[test]
fn data_of_another_kind_is_no_list_of_versions() {
    for data in ["null", "[]", r#"{"supported":[1]}"#, r#"{"supported":null}"#, "7"] {
        let data = RawValue::from_string(data.to_owned()).unwrap();
        let error = ErrorObject::new(0, "").with_data(data);
        assert!(matches!(handshake().refused(error), Err(Failure::Refused(_))));
    }
}
