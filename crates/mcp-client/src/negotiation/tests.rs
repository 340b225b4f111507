//! Every way to a version: a server's answers in order, and what comes of them.

use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{CloseCause, CloseReason, Malformed, TimeoutPhase, TransportFailure};
use serde_json::json;
use serde_json::value::to_raw_value;

use super::*;

/// What a server says when it is asked.
enum Says {
    Initialized(&'static str),
    Discovers(&'static [&'static str]),
    Result(&'static str),
    Error(i64),
    Supports(i64, &'static [&'static str]),
    Silence,
    End,
    Failed(FailureKind),
    Garbage,
}
use Says::{Discovers, End, Failed, Garbage, Initialized, Silence, Supports};

/// Goes through `script` and tells what was asked, and what came out: a version, or the failure.
fn run(protocol: Protocol, is_shared: bool, script: &[Says]) -> String {
    let mut negotiation =
        Negotiation::new(protocol, ClientCapabilities::default(), Implementation::new("t", "0"));
    let mut story = Vec::new();
    for says in script {
        story.push(match negotiation.opening() {
            Opening::Initialize(params) => format!("initialize {}", params.protocol_version),
            Opening::Discover(version) => format!("discover {version}"),
        });
        let outcome = match says {
            Initialized(version) => negotiation.answered(&raw(&json!({
                "protocolVersion": version, "capabilities": {}, "serverInfo": {"name": "s", "version": "1"},
            }))),
            Discovers(versions) => {
                negotiation.answered(&raw(&json!({"supportedVersions": versions, "capabilities": {}})))
            }
            Says::Result(json) => negotiation.answered(&raw(&serde_json::from_str(json).unwrap())),
            Says::Error(code) => negotiation.refused(ErrorObject::new(*code, "no")),
            Supports(code, versions) => negotiation.refused(
                ErrorObject::new(*code, "no")
                    .with_data(to_raw_value(&json!({"supported": versions})).unwrap()),
            ),
            says => match negotiation.unanswered(&broken(says), is_shared) {
                Some(outcome) => Ok(outcome),
                None => return ended(&story, "error"),
            },
        };
        match outcome {
            Ok(Outcome::Again) => {}
            Ok(Outcome::Reconnect) => story.push("reconnect".to_owned()),
            Ok(Outcome::Agreed(agreed)) => return ended(&story, agreed.version.as_str()),
            Err(Failure::Version { supported, .. }) => {
                return ended(&story, &format!("none of {}", supported.len()));
            }
            Err(Failure::Refused(error)) => return ended(&story, &format!("refused {}", error.code)),
            Err(Failure::Answer { .. }) => return ended(&story, "unfit"),
        }
    }
    ended(&story, "open")
}

fn ended(story: &[String], end: &str) -> String {
    format!("{}: {end}", story.join(", "))
}

fn raw(value: &serde_json::Value) -> Raw {
    Raw::from(to_raw_value(value).unwrap())
}

fn broken(says: &Says) -> CallError {
    match says {
        End => CallError::Closed { reason: Arc::new(CloseReason::new(CloseCause::EndOfStream)), sent: true },
        Failed(kind) => CallError::Transport(TransportFailure::new(*kind, true, std::io::Error::other("x"))),
        Garbage => {
            CallError::Malformed { problem: Malformed::Json("x".to_owned()), sample: Sample::of(b"x") }
        }
        _ => CallError::Timeout {
            phase: TimeoutPhase::Request,
            limit: Duration::from_secs(10),
            total: false,
            sent: true,
        },
    }
}

const MODERN: &[&str] = &["2026-07-28"];
const OLD: &[&str] = &["2025-06-18", "2024-11-05"];
const BOTH: &[&str] = &["2025-06-18", "2026-07-28"];

