//! Calls whose structured results are checked against the tool's `outputSchema`.

use mcp_client::CallOptions;
use mcp_client::output::{CheckedCallError, OutputError, OutputSchemas, SchemaError};
use mcp_types::{CallToolResult, Tool};
use serde_json::{Value, json};

use crate::pair::{begun, connected, options, unread};

fn tool(schema: Option<&Value>) -> Tool {
    let mut tool = json!({"name": "sum", "inputSchema": {"type": "object"}});
    if let Some(schema) = schema {
        tool["outputSchema"] = schema.clone();
    }
    serde_json::from_str(&tool.to_string()).unwrap()
}

/// Calls the tool of a server that answers with `answer`.
async fn call(schema: Option<&Value>, answer: &Value) -> Result<CallToolResult, CheckedCallError> {
    let (client, mut peer) = connected(options()).await;
    let tool = tool(schema);
    let (call, request) = begun(&mut peer, async move {
        let schemas = OutputSchemas::default();
        client.call_tool_checked(&tool, &json!({"a": 1}), CallOptions::default(), &schemas).await
    })
    .await;
    assert_eq!(request["params"], json!({"name": "sum", "arguments": {"a": 1}}));
    peer.answer(&request, answer);
    call.await.unwrap()
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]})
}

#[tokio::test(start_paused = true)]
async fn a_structured_result_that_fits_is_given_out() {
    let answer = json!({"content": [], "structuredContent": {"sum": 3}});
    let result = call(Some(&schema()), &answer).await.unwrap();
    assert_eq!(result.structured_content.unwrap().get(), r#"{"sum":3}"#);
}

#[tokio::test(start_paused = true)]
async fn a_structured_result_that_does_not_fit_fails_with_the_result() {
    let answer = json!({"content": [{"type": "text", "text": "three"}], "structuredContent": {"sum": "3"}});
    match call(Some(&schema()), &answer).await {
        Err(CheckedCallError::Output { source: OutputError::Mismatch(found), result, .. }) => {
            assert_eq!((found.path.as_str(), result.content[0].as_text()), ("/sum", Some("three")));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_without_structured_content_fails_where_there_is_a_schema() {
    let answer = json!({"content": [{"type": "text", "text": "3"}]});
    let error = call(Some(&schema()), &answer).await.unwrap_err();
    assert!(matches!(&error, CheckedCallError::Output { source: OutputError::Missing, .. }), "{error:?}");
    assert_eq!(
        error.to_string(),
        "the result of tool `sum` of server `memory` is not as its output schema says"
    );
    call(None, &answer).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_failed_is_not_checked() {
    let answer = json!({"content": [{"type": "text", "text": "no"}], "isError": true});
    assert!(call(Some(&schema()), &answer).await.unwrap().is_error());
}

#[tokio::test(start_paused = true)]
async fn a_tool_whose_schema_cannot_be_used_is_not_called() {
    let (client, mut peer) = connected(options()).await;
    for (schema, text) in [
        (json!({"$schema": "urn:mine"}), "the dialect `urn:mine` is not supported"),
        (json!({"$ref": "http://127.0.0.1/s"}), "the reference `http://127.0.0.1/s` leads out of the schema"),
    ] {
        let schemas = OutputSchemas::default();
        let tool = tool(Some(&schema));
        match client.call_tool_checked(&tool, &(), CallOptions::default(), &schemas).await {
            Err(CheckedCallError::Schema { source, .. }) => assert_eq!(source.to_string(), text),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_is_the_error_of_the_call() {
    let (client, mut peer) = connected(options()).await;
    let tool = tool(Some(&schema()));
    let (call, request) = begun(&mut peer, async move {
        let schemas = OutputSchemas::default();
        client.call_tool_checked(&tool, &(), CallOptions::default(), &schemas).await
    })
    .await;
    peer.refuse(&request, &json!({"code": -32602, "message": "Unknown tool"}));
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(&error, CheckedCallError::Call(_)), "{error:?}");
    assert_eq!(error.to_string(), "MCP error -32602: Unknown tool");
}

#[test]
fn an_external_reference_is_its_own_kind_of_error() {
    let schema = tool(Some(&json!({"items": {"$ref": "https://example.com/s"}}))).output_schema.unwrap();
    assert!(matches!(OutputSchemas::default().compiled(&schema), Err(SchemaError::External(_))));
}
