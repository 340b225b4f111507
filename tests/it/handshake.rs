//! The handshake of a client with servers that behave oddly, over real pipes.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::{Client, ConnectError};
use mcp_jsonrpc::CloseCause;
use mcp_tests::{Folder, Scripted, client, within};
use mcp_types::Revision;

async fn refused(peer: &Scripted) -> ConnectError {
    within(Client::connect(&peer.config, client::options())).await.expect_err("it cannot connect")
}

/// What the peer received, line by line, once it has ended.
fn lines(folder: &Folder) -> Vec<String> {
    let log = std::fs::read_to_string(folder.path("log")).unwrap();
    log.lines().map(str::to_owned).collect()
}

/// A handshake after which the peer serves: with `odd` before the answer to `initialize`.
async fn connects(odd: &str) {
    let peer = Scripted::new(&format!("{odd}\nrecv notifications/initialized\nserve")).without_deadlines();
    let client = client::connect(&peer.config).await;
    within(client.ping()).await.unwrap();
    client.close().await;
}

/// Case 1.
#[tokio::test]
async fn a_banner_on_stdout_does_not_end_the_handshake() {
    connects("raw demo server ready on stdio<0a>\ninit").await;
    connects("init\nsend <1b>[32mready<1b>[0m").await;
    connects("err starting\nraw <ff fe 0a>\ninit").await;
}

/// Cases 10 and 11.
#[tokio::test]
async fn a_byte_order_mark_and_crlf_do_not_end_the_handshake() {
    connects("recv\nraw <ef bb bf>INIT(1)<0d 0a 0d 0a>").await;
}

/// Case 69.
#[tokio::test]
async fn notifications_and_pings_before_the_answer_are_handled() {
    let folder = Folder::new();
    let script = format!(
        "log {}\nrecv initialize\nsend NOTE(notifications/message,{{\"level\":\"info\",\"data\":\"x\"}})\n\
         send REQ(9,ping)\nrecv answer\nsend NOTE(notifications/tools/list_changed)\nsend INIT(1)\n\
         send REQ(\"k1\",ping)\nserve",
        folder.text("log")
    );
    let peer = Scripted::new(&script).without_deadlines();
    let client = client::connect(&peer.config).await;
    within(client.ping()).await.unwrap();
    client.close().await;
    let lines = lines(&folder);
    // Case 62: same id, same type of id, promptly.
    assert_eq!(lines[1], r#"{"jsonrpc":"2.0","id":9,"result":{}}"#);
    let k1 = r#"{"jsonrpc":"2.0","id":"k1","result":{}}"#;
    assert_eq!(lines.iter().filter(|line| *line == k1).count(), 1, "{lines:?}");
}

/// Case 70, S-04, C-042, C-045, C-046: in this order, once, and again on each connection.
#[tokio::test]
async fn initialized_is_sent_once_after_the_answer_and_before_all_else() {
    let folder = Folder::new();
    let peer = Scripted::new(&format!("log {}\nserve", folder.text("log"))).without_deadlines();
    for _ in 0..2 {
        let client = client::connect(&peer.config).await;
        within(client.ping()).await.unwrap();
        within(client.list_tools()).await.unwrap();
        client.close().await;
        let lines = lines(&folder);
        let methods: Vec<_> = lines.iter().map(|line| line.split("\"method\":\"").nth(1).unwrap()).collect();
        let methods: Vec<_> = methods.iter().map(|rest| rest.split('"').next().unwrap()).collect();
        assert_eq!(methods, ["initialize", "notifications/initialized", "ping", "tools/list"]);
        assert!(lines[1] == r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "{}", lines[1]);
        std::fs::remove_file(folder.path("log")).unwrap();
    }
}

/// C-043, C-078: the newest version, who we are, and no capability that nobody asked for (case 64).
#[tokio::test]
async fn initialize_offers_the_newest_version_and_only_what_was_asked_for() {
    let folder = Folder::new();
    let peer = Scripted::new(&format!("log {}\nserve", folder.text("log")));
    let client = client::connect(&peer.config).await;
    client.close().await;
    let first: serde_json::Value = serde_json::from_str(&lines(&folder)[0]).unwrap();
    assert_eq!(
        first["params"],
        serde_json::json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "mcp-tests", "version": "1" },
        })
    );
}

