//! Every type of mcp-types against the published schemas: what they allow is read, and written again as it was.

use std::path::Path;

use mcp_schemas::{Published, examples};
use mcp_types::Revision;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads an example and writes it again; what went wrong, in words.
type RoundTrip = fn(&str) -> Result<Value, String>;

fn round_trip<T: Serialize + DeserializeOwned>(text: &str) -> Result<Value, String> {
    let value: T = serde_json::from_str(text).map_err(|error| format!("cannot be read: {error}"))?;
    let text = serde_json::to_string(&value).map_err(|error| format!("cannot be written: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("is no JSON afterwards: {error}"))
}

/// Pairs the definitions of the schemas with types that are called as they are, or otherwise.
macro_rules! types {
    ($($definition:literal $kind:ident,)*) => {
        const TYPES: &[(&str, RoundTrip)] = &[$(($definition, round_trip::<mcp_types::$kind>),)*];
    };
}

types! {
    "Annotations" Annotations,
    "AudioContent" ContentBlock,
    "CallToolRequestParams" CallToolParams,
    "CallToolResult" CallToolResult,
    "CancelledNotificationParams" CancelledParams,
    "ClientCapabilities" ClientCapabilities,
    "ContentBlock" ContentBlock,
    "CreateMessageRequestParams" CreateMessageParams,
    "CreateMessageResult" CreateMessageResult,
    "DiscoverResult" DiscoverResult,
    "ElicitRequestParams" ElicitParams,
    "ElicitResult" ElicitResult,
    "EmbeddedResource" ContentBlock,
    "ResourceLink" ContentBlock,
    "EmptyResult" EmptyResult,
    "Error" ErrorObject,
    "GetPromptRequestParams" GetPromptParams,
    "GetPromptResult" GetPromptResult,
    "Icon" Icon,
    "ImageContent" ContentBlock,
    "Implementation" Implementation,
    "InitializeRequestParams" InitializeParams,
    "InitializeResult" InitializeResult,
    "InputRequest" InputRequest,
    "InputRequiredResult" InputRequiredResult,
    "ListPromptsResult" ListPromptsResult,
    "ListResourceTemplatesResult" ListResourceTemplatesResult,
    "ListResourcesResult" ListResourcesResult,
    "ListRootsResult" ListRootsResult,
    "ListToolsResult" ListToolsResult,
    "LoggingLevel" LoggingLevel,
    "LoggingMessageNotificationParams" LogMessageParams,
    "ModelHint" ModelHint,
    "ModelPreferences" ModelPreferences,
    "PaginatedRequestParams" ListToolsParams,
    "PrimitiveSchemaDefinition" ElicitField,
    "ProgressNotificationParams" ProgressParams,
    "ProgressToken" ProgressToken,
    "Prompt" Prompt,
    "PromptArgument" PromptArgument,
    "PromptMessage" PromptMessage,
    "ReadResourceRequestParams" ReadResourceParams,
    "ReadResourceResult" ReadResourceResult,
    "RequestId" RequestId,
    "Resource" Resource,
    "ResourceTemplate" ResourceTemplate,
    "Role" Role,
    "Root" Root,
    "SamplingMessage" SamplingMessage,
    "SamplingMessageContentBlock" SamplingBlock,
    "ServerCapabilities" ServerCapabilities,
    "SubscriptionFilter" SubscriptionFilter,
    "SubscriptionsAcknowledgedNotificationParams" AcknowledgedParams,
    "SubscriptionsListenRequestParams" ListenParams,
    "TextContent" ContentBlock,
    "TextResourceContents" ResourceContents,
    "BlobResourceContents" ResourceContents,
    "Tool" Tool,
    "ToolAnnotations" ToolAnnotations,
    "ToolChoice" ToolChoice,
    "ToolExecution" ToolExecution,
    "ToolResultContent" SamplingBlock,
    "ToolUseContent" SamplingBlock,
}

/// The one type that keeps no unknown members, and says so.
fn keeps_unknown_members(definition: &str) -> bool {
    definition != "Error"
}

/// Numbers are the same if their values are: `1` and `1.0`.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let same = |(name, left)| right.get(name).is_some_and(|right| is_same(left, right));
            left.len() == right.len() && left.iter().all(same)
        }
        _ => left == right,
    }
}

fn check(published: &Published, faults: &mut Vec<String>) -> usize {
    let mut checked = 0;
    for (definition, round_trip) in TYPES.iter().filter(|(definition, _)| published.defines(definition)) {
        let found = examples(published, definition);
        assert!(!found.is_empty());
        for mut example in found {
            published.check(definition, &example).expect("an example is what its definition says");
            checked += 1;
            if !keeps_unknown_members(definition)
                && let Value::Object(members) = &mut example
            {
                members.remove("x-unknown");
            }
            let text = example.to_string();
            match round_trip(&text) {
                Ok(again) if is_same(&example, &again) => {}
                Ok(again) => faults.push(format!("{definition}: {text}\n    became {again}")),
                Err(error) => faults.push(format!("{definition}: {text}\n    {error}")),
            }
        }
    }
    checked
}

fn check_all(folder: &Path) {
    let mut faults = Vec::new();
    for revision in Revision::ALL {
        let published = Published::read(folder, revision.as_str()).expect("each revision has a schema");
        let before = faults.len();
        let checked = check(&published, &mut faults);
        assert!(checked > 100, "{revision}: only {checked} examples");
        faults[before..].iter_mut().for_each(|fault| *fault = format!("{revision} {fault}"));
    }
    let shown = faults.len().min(40);
    assert!(faults.is_empty(), "{} examples:\n{}", faults.len(), faults[..shown].join("\n"));
}

#[test]
fn what_the_schemas_allow_is_read_and_written_again_as_it_was() {
    match mcp_schemas::folder() {
        Some(folder) => check_all(&folder),
        // `cargo xtask ci` says that this was left out.
        None => println!("left out: `MCP_SCHEMA_DIR` is not set"),
    }
}
