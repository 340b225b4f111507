//! Every shape there and back, byte for byte.

use std::fmt::Debug;

use proptest::prelude::{Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::task_extension::{ExtensionTask, UpdateTaskParams};
use crate::{
    Annotations, CallToolParams, CallToolResult, CancelledParams, ClientCapabilities, CompleteParams,
    CompleteResult, CreateMessageParams, CreateMessageResult, CreateTaskResult, ElicitField, ElicitParams,
    ElicitResult, ElicitationCompleteParams, EmptyResult, Extra, Icon, Implementation, InitializeParams,
    InitializeResult, ListRootsParams, ListRootsResult, ListTasksParams, ListTasksResult, ListToolsParams,
    ListToolsResult, LogMessageParams, Meta, ProgressParams, Resource, ResourceContents,
    ResourceUpdatedParams, ServerCapabilities, SetLevelParams, SubscribeParams, Task, TaskMetadata,
    TaskParams, Tool, ToolAnnotations, ToolExecution, UnsubscribeParams, UrlElicitationRequired,
};

/// Unknown members, whose values no number type of Rust could carry.
const UNKNOWN: &str = r#""x-new":{"b":1,"a":[9007199254740993,18446744073709551615,-0,0.10,1e400]},"y":null"#;

/// Reads what is known plus [`UNKNOWN`] and expects the very same text back.
///
/// `@` stands for the unknown members, so that they can be put into objects further inside.
fn check<T: Serialize + DeserializeOwned>(json: &str) {
    let json = json.replace('@', UNKNOWN);
    let value: T = serde_json::from_str(&json).unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), json);
}

fn error<T: DeserializeOwned + Debug>(json: &str) -> String {
    serde_json::from_str::<T>(json).unwrap_err().to_string()
}