/// Case 71: an older version that both know.
#[tokio::test]
async fn an_older_version_of_the_server_is_used() {
    for revision in Revision::ALL.into_iter().filter(|revision| !revision.is_modern()) {
        let peer = Scripted::new(&format!("init {revision}\nrecv notifications/initialized\nserve"));
        let client = client::connect(&peer.config).await;
        assert_eq!(client.agreed().version, revision);
        assert_eq!(client.agreed().server_info.as_ref().unwrap().name, "scripted");
        within(client.ping()).await.unwrap();
        client.close().await;
    }
}

/// Case 71: a version that we do not know, older or newer, ends it with both named.
#[tokio::test]
async fn an_unknown_version_ends_the_connection_with_both_named() {
    for version in ["1999-01-01", "2099-01-01", "", "x"] {
        let info = r#""capabilities":{},"serverInfo":{"name":"s","version":"1"}"#;
        let result = format!("{{\"protocolVersion\":\"{version}\",{info}}}");
        let script = format!("recv\nsend {{\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":{result}}}\neof");
        let peer = Scripted::new(&script);
        let error = refused(&peer).await;
        let ConnectError::Version { offered, answered, .. } = &error else { panic!("{error:?}") };
        let answered = answered.as_ref().unwrap().as_str();
        assert_eq!((offered.as_str(), answered), ("2025-11-25", version));
        assert!(error.to_string().contains("2025-11-25") && error.to_string().contains(version), "{error}");
        assert_eq!(error.server(), "scripted");
        assert_eq!(peer.processes(), [], "nothing is left running");
    }
}

/// Case 71: no version at all.
#[tokio::test]
async fn an_answer_without_a_version_ends_the_connection() {
    for result in [r#"{"capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#, "{}", "null", "7"] {
        let script = format!("recv\nsend {{\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":{result}}}\neof");
        let peer = Scripted::new(&script);
        let error = refused(&peer).await;
        assert!(matches!(error, ConnectError::Version { answered: None, .. }), "{result}: {error:?}");
        assert!(error.to_string().contains("without a protocol version"), "{error}");
        assert_eq!(peer.processes(), []);
    }
}

/// Case 71: the version fits, and nothing else does.
#[tokio::test]
async fn an_answer_to_initialize_that_does_not_fit_is_an_error_of_its_own() {
    let script = "recv\nsend {\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":{\"protocolVersion\":\"2025-11-25\",\
                  \"capabilities\":7,\"serverInfo\":{}}}\neof";
    let peer = Scripted::new(script);
    let error = refused(&peer).await;
    assert!(matches!(error, ConnectError::Answer { .. }), "{error:?}");
    assert_eq!(peer.processes(), []);
}

/// Case 71: the server refuses with an error, and we know none of the versions that it names.
#[tokio::test]
async fn a_refused_version_is_reported_with_what_the_server_supports() {
    let script = r#"recv
        send {"jsonrpc":"2.0","id":$1,"error":{"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2024-10-07"],"requested":"2025-11-25"}}}
        eof"#;
    let peer = Scripted::new(script);
    let error = refused(&peer).await;
    let ConnectError::Version { refusal: Some(refusal), .. } = &error else { panic!("{error:?}") };
    assert_eq!(refusal.to_string(), "MCP error -32602: Unsupported protocol version");
    assert!(error.to_string().contains("2024-10-07") && error.to_string().contains("2025-11-25"), "{error}");
    assert_eq!(peer.processes(), []);
}

