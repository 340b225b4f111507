//! The servers that people run, through the library.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mcp_client::{CallOptions, Client, Delegate, Event, ServerRequest};
use mcp_jsonrpc::ErrorObject;
use mcp_tests::{Folder, client, peers, within};
use mcp_types::{
    CallToolResult, ContentBlock, ElicitationCapability, LogMessage, Revision, RootsCapability,
    SamplingCapability,
};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

async fn call(client: &Client, tool: &str, arguments: Value) -> CallToolResult {
    within(client.call_tool(tool, &arguments)).await.unwrap()
}

fn text(result: &CallToolResult) -> &str {
    result.content[0].as_text().unwrap()
}

fn structured(result: &CallToolResult) -> Value {
    serde_json::from_str(result.structured_content.as_ref().unwrap().get()).unwrap()
}

async fn names(client: &Client) -> Vec<String> {
    let tools = within(client.list_tools()).await.unwrap();
    tools.into_iter().map(|tool| tool.name).collect()
}

/// Ends the connection, and checks that the server went by itself when asked to.
async fn close(client: Client) {
    within(client.close()).await;
    let error = within(client.ping()).await.unwrap_err();
    let exit = error.call_error().unwrap().close_reason().unwrap().exit;
    assert!(exit.is_some(), "the server has ended: {error:?}");
}

/// C-100, C-101.
#[tokio::test]
async fn everything_says_who_it_is_and_lists_its_tools() {
    let Some(config) = peers::everything() else { return };
    let client = client::connect(&config).await;
    let agreed = client.agreed();
    assert_eq!(
        (agreed.version, agreed.server_info.as_ref().unwrap().name.as_str()),
        (Revision::V2025_11_25, "mcp-servers/everything")
    );
    assert!(agreed.instructions.as_ref().unwrap().contains("Everything Server"));
    assert!(agreed.capabilities.tools.is_some() && agreed.capabilities.logging.is_some());
    let names = names(&client).await;
    for tool in ["echo", "get-sum", "get-structured-content", "trigger-long-running-operation"] {
        assert!(names.iter().any(|name| name == tool), "{names:?}");
    }
    within(client.ping()).await.unwrap();
    close(client).await;
}

#[tokio::test]
async fn everything_answers_with_every_kind_of_content() {
    let Some(config) = peers::everything() else { return };
    let client = client::connect(&config).await;
    assert_eq!(
        text(&call(&client, "echo", json!({ "message": "héllo\u{2028}" })).await),
        "Echo: héllo\u{2028}"
    );
    assert_eq!(text(&call(&client, "get-sum", json!({ "a": 1, "b": 2 })).await), "The sum of 1 and 2 is 3.");

    let weather = call(&client, "get-structured-content", json!({ "location": "Chicago" })).await;
    let weather = (structured(&weather), serde_json::from_str::<Value>(text(&weather)).unwrap());
    assert_eq!(weather.0, weather.1);
    assert!(weather.0["temperature"].is_number(), "{}", weather.0);

    let noted =
        call(&client, "get-annotated-message", json!({ "messageType": "error", "includeImage": true })).await;
    let ContentBlock::Text(first) = &noted.content[0] else { panic!("{noted:?}") };
    assert_eq!(first.annotations.as_ref().unwrap().priority, Some(1.0));
    let ContentBlock::Image(image) = &noted.content[1] else { panic!("{noted:?}") };
    assert!(image.mime_type == "image/png" && image.data.starts_with("iVBORw0KGgo"));

    let links = call(&client, "get-resource-links", json!({ "count": 2 })).await;
    let kinds: Vec<_> = links.content.iter().filter_map(ContentBlock::kind).collect();
    assert_eq!(kinds, ["text", "resource_link", "resource_link"]);

    let embedded =
        call(&client, "get-resource-reference", json!({ "resourceType": "Blob", "resourceId": 2 })).await;
    assert!(matches!(embedded.content[1], ContentBlock::Resource(_)), "{embedded:?}");

    let wrong = call(&client, "get-sum", json!({ "a": "x" })).await;
    assert!(wrong.is_error() && text(&wrong).contains("-32602"), "{wrong:?}");
    close(client).await;
}