#[test]
fn shared_objects_round_trip() {
    check::<Extra>("{@}");
    check::<Meta>(r#"{"progressToken":"t",@}"#);
    check::<Icon>(r#"{"src":"data:,","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark",@}"#);
    check::<Icon>(r#"{"src":"https://example.com/i"}"#);
    check::<Annotations>(
        r#"{"audience":["user","robot"],"priority":0.5,"lastModified":"2025-01-12T15:00:58Z",@}"#,
    );
    check::<Annotations>(r#"{"audience":[]}"#);
    check::<Resource>(
        r#"{"uri":"file:///a","name":"a","title":"A","description":"d","mimeType":"text/plain","size":9007199254740993,"annotations":{@},"icons":[{"src":"data:,",@}],"_meta":{@},@}"#,
    );
    check::<ResourceContents>(r#"{"uri":"file:///a","mimeType":"text/plain","text":"a\n","_meta":{@},@}"#);
    check::<ResourceContents>(r#"{"uri":"file:///a","blob":"AA==",@}"#);
}

#[test]
fn lifecycle_objects_round_trip() {
    check::<Implementation>(
        r#"{"name":"n","title":"t","version":"1","description":"d","websiteUrl":"https://example.com","icons":[{"src":"data:,",@}],@}"#,
    );
    check::<InitializeParams>(
        r#"{"protocolVersion":"2025-11-25","capabilities":{@},"clientInfo":{"name":"n","version":"1",@},"_meta":{@},@}"#,
    );
    check::<InitializeResult>(
        r#"{"protocolVersion":"1999-01-01","capabilities":{@},"serverInfo":{"name":"n","version":"",@},"instructions":"i","_meta":{@},@}"#,
    );
    check::<ClientCapabilities>(
        r#"{"experimental":{@},"roots":{"listChanged":true,@},"sampling":{"context":{},"tools":{@},@},"elicitation":{"form":{},"url":{@},@},"tasks":{"list":{},"cancel":{@},"requests":{"sampling":{"createMessage":{@},@},"elicitation":{"create":{}},@},@},"extensions":{"io.modelcontextprotocol/tasks":{@},@},@}"#,
    );
    check::<ServerCapabilities>(
        r#"{"experimental":{@},"logging":{@},"completions":{},"prompts":{"listChanged":false,@},"resources":{"subscribe":true,"listChanged":true,@},"tools":{"listChanged":true,@},"tasks":{"list":{},"requests":{"tools":{"call":{@},@},@},@},"extensions":{@},@}"#,
    );
    check::<ServerCapabilities>("{}");
    check::<EmptyResult>(r#"{"_meta":{@},@}"#);
    check::<EmptyResult>("{}");
}

#[test]
fn tool_objects_round_trip() {
    check::<Tool>(
        r#"{"name":"n","title":"t","description":"d","inputSchema":{"type":"object","$defs":{"z":1,"a":2},@},"outputSchema":{"const":1e400,@},"annotations":{@},"execution":{@},"icons":[{"src":"data:,",@}],"_meta":{@},@}"#,
    );
    check::<ToolAnnotations>(
        r#"{"title":"t","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,@}"#,
    );
    check::<ToolExecution>(r#"{"taskSupport":"optional",@}"#);
    check::<ListToolsParams>(r#"{"cursor":"","_meta":{@},@}"#);
    check::<ListToolsParams>("{}");
    check::<ListToolsResult>(r#"{"tools":[{"name":"n","inputSchema":{},@}],"nextCursor":"","_meta":{@},@}"#);
    check::<ListToolsResult>(r#"{"tools":[]}"#);
    check::<CallToolParams>(
        r#"{"name":"n","arguments":{@},"task":{"ttl":1,@},"_meta":{"progressToken":7,@},@}"#,
    );
    check::<CallToolResult>(
        r#"{"content":[{"type":"text","text":"t",@},{"type":"x-new",@}],"structuredContent":{@},"isError":false,"_meta":{@},@}"#,
    );
}

#[test]
fn completion_subscription_and_level_round_trip() {
    check::<CompleteParams>(
        r#"{"ref":{"type":"ref/prompt","name":"n","title":"t","uri":"u",@},"argument":{"name":"n","value":"v",@},"context":{"arguments":{"a":"1","b":""},@},"_meta":{@},@}"#,
    );
    check::<CompleteResult>(
        r#"{"completion":{"values":["a",""],"total":100,"hasMore":true,@},"_meta":{@},@}"#,
    );
    check::<CompleteResult>(r#"{"completion":{"values":[]}}"#);
    check::<SubscribeParams>(r#"{"uri":"a:1","_meta":{@},@}"#);
    check::<UnsubscribeParams>(r#"{"uri":"a:1","_meta":{@},@}"#);
    check::<ResourceUpdatedParams>(r#"{"uri":"a:1","_meta":{@},@}"#);
    check::<SetLevelParams>(r#"{"level":"LOUD","_meta":{@},@}"#);
}

#[test]
fn task_objects_round_trip() {
    let task = r#"{"taskId":"t","status":"paused","statusMessage":"m","createdAt":"a","lastUpdatedAt":"b","ttl":null,"pollInterval":5,"_meta":{@},@}"#;
    check::<Task>(task);
    check::<CreateTaskResult>(&format!(r#"{{"task":{task},"_meta":{{@}},@}}"#));
    check::<ListTasksParams>(r#"{"cursor":"","_meta":{@},@}"#);
    check::<ListTasksResult>(&format!(r#"{{"tasks":[{task}],"nextCursor":"","_meta":{{@}},@}}"#));
    check::<TaskParams>(r#"{"taskId":"t","_meta":{@},@}"#);
    check::<TaskMetadata>(r#"{"ttl":18446744073709551615,@}"#);
    check::<ExtensionTask>(
        r#"{"taskId":"t","status":"completed","statusMessage":"m","createdAt":"a","lastUpdatedAt":"b","ttlMs":7,"pollIntervalMs":-1,"inputRequests":{"k":{"method":"m",@},@},"result":{@},"error":{"code":1,"message":"m","data":{@}},"_meta":{@},@}"#,
    );
    check::<UpdateTaskParams>(r#"{"taskId":"t","inputResponses":{"k":{@},@},"_meta":{@},@}"#);
}

#[test]
fn notice_params_round_trip() {
    check::<CancelledParams>(r#"{"requestId":"7","reason":"r","_meta":{@},@}"#);
    check::<CancelledParams>(r#"{"requestId":7}"#);
    check::<CancelledParams>("{@}");
    check::<ProgressParams>(r#"{"progressToken":0,"progress":0.5,"total":1.5,"message":"m","_meta":{@},@}"#);
    check::<LogMessageParams>(r#"{"level":"warning","logger":"l","data":{@},"_meta":{@},@}"#);
    check::<LogMessageParams>(r#"{"level":"LOUD","data":null}"#);
}

#[test]
fn what_the_server_asks_round_trips() {
    check::<ListRootsParams>(r#"{"_meta":{@},@}"#);
    check::<ListRootsResult>(r#"{"roots":[{"uri":"file:///a","name":"a","_meta":{@},@}],"_meta":{@},@}"#);
    check::<CreateMessageParams>(
        r#"{"messages":[{"role":"user","content":{"type":"text","text":"t",@},"_meta":{@},@}],"modelPreferences":{"hints":[{"name":"m",@}],"costPriority":0.5,"speedPriority":0,"intelligencePriority":1,@},"systemPrompt":"s","includeContext":"none","temperature":0.5,"maxTokens":9007199254740993,"stopSequences":["x"],"metadata":{@},"tools":[{"name":"n","inputSchema":{@},@}],"toolChoice":{"mode":"auto",@},"task":{"ttl":1,@},"_meta":{@},@}"#,
    );
    check::<CreateMessageResult>(
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"n","input":{@},@}],"model":"m","stopReason":"toolUse","_meta":{@},@}"#,
    );
    check::<ElicitParams>(
        r#"{"mode":"form","message":"m","requestedSchema":{"$schema":"s","type":"object","properties":{"a":{@}},"required":["a"],@},"task":{@},"_meta":{@},@}"#,
    );
    check::<ElicitField>(
        r#"{"type":"string","title":"t","description":"d","minLength":1,"maxLength":2,"format":"email","minimum":-1,"maximum":0.5,"enum":["a"],"enumNames":["A"],"oneOf":[{"const":"a","title":"A",@}],"items":{"type":"string","enum":["a"],"anyOf":[{"const":"a",@}],@},"minItems":0,"maxItems":3,"default":[1e400],@}"#,
    );
    check::<ElicitResult>(r#"{"action":"accept","content":{@},"_meta":{@},@}"#);
    check::<ElicitationCompleteParams>(r#"{"elicitationId":"","_meta":{@},@}"#);
    check::<UrlElicitationRequired>(
        r#"{"elicitations":[{"mode":"url","message":"m","url":"https://example.com","elicitationId":"1",@}],@}"#,
    );
}

#[test]
fn integers_are_progress_too() {
    let params: ProgressParams =
        serde_json::from_str(r#"{"progressToken":1,"progress":3,"total":10}"#).unwrap();
    assert!((params.progress - 3.0).abs() < f64::EPSILON);
    assert_eq!(params.total.map(f64::to_bits), Some(10f64.to_bits()));
}

#[test]
fn a_log_message_without_data_is_not_lost() {
    let params: LogMessageParams = serde_json::from_str(r#"{"level":"info"}"#).unwrap();
    assert_eq!(params.data.get(), "null");
}

#[test]
fn null_is_an_absent_member() {
    let json = r#"{"name":"n","title":null,"inputSchema":{},"annotations":null,"icons":null,"_meta":null}"#;
    let tool: Tool = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&tool).unwrap(), r#"{"name":"n","inputSchema":{}}"#);

    let page: ListToolsResult = serde_json::from_str(r#"{"tools":[],"nextCursor":null}"#).unwrap();
    assert_eq!(page.next_cursor, None);
}

#[test]
fn an_empty_string_is_a_cursor() {
    let page: ListToolsResult = serde_json::from_str(r#"{"tools":[],"nextCursor":""}"#).unwrap();
    assert_eq!(page.next_cursor.as_deref(), Some(""));
}

#[test]
fn the_last_of_two_equal_members_counts() {
    let icon: Icon = serde_json::from_str(r#"{"src":"a","theme":"dark","src":"b","theme":null}"#).unwrap();
    assert_eq!(serde_json::to_string(&icon).unwrap(), r#"{"src":"b"}"#);
}

#[test]
fn a_name_with_escapes_is_still_that_name() {
    let icon: Icon = serde_json::from_str(r#"{"\u0073rc":"a","x\n":1}"#).unwrap();
    assert_eq!(icon.src, "a");
    assert_eq!(icon.extra.get("x\n").unwrap().get(), "1");
}

#[test]
fn an_error_names_the_missing_member() {
    assert_eq!(error::<Tool>(r#"{"name":"n"}"#), "missing field `inputSchema` at line 1 column 12");
    assert_eq!(
        error::<InitializeResult>(r#"{"protocolVersion":"1","capabilities":{},"serverInfo":{"name":"n"}}"#),
        "`serverInfo`: missing field `version` at line 1 column 66",
    );
}

#[test]
fn an_error_names_the_member_of_the_wrong_type_and_where_it_is() {
    assert_eq!(
        error::<ListToolsResult>("{\"tools\":[\n{\"name\":\"n\",\"title\":7}]}"),
        "`tools`: `title`: invalid type: integer `7`, expected a string at line 2 column 21",
    );
    assert_eq!(error::<Icon>("[]"), "invalid type: sequence, expected an object at line 1 column 0");
}

/// A JSON value as text, without spaces around it.
fn json() -> impl Strategy<Value = String> {
    let quoted = any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap());
    let leaf = prop_oneof![
        prop::sample::select(vec!["null", "true", "-0", "1e400", "0.10", "[ ]"]).prop_map(str::to_owned),
        any::<u64>().prop_map(|number| number.to_string()),
        quoted.clone(),
    ];
    leaf.prop_recursive(4, 16, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            prop::collection::vec((quoted.clone(), inner), 0..4).prop_map(|members| object(&members)),
        ]
    })
}

fn object(members: &[(String, String)]) -> String {
    let members: Vec<_> = members.iter().map(|(name, value)| format!("{name}:{value}")).collect();
    format!("{{{}}}", members.join(","))
}

proptest! {
    #[test]
    fn any_unknown_members_round_trip(
        members in prop::collection::vec((any::<String>(), json()), 1..6),
    ) {
        let named = |(name, value): &(String, String)| {
            (serde_json::to_string(&format!("x-{name}")).unwrap(), value.clone())
        };
        let members = object(&members.iter().map(named).collect::<Vec<_>>());
        let members = &members[1..members.len() - 1];
        let block = format!(r#"{{"type":"text","text":"t",{members}}}"#);
        let late = format!(r#"{{{members},"type":"x-new"}}"#);
        let json = format!(r#"{{"content":[{block},{late}],"_meta":{{{members}}},{members}}}"#);
        let result: CallToolResult = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(serde_json::to_string(&result).unwrap(), json);
    }
}
