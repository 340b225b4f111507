//! The servers that people run, over HTTP: plain, behind TLS with a private CA, and behind nginx.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use mcp_client::{CallOptions, Client, ClientOptions, Delegate, ServerRequest};
use mcp_jsonrpc::{ErrorObject, Notification};
use mcp_tests::http_servers::{self, HttpServer, SdkOptions};
use mcp_tests::nginx::{Nginx, NginxOptions};
use mcp_tests::tls_front::TlsFront;
use mcp_tests::{client, http, within};
use mcp_transport_http::connector::{ConnectKind, Pem, TlsProblem};
use mcp_transport_http::{HttpConfig, HttpError, Wire};
use mcp_types::{CallToolResult, ClientCapabilities};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// Answers what servers ask, and notes the methods of what they say.
#[derive(Default)]
struct Host {
    heard: Mutex<Vec<String>>,
}

impl Host {
    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

#[async_trait]
impl Delegate for Host {
    fn on_notification(&self, notification: &Notification<'_>) {
        self.heard.lock().unwrap().push(notification.method.to_owned());
    }

    async fn on_request(&self, request: ServerRequest) -> Result<Box<RawValue>, ErrorObject> {
        let answer = match request.method.as_str() {
            "elicitation/create" => json!({ "action": "accept", "content": { "name": "Ada" } }),
            "sampling/createMessage" => {
                json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "Ada" } })
            }
            method => return Err(ErrorObject::method_not_found(method)),
        };
        Ok(to_raw_value(&answer).unwrap())
    }
}

fn options(host: &Arc<Host>) -> ClientOptions {
    let mut options = client::options();
    options.delegate = Some(host.clone());
    options.capabilities =
        serde_json::from_value::<ClientCapabilities>(json!({ "elicitation": {}, "sampling": {} })).unwrap();
    options.listen = true;
    options
}

async fn call(client: &Client, tool: &str, arguments: Value) -> CallToolResult {
    within(client.call_tool(tool, &arguments)).await.unwrap()
}

fn text(result: &CallToolResult) -> &str {
    result.content[0].as_text().unwrap()
}

/// A server's own port, through TLS with a private CA, and through nginx.
async fn ways(
    server: &HttpServer,
    of_nginx: &NginxOptions,
) -> Vec<(HttpConfig, Option<TlsFront>, Option<Nginx>)> {
    let front = TlsFront::start(server.address());
    let mut behind_tls = http::config(&front.url(server.path()));
    behind_tls.connector.extra_roots = vec![Pem::File(front.ca_file())];
    let nginx = Nginx::start(server.address(), of_nginx).await;
    let mut ways = vec![(http::config(&server.url()), None, None), (behind_tls, Some(front), None)];
    if let Some(nginx) = nginx {
        ways.push((http::config(&nginx.url(server.path())), None, Some(nginx)));
    }
    ways
}

/// What every server on an SDK must do for us, whichever way it is reached and answers.
async fn check_sdk(server: &HttpServer, options_of_server: SdkOptions) {
    for (config, _front, _nginx) in ways(server, &NginxOptions::default()).await {
        let host = Arc::new(Host::default());
        let client = client::connect_with(&config, options(&host)).await;
        let names: Vec<_> =
            within(client.list_tools()).await.unwrap().into_iter().map(|tool| tool.name).collect();
        for tool in ["ask", "echo", "fail", "slow"] {
            assert!(names.iter().any(|name| name == tool), "{names:?}");
        }
        let long = "é\u{2028}".repeat(50_000);
        for given in ["héllo\u{2028}", "", &long] {
            assert_eq!(text(&call(&client, "echo", json!({ "text": given })).await), given);
        }
        assert_eq!(text(&call(&client, "slow", json!({ "ms": 20 })).await), "slow: 20");
        assert_eq!(call(&client, "fail", json!({})).await.is_error, Some(true));
        if !options_of_server.json && !options_of_server.stateless {
            for kind in ["elicitation", "sampling"] {
                let answer = call(&client, "ask", json!({ "kind": kind })).await;
                assert!(text(&answer).contains("Ada"), "{answer:?}");
            }
        }
        if !options_of_server.json {
            assert!(host.heard().contains(&"notifications/message".to_owned()), "{:?}", host.heard());
        }
        let many: Vec<_> = (0..20).map(|n| json!({ "text": n.to_string() })).collect();
        let mut calls = tokio::task::JoinSet::new();
        for arguments in many {
            let client = client.clone();
            calls.spawn(async move {
                let answer = call(&client, "echo", arguments.clone()).await;
                assert_eq!(text(&answer), arguments["text"]);
            });
        }
        within(calls.join_all()).await;
        within(client.close()).await;
    }
}

#[tokio::test]
async fn the_typescript_sdk_works_in_each_mode_and_each_way() {
    for options in SdkOptions::ALL {
        let Some(server) = http_servers::typescript(options).await else { return };
        check_sdk(&server, options).await;
    }
}

#[tokio::test]
async fn the_python_sdk_works_in_each_mode_and_each_way() {
    for options in SdkOptions::ALL {
        let Some(server) = http_servers::python(options).await else { return };
        check_sdk(&server, options).await;
    }
}

