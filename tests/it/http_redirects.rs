//! Redirects: which are followed, and that nothing ever follows one to another origin.

use std::pin::pin;

use mcp_jsonrpc::{CallError, FailureKind, NotifyOptions, RequestOptions, Transport};
use mcp_tests::client;
use mcp_tests::http::{config, connect, connect_with, request, until};
use mcp_tests::http_peer::{Exchange, HttpPeer, Listen, McpBehaviour, PeerOptions, Received};
use mcp_tests::within;
use mcp_transport_http::{Headers, HttpConfig, HttpError, RedirectProblem, Wire};

/// A peer that answers at `/mcp/` and redirects all else there, with a location as `location` has it.
fn redirecting(status: &'static str, location: &'static str) -> HttpPeer {
    HttpPeer::mcp_after(McpBehaviour::new().with_session("S1"), move |exchange| async move {
        if exchange.path() == "/mcp/" {
            return Some(exchange);
        }
        let query = exchange.target.split_once('?').map(|(_, query)| format!("?{query}")).unwrap_or_default();
        let location = location.replace("{host}", exchange.header("host").unwrap_or_default());
        exchange.respond(status, &[("Location", &(location + &query))], "moved").await;
        None
    })
}

/// Each request, with where it went.
fn targets(peer: &HttpPeer) -> Vec<String> {
    peer.requests().iter().map(|request| format!("{} {}", request.method, request.target)).collect()
}

fn keyed(url: &str) -> HttpConfig {
    let pairs = [("Authorization", "SECRET-1"), ("X-Api-Key", "SECRET-1")];
    config(url).with_headers(Headers::new(pairs).unwrap())
}

fn refusal(error: &CallError) -> (u16, &str, RedirectProblem) {
    assert_eq!(error.failure_kind(), Some(FailureKind::Redirect), "{error:?}");
    match error.downcast_ref() {
        Some(HttpError::Redirect { status, target, problem, .. }) => (*status, target, *problem),
        _ => panic!("{error:?}"),
    }
}

/// Case 101: method, body, headers and query stay; each form of a location will do.
#[tokio::test]
async fn a_307_on_the_same_origin_repeats_the_request() {
    for location in ["/mcp/", "mcp/", "http://{host}/mcp/", "//{host}/mcp/", "./x/../mcp/"] {
        let peer = redirecting("307 Temporary Redirect", location);
        let client = client::connect(&keyed(&peer.url("/mcp?k=1"))).await;
        within(client.list_tools()).await.unwrap();
        within(client.close()).await;
        let requests = peer.requests();
        let pairs: Vec<_> = requests.chunks(2).collect();
        assert_eq!(pairs.len(), 4, "initialize, initialized, list, DELETE; each is redirected: {location}");
        for pair in pairs {
            let [first, second] = pair else { panic!("{pair:?}") };
            assert_eq!((first.target.as_str(), second.target.as_str()), ("/mcp?k=1", "/mcp/?k=1"));
            assert_eq!((&first.method, &first.body), (&second.method, &second.body));
            assert_eq!(first.headers, second.headers);
            assert_eq!(second.header("x-api-key"), Some("SECRET-1"));
        }
        assert_eq!(peer.connections(), 1, "a redirect costs no connection");
    }
}

/// Case 101: what moved for good is asked where it is from then on.
#[tokio::test]
async fn a_308_is_remembered() {
    let peer = redirecting("308 Permanent Redirect", "/mcp/");
    let client = client::connect(&keyed(&peer.url("/mcp?k=1"))).await;
    within(client.ping()).await.unwrap();
    within(client.close()).await;
    assert_eq!(
        targets(&peer),
        ["POST /mcp?k=1", "POST /mcp/?k=1", "POST /mcp/?k=1", "POST /mcp/?k=1", "DELETE /mcp/?k=1"]
    );
}

/// Case 101: nothing turns a POST or DELETE into a GET, and the error says where the server wanted it.
#[tokio::test]
async fn a_redirect_that_would_lose_the_body_is_an_error_that_names_the_target() {
    for (line, status) in [("301 Moved", 301), ("302 Found", 302), ("303 See Other", 303)] {
        let peer = redirecting(line, "/mcp/");
        let (transport, _) = connect(&peer.url("/mcp"));
        let error = request(&transport, "initialize").await.unwrap_err();
        let target = format!("http://{}/mcp/", peer.address());
        assert_eq!(refusal(&error), (status, target.as_str(), RedirectProblem::MethodChange));
        assert!(error.to_string().contains(&target), "{error}");
        assert!(!error.is_safe_to_retry());
        let error = within(transport.notify("n", None, NotifyOptions::default())).await.unwrap_err();
        assert_eq!(refusal(&error).2, RedirectProblem::MethodChange);
        within(transport.close()).await;
        assert_eq!(targets(&peer), ["POST /mcp", "POST /mcp"]);
    }
}

