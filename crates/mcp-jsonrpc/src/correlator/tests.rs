//! Ids, matching, giving up and closing.

use std::collections::HashSet;
use std::future::Future;
use std::pin::pin;
use std::task::Waker;

use super::*;
use crate::close::CloseCause;
use crate::pending::REMEMBERED;

fn correlator() -> Arc<Correlator> {
    Correlator::new(IdFormat::Number, SystemTime::UNIX_EPOCH)
}

fn reason(cause: CloseCause) -> Arc<CloseReason> {
    Arc::new(CloseReason::new(cause))
}

/// Answers call `number` with a result.
fn answer(correlator: &Correlator, number: u64) -> Matched {
    let id = serde_json::value::to_raw_value(&number).unwrap();
    let result = serde_json::value::to_raw_value("done").unwrap();
    correlator.settle(Id::from_text(id.get()).unwrap(), Ok(Raw::from(result)))
}

/// How `call` ended, if it did.
fn outcome(call: PendingCall) -> Option<Settled> {
    match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(settled) => Some(settled),
        Poll::Pending => None,
    }
}

/// Case 61.
#[test]
fn ids_are_distinct_on_a_connection_and_across_connections() {
    // Invariant 3: ids are made here and nowhere else, and no two are the same.
    let mut ids = HashSet::new();
    for _ in 0..2 {
        let correlator = Correlator::new(IdFormat::Text, SystemTime::UNIX_EPOCH);
        let calls: Vec<_> = (0..1000).map(|_| correlator.begin().unwrap()).collect();
        ids.extend(calls.iter().map(PendingCall::id));
    }
    assert_eq!(ids.len(), 2000);
}

#[test]
fn ids_are_never_used_again() {
    let correlator = correlator();
    let mut ids = HashSet::new();
    for round in 0..100 {
        let call = correlator.begin().unwrap();
        assert!(ids.insert(call.id()));
        if round % 2 == 0 {
            assert_eq!(answer(&correlator, round + 1), Matched::Settled);
        }
    }
}

#[test]
fn the_message_carries_the_id_of_the_call() {
    for format in [IdFormat::Text, IdFormat::Number] {
        let call = Correlator::new(format, SystemTime::UNIX_EPOCH).begin().unwrap();
        let message: serde_json::Value = serde_json::from_slice(&call.message("m", None)).unwrap();
        assert_eq!(serde_json::from_value::<RequestId>(message["id"].clone()).unwrap(), call.id());
    }
}

/// Invariant 7.
#[test]
fn unknown_late_and_duplicate_answers_are_counted_and_settle_nothing() {
    let correlator = correlator();
    let [answered, dropped, waiting] = [0; 3].map(|_| correlator.begin().unwrap());
    drop(dropped);
    assert_eq!(answer(&correlator, 1), Matched::Settled);
    assert_eq!(answer(&correlator, 1), Matched::Duplicate);
    assert_eq!(answer(&correlator, 2), Matched::Late);
    assert_eq!(answer(&correlator, 2), Matched::Late);
    assert_eq!(answer(&correlator, 4), Matched::Unmatched);
    assert_eq!(answer(&correlator, 0), Matched::Unmatched);
    assert_eq!(answer(&correlator, u64::MAX), Matched::Unmatched);
    assert!(matches!(outcome(answered), Some(Ok(_))));
    assert!(outcome(waiting).is_none());
    let counts = correlator.counts();
    assert_eq!((counts.begun, counts.settled, counts.abandoned), (3, 1, 2));
    assert_eq!((counts.late, counts.duplicate, counts.unmatched), (2, 1, 3));
}

/// Invariant 7.
#[test]
fn closing_settles_all_with_the_same_reason_and_fails_what_begins_later() {
    let correlator = correlator();
    let calls: Vec<_> = (0..100).map(|_| correlator.begin().unwrap()).collect();
    let why = reason(CloseCause::EndOfStream);
    assert!(correlator.close(&why));
    for call in calls {
        let Some(Err(CallError::Closed { reason, sent: true })) = outcome(call) else { panic!("closed") };
        assert!(Arc::ptr_eq(&reason, &why));
    }
    assert!(!correlator.close(&reason(CloseCause::Requested)), "only the first reason counts");
    let Err(CallError::Closed { reason, sent: false }) = correlator.begin() else { panic!("closed") };
    assert!(Arc::ptr_eq(&reason, &why));
    assert!(Arc::ptr_eq(&correlator.close_reason().unwrap(), &why));
    assert_eq!((correlator.pending(), correlator.counts().closed), (0, 100));
}

#[test]
fn an_answer_after_the_close_is_a_duplicate() {
    let correlator = correlator();
    let call = correlator.begin().unwrap();
    correlator.close(&reason(CloseCause::Requested));
    assert_eq!(answer(&correlator, 1), Matched::Duplicate);
    assert!(matches!(outcome(call), Some(Err(CallError::Closed { .. }))));
}

