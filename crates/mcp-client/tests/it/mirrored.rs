//! What a transport with headers is told to repeat there.

use mcp_client::{Client, ClientError, Event, ParamError, Protocol};
use mcp_jsonrpc::testing::MemoryPeer;
use serde_json::{Value, json};

use crate::modern_pair::{discovered, said};
use crate::pair::{begun, options, settle, unread};
use crate::probe::{Log, ProbeConnect};

pub(crate) async fn connected(mirrors: bool) -> (Client, MemoryPeer, Log) {
    let (mut connect, mut peers, log) = ProbeConnect::new();
    connect.mirrors = mirrors;
    let mut options = options();
    options.protocol = Protocol::Discover;
    options.send_cancelled = false;
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let request = peer.next().await;
        peer.answer(&request, &discovered(&json!({"tools": {}, "resources": {}, "prompts": {}})));
        peer
    };
    let (client, peer) = tokio::join!(Client::connect(&connect, options), serve);
    (client.unwrap(), peer, log)
}

fn tool(name: &str, header: &Value) -> Value {
    let region = json!({"type": "string", "x-mcp-header": header});
    json!({"name": name, "inputSchema": {"type": "object", "properties": {"region": region}}})
}

async fn list(client: &Client, peer: &mut MemoryPeer, tools: Value) -> Vec<String> {
    let listing = client.clone();
    let (call, request) = begun(peer, async move { listing.list_tools().await }).await;
    peer.answer(&request, &json!({"resultType": "complete", "tools": tools}));
    call.await.unwrap().unwrap().into_iter().map(|tool| tool.name).collect()
}

/// Calls `deploy` with these arguments, and yields what the transport was asked.
async fn call(client: &Client, peer: &mut MemoryPeer, log: &Log, arguments: Value) -> String {
    let client = client.clone();
    let (call, request) = begun(peer, async move { client.call_tool("deploy", &arguments).await }).await;
    peer.answer(&request, &said(""));
    call.await.unwrap().unwrap();
    log.lines().pop().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_call_is_named_and_its_annotated_arguments_go_along() {
    let (client, mut peer, log) = connected(true).await;
    // A tool that nobody listed.
    let line = call(&client, &mut peer, &log, json!({"region": "eu"})).await;
    assert_eq!(line, "request tools/call, Mcp-Name: deploy");

    assert_eq!(list(&client, &mut peer, json!([tool("deploy", &json!("Region"))])).await, ["deploy"]);
    let line = call(&client, &mut peer, &log, json!({"region": "Zürich", "x": 1})).await;
    assert_eq!(line, "request tools/call, Mcp-Name: deploy, Mcp-Param-Region: Zürich");
    let line = call(&client, &mut peer, &log, json!({"region": null})).await;
    assert_eq!(line, "request tools/call, Mcp-Name: deploy");

    // A newer list counts.
    list(&client, &mut peer, json!([tool("deploy", &json!("Place"))])).await;
    let line = call(&client, &mut peer, &log, json!({"region": "eu"})).await;
    assert_eq!(line, "request tools/call, Mcp-Name: deploy, Mcp-Param-Place: eu");
}

// A list of several pages is not there at once; the last one holds until it is.
#[tokio::test(start_paused = true)]
async fn calls_find_their_headers_while_the_tools_are_listed_again() {
    let (client, mut peer, log) = connected(true).await;
    list(&client, &mut peer, json!([tool("deploy", &json!("Region")), tool("gone", &json!("X"))])).await;
    let listing = client.clone();
    let (listing, first) = begun(&mut peer, async move { listing.list_tools().await }).await;
    peer.answer(&first, &json!({"resultType": "complete", "tools": [], "nextCursor": "2"}));
    let second = peer.next().await;
    let line = call(&client, &mut peer, &log, json!({"region": "eu"})).await;
    assert_eq!(line, "request tools/call, Mcp-Name: deploy, Mcp-Param-Region: eu");

    peer.answer(&second, &json!({"resultType": "complete", "tools": []}));
    listing.await.unwrap().unwrap();
    let line = call(&client, &mut peer, &log, json!({"region": "eu"})).await;
    assert_eq!(line, "request tools/call, Mcp-Name: deploy");
}

// C-155; the conformance suite's `http-invalid-tool-headers`.
#[tokio::test(start_paused = true)]
async fn a_tool_that_is_annotated_wrongly_is_left_out_and_told() {
    let (client, mut peer, _) = connected(true).await;
    let mut events = client.events();
    let tools = json!([
        tool("a", &json!("")),
        tool("fine", &json!("X")),
        tool("b", &json!("with space")),
        tool("c", &json!(7)),
        {"name": "plain", "inputSchema": {"type": "object"}},
    ]);
    assert_eq!(list(&client, &mut peer, tools.clone()).await, ["fine", "plain"]);
    for name in ["a", "b", "c"] {
        let Some(Event::Diagnostic(text)) = events.next().await else { panic!() };
        assert!(text.starts_with(&format!("left out the tool {name}: the `x-mcp-header`")), "{text}");
    }
    let raw = client.clone();
    let (listing, request) =
        begun(&mut peer, async move { raw.list_raw("tools/list", "tools", Default::default()).await }).await;
    peer.answer(&request, &json!({"tools": tools}));
    let left: Vec<_> = listing.await.unwrap().unwrap().iter().map(|tool| tool.as_str().len()).collect();
    assert_eq!(left.len(), 2);

    // Where there are no headers, there is nothing that could be wrong with them.
    let (client, mut peer, _) = connected(false).await;
    assert_eq!(list(&client, &mut peer, tools).await, ["a", "fine", "b", "c", "plain"]);
}

#[tokio::test(start_paused = true)]
async fn an_argument_that_fits_no_header_fails_the_call_here() {
    let (client, mut peer, _) = connected(true).await;
    list(&client, &mut peer, json!([tool("deploy", &json!("Region"))])).await;
    let error = client.call_tool("deploy", &json!({"region": ["secret"]})).await.unwrap_err();
    let ClientError::Header { source: ParamError::WrongType { .. }, .. } = &error else {
        panic!("{error:?}")
    };
    assert!(!format!("{error:?}").contains("secret"));
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

// Transports, 5.3: the newest schema is what counts, and a stale one is mended once.
#[tokio::test(start_paused = true)]
async fn a_refusal_of_the_headers_has_the_tools_listed_again_and_the_call_repeated_once() {
    let (client, mut peer, log) = connected(true).await;
    let mismatch = json!({"code": -32020, "message": "headers"});
    for is_mended in [true, false] {
        let calling = client.clone();
        let (call, request) =
            begun(&mut peer, async move { calling.call_tool("deploy", &json!({"region": "eu"})).await })
                .await;
        peer.refuse(&request, &mismatch);
        let listing = peer.next().await;
        assert_eq!(listing["method"], "tools/list");
        peer.answer(&listing, &json!({"tools": [tool("deploy", &json!("Region"))]}));
        let again = peer.next().await;
        assert_eq!(again["params"]["arguments"], json!({"region": "eu"}));
        assert!(log.lines().last().unwrap().ends_with("Mcp-Param-Region: eu"));
        if is_mended {
            peer.answer(&again, &said("done"));
            call.await.unwrap().unwrap();
        } else {
            peer.refuse(&again, &mismatch);
            assert_eq!(call.await.unwrap().unwrap_err().to_string(), "MCP error -32020: headers");
        }
    }
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}