/// Case 101: a GET stays a GET, whatever the status.
#[tokio::test]
async fn a_listener_follows_any_redirect_of_its_origin() {
    for status in ["301 Moved", "302 Found", "303 See Other", "307 There", "308 There"] {
        let peer = HttpPeer::start(move |exchange| async move {
            if exchange.path() == "/there" {
                return exchange.start_sse(&[]).await.hold();
            }
            exchange.respond(status, &[("Location", "/there?k=2")], "").await;
        });
        let (transport, recorder) = connect(&peer.url("/mcp"));
        transport.listen();
        assert!(within(transport.listening()).await);
        assert_eq!(targets(&peer), ["GET /mcp", "GET /there?k=2"]);
        assert_eq!(recorder.events(), Vec::<String>::new());
        within(transport.close()).await;
    }
}

/// Case 101: bounded, and none at all if so configured.
#[tokio::test]
async fn a_loop_of_redirects_is_broken_off() {
    for (most, requests) in [(5, 6), (1, 2), (0, 1)] {
        let peer = HttpPeer::start(|exchange| async move {
            let next = if exchange.target == "/a" { "/b" } else { "/a" };
            exchange.respond("307 There", &[("Location", next)], "").await;
        });
        let mut config = config(&peer.url("/a"));
        config.max_redirects = most;
        let (transport, _) = connect_with(config);
        let error = request(&transport, "m").await.unwrap_err();
        assert_eq!(refusal(&error).2, RedirectProblem::TooMany);
        assert_eq!(peer.requests().len(), requests);
    }
    let peer = HttpPeer::start(|exchange| exchange.respond("308 There", &[("Location", "/a")], ""));
    assert_eq!(config(&peer.url("/a")).max_redirects, 5);
    let (transport, _) = connect(&peer.url("/a"));
    assert_eq!(refusal(&request(&transport, "m").await.unwrap_err()).2, RedirectProblem::TooMany);
}

/// Case 101: no location, or none that can be followed.
#[tokio::test]
async fn a_redirect_without_a_usable_location_is_an_error() {
    for headers in
        [&[][..], &[("Location", "ftp://a.test/")], &[("Location", "/a b")], &[("Location", "http:///")]]
    {
        for status in ["301 There", "307 There", "308 There"] {
            let peer = HttpPeer::start(move |exchange| exchange.respond(status, headers, ""));
            let (transport, _) = connect(&peer.url("/"));
            let error = request(&transport, "m").await.unwrap_err();
            assert_eq!(refusal(&error).2, RedirectProblem::NoLocation, "{headers:?}");
            assert_eq!(peer.requests().len(), 1);
        }
    }
}

/// Case 101: a status of this class that is no redirect is a failed status.
#[tokio::test]
async fn a_300_or_304_is_a_plain_status() {
    for (line, status) in [("300 Multiple Choices", 300), ("304 Not Modified", 304)] {
        let peer = HttpPeer::start(move |exchange| exchange.respond(line, &[("Location", "/x")], ""));
        let (transport, _) = connect(&peer.url("/"));
        let error = request(&transport, "m").await.unwrap_err();
        assert_eq!(error.failure_kind(), Some(FailureKind::Status(status)));
        assert_eq!(peer.requests().len(), 1);
    }
}

/// Case 101: a long body of a redirect is not read to its end; the request goes on elsewhere.
#[tokio::test]
async fn a_redirect_with_a_long_body_is_followed() {
    let peer = HttpPeer::start(|exchange| async move {
        match exchange.target.as_str() {
            "/there" => {
                let answer = exchange.answer("1");
                exchange.respond_json(answer).await;
            }
            _ => exchange.respond("307 There", &[("Location", "/there")], vec![b'x'; 1 << 20]).await,
        }
    });
    let (transport, _) = connect(&peer.url("/"));
    assert_eq!(request(&transport, "m").await.unwrap().as_str(), "1");
}

/// The addresses of another origin than that of `peer`: other port, other name, other scheme.
fn others(peer: &HttpPeer, other: &HttpPeer) -> [String; 4] {
    let (port, theirs) = (peer.address().port(), other.address().port());
    [
        format!("http://127.0.0.1:{theirs}/mcp?k=SECRET-1"),
        format!("//me:SECRET-1@127.0.0.1:{theirs}/mcp"),
        format!("http://localhost:{port}/mcp"),
        format!("https://127.0.0.1:{port}/mcp"),
    ]
}

/// A peer whose every answer is a redirect to what its `hop` says, but for `initialize`.
fn luring(status: &'static str, to: std::sync::Arc<std::sync::Mutex<String>>) -> HttpPeer {
    HttpPeer::start(move |exchange| {
        let location = to.lock().unwrap().clone();
        lure(exchange, status, location)
    })
}

async fn lure(exchange: Exchange, status: &'static str, location: String) {
    if exchange.rpc_method().as_deref() == Some("initialize") {
        let headers = [("Content-Type", "application/json"), ("Mcp-Session-Id", "S1")];
        let answer = exchange.answer("{}");
        return exchange.respond("200 OK", &headers, answer).await;
    }
    exchange.respond(status, &[("Location", &location)], "").await;
}

