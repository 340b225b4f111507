//! The typed methods: what they send, and what they make of the answer.

use std::collections::BTreeMap;
use std::future::Future;

use mcp_client::{CallOptions, Client, ClientError, Event};
use mcp_types::{CompleteParams, CompletionReference, LoggingLevel, ResourceUpdated};
use serde_json::{Value, json};

use crate::pair::{begun, connected_as, options};

/// A server of that version that can do everything.
pub(crate) fn able(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {
            "tools": {}, "resources": {"subscribe": true}, "prompts": {}, "completions": {}, "logging": {},
            "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}},
        },
        "serverInfo": {"name": "peer", "version": "0.1"},
    })
}

/// What `call` sends, but for its id, and what it comes to if the server answers so.
async fn exchange<T, F>(
    version: &str,
    call: impl FnOnce(Client) -> F,
    answer: Value,
) -> (Value, Result<T, ClientError>)
where
    T: Send + 'static,
    F: Future<Output = Result<T, ClientError>> + Send + 'static,
{
    let (client, mut peer) = connected_as(options(), able(version)).await;
    let (call, request) = begun(&mut peer, call(client)).await;
    peer.answer(&request, &answer);
    let sent = json!([request["method"], request.get("params").cloned().unwrap_or_default()]);
    (sent, call.await.unwrap())
}

const R4: &str = "2025-11-25";

#[tokio::test(start_paused = true)]
async fn resources_are_listed_and_read() {
    let page = json!({"resources": [{"uri": "a:1", "name": "n"}, {"uri": "a:2", "name": "m", "size": 7}]});
    let (sent, found) = exchange(R4, |client| async move { client.list_resources().await }, page).await;
    assert_eq!(sent, json!(["resources/list", null]));
    assert_eq!(found.unwrap().iter().map(|resource| &*resource.uri).collect::<Vec<_>>(), ["a:1", "a:2"]);

    let page = json!({"resourceTemplates": [{"uriTemplate": "a:{x}", "name": "n"}]});
    let list = |client: Client| async move { client.list_resource_templates().await };
    let (sent, found) = exchange(R4, list, page).await;
    assert_eq!(sent, json!(["resources/templates/list", null]));
    assert_eq!(found.unwrap()[0].uri_template, "a:{x}");

    let contents = json!({"contents": [{"uri": "a:1/x", "text": "t"}, {"uri": "a:1/y", "blob": "AA=="}]});
    let (sent, found) =
        exchange(R4, |client| async move { client.read_resource("a:1").await }, contents).await;
    assert_eq!(sent, json!(["resources/read", {"uri": "a:1"}]));
    let found = found.unwrap().contents;
    assert_eq!((found[0].text.as_deref(), found[1].blob.as_deref()), (Some("t"), Some("AA==")));
    assert_eq!(found[1].uri, "a:1/y");
}

