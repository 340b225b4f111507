//! What is kept, for how long, and what drops it; and a naive model that says the same.

mod model;

use std::time::{Duration, Instant};

use mcp_jsonrpc::Raw;
use serde_json::value::RawValue;

use super::{CacheLimits, Insertion, Key, ResultCache, Stale};

fn raw(json: &str) -> Raw {
    Raw::from(&*RawValue::from_string(json.to_owned()).unwrap())
}

fn key(method: &str, params: &str) -> Key {
    Key::of(method, Some(&RawValue::from_string(params.to_owned()).unwrap())).unwrap()
}

fn read(uri: &str) -> Key {
    key("resources/read", &format!(r#"{{"uri":"{uri}"}}"#))
}

fn limits(max_entries: usize, max_bytes: usize) -> CacheLimits {
    CacheLimits { max_entries, max_bytes, ..CacheLimits::default() }
}

/// A cache and a made-up clock, in milliseconds.
struct World {
    cache: ResultCache,
    start: Instant,
}

impl World {
    fn new(limits: CacheLimits) -> Self {
        // The only instant that is not made up; nothing depends on which one it is.
        #[expect(clippy::disallowed_methods, reason = "an instant to count from")]
        let start = Instant::now();
        Self { cache: ResultCache::new(limits), start }
    }

    fn at(&self, millis: u64) -> Instant {
        self.start + Duration::from_millis(millis)
    }

    fn insert(&mut self, key: &Key, json: &str, millis: u64) -> Insertion {
        let (ticket, received) = (self.cache.ticket(key), self.at(millis));
        self.cache.insert(key.clone(), ticket, &raw(json), received)
    }

    fn lookup(&mut self, key: &Key, millis: u64) -> Option<String> {
        let now = self.at(millis);
        self.cache.lookup(key, now).map(|result| result.as_str().to_owned())
    }

    fn has(&mut self, key: &Key) -> bool {
        self.lookup(key, 0).is_some()
    }
}

#[test]
fn a_result_is_fresh_until_its_time_after_its_receipt_is_over() {
    let mut world = World::new(CacheLimits::default());
    let (first, second) = (key("tools/list", "{}"), key("tools/list", r#"{"cursor":"2"}"#));
    let json = r#"{"tools":[{"n":1e400}],"ttlMs":100,"cacheScope":"public"}"#;
    assert_eq!(world.insert(&first, json, 50), Insertion::Kept);
    assert_eq!(world.insert(&second, r#"{"ttlMs":100}"#, 90), Insertion::Kept);
    assert_eq!(world.lookup(&first, 149).as_deref(), Some(json), "as it came");
    assert_eq!(world.lookup(&first, 150), None);
    assert_eq!(world.lookup(&first, 149), None, "it is gone, and not only hidden");
    assert!(world.lookup(&second, 150).is_some(), "each page has its own clock");
    assert_eq!(world.lookup(&second, 190), None);
    assert_eq!((world.cache.len(), world.cache.bytes()), (0, 0));
}

#[test]
fn a_result_without_a_scope_is_private() {
    let mut world = World::new(CacheLimits::default());
    let (public, private) = (read("a:1"), read("a:2"));
    world.insert(&public, r#"{"cacheScope":"public","ttlMs":7}"#, 0);
    world.insert(&private, r#"{"ttlMs":7}"#, 0);
    assert!(world.has(&public) && world.has(&private));
    world.cache.invalidate(Stale::Private);
    assert!(world.has(&public) && !world.has(&private));
}

#[test]
fn what_has_no_time_or_is_not_complete_is_not_kept_and_replaces_what_was() {
    let mut world = World::new(CacheLimits::default());
    let key = key("server/discover", "{}");
    for (json, expected) in [
        (r#"{"ttlMs":0}"#, Insertion::NotFresh),
        (r#"{"ttlMs":-5}"#, Insertion::NotFresh),
        ("{}", Insertion::NotFresh),
        (r#"{"ttlMs":5,"resultType":"input_required"}"#, Insertion::NotComplete),
        ("[5]", Insertion::NotComplete),
    ] {
        assert_eq!(world.insert(&key, r#"{"ttlMs":5}"#, 0), Insertion::Kept);
        assert_eq!(world.insert(&key, json, 0), expected, "{json}");
        assert!(!world.has(&key), "{json}");
    }
}

#[test]
fn a_server_cannot_make_a_result_hold_longer_than_the_limit() {
    let mut world = World::new(CacheLimits { max_ttl: Duration::from_millis(10), ..CacheLimits::default() });
    let key = key("tools/list", "{}");
    for ttl in ["11", "9223372036854775807", "1e400"] {
        assert_eq!(world.insert(&key, &format!(r#"{{"ttlMs":{ttl}}}"#), 0), Insertion::Kept);
        assert!(world.lookup(&key, 9).is_some());
        assert_eq!(world.lookup(&key, 10), None);
    }
    let mut endless = World::new(CacheLimits { max_ttl: Duration::MAX, ..CacheLimits::default() });
    assert_eq!(endless.insert(&key, r#"{"ttlMs":9}"#, 0), Insertion::Kept);
    endless.insert(&key, r#"{"ttlMs":1e400}"#, 0);
}

#[test]
fn each_change_drops_what_it_is_about_and_nothing_else() {
    let all = [
        key("server/discover", "{}"),
        key("tools/list", "{}"),
        key("tools/list", r#"{"cursor":"2"}"#),
        key("prompts/list", "{}"),
        key("resources/list", "{}"),
        key("resources/templates/list", "{}"),
        read("note://7"),
        read("note://7/a"),
        read("note://70"),
    ];
    for (stale, gone) in [
        (Stale::Tools, &[1, 2][..]),
        (Stale::Prompts, &[3]),
        (Stale::Resources, &[4, 5]),
        (Stale::Resource("note://7"), &[6]),
        (Stale::Resource("note://7/a"), &[6, 7]),
        (Stale::Resource("note://7/a/b?c"), &[6, 7]),
        (Stale::Resource("note://"), &[]),
        (Stale::Everything, &[0, 1, 2, 3, 4, 5, 6, 7, 8]),
    ] {
        let mut world = World::new(CacheLimits::default());
        for key in &all {
            world.insert(key, r#"{"ttlMs":1}"#, 0);
        }
        world.cache.invalidate(stale);
        let dropped: Vec<_> = (0..all.len()).filter(|index| !world.has(&all[*index])).collect();
        assert_eq!(dropped, gone, "{stale:?}");
    }
}

#[test]
fn what_was_on_its_way_when_it_changed_is_not_kept() {
    let (tools, note) = (key("tools/list", "{}"), read("note://7"));
    for (stale, outdated) in [
        (Stale::Tools, [true, false]),
        (Stale::Prompts, [false, false]),
        (Stale::Resources, [false, false]),
        (Stale::Resource("note://7/a"), [false, true]),
        (Stale::Resource("other://"), [false, true]),
        (Stale::Private, [true, true]),
        (Stale::Everything, [true, true]),
    ] {
        let mut world = World::new(CacheLimits::default());
        let tickets = [world.cache.ticket(&tools), world.cache.ticket(&note)];
        world.cache.invalidate(stale);
        for ((key, ticket), outdated) in [&tools, &note].into_iter().zip(tickets).zip(outdated) {
            let inserted = world.cache.insert(key.clone(), ticket, &raw(r#"{"ttlMs":1}"#), world.start);
            let expected = if outdated { Insertion::Outdated } else { Insertion::Kept };
            assert_eq!(inserted, expected, "{stale:?} {key:?}");
            assert_eq!(world.has(key), !outdated);
            assert_eq!(world.insert(key, r#"{"ttlMs":1}"#, 0), Insertion::Kept, "one sent since then is");
        }
    }
}

#[test]
fn at_the_limit_the_result_with_the_least_time_goes() {
    let mut world = World::new(limits(2, 1000));
    let [long, short, middle] = [read("a:1"), read("a:2"), read("a:3")];
    world.insert(&long, r#"{"ttlMs":300}"#, 0);
    world.insert(&short, r#"{"ttlMs":100}"#, 0);
    world.insert(&middle, r#"{"ttlMs":200}"#, 0);
    assert!(world.has(&long) && !world.has(&short) && world.has(&middle));
    world.insert(&short, r#"{"ttlMs":100}"#, 250);
    assert!(world.has(&long) && world.has(&short) && !world.has(&middle), "what is over goes first");
    world.insert(&short, r#"{"ttlMs":1}"#, 0);
    assert!(world.has(&long) && world.has(&short), "a result replaces that of its own key");
}

#[test]
fn bytes_are_bounded_and_what_is_too_large_alone_drops_nothing_else() {
    let key = |n: usize| read(&format!("a:{n}"));
    let json = format!(r#"{{"ttlMs":100,"text":"{}"}}"#, "x".repeat(1000));
    let mut world = World::new(limits(100, 5000));
    for n in 0..10 {
        assert_eq!(world.insert(&key(n), &json, n as u64), Insertion::Kept);
        assert!(world.cache.bytes() <= 5000);
    }
    assert_eq!(world.cache.len(), 4);
    assert!(!world.has(&key(5)) && world.has(&key(6)));
    let huge = format!(r#"{{"ttlMs":100,"text":"{}"}}"#, "x".repeat(5000));
    assert_eq!(world.insert(&key(99), &huge, 0), Insertion::TooLarge);
    assert_eq!(
        world.insert(&read(&"x".repeat(2500)), r#"{"ttlMs":1}"#, 0),
        Insertion::TooLarge,
        "keys count"
    );
    assert_eq!(world.cache.len(), 4);
    assert_eq!(World::new(limits(0, 5000)).insert(&key(1), r#"{"ttlMs":1}"#, 0), Insertion::TooLarge);
}
