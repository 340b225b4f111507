//! A hundred servers that fail at random for a day of simulated time (cases 46, 49 and 154).

mod queue;
mod world;

use std::collections::HashSet;

use super::{ms, s};
use crate::policy::{Delays, Quota, ReconnectPolicy, RetryLimits};
use world::{Character, Record, World};

const DAY: u64 = 24 * 3600;
const HOUR: u64 = 3600;

/// Twenty of each character.
fn a_day(seed: u64) -> Vec<Record> {
    let mut world = World::new(seed, ReconnectPolicy::on());
    for character in Character::ALL {
        for _ in 0..20 {
            world.add(character);
        }
    }
    world.run(s(DAY))
}

/// Most of these moments within any stretch of time that long.
fn most_within(mut moments: Vec<std::time::Duration>, window: std::time::Duration) -> usize {
    moments.sort_unstable();
    let mut first = 0;
    (0..moments.len())
        .map(|last| {
            while moments[last] - moments[first] >= window {
                first += 1;
            }
            last + 1 - first
        })
        .max()
        .unwrap_or(0)
}

fn of(records: &[Record], character: Character) -> impl Iterator<Item = &Record> {
    records.iter().filter(move |record| record.character == character)
}

#[test]
fn no_server_ever_has_two_processes() {
    for seed in 1..=5 {
        for record in a_day(seed) {
            assert!(record.most_alive <= 1, "{record:?}");
            assert!(record.starts.len() > 1, "{record:?}");
        }
    }
}

#[test]
fn the_same_chance_gives_the_same_day() {
    let starts = |seed| a_day(seed).into_iter().map(|record| record.starts).collect::<Vec<_>>();
    assert_eq!(starts(7), starts(7));
    assert_ne!(starts(7), starts(8));
}

#[test]
fn there_is_no_storm_of_processes() {
    for seed in 1..=5 {
        let records = a_day(seed);
        let processes = records.iter().filter(|record| record.character.is_process());
        let starts = processes.flat_map(|record| record.starts.clone()).collect::<Vec<_>>();
        assert!(starts.len() > 1000, "{}", starts.len());
        let most = most_within(starts, s(1));
        assert!(most <= 10, "{most} starts within a second");
    }
}

#[test]
fn a_process_that_never_lasts_is_started_a_few_times_and_then_only_on_request() {
    for seed in 1..=5 {
        let records = a_day(seed);
        for record in of(&records, Character::Broken).chain(of(&records, Character::Flapping)) {
            assert_eq!(record.starts.len(), 1 + 5 + record.granted, "{record:?}");
            assert!((20..=24).contains(&record.granted), "{record:?}");
            assert!(most_within(record.starts.clone(), s(300)) <= 1 + 5 + 1, "{record:?}");
        }
    }
}

#[test]
fn no_process_is_started_more_often_than_stable_times_allow() {
    for seed in 1..=5 {
        for record in a_day(seed).iter().filter(|record| record.character.is_process()) {
            // One row of five attempts, and one more for each stable time that fits in the window.
            let most = most_within(record.starts.clone(), s(300));
            assert!(most <= (1 + 5) * (1 + 300 / 60), "{record:?}");
        }
    }
}

#[test]
fn a_process_that_fails_now_and_then_is_never_given_up() {
    for seed in 1..=5 {
        for record in of(&a_day(seed), Character::Steady) {
            assert_eq!(record.given_up, 0, "{record:?}");
            assert!(record.losses > 5, "{record:?}");
            // Each loss is the first of its row again.
            assert!(record.longest_row <= 2, "{record:?}");
            assert!(record.is_up, "{record:?}");
        }
    }
}

#[test]
fn remote_servers_come_back_by_themselves_after_hours() {
    for seed in 1..=5 {
        for record in of(&a_day(seed), Character::Remote) {
            assert_eq!(record.given_up, 0, "{record:?}");
            let back = record.ups.iter().find(|&&up| up >= s(world::OUTAGE_END)).unwrap();
            // The longest wait, and the longest that a start takes.
            assert!(*back <= s(world::OUTAGE_END) + s(30) + s(3), "{record:?}");
            let in_outage = |start: &&std::time::Duration| {
                (s(world::OUTAGE_START)..s(world::OUTAGE_END)).contains(*start)
            };
            let tries = record.starts.iter().filter(in_outage).count() as u64;
            // At the cap a try comes each 20 s at most; the first ones come faster.
            assert!(tries <= (world::OUTAGE_END - world::OUTAGE_START) / 20 + 10, "{tries}");
        }
    }
}

#[test]
fn processes_that_were_given_up_in_an_outage_come_back_with_the_next_call() {
    for seed in 1..=5 {
        for record in of(&a_day(seed), Character::Outage) {
            assert!(record.given_up > 0, "{record:?}");
            let back = record.ups.iter().find(|&&up| up >= s(world::OUTAGE_END)).unwrap();
            // A call comes each hour; a start fails at times, though, and then it takes another call.
            assert!(*back <= s(world::OUTAGE_END + 6 * HOUR), "{record:?}");
            assert!(record.is_up, "{record:?}");
        }
    }
}

#[test]
fn all_that_die_together_do_not_start_together() {
    let pace = Quota::new(4, s(1));
    let policy = ReconnectPolicy { pace, ..ReconnectPolicy::on() };
    let mut world = World::new(3, policy);
    (0..100).for_each(|_| world.add(Character::Outage));
    let records = world.run(s(world::OUTAGE_START + 60));
    let starts = records.iter().flat_map(|record| record.starts.clone()).collect::<Vec<_>>();
    assert_eq!(most_within(starts.clone(), s(1)), 4);
    assert!(starts.iter().filter(|&&start| start > s(world::OUTAGE_START)).count() > 100);
}

#[test]
fn with_the_policy_off_each_server_is_started_once() {
    let mut world = World::new(1, ReconnectPolicy::off());
    Character::ALL.into_iter().for_each(|character| world.add(character));
    let starts = world.run(s(DAY)).iter().map(|record| record.starts.len()).collect::<HashSet<_>>();
    assert_eq!(starts, HashSet::from([1]));
}

#[test]
fn even_the_boldest_policy_leaves_a_pause_between_starts() {
    let delays = Delays { first: ms(0), factor: 0, max: ms(0), jitter_percent: u32::MAX };
    let policy = ReconnectPolicy {
        delays,
        stable_after: ms(0),
        process_breaker: None,
        pace: Quota::new(u32::MAX, ms(0)),
        retries: RetryLimits::none(),
        ..ReconnectPolicy::on()
    };
    let mut world = World::new(1, policy);
    world.add(Character::Broken);
    let starts = world.run(s(HOUR))[0].starts.clone();
    assert!(starts.len() > 100 && most_within(starts, s(1)) <= 20);
}