// D-19.
#[test]
fn initialize_comes_first_and_falls_forward_where_the_server_is_modern_only() {
    let auto = |script: &[Says]| run(Protocol::Auto, true, script);
    assert_eq!(auto(&[Initialized("2025-11-25")]), "initialize 2025-11-25: 2025-11-25");
    for mark in [Says::Error(-32020), Says::Error(-32021), Says::Error(-32022), Says::Error(-32601)] {
        let came = auto(&[mark, Discovers(MODERN)]);
        assert_eq!(came, "initialize 2025-11-25, discover 2026-07-28: 2026-07-28");
    }
    for code in [-32602, -32022, -32000] {
        for versions in [MODERN, BOTH] {
            let came = auto(&[Supports(code, versions), Discovers(versions)]);
            assert_eq!(came, "initialize 2025-11-25, discover 2026-07-28: 2026-07-28");
        }
    }
    // A server that answers `initialize` with the version it would rather speak.
    let came = auto(&[Initialized("2026-07-28"), Discovers(MODERN)]);
    assert_eq!(came, "initialize 2025-11-25, discover 2026-07-28: 2026-07-28");
}

// D-19.
#[test]
fn an_ordinary_refusal_of_initialize_falls_nowhere() {
    let auto = |script: &[Says]| run(Protocol::Auto, true, script);
    assert_eq!(
        auto(&[Supports(-32602, OLD), Initialized("2025-06-18")]),
        "initialize 2025-11-25, initialize 2025-06-18: 2025-06-18"
    );
    assert_eq!(auto(&[Supports(-32602, &["1999-01-01"])]), "initialize 2025-11-25: none of 1");
    assert_eq!(auto(&[Says::Error(-32602)]), "initialize 2025-11-25: refused -32602");
    assert_eq!(auto(&[Says::Error(-32000)]), "initialize 2025-11-25: refused -32000");
    for says in [Silence, End, Garbage, Failed(FailureKind::Status(404)), Failed(FailureKind::Status(503))] {
        assert_eq!(auto(&[says]), "initialize 2025-11-25: error");
    }
}

#[test]
fn who_is_neither_is_told_by_its_first_refusal() {
    let auto = |script: &[Says]| run(Protocol::Auto, true, script);
    let went = "initialize 2025-11-25, discover 2026-07-28";
    assert_eq!(auto(&[Says::Error(-32601), Says::Error(-32000)]), format!("{went}: refused -32601"));
    assert_eq!(auto(&[Says::Error(-32601), Says::Result("{}")]), format!("{went}: unfit"));
    assert_eq!(auto(&[Says::Error(-32601), Silence]), format!("{went}: error"));
    // What it names after all is tried, once.
    assert_eq!(
        auto(&[Says::Error(-32601), Supports(-32022, OLD), Says::Error(-32601)]),
        format!("{went}, initialize 2025-06-18: refused -32601")
    );
}

// Transports, 6.3.
#[test]
fn discover_first_falls_back_on_whatever_is_not_recognised_as_modern() {
    let discover = |script: &[Says]| run(Protocol::Discover, true, script);
    assert_eq!(discover(&[Discovers(BOTH)]), "discover 2026-07-28: 2026-07-28");
    for says in [
        Says::Error(-32601),
        Says::Error(-32602),
        Says::Error(-32000),
        Says::Error(0),
        Says::Result("{}"),
        Says::Result("[]"),
        Garbage,
        Silence,
    ] {
        let came = discover(&[says, Initialized("2025-11-25")]);
        assert_eq!(came, "discover 2026-07-28, initialize 2025-11-25: 2025-11-25");
    }
    assert_eq!(
        discover(&[End, Initialized("2024-11-05")]),
        "discover 2026-07-28, reconnect, initialize 2025-11-25: 2024-11-05"
    );
    assert_eq!(
        discover(&[Discovers(OLD), Initialized("2025-06-18")]),
        "discover 2026-07-28, initialize 2025-06-18: 2025-06-18"
    );
}

#[test]
fn a_recognised_modern_error_is_no_reason_to_fall_back() {
    let discover = |script: &[Says]| run(Protocol::Discover, true, script);
    assert_eq!(discover(&[Says::Error(-32020)]), "discover 2026-07-28: refused -32020");
    assert_eq!(discover(&[Says::Error(-32021)]), "discover 2026-07-28: refused -32021");
    assert_eq!(discover(&[Says::Error(-32022)]), "discover 2026-07-28: refused -32022");
    assert_eq!(discover(&[Supports(-32022, &["2027-01-01"])]), "discover 2026-07-28: none of 1");
    assert_eq!(discover(&[Discovers(&["2027-01-01"])]), "discover 2026-07-28: none of 1");
}

