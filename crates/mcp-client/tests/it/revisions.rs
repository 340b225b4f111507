//! What a revision does not have is not asked of a server, and what it has is.

use std::collections::BTreeMap;

use mcp_client::{CallOptions, Client, ClientError};
use mcp_types::{
    CompleteParams, CompletionReference, Initialized, LoggingLevel, NoParams, RootsListChanged, SetLevel,
    SetLevelParams, Subscribe, SubscribeParams, Unsubscribe, UnsubscribeParams,
};
use serde_json::{Value, json};

use crate::methods::able;
use crate::modern_pair;
use crate::pair::{begin_and_drop, connected_as, options, settle, unread};

/// Each method that a client may ask for, and in which revisions it may, the oldest first.
const METHODS: [(&str, &str); 14] = [
    ("tools/list", "xxxxx"),
    ("resources/list", "xxxxx"),
    ("resources/templates/list", "xxxxx"),
    ("resources/read", "xxxxx"),
    ("resources/subscribe", "xxxx-"),
    ("resources/unsubscribe", "xxxx-"),
    ("prompts/list", "xxxxx"),
    ("prompts/get", "xxxxx"),
    ("completion/complete", "xxxxx"),
    ("logging/setLevel", "xxxx-"),
    ("tasks/get", "---xx"),
    ("tasks/result", "---x-"),
    ("tasks/list", "---x-"),
    ("tasks/cancel", "---xx"),
];

const VERSIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// Calls the method. `Err` if it was refused without being sent, else what was sent.
async fn attempt(version: &str, method: &str, strict: bool) -> Result<Value, ClientError> {
    let mut options = options();
    options.require_capabilities = strict;
    options.send_cancelled = false;
    let (client, mut peer) = if version == "2026-07-28" {
        modern_pair::connected_to(options, able(version)["capabilities"].clone()).await
    } else {
        connected_as(options, able(version)).await
    };
    // To refuse takes no time, so whatever waits was sent.
    let called = crate::pair::try_once(call(&client, method)).await;
    settle().await;
    let sent = unread(&mut peer);
    match called {
        Some(refused) => {
            assert!(sent.is_empty(), "{method} in {version}: {sent:?}");
            Err(refused.unwrap_err())
        }
        None => Ok(sent[0]["method"].clone()),
    }
}

async fn call(client: &Client, method: &str) -> Result<(), ClientError> {
    let none = BTreeMap::new;
    match method {
        "tools/list" => client.list_tools().await.map(drop),
        "resources/list" => client.list_resources().await.map(drop),
        "resources/templates/list" => client.list_resource_templates().await.map(drop),
        "resources/read" => client.read_resource("a:1").await.map(drop),
        // By their types: the methods of the client have other ways where there is none of these.
        "resources/subscribe" => {
            client.call::<Subscribe>(&SubscribeParams::new("a:1"), CallOptions::default()).await.map(drop)
        }
        "resources/unsubscribe" => {
            client.call::<Unsubscribe>(&UnsubscribeParams::new("a:1"), CallOptions::default()).await.map(drop)
        }
        "prompts/list" => client.list_prompts().await.map(drop),
        "prompts/get" => client.get_prompt("p", none()).await.map(drop),
        "completion/complete" => {
            let params = CompleteParams::new(CompletionReference::prompt("p"), "a", "");
            client.complete(params).await.map(drop)
        }
        "logging/setLevel" => {
            let params = SetLevelParams::new(LoggingLevel::Info);
            client.call::<SetLevel>(&params, CallOptions::default()).await.map(drop)
        }
        "tasks/get" => client.task("t").get().await.map(drop),
        "tasks/result" => client.task("t").result().await.map(drop),
        "tasks/list" => client.list_tasks().await.map(drop),
        "tasks/cancel" => client.task("t").cancel().await.map(drop),
        own => client.list_raw(own, "x", CallOptions::default()).await.map(drop),
    }
}

#[tokio::test(start_paused = true)]
async fn every_method_is_sent_in_the_revisions_that_have_it_and_refused_in_the_others() {
    for (method, columns) in METHODS {
        for (version, column) in VERSIONS.into_iter().zip(columns.chars()) {
            match attempt(version, method, true).await {
                Ok(sent) => {
                    assert_eq!((sent, column), (json!(method), 'x'), "{version}");
                }
                Err(error) => {
                    assert_eq!(column, '-', "{method} in {version}: {error}");
                    let expected = format!("server `memory` speaks `{version}`, which has no `{method}`");
                    assert_eq!(error.to_string(), expected);
                    assert!(matches!(error, ClientError::NotInRevision { .. }), "{error:?}");
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_notification_that_the_revision_does_not_have_is_not_sent() {
    let (client, mut peer) = modern_pair::connected(options()).await;
    for refused in
        [client.notify::<Initialized>(&NoParams).await, client.notify::<RootsListChanged>(&NoParams).await]
    {
        let error = refused.unwrap_err();
        assert!(matches!(error, ClientError::NotInRevision { .. }), "{error:?}");
    }
    assert_eq!(unread(&mut peer), Vec::<Value>::new());

    let (client, mut peer) = connected_as(options(), able("2025-11-25")).await;
    client.notify::<RootsListChanged>(&NoParams).await.unwrap();
    assert_eq!(peer.next().await["method"], "notifications/roots/list_changed");
}

#[tokio::test(start_paused = true)]
async fn with_the_option_off_everything_is_sent() {
    for (method, _) in METHODS {
        for version in VERSIONS {
            assert_eq!(attempt(version, method, false).await.unwrap(), method, "{version}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_callers_own_methods_are_sent_in_every_revision() {
    for version in VERSIONS {
        for method in ["com.example/list", "tools/own", "tasks", "logging/setlevel"] {
            assert_eq!(attempt(version, method, true).await.unwrap(), method, "{version}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_without_the_capability_is_not_asked() {
    let bare = |version: &str| {
        let mut answer = able(version);
        answer["capabilities"] = json!({"resources": {}, "tasks": {}});
        answer
    };
    for (method, capability) in [
        ("resources/subscribe", "resources.subscribe"),
        ("completion/complete", "completions"),
        ("logging/setLevel", "logging"),
        ("tasks/list", "tasks.list"),
        ("tasks/cancel", "tasks.cancel"),
    ] {
        let (client, mut peer) = connected_as(options(), bare("2025-11-25")).await;
        let error = call(&client, method).await.unwrap_err();
        let expected = format!("server `memory` does not offer `{capability}`, which `{method}` needs");
        assert_eq!(error.to_string(), expected);
        assert_eq!(unread(&mut peer), Vec::<Value>::new());
    }
    // The first revision has no capability for it: one has to try.
    let (client, mut peer) = connected_as(options(), bare("2024-11-05")).await;
    begin_and_drop(call(&client, "completion/complete"));
    assert_eq!(peer.next().await["method"], "completion/complete");
}
