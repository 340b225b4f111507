//! What the typed handlers declare and answer.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_client::form::{FormContent, FormValue};
use mcp_client::{
    Client, ClientOptions, ElicitationHandler, FormAnswer, FormRequest, Refusal, RootsProvider,
    SamplingHandler, SamplingRequest, UrlAnswer, UrlRequest,
};
use mcp_jsonrpc::testing::{MemoryConnect, MemoryPeer};
use mcp_types::{
    CreateMessageResult, ElicitationCapability, Extra, Root, SamplingCapability, SamplingContent,
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::pair::{connected, init, options, settle, unread};

struct Folders(Vec<&'static str>);

#[async_trait]
impl RootsProvider for Folders {
    fn list_changed(&self) -> bool {
        true
    }

    async fn roots(&self) -> Result<Vec<Root>, Refusal> {
        Ok(self.0.iter().map(|uri| Root::new(*uri)).collect())
    }
}

/// Repeats the last message, or refuses one that says so.
struct Parrot {
    takes_tools: bool,
}

#[async_trait]
impl SamplingHandler for Parrot {
    fn capability(&self) -> SamplingCapability {
        let mut capability = SamplingCapability::default();
        capability.tools = self.takes_tools.then(Extra::new);
        capability
    }

    async fn create_message(&self, request: SamplingRequest) -> Result<CreateMessageResult, Refusal> {
        assert_eq!(&*request.server, "memory");
        let last = request.params.messages.last().cloned();
        match last {
            Some(message) => Ok(CreateMessageResult::new("parrot", message.content)),
            None => Err(Refusal::Rejected),
        }
    }
}

/// Does what the message says.
#[derive(Default)]
struct User {
    dropped: Arc<Notify>,
    has_url: bool,
    no_form: bool,
}

struct Dropped(Arc<Notify>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[async_trait]
impl ElicitationHandler for User {
    fn capability(&self) -> ElicitationCapability {
        let mut capability = ElicitationCapability::default();
        capability.form = (!self.no_form).then(Extra::new);
        capability.url = self.has_url.then(Extra::new);
        capability
    }

    async fn form(&self, request: FormRequest) -> Result<FormAnswer, Refusal> {
        match request.message.as_str() {
            "accept" => Ok(FormAnswer::Accept(request.form.defaults())),
            "misfit" => {
                let mut content = FormContent::default();
                content.set("name", FormValue::from(7));
                Ok(FormAnswer::Accept(content))
            }
            "decline" => Ok(FormAnswer::Decline),
            "wait" => {
                let _dropped = Dropped(self.dropped.clone());
                std::future::pending().await
            }
            _ => Ok(FormAnswer::Cancel),
        }
    }

    async fn url(&self, request: UrlRequest) -> Result<UrlAnswer, Refusal> {
        match request.elicitation.message.as_str() {
            "accept" => Ok(UrlAnswer::Accept),
            "decline" => Ok(UrlAnswer::Decline),
            _ => Ok(UrlAnswer::Cancel),
        }
    }
}

fn all() -> ClientOptions {
    let mut options = options();
    options.roots = Some(Arc::new(Folders(vec!["file:///a"])));
    options.sampling = Some(Arc::new(Parrot { takes_tools: true }));
    options.elicitation = Some(Arc::new(User { has_url: true, ..User::default() }));
    options
}

/// The capabilities that the client declares.
async fn declared(options: ClientOptions) -> Value {
    let (connect, mut peers) = MemoryConnect::new();
    let serve = async {
        let mut peer = peers.recv().await.unwrap();
        let mut request = peer.next().await;
        peer.answer(&request, &init("2025-11-25"));
        peer.next().await;
        request["params"]["capabilities"].take()
    };
    let (client, declared) = tokio::join!(Client::connect(&connect, options), serve);
    client.unwrap();
    declared
}

async fn ask(peer: &mut MemoryPeer, method: &str, params: &Value) -> Value {
    peer.send(json!({"jsonrpc": "2.0", "id": 0, "method": method, "params": params}).to_string());
    let mut answer = peer.next().await;
    answer.as_object_mut().unwrap().retain(|name, _| name == "result" || name == "error");
    answer
}

fn error(code: i64, message: &str) -> Value {
    json!({"error": {"code": code, "message": message}})
}

fn form(message: &str) -> Value {
    json!({"message": message, "requestedSchema": {
        "type": "object", "properties": {"name": {"type": "string", "default": "Ann"}, "age": {"type": "integer"}},
        "required": ["name"],
    }})
}

// C-273, C-287, C-289, C-321, C-323.
#[tokio::test(start_paused = true)]
async fn what_has_a_handler_is_declared_and_nothing_else() {
    assert_eq!(declared(options()).await, json!({}));
    let expected = json!({
        "roots": {"listChanged": true}, "sampling": {"tools": {}}, "elicitation": {"form": {}, "url": {}},
    });
    assert_eq!(declared(all()).await, expected);
}

#[tokio::test(start_paused = true)]
async fn what_the_caller_declares_stays_unless_a_handler_speaks_for_it() {
    let mut options = options();
    options.capabilities = serde_json::from_value(json!({
        "experimental": {"x": {}}, "roots": {"x": 1}, "sampling": {"context": {}}, "elicitation": {"url": {}},
    }))
    .unwrap();
    options.sampling = Some(Arc::new(Parrot { takes_tools: false }));
    options.elicitation = Some(Arc::new(User::default()));
    let expected = json!({
        "experimental": {"x": {}}, "roots": {"x": 1}, "sampling": {}, "elicitation": {"form": {}},
    });
    assert_eq!(declared(options).await, expected);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_declared_gets_method_not_found() {
    let mut options = options();
    options.roots = Some(Arc::new(Folders(Vec::new())));
    let (_client, mut peer) = connected(options).await;
    assert_eq!(ask(&mut peer, "roots/list", &json!({})).await, json!({"result": {"roots": []}}));
    for method in ["sampling/createMessage", "elicitation/create", "x/y"] {
        let expected = error(-32601, &format!("Method not found: {method}"));
        assert_eq!(ask(&mut peer, method, &json!({})).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn roots_are_told_and_an_unsound_one_is_not() {
    let (_client, mut peer) = connected(all()).await;
    let expected = json!({"result": {"roots": [{"uri": "file:///a"}]}});
    assert_eq!(ask(&mut peer, "roots/list", &Value::Null).await, expected);
    assert_eq!(ask(&mut peer, "roots/list", &json!({"_meta": {}})).await, expected);

    let mut options = options();
    options.roots = Some(Arc::new(Folders(vec!["file:///a", "file:///a/../b"])));
    let (_client, mut peer) = connected(options).await;
    let expected = error(-32603, "A root is no absolute `file://` URI");
    assert_eq!(ask(&mut peer, "roots/list", &json!({})).await, expected);
}

// C-275.
#[tokio::test(start_paused = true)]
async fn a_change_of_roots_is_told_only_where_that_was_promised() {
    let (client, mut peer) = connected(all()).await;
    client.roots_changed().await.unwrap();
    assert_eq!(peer.next().await, json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    let (client, mut peer) = connected(options()).await;
    client.roots_changed().await.unwrap();
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

fn sampling(content: &Value) -> Value {
    json!({"messages": [{"role": "user", "content": content}], "maxTokens": 9})
}

// C-290, C-310, C-317; section 23.1: a `task` is ignored.
#[tokio::test(start_paused = true)]
async fn sampling_is_answered_by_its_handler() {
    let (_client, mut peer) = connected(all()).await;
    for content in [json!({"type": "text", "text": "t"}), json!([{"type": "text", "text": "t"}])] {
        let mut params = sampling(&content);
        params["tools"] = json!([]);
        params["task"] = json!({"ttl": 1});
        let expected = json!({"result": {"role": "assistant", "content": content, "model": "parrot"}});
        assert_eq!(ask(&mut peer, "sampling/createMessage", &params).await, expected);
    }
    let refused = ask(&mut peer, "sampling/createMessage", &json!({"messages": [], "maxTokens": 1})).await;
    assert_eq!(refused, error(-1, "User rejected sampling request"));
}

// C-290, C-311, C-312.
#[tokio::test(start_paused = true)]
async fn sampling_that_breaks_the_rules_never_reaches_the_handler() {
    let mut options = options();
    options.sampling = Some(Arc::new(Parrot { takes_tools: false }));
    let (_client, mut peer) = connected(options).await;
    let mut check = async |params: Value, message: &str| {
        let answer = ask(&mut peer, "sampling/createMessage", &params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let found = answer["error"]["message"].as_str().unwrap();
        assert!(found.starts_with(message), "{found}");
    };
    for member in ["tools", "toolChoice"] {
        let mut params = sampling(&json!({"type": "text", "text": "t"}));
        params[member] = if member == "tools" { json!([]) } else { json!({}) };
        check(params, "Tools in sampling were not declared").await;
    }
    let call = json!({"type": "tool_use", "id": "1", "name": "n", "input": {}});
    check(sampling(&call), "A tool result is missing after message 0").await;
    let result = json!({"type": "tool_result", "toolUseId": "1", "content": []});
    let mixed = json!([result, {"type": "text", "text": "t"}]);
    check(sampling(&mixed), "Message 0 mixes tool results with other content").await;
    check(json!({"messages": []}), "missing field `maxTokens`").await;
    check(json!({}), "missing field `messages`").await;
}

// C-324, C-338, C-339, C-340.
#[tokio::test(start_paused = true)]
async fn a_form_is_answered_with_content_only_if_it_is_accepted() {
    let (_client, mut peer) = connected(all()).await;
    let expected = json!({"result": {"action": "accept", "content": {"name": "Ann"}}});
    assert_eq!(ask(&mut peer, "elicitation/create", &form("accept")).await, expected);
    let mut with_mode = form("accept");
    with_mode["mode"] = json!("form");
    with_mode["task"] = json!({"ttl": 1});
    assert_eq!(ask(&mut peer, "elicitation/create", &with_mode).await, expected);
    for action in ["decline", "cancel"] {
        let expected = json!({"result": {"action": action}});
        assert_eq!(ask(&mut peer, "elicitation/create", &form(action)).await, expected);
    }
    let misfit = ask(&mut peer, "elicitation/create", &form("misfit")).await;
    assert_eq!(misfit, error(-32603, "the field `name` does not fit"));
}

// C-325.
#[tokio::test(start_paused = true)]
async fn a_mode_that_was_not_declared_is_refused() {
    let url = json!({"mode": "url", "message": "accept", "url": "https://example.com", "elicitationId": "1"});
    let mut other = form("accept");
    other["mode"] = json!("voice");
    for (user, refused, served) in [
        (User::default(), [&url, &other], &form("accept")),
        (User { has_url: true, no_form: true, ..User::default() }, [&form("accept"), &other], &url),
    ] {
        let mut options = options();
        options.elicitation = Some(Arc::new(user));
        let (_client, mut peer) = connected(options).await;
        for params in refused {
            let answer = ask(&mut peer, "elicitation/create", params).await;
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
        }
        assert_eq!(ask(&mut peer, "elicitation/create", served).await["result"]["action"], "accept");
    }
}

#[tokio::test(start_paused = true)]
async fn questions_that_cannot_be_asked_are_refused() {
    let (_client, mut peer) = connected(all()).await;
    for params in [
        json!({}),
        json!({"message": "accept"}),
        json!({"message": "accept", "requestedSchema": {"type": "array"}}),
        json!({"message": "accept", "requestedSchema": {"type": "object", "properties": {"a": {"type": "object"}}}}),
        json!({"mode": "url", "message": "accept"}),
        json!({"mode": "url", "message": "accept", "url": "javascript:alert(1)", "elicitationId": "1"}),
        json!([1]),
    ] {
        let answer = ask(&mut peer, "elicitation/create", &params).await;
        assert_eq!(answer["error"]["code"], -32602, "{params} {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_the_server_cancels_is_dropped_and_not_answered() {
    let user = Arc::new(User::default());
    let mut options = options();
    options.elicitation = Some(user.clone());
    let (_client, mut peer) = connected(options).await;
    peer.send(
        json!({"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": form("wait")})
            .to_string(),
    );
    settle().await;
    peer.notify("notifications/cancelled", &json!({"requestId": 0}));
    user.dropped.notified().await;
    settle().await;
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

// C-308, C-336.
#[tokio::test(start_paused = true)]
async fn no_more_questions_are_open_at_once_than_allowed() {
    let mut options = options();
    options.elicitation = Some(Arc::new(User::default()));
    options.max_server_requests = 1;
    let (_client, mut peer) = connected(options).await;
    peer.send(
        json!({"jsonrpc": "2.0", "id": 9, "method": "elicitation/create", "params": form("wait")})
            .to_string(),
    );
    settle().await;
    let busy = ask(&mut peer, "elicitation/create", &form("accept")).await;
    assert_eq!(busy, error(-32603, "Busy with 1 requests already"));
}

// C-316.
#[tokio::test(start_paused = true)]
async fn the_meta_of_tool_use_comes_back_as_it_was() {
    let (_client, mut peer) = connected(all()).await;
    let call = json!([{"type": "tool_use", "id": "1", "name": "n", "input": {"a": 1}}]);
    let result = json!([{"type": "tool_result", "toolUseId": "1", "content": [], "_meta": {"x/cache": 7}}]);
    let params = json!({"maxTokens": 1, "messages": [
        {"role": "assistant", "content": call}, {"role": "user", "content": result},
    ]});
    let answer = ask(&mut peer, "sampling/createMessage", &params).await;
    let content: SamplingContent = serde_json::from_value(answer["result"]["content"].clone()).unwrap();
    assert_eq!(serde_json::to_value(content).unwrap(), result);
}
