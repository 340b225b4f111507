//! Many servers at once, over HTTP: what is tried again and what is not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_jsonrpc::FailureKind;
use mcp_manager::{Manager, ManagerError, Phase, What};
use mcp_tests::http::{config, sent};
use mcp_tests::http_peer::{Exchange, HttpPeer, Listen, McpBehaviour, PeerOptions, Received};
use mcp_tests::manager::{Counted, healing, options, spec, until};
use mcp_tests::within;
use serde_json::json;

const JSON: (&str, &str) = ("Content-Type", "application/json");
const INITIALIZED: &str =
    r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"p","version":"1"}}"#;

/// A server whose session has a number; it knows the latest one only, and `forget` ends that.
#[derive(Clone, Default)]
struct Sessions(Arc<AtomicUsize>);

impl Sessions {
    fn forget(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    async fn answer(self, exchange: Exchange) -> Option<Exchange> {
        let current = format!("S{}", self.0.load(Ordering::SeqCst));
        if exchange.rpc_method().as_deref() == Some("initialize") {
            let answer = exchange.answer(INITIALIZED);
            exchange.respond("200 OK", &[JSON, ("Mcp-Session-Id", &current)], answer).await;
            return None;
        }
        match exchange.header("mcp-session-id") {
            Some(session) if session == current => Some(exchange),
            Some(_) => {
                exchange.respond("404 Not Found", &[], "").await;
                None
            }
            None => {
                exchange.respond("400 Bad Request", &[], "").await;
                None
            }
        }
    }

    fn peer(&self) -> HttpPeer {
        let sessions = self.clone();
        HttpPeer::mcp_after(McpBehaviour::new(), move |exchange| sessions.clone().answer(exchange))
    }
}

/// Of those that were not refused.
fn calls(requests: &[Received]) -> usize {
    sent(requests, "tools/call")
}

async fn echo(manager: &Manager, text: &str) -> Result<String, ManagerError> {
    let result = within(manager.call("s", "echo", &json!({ "text": text }), Default::default())).await?;
    Ok(result.content[0].as_text().unwrap().to_owned())
}

/// Cases 84 and 87: ten calls that lose one session make one new one, and each is answered for itself.
#[tokio::test(flavor = "multi_thread")]
async fn calls_that_lose_their_session_together_renew_it_once() {
    let sessions = Sessions::default();
    let peer = sessions.peer();
    let (manager, _) = Manager::start([spec("s", config(&peer.url("/mcp")))], healing()).await;
    echo(&manager, "first").await.unwrap();
    for round in 1..=3 {
        sessions.forget();
        let mut running = tokio::task::JoinSet::new();
        for number in 0..10 {
            let manager = manager.clone();
            running.spawn(async move { (number, echo(&manager, &number.to_string()).await) });
        }
        while let Some(done) = running.join_next().await {
            let (number, answer) = done.unwrap();
            assert_eq!(answer.unwrap(), number.to_string());
        }
        assert_eq!(sent(&peer.requests(), "initialize"), 1 + round, "one new session a loss");
    }
    within(manager.shutdown()).await;
}

/// Case 84, S-104, S-105: without a policy the loss is an error that says so, nothing is made anew by
/// itself, and connecting again helps.
#[tokio::test]
async fn without_a_policy_a_lost_session_is_an_error_and_connecting_again_helps() {
    let sessions = Sessions::default();
    let peer = sessions.peer();
    let spec = spec("s", config(&peer.url("/mcp")));
    let (manager, _) = Manager::start([spec.clone()], options()).await;
    echo(&manager, "1").await.unwrap();
    sessions.forget();
    let error = echo(&manager, "2").await.unwrap_err();
    let ManagerError::Client(error) = error else { panic!("{error:?}") };
    assert_eq!(error.call_error().unwrap().failure_kind(), Some(FailureKind::SessionLost));
    let error = echo(&manager, "3").await.unwrap_err();
    assert!(matches!(error, ManagerError::NotReady { .. }), "{error:?}");
    assert_eq!((sent(&peer.requests(), "initialize"), calls(&peer.requests())), (1, 2));
    within(manager.connect_to_server(spec)).await.unwrap();
    assert_eq!(echo(&manager, "4").await.unwrap(), "4");
    within(manager.shutdown()).await;
}

/// Case 86: a server that gives sessions and knows none costs one new session a call, no more.
#[tokio::test]
async fn a_server_that_loses_each_session_is_not_asked_for_ever() {
    let peer = HttpPeer::mcp_after(McpBehaviour::new(), |exchange| async {
        let method = exchange.rpc_method().unwrap_or_default();
        match &*method {
            "initialize" => {
                let session = format!("S{}", exchange.number);
                let answer = exchange.answer(INITIALIZED);
                exchange.respond("200 OK", &[JSON, ("Mcp-Session-Id", &session)], answer).await;
            }
            "tools/call" => exchange.respond("404 Not Found", &[], "").await,
            _ => return Some(exchange),
        }
        None
    });
    let mut options = healing();
    // What comes after the second loss waits longer than this test.
    options.reconnect.delays.first = Duration::from_hours(1);
    options.reconnect.delays.max = Duration::from_hours(1);
    let (manager, _) = Manager::start([spec("s", config(&peer.url("/mcp")))], options).await;
    let error = echo(&manager, "1").await.unwrap_err();
    let ManagerError::Client(error) = error else { panic!("{error:?}") };
    assert_eq!(error.call_error().unwrap().failure_kind(), Some(FailureKind::SessionLost));
    assert_eq!((sent(&peer.requests(), "initialize"), calls(&peer.requests())), (2, 2));
    within(manager.shutdown()).await;
}

/// Case 86: without a session, 404 is the wrong address; a policy changes nothing about that.
#[tokio::test]
async fn a_wrong_address_is_not_tried_again() {
    let peer = HttpPeer::start(|exchange| exchange.respond("404 Not Found", &[], ""));
    let way = Counted::new(config(&peer.url("/mcp")));
    let (manager, _) = Manager::start([mcp_manager::ServerSpec::new("s", way.clone())], healing()).await;
    let error = within(manager.ready("s")).await.unwrap_err();
    assert!(matches!(error, ManagerError::NotReady { .. }), "{error:?}");
    assert!(matches!(manager.status()["s"].phase, Phase::Failed(_)), "{:?}", manager.status());
    assert_eq!((way.attempts(), sent(&peer.requests(), "initialize")), (1, 1));
    within(manager.shutdown()).await;
}

/// Case 105: whatever loses the answer, the call is run once and its outcome is unknown.
#[tokio::test]
async fn a_call_whose_answer_is_lost_is_never_run_twice() {
    for gateway in [false, true] {
        let peer = HttpPeer::mcp_after(McpBehaviour::new(), move |exchange| async move {
            if exchange.rpc_method().as_deref() != Some("tools/call") {
                return Some(exchange);
            }
            if gateway {
                exchange.respond("502 Bad Gateway", &[], "").await;
            }
            None
        });
        let (manager, _) = Manager::start([spec("s", config(&peer.url("/mcp")))], healing()).await;
        let error = echo(&manager, "1").await.unwrap_err();
        assert!(matches!(error, ManagerError::OutcomeUnknown { .. }), "{error:?}");
        within(manager.ready("s")).await.unwrap();
        assert_eq!(calls(&peer.requests()), 1);
        within(manager.shutdown()).await;
    }
}

/// A status, and when to come again.
type Refusal = (&'static str, Option<&'static str>);

/// A server which answers the first requests of a method with these statuses.
fn failing(method: &'static str, statuses: &'static [Refusal]) -> HttpPeer {
    let count = Arc::new(AtomicUsize::new(0));
    HttpPeer::mcp_after(McpBehaviour::new(), move |exchange| {
        let count = count.clone();
        async move {
            if exchange.rpc_method().as_deref() != Some(method) {
                return Some(exchange);
            }
            let Some((status, wait)) = statuses.get(count.fetch_add(1, Ordering::SeqCst)) else {
                return Some(exchange);
            };
            let wait = wait.map(|wait| ("Retry-After", wait));
            exchange.respond(status, wait.as_slice(), "").await;
            None
        }
    })
}

/// Case 106: what passes is waited for, in `initialize` and in lists.
#[tokio::test]
async fn a_short_outage_of_initialize_or_a_list_passes() {
    for method in ["initialize", "tools/list"] {
        let peer = failing(
            method,
            &[
                ("503 Service Unavailable", Some("0")),
                ("429 Too Many Requests", None),
                ("502 Bad Gateway", None),
            ],
        );
        let way = Counted::new(config(&peer.url("/mcp")));
        let (manager, _) = Manager::start([mcp_manager::ServerSpec::new("s", way)], healing()).await;
        within(manager.ready("s")).await.unwrap();
        assert_eq!(sent(&peer.requests(), method), 4, "{method}");
        within(manager.shutdown()).await;
    }
}

/// Case 106: the number of tries is bounded, a wait beyond the limit is none, and 4xx is an answer.
#[tokio::test]
async fn retries_are_bounded_and_none_follows_a_4xx() {
    const DOWN: &str = "503 Service Unavailable";
    let cases: [(&'static [Refusal], usize); 4] = [
        (&[(DOWN, None); 16], 3),
        (&[(DOWN, Some("3600")); 16], 1),
        (&[("400 Bad Request", None); 16], 1),
        (&[("401 Unauthorized", None); 16], 1),
    ];
    for (statuses, tries) in cases {
        let peer = failing("initialize", statuses);
        let mut options = options();
        options.reconnect.retries = healing().reconnect.retries;
        options.reconnect.retries.max_retries = 2;
        let (manager, _) = Manager::start([spec("s", config(&peer.url("/mcp")))], options).await;
        let error = within(manager.ready("s")).await.unwrap_err();
        assert!(matches!(error, ManagerError::NotReady { .. }), "{error:?}");
        assert_eq!(sent(&peer.requests(), "initialize"), tries, "{:?}", statuses[0]);
        within(manager.shutdown()).await;
    }
}

/// Case 106: nobody listens yet.
#[tokio::test]
async fn a_server_that_listens_late_is_reached() {
    let address = HttpPeer::start(|_| std::future::ready(())).address();
    let way = Counted::new(config(&format!("http://{address}/mcp")));
    let (manager, _) = Manager::start([mcp_manager::ServerSpec::new("s", way.clone())], healing()).await;
    way.wait_for(2).await;
    let behaviour = Arc::new(McpBehaviour::new());
    let peer = HttpPeer::start_with(PeerOptions::on(Listen::At(address)), move |exchange| {
        let behaviour = behaviour.clone();
        async move { behaviour.answer(exchange).await }
    });
    assert_eq!(echo(&manager, "at last").await.unwrap(), "at last");
    assert!(way.attempts() >= 3);
    within(manager.shutdown()).await;
    drop(peer);
}

/// Case 104: idle connections that the server closes cost no call through the manager either.
#[tokio::test]
async fn connections_closed_while_idle_cost_no_call() {
    let peer = HttpPeer::mcp(McpBehaviour::new());
    let (manager, _) = Manager::start([spec("s", config(&peer.url("/mcp")))], options()).await;
    for number in 0..20 {
        assert_eq!(echo(&manager, &number.to_string()).await.unwrap(), number.to_string());
        peer.close_connections();
        peer.wait_for_open(0).await;
    }
    assert_eq!(calls(&peer.requests()), 20);
    within(manager.shutdown()).await;
}

/// Case 172: what is printed of a manager, its servers and their failures.
#[tokio::test]
async fn no_secret_is_in_what_a_manager_shows() {
    let address = HttpPeer::start(|_| std::future::ready(())).address();
    let mut remote = config(&format!("http://user:SECRET-1@{address}/mcp?key=SECRET-1"));
    remote.headers = mcp_transport_http::Headers::new([("X-Api-Key", "SECRET-1")]).unwrap();
    let mut program = mcp_transport_stdio::StdioConfig::new("/nonexistent/server");
    program.env.insert("TOKEN".into(), Some("SECRET-1".to_owned()));
    let specs = [spec("remote", remote), spec("program", program)];
    let mut shown = format!("{specs:?}");
    let (manager, report) = Manager::start(specs, options()).await;
    for name in ["remote", "program"] {
        let error = within(manager.ready(name)).await.unwrap_err();
        shown += &format!("{error:?}");
        shown += &format!("{:#}", anyhow::Error::from(error));
    }
    let listing = within(manager.resources()).await;
    shown += &format!("{report:?} {manager:?} {listing:?} {:?}", options());
    let mut events = manager.events();
    shown += &format!("{:?}", until(&mut events, "remote", |what| matches!(what, What::Failed { .. })).await);
    assert!(shown.contains("remote") && shown.contains("program"));
    assert!(!shown.contains("SECRET-1"), "{shown}");
    within(manager.shutdown()).await;
}
