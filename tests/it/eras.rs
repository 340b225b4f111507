//! The official SDKs in each era of the protocol and in both, over stdio and HTTP: what a client does
//! with them, and how it is answered, is the same everywhere.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mcp_client::{
    CallOptions, Client, ClientOptions, ElicitationHandler, Event, FormAnswer, FormRequest, Protocol, Refusal,
};
use mcp_tests::eras::{EraServer, Form, Kind, Over, Sdk};
use mcp_tests::{client, within};
use mcp_types::{
    CallToolResult, GetPrompt, GetPromptParams, ListPrompts, ListPromptsParams, ListResources,
    ListResourcesParams, ReadResource, ReadResourceParams, Revision,
};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

/// Which revision comes out where.
const AGREED: [(Form, Protocol, Revision); 6] = [
    (Form::Legacy, Protocol::Auto, Revision::V2025_11_25),
    (Form::Legacy, Protocol::Discover, Revision::V2025_11_25),
    (Form::Modern, Protocol::Auto, Revision::V2026_07_28),
    (Form::Modern, Protocol::Discover, Revision::V2026_07_28),
    (Form::Dual, Protocol::Auto, Revision::V2025_11_25),
    (Form::Dual, Protocol::Discover, Revision::V2026_07_28),
];

/// A user who says what the name is, and is asked nothing else.
struct Ada(Mutex<Vec<String>>);

#[async_trait]
impl ElicitationHandler for Ada {
    async fn form(&self, request: FormRequest) -> Result<FormAnswer, Refusal> {
        self.0.lock().unwrap().push(request.message);
        let mut content = request.form.defaults();
        content.set("name", "Ada");
        Ok(FormAnswer::Accept(content))
    }
}

/// A server, and a client that is connected to it.
struct Connected {
    server: EraServer,
    client: Client,
    user: Arc<Ada>,
    /// Names it where something is wrong.
    way: String,
}

impl Connected {
    async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        self.call_with(tool, arguments, CallOptions::default()).await
    }

    async fn call_with(&self, tool: &str, arguments: Value, options: CallOptions) -> CallToolResult {
        match within(self.client.call_tool_with(tool, &arguments, options)).await {
            Ok(result) => result,
            Err(error) => panic!("{}: {tool}: {error:?}\n{}", self.way, self.server.printed()),
        }
    }

    async fn tools(&self) -> Vec<String> {
        let tools = within(self.client.list_tools()).await.unwrap();
        tools.into_iter().map(|tool| tool.name).collect()
    }

    /// Waits until the server says so.
    async fn hear(&self, events: &mut mcp_client::EventStream, method: &str) -> Value {
        within(async {
            loop {
                match events.next().await {
                    Some(Event::Notification(found)) if &*found.method == method => {
                        let params = found.params.map(|params| params.parse().unwrap());
                        return params.unwrap_or_default();
                    }
                    Some(_) => {}
                    None => panic!("{}: closed before {method}", self.way),
                }
            }
        })
        .await
    }
}

/// Connects in each way and hands over the connection, then checks that nothing of it is left.
async fn each(sdk: Sdk, over: Over, body: impl AsyncFn(&Connected)) {
    for (form, protocol, revision) in AGREED {
        let kind = Kind { sdk, form, over };
        let Some(server) = kind.start().await else { return };
        let user = Arc::new(Ada(Mutex::default()));
        let way = format!("{kind} {protocol:?}");
        let client = match within(Client::connect(server.to(), options(&user, protocol))).await {
            Ok(client) => client,
            Err(error) => panic!("{way}: {error:?}\n{}", server.printed()),
        };
        assert_eq!(client.agreed().version, revision, "{way}");
        let connected = Connected { server, client, user, way };
        body(&connected).await;
        within(connected.client.close()).await;
        let tag = connected.server.tag().to_owned();
        drop(connected);
        none_is_left(&tag);
    }
}

fn options(user: &Arc<Ada>, protocol: Protocol) -> ClientOptions {
    let mut options = client::options();
    options.elicitation = Some(user.clone());
    options.listen = true;
    options.protocol = protocol;
    options
}

#[cfg(target_os = "linux")]
fn none_is_left(tag: &str) {
    mcp_tests::processes::wait("the end of the server", || mcp_tests::processes::tagged(tag).is_empty());
}

/// Elsewhere there is no table of processes to look at.
#[cfg(not(target_os = "linux"))]
fn none_is_left(_tag: &str) {}

fn text(result: &CallToolResult) -> &str {
    result.content[0].as_text().unwrap()
}

async fn all(connected: &Connected) {
    says_who_it_is(connected);
    lists_and_calls(connected).await;
    reads(connected).await;
    prompts(connected).await;
    completes(connected).await;
    reports_progress(connected).await;
    asks(connected).await;
    tells_of_changes(connected).await;
}

fn says_who_it_is(Connected { client, way, .. }: &Connected) {
    let agreed = client.agreed();
    assert_eq!(agreed.instructions.as_deref(), Some("Ask politely."), "{way}");
    let info = agreed.server_info.as_ref().unwrap();
    assert!(info.name.ends_with("-sdk-2") && info.version == "2", "{way}: {info:?}");
    let offered = &agreed.capabilities;
    assert!(offered.tools.is_some() && offered.resources.is_some() && offered.prompts.is_some(), "{way}");
}

