//! Queues of events, and who gets one.

use mcp_jsonrpc::Raw;
use serde_json::value::RawValue;

use super::*;

fn notification(size: usize) -> Event {
    let params = RawValue::from_string(format!("\"{}\"", "a".repeat(size - 3))).unwrap();
    Event::Notification(ServerNotification { method: "m".into(), params: Some(Raw::from(params)) })
}

/// The events that wait, in short.
async fn waiting(events: &Events, stream: &mut EventStream) -> Vec<String> {
    events.close("end".into());
    let mut shown = Vec::new();
    while let Some(event) = stream.next().await {
        shown.push(match event {
            Event::Notification(notification) => {
                format!("{}", notification.params.unwrap().as_bytes().len() + 1)
            }
            other => format!("{other:?}"),
        });
    }
    shown
}

#[tokio::test]
async fn a_queue_is_bounded_in_bytes() {
    let events = Events::new(100, 10);
    let mut stream = events.listen();
    for size in [4, 5, 6] {
        events.publish(|| notification(size));
    }
    assert_eq!(waiting(&events, &mut stream).await, ["Missed(2)", "6", r#"Closed("end")"#]);
}

#[tokio::test]
async fn an_event_larger_than_the_limit_is_missed_with_all_before_it() {
    let events = Events::new(100, 10);
    let mut stream = events.listen();
    for size in [4, 11, 5] {
        events.publish(|| notification(size));
    }
    assert_eq!(waiting(&events, &mut stream).await, ["Missed(2)", "5", r#"Closed("end")"#]);
}

#[tokio::test]
async fn what_was_taken_out_makes_room() {
    let events = Events::new(2, 10);
    let mut stream = events.listen();
    for _ in 0..100 {
        events.publish(|| notification(10));
        stream.next().await.unwrap();
    }
    events.publish(|| notification(10));
    assert_eq!(waiting(&events, &mut stream).await, ["10", r#"Closed("end")"#]);
}

#[test]
fn nothing_is_made_when_nobody_listens() {
    let events = Events::new(1, 10);
    events.publish(|| unreachable!("there is no listener"));
    drop(events.listen());
    events.publish(|| unreachable!("the listener is gone"));
    assert!(events.hub().queues.is_empty());
}

#[tokio::test]
async fn a_capacity_of_zero_still_holds_one() {
    let events = Events::new(0, 10);
    let mut stream = events.listen();
    events.publish(|| notification(4));
    assert_eq!(waiting(&events, &mut stream).await, ["4", r#"Closed("end")"#]);
}

#[tokio::test]
async fn only_the_first_end_counts() {
    let events = Events::new(1, 10);
    let mut stream = events.listen();
    events.close("first".into());
    events.close("second".into());
    let Some(Event::Closed(why)) = stream.next().await else { panic!() };
    assert_eq!(&*why, "first");
    assert!(stream.next().await.is_none());
}