#[tokio::test]
async fn everything_lists_and_reads_its_resources() {
    let Some(config) = peers::everything() else { return };
    let client = client::connect(&config).await;
    let resources =
        within(client.list_raw("resources/list", "resources", CallOptions::default())).await.unwrap();
    assert!(!resources.is_empty());
    for resource in resources {
        let resource: Value = resource.parse().unwrap();
        let params = to_raw_value(&json!({ "uri": resource["uri"] })).unwrap();
        let read =
            within(client.request("resources/read", Some(params), CallOptions::default())).await.unwrap();
        let read: Value = read.parse().unwrap();
        assert_eq!(read["contents"][0]["uri"], resource["uri"]);
        assert!(!read["contents"][0]["text"].as_str().unwrap().is_empty());
    }
    let error = within(client.request("no/such", None, CallOptions::default())).await.unwrap_err();
    assert!(error.to_string().starts_with("MCP error -32601"), "{error}");
    close(client).await;
}

/// Case 73, with a server that people run.
#[tokio::test]
async fn everything_reports_progress_of_its_long_operation() {
    let Some(config) = peers::everything() else { return };
    let client = client::connect(&config).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = seen.clone();
    let mut options = CallOptions::default();
    options.progress =
        Some(Arc::new(move |progress| note.lock().unwrap().push((progress.progress, progress.total))));
    options.progress_extends_timeout = Some(true);
    let arguments = json!({ "duration": 0.5, "steps": 5 });
    let long = client.call_tool_with("trigger-long-running-operation", &arguments, options);
    assert!(text(&within(long).await.unwrap()).contains("Steps: 5"));
    let expected: Vec<_> = (1..=5).map(|n| (f64::from(n), Some(5.0))).collect();
    assert_eq!(*seen.lock().unwrap(), expected);
    close(client).await;
}

/// S-13: log messages reach whoever listens.
#[tokio::test]
async fn everything_sends_log_messages() {
    let Some(config) = peers::everything() else { return };
    let client = client::connect(&config).await;
    let (mut one, mut two) = (client.events(), client.events());
    let level = to_raw_value(&json!({ "level": "debug" })).unwrap();
    within(client.request("logging/setLevel", Some(level), CallOptions::default())).await.unwrap();
    call(&client, "toggle-simulated-logging", json!({})).await;
    for events in [&mut one, &mut two] {
        let message = within(async {
            loop {
                let event = events.next().await.expect("the connection lives");
                if let Event::Notification(found) = event
                    && let Some(message) = found.parse::<LogMessage>()
                {
                    return message.unwrap();
                }
            }
        })
        .await;
        assert!(message.data.get().contains("message"), "{message:?}");
    }
    close(client).await;
}

/// Answers what a server may ask.
#[derive(Default)]
struct Answers(Mutex<Vec<String>>);

#[async_trait]
impl Delegate for Answers {
    async fn on_request(&self, request: ServerRequest) -> Result<Box<RawValue>, ErrorObject> {
        self.0.lock().unwrap().push(request.method.clone());
        let answer = match request.method.as_str() {
            "roots/list" => json!({ "roots": [{ "uri": "file:///srv/data", "name": "data" }] }),
            "sampling/createMessage" => json!({
                "role": "assistant", "model": "none", "content": { "type": "text", "text": "sampled" },
            }),
            "elicitation/create" => json!({ "action": "decline" }),
            _ => return Err(ErrorObject::method_not_found(&request.method)),
        };
        Ok(to_raw_value(&answer).unwrap())
    }
}

