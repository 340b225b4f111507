//! When a lost server is brought back, and when it is given up.

use std::time::Instant;

use super::*;
use crate::policy::{Asker, Backoff, Delays, Next, Quota, ReconnectPolicy, ServerKind};

/// One server that is on, with waits that are not left to chance: 0.5, 1, 2, 4, 8, 16, 30 s.
struct Server {
    start: Instant,
    now: Instant,
    backoff: Backoff,
}

impl Server {
    fn new(kind: ServerKind, policy: ReconnectPolicy) -> Self {
        let start = Instant::now();
        let delays = Delays { jitter_percent: 0, ..policy.delays };
        Self { start, now: start, backoff: Backoff::new(ReconnectPolicy { delays, ..policy }, kind) }
    }

    fn process() -> Self {
        Self::new(ServerKind::Process, ReconnectPolicy::on())
    }

    /// Loses it now and jumps to the next attempt; the wait before that in milliseconds.
    fn lose(&mut self) -> Option<u128> {
        let next = self.backoff.lost(self.now, 0);
        self.jump(next)
    }

    fn ask(&mut self, by: Asker) -> Option<u128> {
        let next = self.backoff.asked(self.now, by);
        self.jump(next)
    }

    /// Up for so long, then lost.
    fn up(&mut self, time: Duration) -> Option<u128> {
        self.backoff.connected(self.now);
        self.now += time;
        self.lose()
    }

    fn jump(&mut self, next: Next) -> Option<u128> {
        let Next::RetryAt(at) = next else {
            return None;
        };
        let wait = at.saturating_duration_since(self.now);
        self.now = self.now.max(at);
        Some(wait.as_millis())
    }

    fn give_up(&mut self) {
        for _ in 0..6 {
            let _ = self.lose();
        }
        assert!(self.backoff.has_given_up());
    }
}

fn gave_up() -> Next {
    Next::GaveUp { attempts: 5, window: s(300) }
}

#[test]
fn nothing_is_done_by_default() {
    let mut server = Server::new(ServerKind::Remote, ReconnectPolicy::default());
    assert_eq!(server.backoff.lost(server.now, 0), Next::Off);
    server.backoff.connected(server.now);
    assert_eq!(server.backoff.lost(server.now, 0), Next::Off);
    assert_eq!(server.backoff.asked(server.now, Asker::Call), Next::Off);
    assert_eq!(server.ask(Asker::Reconnect), Some(0));
    assert_eq!(server.backoff.lost(server.now, 0), Next::Off);
}

#[test]
fn a_server_that_dies_right_after_its_handshake_is_given_up() {
    let mut server = Server::process();
    server.backoff.connected(server.now);
    let waits = std::iter::from_fn(|| server.up(ms(10))).take(20).collect::<Vec<_>>();
    assert_eq!(waits, [500, 1000, 2000, 4000, 8000]);
    assert_eq!(server.backoff.lost(server.now, 0), gave_up());
    assert_eq!(server.now - server.start, ms(15_500 + 60));
}

#[test]
fn a_process_that_never_starts_is_given_up_after_five_attempts() {
    let mut server = Server::process();
    let waits = std::iter::from_fn(|| server.lose()).take(20).count();
    assert_eq!(waits, 5);
    assert_eq!(server.backoff.failures(), 6);
}