#[test]
fn an_answer_that_is_there_already_wins_over_giving_up() {
    let correlator = correlator();
    let mut call = correlator.begin().unwrap();
    assert_eq!(answer(&correlator, 1), Matched::Settled);
    assert!(matches!(call.abandon(), Some(Ok(_))));
    assert!(call.abandon().is_none(), "it is handed out once");
    drop(call);
    assert_eq!((correlator.counts().settled, correlator.counts().abandoned), (1, 0));
}

#[test]
fn giving_up_again_and_dropping_after_that_changes_nothing() {
    let correlator = correlator();
    let mut call = correlator.begin().unwrap();
    assert!(call.abandon().is_none());
    assert!(call.abandon().is_none());
    drop(call);
    assert_eq!((correlator.pending(), correlator.counts().abandoned), (0, 1));
}

#[test]
fn dropping_a_call_gives_it_up_and_dropping_a_settled_one_does_not() {
    let correlator = correlator();
    drop(correlator.begin().unwrap());
    let settled = correlator.begin().unwrap();
    assert_eq!(answer(&correlator, 2), Matched::Settled);
    drop(settled);
    let counts = correlator.counts();
    assert_eq!((counts.begun, counts.settled, counts.abandoned), (2, 1, 1));
}

#[test]
fn failing_counts_as_settling_and_only_a_waiting_call_can_fail() {
    let correlator = correlator();
    let call = correlator.begin().unwrap();
    assert!(correlator.fail(&1.into(), CallError::TooLarge { limit: 9 }));
    assert!(!correlator.fail(&1.into(), CallError::TooLarge { limit: 9 }));
    assert!(!correlator.fail(&"1".into(), CallError::TooLarge { limit: 9 }));
    assert!(!correlator.fail(&(-1).into(), CallError::TooLarge { limit: 9 }));
    assert_eq!(answer(&correlator, 1), Matched::Duplicate);
    assert!(matches!(outcome(call), Some(Err(CallError::TooLarge { limit: 9 }))));
    assert_eq!(correlator.counts().settled, 1);
}

/// Case 80, and invariant 10.
#[test]
fn many_calls_and_many_dropped_ones_leave_no_growth() {
    let correlator = correlator();
    for number in 1..=100_000 {
        let call = correlator.begin().unwrap();
        assert_eq!(answer(&correlator, number), Matched::Settled);
        drop(call);
    }
    for _ in 0..10_000 {
        drop(correlator.begin().unwrap());
    }
    assert_eq!(correlator.pending(), 0);
    let counts = correlator.counts();
    assert_eq!((counts.begun, counts.settled, counts.abandoned), (110_000, 100_000, 10_000));
    // The last ones are known as late; those before are forgotten, but not mistaken for new.
    assert_eq!(answer(&correlator, 110_000 - REMEMBERED as u64 + 1), Matched::Late);
    assert_eq!(answer(&correlator, 110_000 - REMEMBERED as u64), Matched::Duplicate);
}

/// Invariant 7, from many threads at once; the assertion on the way out of the lock is on here.
#[test]
fn calls_of_many_threads_are_each_settled_once() {
    let correlator = correlator();
    let answers = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (correlator, answers) = (&correlator, &answers);
            scope.spawn(move || {
                for round in 0..500 {
                    let mut call = correlator.begin().unwrap();
                    // Each answers the call of somebody, its own or another thread's.
                    answer(correlator, call.number.saturating_sub(round % 3));
                    let got = if (round + thread) % 2 == 0 { call.abandon() } else { None };
                    answers.fetch_add(usize::from(got.is_some()), std::sync::atomic::Ordering::Relaxed);
                }
            });
        }
    });
    let counts = correlator.counts();
    assert_eq!((correlator.pending(), counts.begun), (0, 2000));
    assert_eq!(counts.settled + counts.abandoned, 2000);
    assert!(answers.into_inner() as u64 <= counts.settled);
}

/// A call whose caller is woken inside `close`, and gives another call up there, does not lock up.
#[test]
fn a_caller_woken_by_the_close_may_use_the_correlator() {
    struct Reenters(Arc<Correlator>);
    impl std::task::Wake for Reenters {
        fn wake(self: Arc<Self>) {
            assert_eq!(self.0.pending(), 0);
            assert!(self.0.begin().is_err());
        }
    }
    let correlator = correlator();
    let waker = Waker::from(Arc::new(Reenters(correlator.clone())));
    let mut call = pin!(correlator.begin().unwrap());
    assert!(call.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    assert!(correlator.close(&reason(CloseCause::Requested)));
    assert!(call.poll(&mut Context::from_waker(&waker)).is_ready());
}
