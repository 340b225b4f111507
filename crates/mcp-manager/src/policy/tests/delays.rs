//! How long the waits are.

use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, proptest};

use super::*;
use crate::policy::Delays;

const MIDDLE: u64 = 1 << 63;

fn any_delays() -> impl Strategy<Value = Delays> {
    let duration = || {
        any::<(u64, u32)>()
            .prop_map(|(secs, nanos)| Duration::new(secs >> (nanos % 64), nanos % 1_000_000_000))
    };
    (duration(), any::<u32>(), duration(), any::<u32>()).prop_map(|(first, factor, max, jitter)| Delays {
        first,
        factor: factor >> (factor % 32),
        max,
        jitter_percent: if jitter % 2 == 0 { jitter } else { jitter % 101 },
    })
}

#[test]
fn the_waits_double_from_half_a_second_up_to_the_cap() {
    let waits = |random| (0..9).map(|n| Delays::default().after(n, random).as_millis()).collect::<Vec<_>>();
    assert_eq!(waits(MIDDLE), [500, 1000, 2000, 4000, 8000, 16000, 25000, 25000, 25000]);
    assert_eq!(waits(0), [400, 800, 1600, 3200, 6400, 12800, 20000, 20000, 20000]);
    assert_eq!(waits(u64::MAX), [599, 1199, 2399, 4799, 9599, 19199, 29999, 29999, 29999]);
}

#[test]
fn the_longest_waits_are_spread_too() {
    let wait = |random| Delays::default().after(u32::MAX, random);
    assert!(wait(0) < wait(MIDDLE) && wait(MIDDLE) < wait(u64::MAX) && wait(u64::MAX) <= s(30));
}

#[test]
fn a_first_wait_of_zero_is_still_a_wait() {
    let delays = Delays { first: Duration::ZERO, max: Duration::ZERO, ..Delays::default() };
    assert_eq!(delays.after(0, 0), ms(50));
    assert_eq!(delays.after(u32::MAX, u64::MAX), ms(50));
}

proptest! {
    #[test]
    fn any_wait_lies_between_the_shortest_and_the_cap(delays in any_delays(), before: u32, random: u64) {
        let wait = delays.after(before, random);
        prop_assert!(wait >= ms(50), "{wait:?}");
        prop_assert!(wait <= delays.max.max(ms(50)).min(Duration::from_hours(24)), "{wait:?}");
    }

    #[test]
    fn waits_grow_with_each_failure_and_with_chance(
        delays in any_delays(), before: u32, more: u32, random: u64, other: u64,
    ) {
        prop_assert!(delays.after(before, random) <= delays.after(before.saturating_add(more), random));
        prop_assert!(delays.after(before, random.min(other)) <= delays.after(before, random.max(other)));
    }

    #[test]
    fn chance_moves_a_wait_by_no_more_than_its_share(
        before in 0..200_u32, random: u64, percent in 0..=100_u32, factor in 1..10_u32,
    ) {
        let delays = Delays { factor, jitter_percent: percent, ..Delays::default() };
        let middle = Delays { jitter_percent: 0, ..delays }.after(before, random);
        let middle = middle.min(delays.max * 100 / (100 + percent)).as_nanos();
        let wait = delays.after(before, random).as_nanos();
        let share = middle * u128::from(percent) / 100;
        prop_assert!(wait <= middle + share, "{wait} > {middle} + {share}");
        // One nanosecond for what was rounded away.
        prop_assert!(wait + share + 1 >= middle, "{wait} < {middle} - {share}");
    }

    #[test]
    fn without_jitter_chance_has_no_say(before: u32, random: u64, other: u64) {
        let delays = Delays { jitter_percent: 0, ..Delays::default() };
        prop_assert_eq!(delays.after(before, random), delays.after(before, other));
    }
}