/// Case 71: the server refuses and names a version that we share: that one is used.
#[tokio::test]
async fn a_version_that_a_refusal_names_is_tried_once() {
    let refusal = r#"send {"jsonrpc":"2.0","id":$id,"error":{"code":-32602,"message":"m","data":{"supported":["2024-11-05","2025-03-26","x"]}}}"#;
    let peer = Scripted::new(&format!("recv initialize\n{refusal}\nserve"));
    let client = client::connect(&peer.config).await;
    assert_eq!(client.agreed().version, Revision::V2025_03_26);
    client.close().await;
    let peer = Scripted::new(&format!("repeat 3 recv initialize ; {refusal}\neof"));
    let error = refused(&peer).await;
    assert!(error.to_string().starts_with("MCP error -32602: m"), "{error}");
    assert_eq!(peer.processes(), []);
}

/// S-04: a server that refuses for another reason.
#[tokio::test]
async fn a_refused_handshake_is_the_error_of_the_server() {
    let peer = Scripted::new("recv\nsend ERR(1,-32603)\neof");
    let error = refused(&peer).await;
    assert!(matches!(error, ConnectError::Refused { .. }), "{error:?}");
    assert_eq!(error.to_string(), "MCP error -32603: m");
    assert_eq!(peer.processes(), []);
}

/// Case 31: the host lives, and the error says how the server ended and what it said.
#[tokio::test]
async fn a_server_that_dies_before_it_answers_fails_the_connect() {
    for script in ["err no token\nexit 5", "recv\nerr no token\nexit 5", "close\nerr no token\nexit 5"] {
        let peer = Scripted::new(script).without_deadlines();
        let error = refused(&peer).await;
        let ConnectError::Call { source, .. } = &error else { panic!("{error:?}") };
        assert_eq!(error.to_string(), "Transport closed");
        let reason = source.close_reason().unwrap();
        assert_eq!((reason.exit.unwrap().code(), &*reason.stderr_tail), (Some(5), "no token"));
        assert_eq!(error.server(), "scripted");
        assert_eq!(peer.processes(), []);
    }
}

