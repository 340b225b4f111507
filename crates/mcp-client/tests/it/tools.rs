//! Listings end, whatever the server does, and give all there is (case 150).

use mcp_client::{CallOptions, ClientError, ClientOptions, PagesError};
use mcp_jsonrpc::Raw;
use serde_json::{Value, json};

use crate::pair::{begun, connected, options};

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}, "x": 1})
}

/// Lists the tools of a server that answers page `n` with `pages(n)`; also the cursors it was sent.
async fn list(
    options: ClientOptions,
    pages: impl Fn(usize) -> Value,
) -> (Result<Vec<String>, ClientError>, Vec<Value>) {
    let (client, mut peer) = connected(options).await;
    let mut cursors = Vec::new();
    let (call, mut request) = begun(&mut peer, async move { client.list_tools().await }).await;
    let tools = loop {
        cursors.push(request["params"]["cursor"].clone());
        peer.answer(&request, &pages(cursors.len()));
        tokio::task::yield_now().await;
        match peer.try_next() {
            Some(next) => request = next,
            None => break call.await.unwrap(),
        }
    };
    (tools.map(|tools| tools.into_iter().map(|tool| tool.name).collect()), cursors)
}

fn broken_off(result: Result<Vec<String>, ClientError>) -> PagesError {
    match result.unwrap_err() {
        ClientError::Pages { source, method, .. } => {
            assert_eq!(&*method, "tools/list");
            source
        }
        error => panic!("{error:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn all_pages_are_read_and_cursors_go_back_unchanged() {
    let (tools, cursors) = list(options(), |page| match page {
        1 => json!({"tools": [tool("a"), tool("b")], "nextCursor": "eyJ9=\"é"}),
        2 => json!({"tools": [], "nextCursor": ""}),
        _ => json!({"tools": [tool("c")], "nextCursor": null}),
    })
    .await;
    assert_eq!(tools.unwrap(), ["a", "b", "c"]);
    assert_eq!(cursors, [json!(null), json!("eyJ9=\"é"), json!("")]);
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_repeats_is_an_error() {
    let (tools, cursors) = list(options(), |_| json!({"tools": [], "nextCursor": "c1"})).await;
    assert_eq!((broken_off(tools), cursors.len()), (PagesError::RepeatedCursor { page: 2 }, 2));

    let alternating = |page| json!({"tools": [], "nextCursor": format!("c{}", page % 2)});
    let (tools, cursors) = list(options(), alternating).await;
    assert_eq!((broken_off(tools), cursors.len()), (PagesError::RepeatedCursor { page: 3 }, 3));
}

#[tokio::test(start_paused = true)]
async fn pages_without_end_are_an_error() {
    let mut options = options();
    options.max_pages = 7;
    let fresh = |page| json!({"tools": [], "nextCursor": format!("{page}")});
    let (tools, cursors) = list(options, fresh).await;
    assert_eq!((broken_off(tools), cursors.len()), (PagesError::TooManyPages { limit: 7 }, 7));
}

#[tokio::test(start_paused = true)]
async fn too_many_items_and_too_many_bytes_are_an_error() {
    let page = |page| json!({"tools": [tool("a"), tool("b")], "nextCursor": format!("{page}")});
    let mut few = options();
    few.max_items = 3;
    assert_eq!(broken_off(list(few, page).await.0), PagesError::TooManyItems { limit: 3 });
    let mut short = options();
    short.max_list_bytes = 200;
    assert_eq!(broken_off(list(short, page).await.0), PagesError::TooManyBytes { limit: 200 });
}

#[tokio::test(start_paused = true)]
async fn raw_items_come_exactly_as_they_were_sent() {
    let (client, mut peer) = connected(options()).await;
    let (call, request) =
        begun(&mut peer, async move { client.list_raw("tools/list", "tools", CallOptions::default()).await })
            .await;
    let items = [r#"{"z":1e400, "name":"a"}"#, "null", r#"{"name":9007199254740993}"#];
    peer.send(format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[{}]}}}}"#,
        request["id"],
        items.join(", ")
    ));
    let found = call.await.unwrap().unwrap();
    assert_eq!(found.iter().map(Raw::as_str).collect::<Vec<_>>(), items);
}

#[tokio::test(start_paused = true)]
async fn arguments_that_are_no_object_are_not_sent() {
    let (client, mut peer) = connected(options()).await;
    let error = client.call_tool("t", &["SECRET-1"]).await.unwrap_err();
    assert!(matches!(error, ClientError::Params { .. }), "{error:?}");
    assert_eq!(error.to_string(), "the params of `tools/call` cannot be written");
    assert!(!format!("{error:?}").contains("SECRET-1"));
    assert!(peer.try_next().is_none());
}