#[test]
fn a_remote_server_is_tried_for_as_long_as_it_takes() {
    let mut server = Server::new(ServerKind::Remote, ReconnectPolicy::on());
    let waits = (0..10_000).map(|_| server.lose().unwrap()).collect::<Vec<_>>();
    assert_eq!(waits[..8], [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    assert!(waits[6..].iter().all(|&wait| wait == 30_000));
}

#[test]
fn six_outages_with_stable_times_between_them_are_not_six_in_a_row() {
    let mut server = Server::process();
    for _ in 0..6 {
        assert_eq!(server.up(s(60)), Some(500));
        assert_eq!(server.lose(), Some(1000));
        assert_eq!(server.lose(), Some(2000));
    }
}

#[test]
fn a_time_that_is_not_quite_stable_forgets_nothing() {
    let mut server = Server::process();
    assert_eq!(server.up(s(60)), Some(500));
    assert_eq!(server.up(ms(59_999)), Some(1000));
    assert_eq!(server.up(ms(59_999)), Some(2000));
}

#[test]
fn attempts_that_are_far_apart_do_not_open_the_breaker() {
    let policy = ReconnectPolicy { process_breaker: Some(Quota::new(2, s(60))), ..ReconnectPolicy::on() };
    let mut server = Server::new(ServerKind::Process, policy);
    for _ in 0..100 {
        assert!(server.up(s(59)).is_some());
    }
    assert!(server.up(ms(1)).is_some());
    server.now += s(100);
    assert!(server.lose().is_some());
}

#[test]
fn after_giving_up_a_call_tries_once_more() {
    let mut server = Server::process();
    server.give_up();
    server.now += Duration::from_hours(8);
    assert_eq!(server.ask(Asker::Call), Some(0));
    assert_eq!(server.backoff.lost(server.now, 0), gave_up());
    assert_eq!(server.backoff.lost(server.now, 0), gave_up());
}

#[test]
fn calls_in_a_row_do_not_start_a_dead_server_in_a_row() {
    let mut server = Server::process();
    server.give_up();
    let waits = (0..4).map(|_| {
        let wait = server.ask(Asker::Call);
        assert_eq!(server.backoff.lost(server.now, 0), gave_up());
        wait
    });
    assert_eq!(waits.collect::<Vec<_>>(), [Some(16_000), Some(30_000), Some(30_000), Some(30_000)]);
}

#[test]
fn a_reconnect_does_not_wait() {
    let mut server = Server::process();
    server.give_up();
    assert_eq!(server.ask(Asker::Reconnect), Some(0));
    server.backoff.connected(server.now);
    assert_eq!(server.ask(Asker::Reconnect), Some(0));
}

#[test]
fn a_server_that_came_back_on_request_is_healed_again_only_once_it_is_stable() {
    let mut server = Server::process();
    server.give_up();
    assert!(server.ask(Asker::Reconnect).is_some());
    assert_eq!(server.up(s(59)), None);
    assert!(server.ask(Asker::Reconnect).is_some());
    assert_eq!(server.up(s(60)), Some(500));
    assert_eq!(server.backoff.failures(), 1);
}

#[test]
fn a_call_does_not_hasten_a_planned_attempt_and_a_reconnect_does() {
    let mut server = Server::process();
    let planned = server.backoff.lost(server.now, 0);
    assert_eq!(planned, Next::RetryAt(server.now + ms(500)));
    assert_eq!(server.backoff.asked(server.now, Asker::Call), planned);
    assert_eq!(server.backoff.asked(server.now, Asker::Reconnect), Next::RetryAt(server.now));
    // The one that began is joined, not doubled.
    assert_eq!(server.backoff.asked(server.now + ms(5), Asker::Call), Next::RetryAt(server.now));
    assert_eq!(server.backoff.asked(server.now + ms(5), Asker::Reconnect), Next::RetryAt(server.now));
}

#[test]
fn a_loss_told_twice_counts_once() {
    let mut server = Server::process();
    server.backoff.connected(server.now);
    let next = server.backoff.lost(server.now, 0);
    assert_eq!(server.backoff.lost(server.now + ms(1), 7), next);
    assert_eq!(server.backoff.failures(), 1);
}

#[test]
fn a_connection_told_twice_is_as_old_as_the_first_word_of_it() {
    let mut server = Server::process();
    assert!(server.lose().is_some());
    server.backoff.connected(server.now);
    server.now += s(59);
    assert_eq!(server.up(s(1)), Some(500));
}

#[test]
fn a_server_that_is_not_wanted_stays_away() {
    let mut server = Server::process();
    assert!(server.lose().is_some());
    server.backoff.stopped();
    assert_eq!(server.backoff.lost(server.now, 0), Next::Off);
    server.backoff.connected(server.now);
    assert_eq!(server.backoff.lost(server.now, 0), Next::Off);
    assert_eq!(server.backoff.asked(server.now, Asker::Call), Next::Off);
    assert_eq!(server.ask(Asker::Reconnect), Some(0));
    assert_eq!(server.lose(), Some(500));
}

#[test]
fn a_breaker_that_allows_nothing_leaves_reconnecting_to_people() {
    let policy = ReconnectPolicy { process_breaker: Some(Quota::new(0, s(1))), ..ReconnectPolicy::on() };
    let mut server = Server::new(ServerKind::Process, policy);
    assert_eq!(server.backoff.lost(server.now, 0), Next::GaveUp { attempts: 0, window: s(1) });
    assert_eq!(server.ask(Asker::Reconnect), Some(0));
}

#[test]
fn a_clock_that_goes_back_neither_panics_nor_forgets() {
    let mut server = Server::process();
    let past = server.now;
    server.now += s(100);
    assert!(server.lose().is_some());
    server.backoff.connected(server.now);
    assert_eq!(server.backoff.lost(past, 0), Next::RetryAt(past + s(1)));
}
