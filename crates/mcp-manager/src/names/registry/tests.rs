//! Every name is valid, unique, and leads back.

use proptest::prelude::{Just, Strategy, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::super::MAX_NAME;
use super::*;

type Lists = Vec<(String, Vec<String>)>;

fn registry(style: &str, servers: &[(&str, &[&str])]) -> Registry {
    let style = NameStyle::new(style).unwrap();
    let registry = Registry::build(servers.iter().map(|(server, tools)| (*server, tools.to_vec())), &style);
    sound(&registry).unwrap();
    registry
}

/// All exposed names in their order.
fn names(servers: &[(&str, &[&str])]) -> Vec<String> {
    let registry = registry("mcp__{server}__{tool}", servers);
    registry.entries().iter().map(|entry| entry.exposed.clone()).collect()
}

/// The properties that every registry has.
fn sound(registry: &Registry) -> Result<(), String> {
    let ensure = |holds: bool, what: &str| if holds { Ok(()) } else { Err(what.to_owned()) };
    let mut seen = HashSet::new();
    for Entry { exposed, origin } in registry.entries() {
        ensure((1..=MAX_NAME).contains(&exposed.len()), &format!("length of {exposed}"))?;
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        ensure(exposed.chars().all(allowed), &format!("characters of {exposed}"))?;
        ensure(seen.insert(exposed), &format!("{exposed} is there twice"))?;
        ensure(registry.origin(exposed) == Some(origin), &format!("the way back from {exposed}"))?;
        let there = registry.exposed(&origin.server, &origin.tool);
        ensure(there == Some(exposed.as_str()), &format!("the way to {exposed}"))?;
    }
    ensure(registry.len() == registry.by_exposed.len(), "an entry too many or too few")
}

#[test]
fn plain_names_stay_plain() {
    assert_eq!(names(&[("files", &["read", "write-1"])]), ["mcp__files__read", "mcp__files__write-1"]);
    assert_eq!(names(&[("my files", &["a.b"])]), ["mcp__my_files__a_b"]);
    assert_eq!(names(&[]), [""; 0]);
}

#[test]
fn entries_are_sorted_by_server_and_then_as_the_server_has_them() {
    let registry = registry("{server}-{tool}", &[("b", &["z", "a"]), ("c", &[]), ("a", &["y", "x"])]);
    let names: Vec<_> = registry.entries().iter().map(|entry| entry.exposed.as_str()).collect();
    assert_eq!(names, ["a-y", "a-x", "b-z", "b-a"]);
    assert_eq!(registry.of_server("b"), &registry.entries()[2..]);
    assert_eq!(registry.of_server("a"), &registry.entries()[..2]);
    assert!(registry.of_server("c").is_empty());
    assert!(registry.of_server("d").is_empty());
}

#[test]
fn of_tools_that_look_the_same_none_has_the_name() {
    let registry = registry("mcp__{server}__{tool}", &[("s", &["a.b", "a_b", "a/b"])]);
    assert_eq!(registry.origin("mcp__s__a_b"), None);
    for tool in ["a.b", "a_b", "a/b"] {
        let name = registry.exposed("s", tool).unwrap();
        assert!(name.starts_with("mcp__s__a_b_") && name.len() == "mcp__s__a_b_".len() + 10, "{name}");
    }
    let [collision] = registry.collisions() else { panic!("{:?}", registry.collisions()) };
    assert_eq!(collision.exposed, "mcp__s__a_b");
    let tools: Vec<_> = collision.members.iter().map(|origin| origin.tool.as_str()).collect();
    assert_eq!(tools, ["a.b", "a/b", "a_b"]);
}

#[test]
fn a_separator_within_a_name_cannot_move_it_to_another_server() {
    let registry = registry("mcp__{server}__{tool}", &[("a", &["b__c"]), ("a__b", &["c"])]);
    assert_eq!(registry.origin("mcp__a__b__c"), None);
    assert_eq!((registry.len(), registry.collisions().len()), (2, 1));
}

#[test]
fn servers_with_the_same_clean_name_are_told_apart() {
    let registry = registry("mcp__{server}__{tool}", &[("my.files", &["read"]), ("my files", &["read"])]);
    assert_eq!((registry.len(), registry.collisions().len()), (2, 1));
}

#[test]
fn names_that_agree_for_long_are_shortened_without_a_collision() {
    let (left, right) = ("l".repeat(40), "r".repeat(40));
    let tools: Vec<_> = (0..20).map(|end| format!("{}{end}", "t".repeat(60))).collect();
    let tools: Vec<_> = tools.iter().map(String::as_str).collect();
    let name_of_128 = "n".repeat(128);
    let registry =
        registry("mcp__{server}__{tool}", &[(&left, &tools), (&right, &tools), ("s", &[&name_of_128])]);
    assert_eq!(registry.len(), 41);
    assert!(registry.collisions().is_empty());
    assert!(registry.exposed("s", &name_of_128).unwrap().starts_with("mcp__s__nnnnnnnn"));
}

#[test]
fn a_name_fits_up_to_the_limit_and_not_beyond() {
    let fits = "t".repeat(MAX_NAME - "mcp__s__".len());
    assert_eq!(names(&[("s", &[&fits])]), [format!("mcp__s__{fits}")]);
    let names = names(&[("s", &[&format!("{fits}t")])]);
    assert_eq!(names[0].len(), MAX_NAME);
    assert!(names[0].starts_with("mcp__s__tttt") && !names[0].ends_with("tt"), "{names:?}");
}

#[test]
fn a_tool_cannot_take_the_hashed_name_of_another() {
    let victim = names(&[("s", &["a.b", "a_b"])])[0].clone();
    let forged = victim.strip_prefix("mcp__s__").unwrap();
    let registry = registry("mcp__{server}__{tool}", &[("s", &["a.b", "a_b", forged])]);
    assert_eq!(registry.exposed("s", "a.b"), Some(victim.as_str()));
    assert_ne!(registry.exposed("s", forged), Some(victim.as_str()));
}

#[test]
fn a_tool_that_comes_changes_only_names_it_collides_with() {
    let before = registry("{tool}", &[("s", &["a", "b.c", "d"])]);
    let after = registry("{tool}", &[("s", &["a", "b.c", "d", "b_c"]), ("t", &["e"])]);
    assert_eq!((before.exposed("s", "b.c"), after.origin("b_c")), (Some("b_c"), None));
    for tool in ["a", "d"] {
        assert_eq!(before.exposed("s", tool), after.exposed("s", tool));
    }
}

/// Found by search: the hashes of the two agree in their first 40 bits.
#[test]
fn names_whose_short_hashes_agree_have_long_ones() {
    let [one, other] = ["343060", "841821"].map(|end| format!("{}{end}", "t".repeat(60)));
    let style = NameStyle::default();
    let of = |tool: &str| Origin { server: "s".to_owned(), tool: tool.to_owned() };
    let short = |tool: &str| super::super::hashed::short(&style, &of(tool));
    assert_eq!(short(&one), short(&other));

    for tools in [[&*one, &*other], [&*other, &*one]] {
        let registry = Registry::build([("s", tools)], &style);
        assert_eq!((sound(&registry), registry.len()), (Ok(()), 2));
        assert_eq!(registry.origin(&short(&one)), None);
    }
    assert_eq!(names(&[("s", &[&one])]), [short(&one)]);
}

#[test]
fn names_differ_by_case_alone() {
    assert_eq!(names(&[("s", &["Read", "read"])]), ["mcp__s__Read", "mcp__s__read"]);
}

#[test]
fn a_tool_without_a_name_has_one_for_the_model() {
    let registry = registry("{tool}", &[("s", &[""]), ("t", &[""])]);
    assert_eq!(registry.len(), 2);
}

#[test]
fn a_tool_that_is_listed_twice_is_there_once() {
    let registry = registry("{tool}", &[("s", &["a", "b", "a", "a"]), ("s", &["c", "b"])]);
    let names: Vec<_> = registry.entries().iter().map(|entry| entry.exposed.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let repeated: Vec<_> = registry.repeated().iter().map(|origin| origin.tool.as_str()).collect();
    assert_eq!(repeated, ["a", "a", "b"]);
    assert!(registry.collisions().is_empty());
}

#[test]
fn what_is_not_there_is_not_found() {
    let registry = registry("{tool}", &[("s", &["a"])]);
    assert_eq!(registry.origin("s"), None);
    assert_eq!(registry.exposed("s", "b"), None);
    assert_eq!(registry.exposed("t", "a"), None);
    assert!(Registry::default().is_empty());
}

/// Parts that are short, odd, long, or look like names made here, so that collisions abound.
fn part() -> impl Strategy<Value = String> {
    let stem = prop_oneof![
        Just(String::new()),
        Just("mcp__".to_owned()),
        (1_usize..70).prop_map(|length| "x".repeat(length)),
        ".*",
    ];
    let tail = prop_oneof!["[ab._/ é-]{0,4}", "_[0-9a-f]{10}", "_[0-9a-f]{52}"];
    (stem, tail).prop_map(|(stem, tail)| stem + &tail)
}

/// Each server once, each tool of a server once.
fn lists() -> impl Strategy<Value = Lists> {
    let tools = || prop::collection::hash_set(part(), 0..12).prop_map(|tools| tools.into_iter().collect());
    prop::collection::hash_map(part(), tools(), 0..5).prop_map(|lists| lists.into_iter().collect())
}

fn style() -> impl Strategy<Value = NameStyle> {
    let templates = [
        "mcp__{server}__{tool}",
        "{tool}",
        "{tool}_{server}",
        "{server}{tool}",
        "abcdefghijklmnopqrstuvwx{tool}",
    ];
    prop::sample::select(templates.to_vec()).prop_map(|template| NameStyle::new(template).unwrap())
}

fn shuffled() -> impl Strategy<Value = (Lists, Lists)> {
    let tools_too = |lists: Lists| {
        let each = lists.into_iter().map(|(server, tools)| (Just(server), Just(tools).prop_shuffle()));
        each.collect::<Vec<_>>()
    };
    lists().prop_flat_map(move |lists| {
        (Just(lists.clone()), Just(lists).prop_shuffle().prop_flat_map(tools_too))
    })
}

proptest! {
    #[test]
    fn every_name_is_valid_unique_and_leads_back(style in style(), lists in lists()) {
        let registry = Registry::build(lists.clone(), &style);
        prop_assert_eq!(sound(&registry), Ok(()));
        let pairs: usize = lists.iter().map(|(_, tools)| tools.len()).sum();
        prop_assert_eq!(registry.len(), pairs);
        for (server, tools) in &lists {
            let listed: Vec<_> = registry.of_server(server).iter().map(|it| it.origin.tool.clone()).collect();
            prop_assert_eq!(&listed, tools);
        }
    }

    #[test]
    fn the_order_of_arrival_changes_no_name(style in style(), (one, other) in shuffled()) {
        let (one, other) = (Registry::build(one, &style), Registry::build(other, &style));
        prop_assert_eq!(&one.by_exposed.len(), &other.by_exposed.len());
        for entry in one.entries() {
            prop_assert_eq!(other.origin(&entry.exposed), Some(&entry.origin));
        }
        prop_assert_eq!(one.collisions(), other.collisions());
    }

    #[test]
    fn every_name_that_had_to_give_way_is_in_a_report_or_did_not_fit(lists in lists()) {
        let style = NameStyle::default();
        let registry = Registry::build(lists, &style);
        for Entry { exposed, origin } in registry.entries() {
            let plain = style.plain(&origin.server, &origin.tool);
            let reported = registry.collisions().iter().any(|collision| collision.members.contains(origin));
            prop_assert!(
                *exposed == plain || reported || plain.len() > MAX_NAME || super::super::hashed::is_hashed(&plain)
            );
        }
    }
}
