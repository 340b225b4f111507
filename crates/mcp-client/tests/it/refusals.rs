//! Handshakes that come to nothing, or to something at the second try (case 71).

use mcp_client::{Agreed, Client, ConnectError};
use mcp_types::Revision;
use serde_json::{Value, json};

use crate::pair::{init, options};
use crate::probe::ProbeConnect;

/// What one handshake came to: its end, what was offered each time, and what the transport saw.
struct Outcome {
    end: Result<Agreed, ConnectError>,
    offered: Vec<String>,
    log: Vec<String>,
}

/// Answers one `initialize` after the other: `Ok` is a result, `Err` an error.
async fn against(answers: &[Result<Value, Value>]) -> Outcome {
    let (connect, mut peers, log) = ProbeConnect::new();
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let mut offered = Vec::new();
        for answer in answers {
            let request = peer.next().await;
            offered.push(request["params"]["protocolVersion"].as_str().unwrap().to_owned());
            match answer {
                Ok(result) => peer.answer(&request, result),
                Err(error) => peer.refuse(&request, error),
            }
        }
        // The server stays, so that the handshake can end.
        (offered, peer)
    };
    let (client, (offered, _peer)) = tokio::join!(Client::connect(&connect, options()), serve);
    let end = client.map(|client| client.agreed().clone());
    Outcome { end, offered, log: log.lines() }
}

fn refusal(supported: &Value) -> Result<Value, Value> {
    let data = json!({"supported": supported, "requested": "2025-11-25"});
    Err(json!({"code": -32602, "message": "Unsupported protocol version", "data": data}))
}

fn assert_closed(outcome: &Outcome) {
    assert_eq!(outcome.log[outcome.log.len() - 2..], ["close", "drop"], "{:?}", outcome.log);
    assert!(!outcome.log.iter().any(|line| line.starts_with("notify")), "{:?}", outcome.log);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_version_closes_the_connection_and_the_error_names_both() {
    for version in ["1999-01-01", "2027-01-31", "2025-11-25 ", ""] {
        let outcome = against(&[Ok(init(version))]).await;
        assert_closed(&outcome);
        let expected =
            format!("server `probe` answered with protocol version `{version}`, we offered `2025-11-25`");
        assert_eq!(outcome.end.unwrap_err().to_string(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_version_counts_before_the_shape_of_the_answer() {
    let outcome = against(&[Ok(json!({"protocolVersion": "1.0", "caps": []}))]).await;
    assert!(matches!(outcome.end, Err(ConnectError::Version { .. })));
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_a_version_closes_the_connection() {
    let mut answer = init("");
    answer.as_object_mut().unwrap().remove("protocolVersion");
    let outcome = against(&[Ok(answer)]).await;
    assert_closed(&outcome);
    let expected = "server `probe` answered without a protocol version, we offered `2025-11-25`";
    assert_eq!(outcome.end.unwrap_err().to_string(), expected);
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_another_shape_closes_the_connection() {
    let outcome = against(&[Ok(json!({"protocolVersion": "2025-11-25", "capabilities": []}))]).await;
    assert_closed(&outcome);
    let error = outcome.end.unwrap_err();
    assert_eq!(error.to_string(), "the answer of server `probe` to `initialize` does not fit");
    assert!(matches!(error, ConnectError::Answer { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_lists_a_version_we_share_is_asked_once_more_with_the_newest() {
    let supported = json!(["2024-11-05", "2025-03-26", "2020-01-01", "2027-01-31"]);
    let outcome = against(&[refusal(&supported), Ok(init("2025-03-26"))]).await;
    assert_eq!(outcome.offered, ["2025-11-25", "2025-03-26"]);
    assert_eq!(outcome.end.unwrap().version, Revision::V2025_03_26);
}

#[tokio::test(start_paused = true)]
async fn a_second_refusal_is_final() {
    let supported = json!(["2024-11-05"]);
    let outcome = against(&[refusal(&supported), refusal(&supported)]).await;
    assert_closed(&outcome);
    assert_eq!(outcome.offered, ["2025-11-25", "2024-11-05"]);
    let error = outcome.end.unwrap_err();
    assert_eq!(error.to_string(), "MCP error -32602: Unsupported protocol version");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_of_a_version_that_it_lists_is_not_asked_again() {
    let outcome = against(&[refusal(&json!(["2025-11-25"]))]).await;
    assert!(matches!(outcome.end, Err(ConnectError::Refused { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_with_no_version_we_share_names_what_the_server_supports() {
    let outcome = against(&[refusal(&json!(["2027-01-31", "2099-01-01"]))]).await;
    assert_closed(&outcome);
    let error = outcome.end.unwrap_err();
    assert_eq!(
        error.to_string(),
        "server `probe` supports only protocol version `2027-01-31`, `2099-01-01`, we offered `2025-11-25`"
    );
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(cause, "MCP error -32602: Unsupported protocol version");
}

#[tokio::test(start_paused = true)]
async fn any_other_refusal_is_the_error() {
    for data in [json!(null), json!({"supported": []}), json!({"supported": "2024-11-05"}), json!([1])] {
        let error = json!({"code": -32000, "message": "go away", "data": data});
        let outcome = against(&[Err(error)]).await;
        assert_closed(&outcome);
        assert_eq!(outcome.offered.len(), 1);
        let error = outcome.end.unwrap_err();
        assert_eq!((error.to_string().as_str(), error.server()), ("MCP error -32000: go away", "probe"));
    }
}
