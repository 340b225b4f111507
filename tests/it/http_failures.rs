//! Refusals and broken answers: what a caller learns of them, and what it can do.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_jsonrpc::{CallError, FailureKind, NotifyOptions, Transport};
use mcp_tests::http::{config, connect, connect_with, request};
use mcp_tests::http_peer::{Exchange, HttpPeer};
use mcp_tests::within;
use mcp_transport_http::{Authorize, Headers, HttpError, Refusal, StatusError};
use tokio::sync::{Semaphore, watch};

const JSON: (&str, &str) = ("Content-Type", "application/json");

/// The failed status of an error.
fn status(error: &CallError) -> &StatusError {
    let status = error.downcast_ref().and_then(HttpError::status);
    status.unwrap_or_else(|| panic!("no status: {error:?}"))
}

/// A peer that refuses each call with `status`, `kind` and `body`, where `ID` is the id.
fn refusing(status: &'static str, kind: &'static str, body: &'static str) -> HttpPeer {
    HttpPeer::start(move |exchange| async move {
        // The older transport is not spoken.
        let Some(id) = exchange.id() else {
            return exchange.respond("405 Method Not Allowed", &[], "").await;
        };
        exchange.respond(status, &[("Content-Type", kind)], body.replace("ID", &id)).await;
    })
}

/// Case 108, D-03: with our id, with none, with null; whatever the status.
#[tokio::test]
async fn a_json_rpc_error_in_a_refusal_keeps_its_code_and_data() {
    let bodies = [
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"no","data":[1]}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"no","data":[1]}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no","data":[1]}}"#,
        r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32000,"message":"no","data":[1]}}"#,
    ];
    for body in bodies {
        for code in ["400 Bad Request", "404 Not Found", "500 Oops"] {
            let peer = refusing(code, "application/json; charset=utf-8", body);
            let (transport, recorder) = connect(&peer.url("/"));
            let error = request(&transport, "m").await.unwrap_err();
            assert_eq!(error.to_string(), "MCP error -32000: no");
            let rpc = error.as_rpc().unwrap();
            assert_eq!(rpc.data.as_ref().map(ToString::to_string).as_deref(), Some("[1]"));
            assert_eq!(recorder.events(), [""; 0]);
            assert_eq!(peer.requests().len(), 1, "what answers so speaks this transport");
        }
    }
}