/// Case 170, D-10: no redirect leads to another scheme, host or port; the other side sees no connection,
/// and the error names the target without its secrets.
#[tokio::test]
async fn no_redirect_is_followed_to_another_origin() {
    for (line, status) in [("307 There", 307), ("308 There", 308), ("302 There", 302)] {
        let other = HttpPeer::mcp(McpBehaviour::new());
        let to = std::sync::Arc::default();
        let peer = luring(line, std::sync::Arc::clone(&to));
        for location in others(&peer, &other) {
            to.lock().unwrap().clone_from(&location);
            let (transport, recorder) = connect_with(keyed(&peer.url("/mcp")));
            request(&transport, "initialize").await.unwrap();
            let error = request(&transport, "m").await.unwrap_err();
            let (code, target, problem) = refusal(&error);
            assert_eq!((code, problem), (status, RedirectProblem::OtherOrigin));
            let shown = location.replace("SECRET-1", "***").replace("me:***@", "");
            assert!(target.ends_with(shown.trim_start_matches("http:")), "{target} for {location}");
            assert!(error.to_string().contains(target) && !error.to_string().contains("SECRET-1"));
            within(transport.notify("n", None, NotifyOptions::default())).await.unwrap_err();
            transport.listen();
            assert!(!within(transport.listening()).await);
            assert_eq!(recorder.count("error "), 1);
            within(transport.close()).await;
        }
        assert_eq!(other.connections(), 0);
        let hosts: Vec<_> = peer.requests().iter().map(|it| it.header("host").map(str::to_owned)).collect();
        let own = Some(peer.address().to_string());
        assert!(hosts.iter().all(|host| *host == own), "{hosts:?}");
        assert!(peer.faults().is_empty(), "nobody spoke TLS to it: {:?}", peer.faults());
    }
}

/// Case 170: nor in a second step, and nor by the older transport.
#[tokio::test]
async fn no_second_redirect_is_followed_to_another_origin() {
    let other = HttpPeer::mcp(McpBehaviour::new());
    let away = other.url("/mcp");
    let peer = HttpPeer::start(move |exchange| {
        let away = away.clone();
        async move {
            let to = if exchange.target == "/a" { "/b" } else { away.as_str() };
            exchange.respond("307 There", &[("Location", to)], "").await;
        }
    });
    for wire in [Wire::Streamable, Wire::Sse] {
        let mut config = keyed(&peer.url("/a"));
        config.wire = wire;
        let (transport, _) = connect_with(config);
        let error = request(&transport, "m").await.unwrap_err();
        assert!(error.to_string().contains(&other.url("/mcp")), "{error}");
    }
    assert_eq!(other.connections(), 0);
}

/// Case 170: a Unix socket is an origin of its own.
#[cfg(unix)]
#[tokio::test]
async fn no_redirect_leads_out_of_a_socket() {
    let folder = mcp_tests::Folder::new();
    let path = folder.path("socket");
    let other = HttpPeer::mcp(McpBehaviour::new());
    let away = other.url("/mcp");
    let peer = HttpPeer::start_with(PeerOptions::on(Listen::Unix(path.clone())), move |exchange| {
        let away = away.clone();
        async move { exchange.respond("307 There", &[("Location", &away)], "").await }
    });
    let url = format!("http+unix://{}/mcp", path.display().to_string().replace('/', "%2F"));
    let (transport, _) = connect(&url);
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!(refusal(&error).2, RedirectProblem::OtherOrigin);
    assert_eq!((other.connections(), peer.requests().len()), (0, 1));
}

/// Case 101: replies and calls that are on their way to the old place at the same time arrive as well.
#[tokio::test]
async fn calls_at_the_same_time_are_each_redirected() {
    let (peer, mut exchanges) = HttpPeer::by_hand();
    let (transport, _) = connect(&peer.url("/a"));
    let mut first = pin!(transport.request("m", None, RequestOptions::default()));
    let exchange = until(first.as_mut(), exchanges.take()).await;
    let answer = exchange.answer("0");
    exchange.respond_json(answer).await;
    within(first).await.unwrap();
    let moved = |request: &Received| request.target == "/b";
    let (one, two, ()) = tokio::join!(request(&transport, "m"), request(&transport, "m"), async {
        let (one, two) = (exchanges.take().await, exchanges.take().await);
        one.respond("308 There", &[("Location", "/b")], "").await;
        two.respond("308 There", &[("Location", "/b")], "").await;
        for _ in 0..2 {
            let exchange = exchanges.take().await;
            assert!(moved(&exchange));
            let answer = exchange.answer("1");
            exchange.respond_json(answer).await;
        }
    });
    assert_eq!((one.unwrap().as_str(), two.unwrap().as_str()), ("1", "1"));
}
