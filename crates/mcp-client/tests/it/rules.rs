//! Rules of the protocol that belong to no other subject here.

use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcp_client::CallOptions;
use serde_json::{Value, json};

use crate::pair::{begun, connected, options, settle, unread};

// C-271: a cursor ends with its listing, whether that came to its end or not, and with its connection.
#[tokio::test(start_paused = true)]
async fn no_listing_begins_with_the_cursor_of_an_earlier_one() {
    let (client, mut peer) = connected(options()).await;
    for is_given_up in [true, false, true] {
        let listing = client.clone();
        let (call, first) = begun(&mut peer, async move { listing.list_tools().await }).await;
        assert_eq!(first["params"].get("cursor"), None);
        peer.answer(&first, &json!({"tools": [], "nextCursor": "c1"}));
        let second = peer.next().await;
        assert_eq!(second["params"]["cursor"], "c1");
        if is_given_up {
            call.abort();
            assert_eq!(peer.next().await["method"], "notifications/cancelled");
        } else {
            peer.answer(&second, &json!({"tools": []}));
            call.await.unwrap().unwrap();
        }
    }
    let (client, mut peer) = connected(options()).await;
    let (call, first) = begun(&mut peer, async move { client.list_tools().await }).await;
    assert_eq!(first["params"].get("cursor"), None);
    peer.answer(&first, &json!({"tools": []}));
    call.await.unwrap().unwrap();
}

// C-220, C-267, C-268: what holds for tools holds for the other lists, and an empty cursor is one.
#[tokio::test(start_paused = true)]
async fn every_kind_of_list_is_read_page_by_page() {
    let mut lenient = options();
    lenient.require_capabilities = false;
    let (client, mut peer) = connected(lenient).await;
    for (method, member) in [
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ] {
        let listing = client.clone();
        let (call, mut request) =
            begun(&mut peer, async move { listing.list_raw(method, member, CallOptions::default()).await })
                .await;
        for (items, next) in
            [(json!([1, 2]), json!("é\"c")), (json!([]), json!("")), (json!([3]), json!(null))]
        {
            assert_eq!(request["method"], method);
            let mut page = json!({"nextCursor": next});
            page[member] = items;
            peer.answer(&request, &page);
            if next.is_string() {
                request = peer.next().await;
                assert_eq!(request["params"]["cursor"], next);
            }
        }
        let items = call.await.unwrap().unwrap();
        assert_eq!(items.iter().map(|item| item.as_str()).collect::<Vec<_>>(), ["1", "2", "3"]);
    }
}

// C-248: nothing is queued, so however much comes, no more than one is held.
#[tokio::test(start_paused = true)]
async fn a_flood_of_progress_is_handed_on_as_it_comes_and_nothing_is_kept() {
    let (client, mut peer) = connected(options()).await;
    let mut events = client.events();
    let heard = Arc::new(AtomicUsize::new(0));
    let ear = heard.clone();
    let mut call_options = CallOptions::default();
    call_options.progress = Some(Arc::new(move |_| {
        ear.fetch_add(1, Ordering::SeqCst);
    }));
    let calling = client.clone();
    let (call, request) =
        begun(&mut peer, async move { calling.request("x/work", None, call_options).await }).await;
    let token = &request["params"]["_meta"]["progressToken"];
    for number in 1..=10_000 {
        peer.notify("notifications/progress", &json!({"progressToken": token, "progress": number}));
        assert_eq!(heard.load(Ordering::SeqCst), number);
    }
    peer.answer(&request, &json!({}));
    call.await.unwrap().unwrap();
    peer.end();
    let event = format!("{:?}", events.next().await.unwrap());
    assert!(event.starts_with("Closed"), "none of it waits for a listener: {event}");
}

// C-258: with nothing in it that could drive a terminal, and not without end.
#[tokio::test(start_paused = true)]
async fn the_reason_of_a_cancel_by_the_server_is_logged_escaped_and_cut() {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let (_client, mut peer) = connected(options()).await;
    let reason = format!("changed\u{1b}[31m its mind{}", "!".repeat(100_000));
    peer.notify("notifications/cancelled", &json!({"requestId": 1, "reason": reason}));
    settle().await;
    let text = log.0.lock().unwrap().clone();
    let line = text.lines().find(|line| line.contains("cancelled")).unwrap();
    assert!(line.contains("changed") && line.contains("its mind"), "{line}");
    assert!(!line.contains('\u{1b}') && line.len() < 1000, "{line}");
    assert_eq!(unread(&mut peer), Vec::<Value>::new());
}

/// Keeps each event as a line.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

struct Fields<'a>(&'a mut String);

impl tracing::field::Visit for Fields<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn fmt::Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl tracing::Subscriber for Log {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("mcp_client")
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let mut text = self.0.lock().unwrap();
        event.record(&mut Fields(&mut text));
        text.push('\n');
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}