#[tokio::test(start_paused = true)]
async fn prompts_are_listed_and_filled_in() {
    let page = json!({"prompts": [{"name": "review"}]});
    let (sent, found) = exchange(R4, |client| async move { client.list_prompts().await }, page).await;
    assert_eq!(sent, json!(["prompts/list", null]));
    assert_eq!(found.unwrap()[0].name, "review");

    let messages = json!({"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}]});
    let arguments: BTreeMap<_, _> = [("code".to_owned(), "1+1".to_owned())].into();
    for (arguments, params) in [
        (arguments, json!({"name": "review", "arguments": {"code": "1+1"}})),
        (BTreeMap::new(), json!({"name": "review"})),
    ] {
        let get = |client: Client| async move { client.get_prompt("review", arguments).await };
        let (sent, found) = exchange(R4, get, messages.clone()).await;
        assert_eq!(sent, json!(["prompts/get", params]));
        assert_eq!(found.unwrap().messages[0].content.as_text(), Some("hi"));
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_chosen_before_goes_only_to_servers_that_know_of_it() {
    for (version, knows) in [("2024-11-05", false), ("2025-03-26", false), ("2025-06-18", true), (R4, true)] {
        let params = CompleteParams::new(CompletionReference::resource("a:{x}/{y}"), "y", "p");
        let params = params.with_context([("x".to_owned(), "1".to_owned())].into());
        let answer = json!({"completion": {"values": ["py"]}});
        let complete = |client: Client| async move { client.complete(params).await };
        let (sent, found) = exchange(version, complete, answer).await;
        let mut expected = json!({"ref": {"type": "ref/resource", "uri": "a:{x}/{y}"}, "argument": {"name": "y", "value": "p"}});
        if knows {
            expected["context"] = json!({"arguments": {"x": "1"}});
        }
        assert_eq!(sent, json!(["completion/complete", expected]), "{version}");
        let found = found.unwrap();
        assert_eq!((found.values, found.total, found.has_more), (vec!["py".to_owned()], None, None));
    }
}

#[tokio::test(start_paused = true)]
async fn the_log_level_and_single_resources_are_asked_for() {
    let level = |client: Client| async move { client.set_log_level(LoggingLevel::Warning).await };
    let (sent, done) = exchange(R4, level, json!({"_meta": {}, "x": 1})).await;
    assert_eq!(sent, json!(["logging/setLevel", {"level": "warning"}]));
    done.unwrap();

    let (sent, done) = exchange(R4, |client| async move { client.subscribe("a:1").await }, json!({})).await;
    assert_eq!(sent, json!(["resources/subscribe", {"uri": "a:1"}]));
    done.unwrap();

    let (sent, done) = exchange(R4, |client| async move { client.unsubscribe("a:1").await }, json!({})).await;
    assert_eq!(sent, json!(["resources/unsubscribe", {"uri": "a:1"}]));
    done.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_change_below_a_resource_is_heard_and_one_without_an_address_is_no_end() {
    let (client, peer) = connected_as(options(), able(R4)).await;
    let mut events = client.events();
    for params in [r#"{}"#, r#"{"uri":7}"#, r#"{"uri":"a:1/below","title":"new"}"#] {
        peer.send(format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{params}}}"#
        ));
    }
    let mut read = Vec::new();
    for _ in 0..3 {
        let Some(Event::Notification(notification)) = events.next().await else { panic!("a notification") };
        read.push(notification.parse::<ResourceUpdated>().unwrap().ok().map(|params| params.uri));
    }
    assert_eq!(read, [None, None, Some("a:1/below".to_owned())]);
    assert!(client.is_connected());
}

#[tokio::test(start_paused = true)]
async fn answers_of_another_shape_fail_their_call_alone() {
    fn is_unfit<T: std::fmt::Debug>((sent, found): (Value, Result<T, ClientError>)) {
        assert!(matches!(found, Err(ClientError::Answer { .. })), "{sent}: {found:?}");
    }
    for answer in [json!({}), json!({"resources": {}}), json!({"resources": [7]}), json!({"contents": null})]
    {
        is_unfit(exchange(R4, |client| async move { client.list_resources().await }, answer.clone()).await);
        is_unfit(exchange(R4, |client| async move { client.read_resource("a").await }, answer).await);
    }
    for answer in [json!({}), json!({"prompts": null}), json!({"messages": [{"role": "user"}]})] {
        is_unfit(exchange(R4, |client| async move { client.list_prompts().await }, answer.clone()).await);
        let get = |client: Client| async move { client.get_prompt("p", BTreeMap::new()).await };
        is_unfit(exchange(R4, get, answer).await);
    }
    for answer in [json!({}), json!({"completion": []}), json!({"completion": {"values": "a"}})] {
        let params = CompleteParams::new(CompletionReference::prompt("p"), "a", "");
        let complete = |client: Client| async move { client.complete(params).await };
        is_unfit(exchange(R4, complete, answer).await);
    }
    let list = |client: Client| async move { client.list_tasks().await };
    is_unfit(exchange(R4, list, json!({"tasks": [{"taskId": "t"}]})).await);
}

#[tokio::test(start_paused = true)]
async fn lists_go_on_page_by_page_and_end_where_a_cursor_repeats() {
    let (client, mut peer) = connected_as(options(), able(R4)).await;
    let list = async move { client.list_prompts_with(CallOptions::default()).await };
    let (call, first) = begun(&mut peer, list).await;
    peer.answer(&first, &json!({"prompts": [{"name": "a"}], "nextCursor": ""}));
    let second = peer.next().await;
    assert_eq!(second["params"], json!({"cursor": ""}));
    peer.answer(&second, &json!({"prompts": [{"name": "b"}], "nextCursor": ""}));
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the listing by `prompts/list` was broken off");
}