/// Case 31: the write of `notifications/initialized`, and any later one, is guarded.
#[tokio::test]
async fn a_server_that_dies_after_its_answer_fails_the_connect_or_the_next_call() {
    for _ in 0..5 {
        let peer = Scripted::new("init\nexit 5").without_deadlines();
        let error = match within(Client::connect(&peer.config, client::options())).await {
            Ok(client) => within(client.ping()).await.unwrap_err().call_error().unwrap().to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(error, "Transport closed");
    }
}

/// Case 46: what is known is said: still starting, and not ended.
#[tokio::test]
async fn a_start_that_takes_too_long_says_so_and_can_be_tried_again() {
    let peer = Scripted::new("err downloading\nsleep 600\nhandshake\nserve");
    let mut options = client::options();
    options.initialize_timeout = Some(Duration::from_millis(100));
    let error = within(Client::connect(&peer.config, options.clone())).await.unwrap_err();
    assert_eq!(error.to_string(), r#"Connection to MCP server "scripted" timed out after 100ms"#);
    let ConnectError::TimedOut { heard: false, stderr_tail, .. } = &error else { panic!("{error:?}") };
    assert_eq!(stderr_tail, "downloading");
    assert_eq!(error.hint(), Some("still starting, no output yet"));
    assert_eq!(peer.processes(), []);
    options.initialize_timeout = Some(Duration::from_secs(20));
    // The timeout of calls is another one.
    options.timeout = Some(Duration::from_millis(300));
    let client = client::connect_with(&peer.config, options).await;
    client.close().await;
}

/// Case 46: a server that speaks, but not this language.
#[tokio::test]
async fn a_start_that_times_out_tells_whether_anything_was_heard() {
    let peer = Scripted::new("send hello\nhang");
    let mut options = client::options();
    options.initialize_timeout = Some(Duration::from_millis(500));
    let error = within(Client::connect(&peer.config, options)).await.unwrap_err();
    assert!(matches!(error, ConnectError::TimedOut { heard: true, .. }), "{error:?}");
    assert_eq!(peer.processes(), []);
}

/// Case 78, C-253: `initialize` is never cancelled; the transport is closed.
#[tokio::test]
async fn initialize_is_never_cancelled() {
    let folder = Folder::new();
    let peer = Scripted::new(&format!("log {}\neof", folder.text("log")));
    let mut options = client::options();
    options.initialize_timeout = Some(Duration::from_millis(100));
    let error = within(Client::connect(&peer.config, options)).await.unwrap_err();
    assert!(matches!(error, ConnectError::TimedOut { .. }), "{error:?}");
    let lines = lines(&folder);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("\"initialize\""));
}

/// Cases 22 and 81: a connect that is given up takes the server with it, grandchildren included.
#[tokio::test]
async fn a_connect_that_is_dropped_leaves_nothing() {
    let peer = Scripted::new("deaf\nchild deaf\nsend NOTE(ready)\nhang");
    let config = Arc::new(peer.config.clone());
    let connecting =
        tokio::spawn(async move { Client::connect(&*config, client::options()).await.map(drop) });
    let tag = peer.tag().to_owned();
    let family = tokio::task::spawn_blocking(move || mcp_tests::processes::wait_for(&tag, 2)).await.unwrap();
    connecting.abort();
    assert!(connecting.await.unwrap_err().is_cancelled());
    tokio::task::spawn_blocking(move || family.iter().for_each(|process| process.wait_until_gone()))
        .await
        .unwrap();
}

/// Case 22, section 3: a failed handshake takes all of the server down, whatever it thinks of that.
#[tokio::test]
async fn a_failed_handshake_leaves_nothing() {
    for script in ["deaf\nchild deaf\ninit 1999-01-01\nhang", "child pipes\nrecv\nsend ERR(1,-1)\nhang"] {
        let peer = Scripted::new(script).with(|config| {
            config.shutdown.close_grace = Duration::from_millis(50);
            config.shutdown.terminate_grace = Duration::from_millis(50);
        });
        refused(&peer).await;
        assert_eq!(peer.processes(), []);
    }
}

/// Case 32: a spawn that fails is an error of that server.
#[tokio::test]
async fn a_command_that_does_not_exist_is_named() {
    let mut config = mcp_transport_stdio::StdioConfig::new("does-not-exist-x");
    config.name = Some("broken".to_owned());
    let error = within(Client::connect(&config, client::options())).await.unwrap_err();
    let ConnectError::Open { source, .. } = &error else { panic!("{error:?}") };
    assert!(source.to_string().contains("does-not-exist-x"), "{source}");
    assert_eq!(error.server(), "broken");
}

/// Case 66: batches, after each version that can be negotiated.
#[tokio::test]
async fn answers_in_a_batch_are_taken_under_every_version() {
    for revision in [Revision::V2025_03_26, Revision::V2025_11_25] {
        let script = format!(
            "init {revision}\nrecv notifications/initialized\nrecv\nrecv\nsend [RES(3),RES(2)]\nsend []\n\
             recv\nsend [RES(4),17]\neof"
        );
        let peer = Scripted::new(&script).without_deadlines();
        let client = client::connect(&peer.config).await;
        let request = |method| within(client.request(method, None, Default::default()));
        let (two, three) = tokio::join!(request("a"), request("b"));
        assert_eq!((two.unwrap().as_str(), three.unwrap().as_str()), (r#"{"tag":2}"#, r#"{"tag":3}"#));
        assert_eq!(request("c").await.unwrap().as_str(), r#"{"tag":4}"#);
        client.close().await;
    }
}

/// D-09: a client that is closed tells the same to later calls as its transport does.
#[tokio::test]
async fn a_closed_client_says_transport_closed() {
    let peer = Scripted::new("serve");
    let client = client::connect(&peer.config).await;
    let other = client.clone();
    client.close().await;
    let error = within(other.ping()).await.unwrap_err();
    assert_eq!(error.to_string(), "Transport closed");
    let reason = error.call_error().unwrap().close_reason().unwrap();
    assert!(matches!(reason.cause, CloseCause::Requested));
    assert!(!other.is_connected());
    assert_eq!(peer.processes(), []);
}
