//! What the server says by itself reaches every listener, within bounds.

use mcp_client::{Client, Event, EventStream};
use mcp_jsonrpc::testing::MemoryPeer;
use mcp_types::{LogMessage, ToolListChanged};
use serde_json::json;

use crate::pair::{connected, options};

fn log(peer: &MemoryPeer, data: usize) {
    peer.notify("notifications/message", &json!({"level": "info", "data": data}));
}

/// The next event, in short.
async fn next(events: &mut EventStream) -> String {
    match events.next().await {
        None => "end".to_owned(),
        Some(Event::Notification(notification)) => match notification.parse::<LogMessage>() {
            Some(message) => format!("log {}", message.unwrap().data.get()),
            None => notification.method.to_string(),
        },
        Some(other) => format!("{other:?}"),
    }
}

async fn few(event_capacity: usize) -> (Client, MemoryPeer) {
    let mut options = options();
    options.event_capacity = event_capacity;
    connected(options).await
}

// S-13, S-34: only who listens hears.
#[tokio::test(start_paused = true)]
async fn every_listener_hears_everything_since_it_began_in_order() {
    let (client, peer) = connected(options()).await;
    log(&peer, 0);
    let mut first = client.events();
    log(&peer, 1);
    let mut second = client.events();
    peer.notify("x/custom", &json!({}));
    for expected in ["log 1", "x/custom"] {
        assert_eq!(next(&mut first).await, expected);
    }
    assert_eq!(next(&mut second).await, "x/custom");
}

#[tokio::test(start_paused = true)]
async fn a_slow_listener_misses_the_oldest_and_hears_how_many() {
    let (client, peer) = few(2).await;
    let (mut slow, mut quick) = (client.events(), client.events());
    for data in 1..=5 {
        log(&peer, data);
        assert_eq!(next(&mut quick).await, format!("log {data}"));
    }
    for expected in ["Missed(3)", "log 4", "log 5"] {
        assert_eq!(next(&mut slow).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_comes_last_once_and_takes_no_room() {
    let (client, peer) = few(1).await;
    let mut events = client.events();
    log(&peer, 1);
    peer.end();
    for expected in ["log 1", r#"Closed("the server ended its output")"#, "end", "end"] {
        assert_eq!(next(&mut events).await, expected);
    }
    let mut late = client.events();
    assert_eq!(next(&mut late).await, r#"Closed("the server ended its output")"#);
    assert_eq!(next(&mut late).await, "end");
}

#[tokio::test(start_paused = true)]
async fn what_is_odd_is_an_event_too() {
    let (client, peer) = connected(options()).await;
    let mut events = client.events();
    peer.send("\u{1b}[31mnot json");
    let event = next(&mut events).await;
    assert!(event.starts_with("Diagnostic(") && !event.contains('\u{1b}'), "{event}");
    peer.send(r#"{"jsonrpc":"2.0","id":"never","result":{}}"#);
    assert_eq!(next(&mut events).await, r#"Diagnostic("response for unknown id \"never\"")"#);
}

#[tokio::test(start_paused = true)]
async fn a_notification_is_read_only_as_what_it_is() {
    let (client, peer) = connected(options()).await;
    let mut events = client.events();
    peer.send(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    let Some(Event::Notification(notification)) = events.next().await else { panic!() };
    assert!(notification.parse::<LogMessage>().is_none());
    assert!(notification.parse::<ToolListChanged>().unwrap().is_ok());

    peer.notify("notifications/message", &json!({"level": 7, "data": "SECRET-1"}));
    let Some(Event::Notification(notification)) = events.next().await else { panic!() };
    assert!(notification.parse::<LogMessage>().unwrap().is_err());
    assert!(!format!("{notification:?}").contains("SECRET-1"));
}

#[tokio::test(start_paused = true)]
async fn a_listener_does_not_wait_for_ever_for_a_client_that_is_gone() {
    let (client, peer) = connected(options()).await;
    let mut events = client.events();
    drop((client, peer));
    assert_eq!(next(&mut events).await, r#"Closed("the client dropped the connection")"#);
}
