//! How starts are spaced out.

use std::time::Instant;

use proptest::prelude::{any, prop, prop_assert, proptest};

use super::*;
use crate::policy::{Pace, Quota};

#[test]
fn a_burst_within_the_quota_starts_at_once_and_the_rest_later() {
    let start = Instant::now();
    let mut pace = Pace::new(Quota::new(2, s(1)));
    let places = (0..5).map(|_| (pace.place(start) - start).as_secs()).collect::<Vec<_>>();
    assert_eq!(places, [0, 0, 1, 1, 2]);
    assert_eq!(pace.place(start + s(60)), start + s(60));
}

#[test]
fn a_quota_of_none_still_starts_one_at_a_time() {
    let start = Instant::now();
    let mut pace = Pace::new(Quota::new(0, s(1)));
    assert_eq!([pace.place(start), pace.place(start)], [start, start + s(1)]);
}

#[test]
fn a_window_beyond_the_clock_loses_no_start() {
    let start = Instant::now();
    let mut pace = Pace::new(Quota::new(1, Duration::MAX));
    assert_eq!([pace.place(start), pace.place(start)], [start, start]);
}

proptest! {
    #[test]
    fn no_window_holds_more_starts_than_the_quota(
        attempts in 1..20_u32, window in 1..5000_u64, waits in prop::collection::vec(any::<u16>(), 0..200),
    ) {
        let (mut now, mut pace) = (Instant::now(), Pace::new(Quota::new(attempts, ms(window))));
        let mut places = Vec::new();
        for wait in waits {
            now += ms(u64::from(wait % 500));
            let place = pace.place(now);
            prop_assert!(place >= now);
            places.push(place);
        }
        for burst in places.windows(attempts as usize + 1) {
            prop_assert!(burst[attempts as usize] - burst[0] >= ms(window));
        }
    }
}
