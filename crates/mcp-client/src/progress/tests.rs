//! The table of progress tokens.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

fn deliver(table: &ProgressTable, params: &str) {
    table.deliver(Some(&RawValue::from_string(params.to_owned()).unwrap()));
}

fn counting() -> (ProgressCallback, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = count.clone();
    (Arc::new(move |_| _ = counter.fetch_add(1, Ordering::Relaxed)), count)
}

#[test]
fn an_entry_lives_as_long_as_its_call_and_no_token_comes_again() {
    let table = ProgressTable::default();
    let first = table.watch(None, None);
    let second = table.watch(None, None);
    assert_eq!((first.token, second.token, table.len()), (0, 1, 2));
    drop(first);
    assert_eq!(table.len(), 1);
    assert_eq!(table.watch(None, None).token, 2);
    drop(second);
    assert_eq!(table.len(), 0);
}

#[test]
fn an_integral_float_is_the_token_and_a_string_is_not() {
    let table = ProgressTable::default();
    let (callback, count) = counting();
    let _watched = table.watch(Some(callback), None);
    deliver(&table, r#"{"progressToken":0.0,"progress":1}"#);
    deliver(&table, r#"{"progressToken":"0","progress":1}"#);
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[test]
fn a_callback_may_end_another_call() {
    let table = Arc::new(ProgressTable::default());
    let inner = table.clone();
    // What it does needs the lock of the table.
    let _watched = table.watch(Some(Arc::new(move |_| drop(inner.watch(None, None)))), None);
    deliver(&table, r#"{"progressToken":0,"progress":1}"#);
    assert_eq!(table.len(), 1);
}