/// Case 108, S-74.
#[tokio::test]
async fn other_refusals_show_their_status_and_their_body() {
    let bodies = [
        (
            "application/json",
            r#"{"error":{"code":7,"message":"no"}}"#,
            r#"{"error":{"code":7,"message":"no"}}"#,
        ),
        ("application/json", r#"{"detail":"no"}"#, r#"{"detail":"no"}"#),
        ("application/problem+json", r#"{"title":"no"}"#, r#"{"title":"no"}"#),
        ("text/plain", " no \r\nway\u{1b}[0m\u{202e} ", r"no \r\nway\u{1b}[0m\u{202e}"),
        ("text/event-stream", "data: no\n\n", "data: no"),
        ("text/plain", "", "Unprocessable Entity"),
    ];
    for (kind, body, shown) in bodies {
        let peer = refusing("422 Oops", kind, body);
        let (transport, _) = connect(&peer.url("/"));
        let error = request(&transport, "m").await.unwrap_err();
        assert_eq!(error.to_string(), format!("HTTP 422: {shown}"));
        assert_eq!(error.failure_kind(), Some(FailureKind::Status(422)));
        assert!(!error.is_safe_to_retry());
        let error = within(transport.notify("n", None, NotifyOptions::default())).await.unwrap_err();
        assert_eq!(error.failure_kind(), Some(FailureKind::Status(405)));
    }
}

/// Case 108.
#[tokio::test]
async fn a_refusal_shows_no_secret_that_was_sent() {
    let peer = HttpPeer::start(|exchange| async move {
        let seen = format!("{} {:?}", exchange.target, exchange.header("authorization"));
        let headers = [("WWW-Authenticate", "Bearer error=\"SECRET-1\"")];
        exchange.respond("500 Oops", &headers, seen).await;
    });
    let headers = Headers::new([("Authorization", "Bearer SECRET-1")]).unwrap();
    let (transport, _) = connect_with(config(&peer.url("/mcp?key=SECRET-2")).with_headers(headers));
    let error = request(&transport, "m").await.unwrap_err();
    let text = format!("{error} {}", status(&error).text);
    assert!(peer.requests()[0].target.ends_with("SECRET-2") && !text.contains("SECRET"), "{text}");
}

#[tokio::test]
async fn a_refusal_tells_how_long_to_wait() {
    for (value, expected) in [("7", Some(7)), ("Wed, 21 Oct 2015 07:28:00 GMT", None), ("-1", None)] {
        let peer = HttpPeer::start(move |exchange| async move {
            exchange.respond("503 Busy", &[("Retry-After", value)], "busy").await;
        });
        let (transport, _) = connect(&peer.url("/"));
        let error = request(&transport, "m").await.unwrap_err();
        assert_eq!(status(&error).retry_after.map(|wait| wait.as_secs()), expected);
        assert_eq!(peer.requests().len(), 1, "nothing is sent again");
    }
}

/// Case 115.
#[tokio::test]
async fn the_challenges_of_a_refusal_are_parsed() {
    const ONE: &str = r#"Bearer resource_metadata="http://a.test/x", scope="s1""#;
    const TWO: &str = r#"Basic realm="a, b=\"c\"", Bearer resource_metadata="http://a.test/x", scope="s1""#;
    let forms: [(&[&str], usize); 6] = [
        (&[ONE], 1),
        (&[r#"Basic realm="x""#, ONE], 2),
        (&[ONE, r#"DPoP algs="ES256""#], 2),
        (&[TWO], 2),
        (&[r"bEARER SCOPE=s1,resource_metadata=http://a.test/x"], 1),
        (&["Negotiate abc==, ", ONE, ","], 2),
    ];
    for (lines, count) in forms {
        let peer = HttpPeer::start(move |exchange| async move {
            let headers = lines.iter().map(|line| ("WWW-Authenticate", *line)).collect::<Vec<_>>();
            exchange.respond("401 Unauthorized", &headers, "").await;
        });
        let (transport, _) = connect(&peer.url("/"));
        let error = request(&transport, "m").await.unwrap_err();
        assert_eq!(error.failure_kind(), Some(FailureKind::Unauthorized));
        assert!(error.is_safe_to_retry(), "the server did not look at it");
        let status = status(&error);
        assert_eq!(status.challenges.len(), count, "{lines:?} {status:?}");
        assert_eq!(
            (status.scope(), status.resource_metadata()),
            (Some("s1"), Some("http://a.test/x")),
            "{lines:?}"
        );
        assert!(error.to_string().starts_with("HTTP 401: Unauthorized [WWW-Authenticate: "), "{error}");
        // The challenges of a notification are told likewise (D-08).
        let error = within(transport.notify("n", None, NotifyOptions::default())).await.unwrap_err();
        assert_eq!(self::status(&error).scope(), Some("s1"));
    }
}

/// Case 115.
#[tokio::test]
async fn a_missing_scope_is_a_matter_of_authorization_and_any_other_403_is_not() {
    let forms = [
        (r#"Bearer error="insufficient_scope", scope="write""#, FailureKind::Unauthorized),
        (r#"Bearer error="invalid_token""#, FailureKind::Status(403)),
        ("", FailureKind::Status(403)),
    ];
    for (challenge, kind) in forms {
        let peer = HttpPeer::start(move |exchange| async move {
            exchange.respond("403 Forbidden", &[("WWW-Authenticate", challenge)], "no").await;
        });
        let (transport, _) = connect(&peer.url("/"));
        let error = request(&transport, "m").await.unwrap_err();
        assert_eq!(error.failure_kind(), Some(kind));
        assert!(error.to_string().starts_with("HTTP 403: no"), "{error}");
    }
}

/// Answers challenges with a new token each time, as long as there are some left.
struct Tokens {
    left: usize,
    asked: watch::Sender<usize>,
    /// Taken from for each answer.
    may_answer: Semaphore,
}

impl Tokens {
    fn new(left: usize) -> Arc<Self> {
        let hook = Self::waiting(left);
        hook.may_answer.add_permits(left + 1);
        hook
    }

    /// Answers nothing until it may.
    fn waiting(left: usize) -> Arc<Self> {
        Arc::new(Self { left, asked: watch::Sender::new(0), may_answer: Semaphore::new(0) })
    }

    fn asked(&self) -> usize {
        *self.asked.borrow()
    }
}

#[async_trait]
impl Authorize for Tokens {
    async fn authorize(&self, refusal: Refusal<'_>) -> Option<Headers> {
        self.asked.send_modify(|asked| *asked += 1);
        let number = self.asked();
        assert!(
            refusal.url.starts_with("http://127.0.0.1:") && !refusal.url.contains("SECRET"),
            "{refusal:?}"
        );
        assert_eq!(refusal.challenges[0].scope(), Some("s1"));
        self.may_answer.acquire().await.unwrap().forget();
        (number <= self.left).then(|| Headers::new([("Authorization", format!("Bearer t{number}"))]).unwrap())
    }
}

/// A peer that wants `token`, and says so with `refusal`.
fn wanting(token: &'static str, refusal: &'static str, challenge: &'static str) -> HttpPeer {
    HttpPeer::start(move |exchange| want(exchange, token, refusal, challenge))
}

async fn want(exchange: Exchange, token: &str, refusal: &str, challenge: &str) {
    if exchange.header("authorization") != Some(token) {
        return exchange.respond(refusal, &[("WWW-Authenticate", challenge)], "who?").await;
    }
    match exchange.id() {
        Some(_) => {
            let answer = exchange.answer("1");
            exchange.respond_json(answer).await;
        }
        None => exchange.accepted().await,
    }
}

fn tokens(peer: &HttpPeer) -> Vec<Option<String>> {
    peer.requests().iter().map(|request| request.header("authorization").map(str::to_owned)).collect()
}

const BEARER: &str = r#"Bearer scope="s1""#;

/// Case 115: the hook is asked once, what it gives stays, and what was configured gives way.
#[tokio::test]
async fn a_hook_answers_a_challenge_and_the_request_goes_out_once_more() {
    for (refusal, challenge) in
        [("401 No", BEARER), ("403 No", r#"Bearer error="insufficient_scope", scope="s1""#)]
    {
        let peer = wanting("Bearer t1", refusal, challenge);
        let hook = Tokens::new(1);
        let headers = Headers::new([("Authorization", "Bearer old"), ("X-Kept", "1")]).unwrap();
        let mut config = config(&peer.url("/mcp?key=SECRET-1")).with_headers(headers);
        config.authorize = Some(hook.clone());
        let (transport, _) = connect_with(config);
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), "1");
        within(transport.notify("n", None, NotifyOptions::default())).await.unwrap();
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), "1");
        let expected = ["Bearer old", "Bearer t1", "Bearer t1", "Bearer t1"].map(|it| Some(it.to_owned()));
        assert_eq!((hook.asked(), tokens(&peer)), (1, expected.to_vec()));
        let requests = peer.requests();
        assert!(requests.iter().all(|request| request.header("x-kept") == Some("1")));
        assert_eq!(requests[0].body, requests[1].body);
    }
}

/// Case 115: never a third try.
#[tokio::test]
async fn a_hook_whose_headers_are_refused_is_not_asked_again() {
    let peer = wanting("Bearer never", "401 No", BEARER);
    let hook = Tokens::new(9);
    let mut config = config(&peer.url("/"));
    config.authorize = Some(hook.clone());
    let (transport, _) = connect_with(config);
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!(error.failure_kind(), Some(FailureKind::Unauthorized));
    assert_eq!(error.to_string(), r#"HTTP 401: who? [WWW-Authenticate: Bearer scope="s1"]"#);
    assert_eq!((hook.asked(), peer.requests().len()), (1, 2));
}

/// Case 115.
#[tokio::test]
async fn a_hook_that_gives_up_leaves_the_refusal() {
    let peer = wanting("Bearer never", "401 No", BEARER);
    let hook = Tokens::new(0);
    let mut config = config(&peer.url("/"));
    config.authorize = Some(hook.clone());
    let (transport, _) = connect_with(config);
    let error = within(transport.notify("n", None, NotifyOptions::default())).await.unwrap_err();
    assert_eq!(status(&error).scope(), Some("s1"));
    assert_eq!((hook.asked(), peer.requests().len()), (1, 1));
}

#[tokio::test]
async fn a_hook_is_not_asked_about_other_refusals() {
    let peer = wanting("Bearer never", "403 No", BEARER);
    let hook = Tokens::new(1);
    let mut config = config(&peer.url("/"));
    config.authorize = Some(hook.clone());
    let (transport, _) = connect_with(config);
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!(error.failure_kind(), Some(FailureKind::Status(403)));
    assert_eq!((hook.asked(), peer.requests().len()), (0, 1));
}

/// Case 115: those that were refused together are all repeated with the one answer.
#[tokio::test]
async fn requests_that_are_refused_together_ask_the_hook_once() {
    const CALLS: usize = 8;
    let peer = wanting("Bearer t1", "401 No", BEARER);
    let hook = Tokens::waiting(9);
    let mut config = config(&peer.url("/"));
    config.authorize = Some(hook.clone());
    let (transport, _) = connect_with(config);
    // Notifications, since the first call alone finds out what the server speaks.
    let calls: Vec<_> = (0..CALLS)
        .map(|_| {
            let transport = transport.clone();
            tokio::spawn(async move { transport.notify("n", None, NotifyOptions::default()).await })
        })
        .collect();
    peer.wait_for(|requests| requests.len() == CALLS).await;
    hook.may_answer.add_permits(CALLS);
    for call in calls {
        within(call).await.unwrap().unwrap();
    }
    assert_eq!((hook.asked(), peer.requests().len()), (1, 2 * CALLS));
}

/// A token that is no longer good is replaced: each refusal of the current one asks again.
#[tokio::test]
async fn a_hook_is_asked_again_when_its_headers_grow_old() {
    let peer = HttpPeer::start(|exchange| async move {
        let token = if exchange.number < 2 { "Bearer t1" } else { "Bearer t2" };
        want(exchange, token, "401 No", BEARER).await;
    });
    let hook = Tokens::new(2);
    let mut config = config(&peer.url("/"));
    config.authorize = Some(hook.clone());
    let (transport, _) = connect_with(config);
    for _ in 0..2 {
        assert_eq!(request(&transport, "m").await.unwrap().as_str(), "1");
    }
    let expected = [None, Some("Bearer t1"), Some("Bearer t1"), Some("Bearer t2")];
    assert_eq!((hook.asked(), tokens(&peer)), (2, expected.map(|it| it.map(str::to_owned)).to_vec()));
}

/// A call that is given up while the hook thinks leaves the next one free to ask.
#[tokio::test]
async fn a_call_that_is_given_up_does_not_keep_the_hook() {
    let peer = wanting("Bearer t2", "401 No", BEARER);
    let hook = Tokens::waiting(9);
    let mut config = config(&peer.url("/"));
    config.authorize = Some(hook.clone());
    let (transport, _) = connect_with(config);
    let asking = transport.clone();
    let given_up = tokio::spawn(async move { request(&asking, "m").await });
    within(hook.asked.subscribe().wait_for(|asked| *asked == 1)).await.unwrap();
    given_up.abort();
    assert!(within(given_up).await.unwrap_err().is_cancelled());
    hook.may_answer.add_permits(1);
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), "1");
    assert_eq!(hook.asked(), 2);
}

/// Answers `initialize` with these lines among the headers, and all else well.
fn with_session(lines: &'static [u8]) -> HttpPeer {
    HttpPeer::start(move |exchange| async move {
        let answer = exchange.answer("1");
        let head =
            format!("HTTP/1.1 200 OK\r\n{}: {}\r\nContent-Length: {}\r\n", JSON.0, JSON.1, answer.len());
        let lines = if exchange.rpc_method().as_deref() == Some("initialize") { lines } else { b"" };
        exchange.respond_raw([head.as_bytes(), lines, b"\r\n", answer.as_bytes()].concat()).await;
    })
}

/// Case 118.
#[tokio::test]
async fn a_session_id_may_come_in_any_case_and_twice_if_it_is_the_same() {
    let forms: [&[u8]; 4] = [
        b"mcp-session-id: S1\r\n",
        b"MCP-SESSION-ID:S1 \r\n",
        b"mcp-session-id: S1\r\nMcp-Session-Id: S1\r\n",
        b"Mcp-Session-Id: S1\r\nX: y\r\nMcp-Session-Id: S1\r\nMcp-Session-Id: S1\r\n",
    ];
    for lines in forms {
        let peer = with_session(lines);
        let (transport, _) = connect(&peer.url("/"));
        for method in ["initialize", "m", "m"] {
            request(&transport, method).await.unwrap();
        }
        let requests = peer.requests();
        let ids = |number: usize| requests[number].headers_named("mcp-session-id").collect::<Vec<_>>();
        assert_eq!([ids(0), ids(1), ids(2)], [vec![], vec!["S1"], vec!["S1"]]);
    }
}

/// Case 118: an error, and never echoed.
#[tokio::test]
async fn an_illegal_session_id_is_an_error_and_is_never_sent_back() {
    let long = format!("Mcp-Session-Id: {}\r\n", "a".repeat(64 << 10)).into_bytes().leak();
    let forms: [(&[u8], &str); 7] = [
        (b"Mcp-Session-Id: SECRET-1\r\nmcp-session-id: SECRET-2\r\n", "comes twice, with different values"),
        (b"Mcp-Session-Id: SECRET 1\r\n", "is not visible ASCII"),
        (b"Mcp-Session-Id: SECRET-1, SECRET-1\r\n", "is not visible ASCII"),
        (b"Mcp-Session-Id: SECRET\x80\r\n", "is not visible ASCII"),
        (b"Mcp-Session-Id: SECRET\t1\r\n", "is not visible ASCII"),
        (b"Mcp-Session-Id:\r\n", "is not visible ASCII"),
        (long, "is too long"),
    ];
    for (lines, problem) in forms {
        let peer = with_session(lines);
        let (transport, _) = connect(&peer.url("/"));
        let error = request(&transport, "initialize").await.unwrap_err();
        assert_eq!(error.to_string(), format!("the server's `Mcp-Session-Id` {problem}"));
        assert!(!format!("{error:?}").contains("SECRET"), "{error:?}");
        assert_eq!(error.failure_kind(), Some(FailureKind::Protocol));
        request(&transport, "m").await.unwrap();
        within(transport.close()).await;
        let requests = peer.requests();
        assert!(requests.iter().all(|request| request.header("mcp-session-id").is_none()));
        assert_eq!(requests.len(), 2, "there is no session to end");
    }
}

/// What is no HTTP is an error that says so; the transport lives.
#[tokio::test]
async fn a_server_that_speaks_something_else_is_an_error() {
    let banners: [&[u8]; 4] = [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"\x15\x03\x01\x00\x02\x02\x0a",
        b"220 mail.test ESMTP\r\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
    ];
    for banner in banners {
        let peer = HttpPeer::start(move |exchange| async move {
            if exchange.rpc_method().as_deref() == Some("good") {
                let answer = exchange.answer("1");
                return exchange.respond_json(answer).await;
            }
            exchange.respond_raw(banner).await;
        });
        let (transport, _) = connect(&peer.url("/"));
        let error = request(&transport, "m").await.unwrap_err();
        assert_eq!(error.to_string(), "the answer is not readable as HTTP", "{error:?}");
        assert_eq!(error.failure_kind(), Some(FailureKind::Protocol));
        assert!(!error.is_safe_to_retry());
        assert_eq!(request(&transport, "good").await.unwrap().as_str(), "1");
    }
}

/// S-98, S-101: wherever an exchange breaks off, its call fails at once, and nothing is sent again.
#[tokio::test]
async fn an_exchange_that_breaks_off_fails_its_call() {
    let parts = [
        "",
        "HTTP/1.1 200 OK\r\nContent-Ty",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"jsonrpc\"",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"j\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ];
    for part in parts {
        for resets in [false, true] {
            let peer = HttpPeer::start(move |mut exchange| async move {
                exchange.write(part).await;
                if resets { exchange.reset() } else { exchange.close() }
            });
            let (transport, _) = connect(&peer.url("/"));
            let error = request(&transport, "m").await.unwrap_err();
            assert_eq!(error.to_string(), "the connection to the server broke", "{part:?} {error:?}");
            assert_eq!(error.failure_kind(), Some(FailureKind::Reset));
            assert!(std::error::Error::source(&error).is_some() && !error.is_safe_to_retry());
            assert_eq!(peer.requests().len(), 1);
            assert_eq!(transport.status().pending, 0);
        }
    }
}

/// Case 172: a server that repeats what was sent to it, in something that is no answer.
#[tokio::test]
async fn what_is_no_answer_shows_no_secret_that_was_sent() {
    let peer = HttpPeer::start(|exchange| async move {
        let key = exchange.header("x-api-key").unwrap_or_default().to_owned();
        let body = match exchange.rpc_method().as_deref() {
            Some("id") => format!(r#"{{"jsonrpc":"2.0","id":"{key}","result":{{}}}}"#),
            _ => format!("you said {key}"),
        };
        exchange.respond_json(body).await;
    });
    let mut config = mcp_tests::http::config(&peer.url("/"));
    config.headers = mcp_transport_http::Headers::new([("X-Api-Key", "SECRET-1")]).unwrap();
    config.idle_timeout = std::time::Duration::MAX;
    let (transport, _) = mcp_tests::http::connect_with(config);
    for method in ["text", "id"] {
        let error = request(&transport, method).await.unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("SECRET-1") && shown.contains("***"), "{shown}");
    }
}