#[tokio::test]
async fn everything_works_over_streamable_http_each_way() {
    let Some(server) = http_servers::everything().await else { return };
    for (config, _front, _nginx) in ways(&server, &NginxOptions::default()).await {
        let host = Arc::new(Host::default());
        let client = client::connect_with(&config, options(&host)).await;
        assert_eq!(
            text(&call(&client, "get-sum", json!({ "a": 1, "b": 2 })).await),
            "The sum of 1 and 2 is 3."
        );
        let steps = Arc::new(Mutex::new(Vec::new()));
        let mut call_options = CallOptions::default();
        let seen = steps.clone();
        call_options.progress = Some(Arc::new(move |progress| seen.lock().unwrap().push(progress.progress)));
        let arguments = json!({ "duration": 0.2, "steps": 4 });
        let long = client.call_tool_with("trigger-long-running-operation", &arguments, call_options);
        within(long).await.unwrap();
        assert_eq!(*steps.lock().unwrap(), [1.0, 2.0, 3.0, 4.0]);
        within(client.ping()).await.unwrap();
        within(client.close()).await;
    }
}

/// D-17: both the configured form and the fallback from a POST that is refused.
#[tokio::test]
async fn servers_of_the_older_transport_work_however_they_are_configured() {
    // One that buffers holds back the end of an event of several KiB until the next one comes, so
    // nobody runs this transport behind it.
    let unbuffered = NginxOptions { buffering: false, ..NginxOptions::default() };
    for server in [http_servers::everything_sse().await, http_servers::python_sse().await] {
        let Some(server) = server else { return };
        for wire in [Wire::Sse, Wire::Streamable] {
            for (mut config, _front, _nginx) in ways(&server, &unbuffered).await {
                config.wire = wire;
                let client = client::connect(&config).await;
                let names = within(client.list_tools()).await.unwrap();
                assert!(names.iter().any(|tool| tool.name == "echo"));
                let is_everything = names.iter().any(|tool| tool.name == "get-sum");
                let argument = if is_everything { "message" } else { "text" };
                let answer = call(&client, "echo", json!({ argument: "old" })).await;
                assert!(text(&answer).ends_with("old"), "{answer:?}");
                within(client.close()).await;
            }
        }
    }
}

#[tokio::test]
async fn a_private_ca_that_is_not_configured_is_an_unknown_issuer() {
    let Some(server) = http_servers::typescript(SdkOptions::default()).await else { return };
    let front = TlsFront::start(server.address());
    let config = http::config(&front.url(server.path()));
    let error = within(Client::connect(&config, client::options())).await.unwrap_err();
    let mcp_client::ConnectError::Call { source, .. } = &error else { panic!("{error:?}") };
    let Some(HttpError::Connect(failure)) = source.downcast_ref() else { panic!("{error:?}") };
    assert_eq!(failure.kind(), ConnectKind::Tls(TlsProblem::UnknownIssuer));
    assert!(failure.hint().is_some() && source.is_safe_to_retry());
}

/// nginx that buffers, adds gzip to all it can, and cuts streams that are silent for a second.
#[tokio::test]
async fn a_proxy_that_buffers_compresses_and_cuts_does_no_harm() {
    let Some(server) = http_servers::typescript(SdkOptions::default()).await else { return };
    let options_of_nginx = NginxOptions {
        buffering: true,
        gzip: true,
        read_timeout: Duration::from_secs(1),
        ..NginxOptions::default()
    };
    let Some(nginx) = Nginx::start(server.address(), &options_of_nginx).await else { return };
    let host = Arc::new(Host::default());
    let client = client::connect_with(&http::config(&nginx.url(server.path())), options(&host)).await;
    let mut events = client.events();
    let long = "abc".repeat(100_000);
    assert_eq!(text(&call(&client, "echo", json!({ "text": long })).await), long);
    // The listener stream is silent, so that nginx cuts it; that is reported and harms nothing.
    within(async {
        while let Some(event) = events.next().await {
            if matches!(&event, mcp_client::Event::Fault(text) if text.contains("listening")) {
                break;
            }
        }
    })
    .await;
    assert!(client.is_connected());
    assert_eq!(text(&call(&client, "slow", json!({ "ms": 40 })).await), "slow: 40");
    within(client.close()).await;
}

/// A call that is silent for longer than the proxy waits fails with a status or a lost answer, at
/// once, and is not sent again.
#[tokio::test]
async fn a_call_that_a_proxy_cuts_fails_at_once_and_the_next_one_works() {
    let Some(server) = http_servers::typescript(SdkOptions { json: true, stateless: false }).await else {
        return;
    };
    let options_of_nginx = NginxOptions { read_timeout: Duration::from_secs(1), ..NginxOptions::default() };
    let Some(nginx) = Nginx::start(server.address(), &options_of_nginx).await else { return };
    let client = client::connect(&http::config(&nginx.url(server.path()))).await;
    let error = within(client.call_tool("slow", &json!({ "ms": 20_000 }))).await.unwrap_err();
    let error = error.call_error().unwrap();
    assert!(error.to_string().starts_with("HTTP 504: ") && !error.is_safe_to_retry(), "{error:?}");
    assert_eq!(text(&call(&client, "echo", json!({ "text": "still here" })).await), "still here");
    within(client.close()).await;
}