/// Case 65, with a server that people run: it asks in the middle of a call.
#[tokio::test]
async fn everything_gets_answers_to_its_questions() {
    let Some(config) = peers::everything() else { return };
    let delegate = Arc::new(Answers::default());
    let mut options = client::options();
    options.delegate = Some(delegate.clone());
    options.capabilities.roots = Some(RootsCapability::default());
    options.capabilities.sampling = Some(SamplingCapability::default());
    options.capabilities.elicitation = Some(ElicitationCapability::default());
    let client = client::connect_with(&config, options).await;
    // The tools that ask come once the server has seen what we can do.
    within(async { while !names(&client).await.iter().any(|name| name == "trigger-sampling-request") {} })
        .await;
    let sampled = call(&client, "trigger-sampling-request", json!({ "prompt": "p" })).await;
    assert!(text(&sampled).contains("sampled"), "{sampled:?}");
    let asked = call(&client, "trigger-elicitation-request", json!({})).await;
    assert!(text(&asked).contains("declined"), "{asked:?}");
    let roots = call(&client, "get-roots-list", json!({})).await;
    assert!(text(&roots).contains("file:///srv/data"), "{roots:?}");
    let asked = delegate.0.lock().unwrap().clone();
    for method in ["roots/list", "sampling/createMessage", "elicitation/create"] {
        assert!(asked.iter().any(|found| found == method), "{asked:?}");
    }
    close(client).await;
}

#[tokio::test]
async fn filesystem_writes_and_reads_below_its_root_alone() {
    let folder = Folder::new();
    let Some(config) = peers::filesystem(&folder.text("")) else { return };
    let client = client::connect(&config).await;
    let (inside, content) = (folder.text("a b.txt"), "line 1\r\nzwei ü 😀\n");
    call(&client, "write_file", json!({ "path": inside, "content": content })).await;
    assert_eq!(std::fs::read_to_string(folder.path("a b.txt")).unwrap(), content);
    let read = call(&client, "read_text_file", json!({ "path": inside })).await;
    assert_eq!((text(&read), &structured(&read)["content"]), (content, &json!(content)));
    let listed = call(&client, "list_directory", json!({ "path": folder.text("") })).await;
    assert!(text(&listed).contains("[FILE] a b.txt"));
    // Case 15, both ways.
    let big = "x".repeat(3 * 1024 * 1024);
    call(&client, "write_file", json!({ "path": folder.text("big"), "content": big })).await;
    let read = call(&client, "read_text_file", json!({ "path": folder.text("big") })).await;
    assert!(text(&read) == big);
    let denied = call(&client, "read_text_file", json!({ "path": "/etc/hostname" })).await;
    assert!(denied.is_error() && text(&denied).contains("Access denied"), "{denied:?}");
    close(client).await;
}

/// S-55: what it remembers is there when it is connected again.
#[tokio::test]
async fn memory_remembers_over_a_reconnect() {
    let folder = Folder::new();
    let Some(config) = peers::memory(&folder.text("memory.jsonl")) else { return };
    let entity = json!({ "name": "gauge", "entityType": "tool", "observations": ["measures"] });
    let client = client::connect(&config).await;
    assert!(names(&client).await.iter().any(|name| name == "read_graph"));
    let made = call(&client, "create_entities", json!({ "entities": [entity] })).await;
    assert_eq!(structured(&made)["entities"][0], entity);
    close(client).await;
    let client = client::connect(&config).await;
    let graph = call(&client, "read_graph", json!({})).await;
    assert_eq!(structured(&graph)["entities"], json!([entity]));
    close(client).await;
}

#[tokio::test]
async fn time_converts_times() {
    let Some(config) = peers::time() else { return };
    let client = client::connect(&config).await;
    assert_eq!(names(&client).await, ["get_current_time", "convert_time"]);
    let arguments = json!({ "source_timezone": "UTC", "target_timezone": "Asia/Tokyo", "time": "12:00" });
    let converted = call(&client, "convert_time", arguments).await;
    assert_eq!(structured(&converted)["time_difference"], "+9.0h");
    let wrong = call(&client, "get_current_time", json!({ "timezone": "No/Where" })).await;
    assert!(wrong.is_error(), "{wrong:?}");
    let error = within(client.call_tool("nope", &())).await.unwrap_err();
    assert!(error.to_string().starts_with("MCP error -32602"), "{error}");
    within(client.ping()).await.unwrap();
    close(client).await;
}
