//! Random steps on the cache and on a list that is searched from end to end.

use proptest::prelude::*;
use proptest::sample::select;

use super::{Insertion, Key, Stale, World, key, limits, read};

const MAX_ENTRIES: usize = 5;
const MAX_BYTES: usize = 400;
const URIS: [&str; 5] = ["a:/1", "a:/1/x", "a:/1/x/y", "a:/10", "a:/2"];

fn keys() -> Vec<Key> {
    let lists =
        ["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"];
    let mut keys: Vec<_> = lists.iter().map(|method| key(method, "{}")).collect();
    keys.push(key("tools/list", r#"{"cursor":"2"}"#));
    keys.extend(URIS.map(read));
    keys
}

/// Which keys, by their number, each change drops, and of which no result on its way is kept.
fn changes() -> Vec<(Stale<'static>, Vec<usize>, Vec<usize>)> {
    let reads = vec![6, 7, 8, 9, 10];
    vec![
        (Stale::Tools, vec![1, 5], vec![1, 5]),
        (Stale::Prompts, vec![2], vec![2]),
        (Stale::Resources, vec![3, 4], vec![3, 4]),
        (Stale::Resource(URIS[1]), vec![6, 7], reads.clone()),
        (Stale::Resource(URIS[3]), vec![9], reads),
        (Stale::Everything, (0..11).collect(), (0..11).collect()),
    ]
}

#[derive(Clone, Debug)]
enum Step {
    /// Key, time it is fresh, length of text, changes that come while it is on its way.
    Fetch(usize, u64, usize, Vec<usize>),
    Change(usize),
    Pass(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let change = 0..changes().len();
    let meanwhile = prop_oneof![3 => Just(vec![]), 1 => proptest::collection::vec(change.clone(), 1..3)];
    let step = prop_oneof![
        6 => (0..keys().len(), 0_u64..50, 0_usize..450, meanwhile)
            .prop_map(|(key, ttl, length, meanwhile)| Step::Fetch(key, ttl, length / 3, meanwhile)),
        1 => change.prop_map(Step::Change),
        2 => select(vec![1, 5, 20]).prop_map(Step::Pass),
    ];
    proptest::collection::vec(step, 1..60)
}

/// What the cache should have, in the order of insertion.
#[derive(Default)]
struct Model {
    entries: Vec<Kept>,
}

struct Kept {
    key: usize,
    until: u64,
    bytes: usize,
    json: String,
}

impl Model {
    fn drop_keys(&mut self, keys: &[usize]) {
        self.entries.retain(|entry| !keys.contains(&entry.key));
    }

    fn insert(&mut self, new: Kept) {
        let bytes = |entries: &[Kept]| entries.iter().map(|entry| entry.bytes).sum::<usize>();
        while self.entries.len() == MAX_ENTRIES || bytes(&self.entries) + new.bytes > MAX_BYTES {
            let first = self.entries.iter().enumerate().min_by_key(|(at, entry)| (entry.until, *at));
            let at = first.map(|(at, _)| at).unwrap();
            self.entries.remove(at);
        }
        self.entries.push(new);
    }
}

fn fetch(world: &mut World, model: &mut Model, now: u64, step: (usize, u64, usize, &[usize])) -> Insertion {
    let (keys, changes) = (keys(), changes());
    let (key, ttl, length, meanwhile) = step;
    let json = format!(r#"{{"ttlMs":{ttl},"text":"{}"}}"#, "x".repeat(length));
    let ticket = world.cache.ticket(&keys[key]);
    let mut expected = Insertion::Kept;
    for change in meanwhile {
        let (stale, dropped, outdated) = &changes[*change];
        world.cache.invalidate(*stale);
        model.drop_keys(dropped);
        if outdated.contains(&key) {
            expected = Insertion::Outdated;
        }
    }
    model.drop_keys(&[key]);
    let bytes = keys[key].bytes() + json.len();
    if expected == Insertion::Kept && bytes > MAX_BYTES {
        expected = Insertion::TooLarge;
    } else if expected == Insertion::Kept && ttl == 0 {
        expected = Insertion::NotFresh;
    }
    let received = world.at(now);
    assert_eq!(world.cache.insert(keys[key].clone(), ticket, &super::raw(&json), received), expected);
    if expected == Insertion::Kept {
        model.insert(Kept { key, until: now + ttl, bytes, json });
    }
    expected
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..Default::default() })]

    #[test]
    fn any_steps_leave_what_a_naive_list_has(steps in steps()) {
        let (mut world, mut model, mut now) = (World::new(limits(MAX_ENTRIES, MAX_BYTES)), Model::default(), 0);
        for step in &steps {
            match step {
                Step::Fetch(key, ttl, length, meanwhile) => {
                    fetch(&mut world, &mut model, now, (*key, *ttl, *length, meanwhile));
                }
                Step::Change(change) => {
                    let (stale, dropped, _) = &changes()[*change];
                    world.cache.invalidate(*stale);
                    model.drop_keys(dropped);
                }
                Step::Pass(time) => now += time,
            }
            prop_assert_eq!(world.cache.len(), model.entries.len());
            prop_assert_eq!(world.cache.order.len(), model.entries.len());
            prop_assert_eq!(world.cache.bytes(), model.entries.iter().map(|entry| entry.bytes).sum::<usize>());
            // One key is looked up after each step; so what is over does not always go at once.
            let asked = usize::try_from(now).unwrap() % keys().len();
            let found = world.lookup(&keys()[asked], now);
            model.entries.retain(|entry| entry.key != asked || entry.until > now);
            let kept = model.entries.iter().find(|entry| entry.key == asked);
            prop_assert_eq!(found.as_deref(), kept.map(|entry| entry.json.as_str()));
        }
        for (index, key) in keys().iter().enumerate() {
            let kept = model.entries.iter().find(|entry| entry.key == index && entry.until > now);
            let found = world.lookup(key, now);
            prop_assert_eq!(found.as_deref(), kept.map(|entry| entry.json.as_str()));
        }
    }
}