// C-085, and the conformance suite's `request-metadata`.
#[test]
fn a_version_that_the_refusal_names_as_supported_is_asked_with_once_more() {
    let discover = |script: &[Says]| run(Protocol::Discover, true, script);
    let twice = "discover 2026-07-28, discover 2026-07-28";
    assert_eq!(discover(&[Supports(-32022, MODERN), Discovers(MODERN)]), format!("{twice}: 2026-07-28"));
    assert_eq!(
        discover(&[Supports(-32022, BOTH), Supports(-32022, BOTH)]),
        format!("{twice}: refused -32022")
    );
    assert_eq!(
        discover(&[Supports(-32022, OLD), Initialized("2025-06-18")]),
        "discover 2026-07-28, initialize 2025-06-18: 2025-06-18"
    );
}

// Transports, 6.4.
#[test]
fn over_http_faults_say_nothing_of_the_era() {
    let discover = |script: &[Says]| run(Protocol::Discover, false, script);
    for status in [400, 404, 405, 422] {
        let came = discover(&[Failed(FailureKind::Status(status)), Initialized("2025-11-25")]);
        assert_eq!(came, "discover 2026-07-28, initialize 2025-11-25: 2025-11-25", "{status}");
    }
    for says in [
        Silence,
        End,
        Failed(FailureKind::Status(500)),
        Failed(FailureKind::Status(503)),
        Failed(FailureKind::Unauthorized),
        Failed(FailureKind::Refused),
        Failed(FailureKind::Tls),
        Failed(FailureKind::Reset),
    ] {
        assert_eq!(discover(&[says]), "discover 2026-07-28: error");
    }
}

#[test]
fn a_modern_server_that_was_too_slow_for_the_probe_is_found_all_the_same() {
    assert_eq!(
        run(Protocol::Discover, true, &[Silence, Supports(-32022, MODERN), Discovers(MODERN)]),
        "discover 2026-07-28, initialize 2025-11-25, discover 2026-07-28: 2026-07-28"
    );
}

#[test]
fn one_version_is_asked_for_and_no_other_will_do() {
    let only = |revision, script: &[Says]| run(Protocol::Only(revision), true, script);
    let (old, new) = (Revision::V2025_06_18, Revision::V2026_07_28);
    assert_eq!(only(old, &[Initialized("2025-06-18")]), "initialize 2025-06-18: 2025-06-18");
    assert_eq!(only(old, &[Initialized("2025-11-25")]), "initialize 2025-06-18: none of 0");
    assert_eq!(only(old, &[Supports(-32602, &["2024-11-05"])]), "initialize 2025-06-18: none of 1");
    assert_eq!(only(old, &[Says::Error(-32601)]), "initialize 2025-06-18: refused -32601");
    assert_eq!(only(new, &[Discovers(BOTH)]), "discover 2026-07-28: 2026-07-28");
    assert_eq!(only(new, &[Discovers(OLD)]), "discover 2026-07-28: none of 2");
    assert_eq!(only(new, &[Says::Error(-32601)]), "discover 2026-07-28: refused -32601");
    for says in [Silence, End, Garbage] {
        assert_eq!(only(new, &[says]), "discover 2026-07-28: error");
    }
}

/// Whatever a server says, it is asked five times at most.
#[test]
fn every_negotiation_ends() {
    let answers: [fn() -> Says; 8] = [
        || Says::Error(-32601),
        || Says::Error(-32022),
        || Supports(-32022, MODERN),
        || Supports(-32022, OLD),
        || Supports(-32602, BOTH),
        || Discovers(OLD),
        || Initialized("2026-07-28"),
        || Silence,
    ];
    for protocol in [Protocol::Auto, Protocol::Discover, Protocol::Only(Revision::V2026_07_28)] {
        for mut number in 0..8_usize.pow(5) {
            let script: Vec<_> = std::iter::repeat_with(|| {
                let says = answers[number % 8]();
                number /= 8;
                says
            })
            .take(5)
            .collect();
            let story = run(protocol, true, &script);
            assert!(!story.ends_with("open"), "{story}");
        }
    }
}
