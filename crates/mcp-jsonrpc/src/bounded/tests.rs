//! Deadlines, signs of life and signals, under a paused clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::testing::TokioClock;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Runs `work` within `bounds`; yields what came of it, and when, in milliseconds.
async fn run<T>(work: impl Future<Output = T>, bounds: &Bounds) -> (Result<T, Stopped>, u128) {
    let start = TokioClock.now();
    let done = bounded(work, bounds, &TokioClock).await;
    (done, TokioClock.now().duration_since(start).as_millis())
}

async fn after<T>(delay: Duration, value: T) -> T {
    TokioClock.sleep_until(TokioClock.now() + delay).await;
    value
}

fn timed_out(done: (Result<(), Stopped>, u128)) -> (Duration, bool, u128) {
    match done {
        (Err(Stopped { why: GaveUp::Timeout(limit), total }), at) => (limit, total, at),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn work_is_stopped_when_its_time_runs_out() {
    let done = run(pending(), &Bounds::new(ms(50), Duration::ZERO)).await;
    assert_eq!(timed_out(done), (ms(50), false, 50));
}

#[tokio::test(start_paused = true)]
async fn work_done_in_time_is_handed_on() {
    let (done, at) = run(after(ms(49), 7), &Bounds::new(ms(50), ms(50))).await;
    assert_eq!((done.unwrap(), at), (7, 49));
}

#[tokio::test(start_paused = true)]
async fn work_done_at_the_deadline_wins() {
    let (done, at) = run(after(ms(50), 7), &Bounds::new(ms(50), ms(50))).await;
    assert_eq!((done.unwrap(), at), (7, 50));
}

#[tokio::test(start_paused = true)]
async fn zero_means_no_limit() {
    let hour = Duration::from_secs(3600);
    let (done, _) = run(after(hour, 7), &Bounds::new(Duration::ZERO, Duration::ZERO)).await;
    assert_eq!(done.unwrap(), 7);
    let (done, _) = run(after(hour, 7), &Bounds::new(Duration::MAX, Duration::MAX)).await;
    assert_eq!(done.unwrap(), 7);
}

/// Case 73: touched from another task, as by whoever sees progress.
#[tokio::test(start_paused = true)]
async fn a_touch_from_another_task_starts_the_timeout_again() {
    let keep_alive = KeepAlive::new();
    let bounds = Bounds::new(ms(50), Duration::ZERO).kept_alive_by(Some(keep_alive.clone()));
    let toucher = async {
        for _ in 0..3 {
            after(ms(40), ()).await;
            keep_alive.touch();
        }
    };
    let (done, ()) = tokio::join!(run(pending(), &bounds), toucher);
    assert_eq!(timed_out(done), (ms(50), false, 170));
}

/// Case 74.
#[tokio::test(start_paused = true)]
async fn touches_do_not_extend_the_total_limit() {
    let keep_alive = KeepAlive::new();
    let bounds = Bounds::new(ms(50), ms(200)).kept_alive_by(Some(keep_alive.clone()));
    let toucher = async {
        loop {
            after(ms(10), ()).await;
            keep_alive.touch();
        }
    };
    tokio::select! {
        done = run(pending(), &bounds) => assert_eq!(timed_out(done), (ms(200), true, 200)),
        () = toucher => unreachable!("it goes on for ever"),
    }
}

#[tokio::test(start_paused = true)]
async fn the_total_limit_holds_without_an_idle_one() {
    let done = run(pending(), &Bounds::new(Duration::ZERO, ms(80))).await;
    assert_eq!(timed_out(done), (ms(80), true, 80));
}

#[tokio::test(start_paused = true)]
async fn a_signal_given_before_means_that_the_work_never_begins() {
    let cancel = Cancel::new();
    cancel.cancel();
    let bounds = Bounds::new(ms(50), Duration::ZERO).cancelled_by(Some(cancel));
    let begun = AtomicBool::new(false);
    let (done, at) = run(async { begun.store(true, Ordering::Relaxed) }, &bounds).await;
    assert!(matches!(done.unwrap_err().why, GaveUp::Cancelled(None)));
    assert!(!begun.into_inner());
    assert_eq!(at, 0);
}

/// Case 81.
#[tokio::test(start_paused = true)]
async fn a_signal_stops_the_work_at_once_and_its_reason_is_passed_on() {
    let cancel = Cancel::new();
    let bounds = Bounds::new(ms(50), Duration::ZERO).cancelled_by(Some(cancel.clone()));
    let canceller = async {
        after(ms(20), ()).await;
        cancel.cancel_with("changed my mind");
        cancel.cancel_with("again");
    };
    let ((done, at), ()) = tokio::join!(run(pending::<()>(), &bounds), canceller);
    let stopped = done.unwrap_err();
    assert_eq!(stopped.why, GaveUp::Cancelled(Some(Arc::from("changed my mind"))));
    assert_eq!(stopped.into_error(TimeoutPhase::Request, true).to_string(), "changed my mind");
    assert_eq!(at, 20);
}

/// Case 81: a result already delivered wins.
#[tokio::test(start_paused = true)]
async fn work_done_at_the_signal_wins() {
    let cancel = Cancel::new();
    let bounds = Bounds::new(ms(50), Duration::ZERO).cancelled_by(Some(cancel.clone()));
    let work = async {
        after(ms(20), ()).await;
        cancel.cancel();
        7
    };
    assert_eq!(run(work, &bounds).await.0.unwrap(), 7);
}

#[test]
fn each_way_to_stop_becomes_the_error_of_the_contract() {
    let error = |why, phase| Stopped { why, total: false }.into_error(phase, false).to_string();
    let limit = ms(1500);
    assert_eq!(error(GaveUp::Timeout(limit), TimeoutPhase::Request), "Request timeout after 1500ms");
    assert_eq!(error(GaveUp::Timeout(limit), TimeoutPhase::Notify), "Notify timeout after 1500ms");
    assert_eq!(error(GaveUp::Cancelled(None), TimeoutPhase::Request), "Request cancelled");
    assert_eq!(error(GaveUp::Dropped, TimeoutPhase::Request), "Request cancelled");
}