async fn lists_and_calls(connected: &Connected) {
    let way = &connected.way;
    let tools = connected.tools().await;
    assert_eq!(tools, ["echo", "slow", "ask", "fail", "grow", "touch"], "{way}");
    let given = "héllo\u{2028}";
    assert_eq!(text(&connected.call("echo", json!({ "text": given })).await), given, "{way}");
    let failed = connected.call("fail", json!({})).await;
    assert!(failed.is_error() && text(&failed).contains("failed as asked"), "{way}: {failed:?}");
    let error = within(connected.client.request("no/such", None, CallOptions::default())).await.unwrap_err();
    assert!(error.to_string().starts_with("MCP error -32601"), "{way}: {error}");
}

async fn reads(Connected { client, way, .. }: &Connected) {
    let options = CallOptions::default();
    let listed =
        within(client.call::<ListResources>(&ListResourcesParams::default(), options)).await.unwrap();
    let uris: Vec<_> = listed.resources.iter().map(|resource| resource.uri.as_str()).collect();
    assert_eq!(uris, ["note://one", "note://two"], "{way}");
    for (uri, expected) in [("note://one", "first"), ("note://two", "second"), ("note://three", "no three")] {
        let params = ReadResourceParams::new(uri);
        let read = within(client.call::<ReadResource>(&params, CallOptions::default())).await.unwrap();
        assert_eq!(read.contents[0].uri, uri, "{way}");
        assert_eq!(read.contents[0].text.as_deref(), Some(expected), "{way}");
    }
}

async fn prompts(Connected { client, way, .. }: &Connected) {
    let options = CallOptions::default();
    let listed = within(client.call::<ListPrompts>(&ListPromptsParams::default(), options)).await.unwrap();
    assert_eq!(listed.prompts[0].name, "greet", "{way}");
    let mut params = GetPromptParams::new("greet");
    params.arguments = Some([("name".to_owned(), "Ada".to_owned())].into());
    let got = within(client.call::<GetPrompt>(&params, CallOptions::default())).await.unwrap();
    assert_eq!(got.messages[0].content.as_text(), Some("Greet Ada."), "{way}");
}

async fn completes(Connected { client, way, .. }: &Connected) {
    let params = json!({
        "ref": { "type": "ref/prompt", "name": "greet" },
        "argument": { "name": "name", "value": "A" },
    });
    let params = Some(to_raw_value(&params).unwrap());
    let completed = client.request("completion/complete", params, CallOptions::default());
    let completed: Value = within(completed).await.unwrap().parse().unwrap();
    assert_eq!(completed["completion"]["values"], json!(["Ada", "Alan"]), "{way}");
}

async fn reports_progress(connected: &Connected) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = seen.clone();
    let mut options = CallOptions::default();
    options.progress =
        Some(Arc::new(move |progress| note.lock().unwrap().push((progress.progress, progress.total))));
    let slow = connected.call_with("slow", json!({ "ms": 20 }), options).await;
    assert_eq!(text(&slow), "slow: 20", "{}", connected.way);
    let expected: Vec<_> = (1..=4).map(|step| (f64::from(step), Some(4.0))).collect();
    assert_eq!(*seen.lock().unwrap(), expected, "{}", connected.way);
}

async fn asks(connected: &Connected) {
    let asked = connected.call("ask", json!({})).await;
    assert_eq!(text(&asked), "Hello, Ada", "{}", connected.way);
    assert_eq!(*connected.user.0.lock().unwrap(), ["What is your name?"], "{}", connected.way);
}

async fn tells_of_changes(connected: &Connected) {
    let way = &connected.way;
    let mut events = connected.client.events();
    // Over HTTP what is said before somebody listens is lost.
    within(connected.client.listening()).await;
    assert_eq!(text(&connected.call("grow", json!({})).await), "grew", "{way}");
    connected.hear(&mut events, "notifications/tools/list_changed").await;
    assert!(connected.tools().await.contains(&"grown".to_owned()), "{way}");
    assert_eq!(text(&connected.call("grown", json!({})).await), "grown", "{way}");
    if connected.client.agreed().version.is_modern() {
        // There it is told to whoever has asked for this resource.
        return;
    }
    assert_eq!(text(&connected.call("touch", json!({})).await), "touched", "{way}");
    let updated = connected.hear(&mut events, "notifications/resources/updated").await;
    assert_eq!(updated["uri"], "note://one", "{way}");
}

#[tokio::test]
async fn the_typescript_sdk_over_stdio_does_the_same_in_each_era() {
    each(Sdk::TypeScript, Over::Stdio, all).await;
}

#[tokio::test]
async fn the_typescript_sdk_over_http_does_the_same_in_each_era() {
    each(Sdk::TypeScript, Over::Http, all).await;
}

#[tokio::test]
async fn the_python_sdk_over_stdio_does_the_same_in_each_era() {
    each(Sdk::Python, Over::Stdio, all).await;
}

#[tokio::test]
async fn the_python_sdk_over_http_does_the_same_in_each_era() {
    each(Sdk::Python, Over::Http, all).await;
}
