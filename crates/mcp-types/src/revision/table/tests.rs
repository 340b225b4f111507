//! Every name and every revision, as the index of the specification has them.

use std::collections::BTreeSet;

use super::{METHODS, NOTICES, Revision};

/// A column each from 2024-11-05 on: `x` is there, `-` is not, `e` is there by an extension.
const EXPECTED: &str = "
    initialize                                xxxx-
    server/discover                           ----x
    ping                                      xxxx-
    tools/list                                xxxxx
    tools/call                                xxxxx
    resources/list                            xxxxx
    resources/templates/list                  xxxxx
    resources/read                            xxxxx
    resources/subscribe                       xxxx-
    resources/unsubscribe                     xxxx-
    prompts/list                              xxxxx
    prompts/get                               xxxxx
    completion/complete                       xxxxx
    logging/setLevel                          xxxx-
    subscriptions/listen                      ----x
    tasks/get                                 ---xe
    tasks/result                              ---x-
    tasks/list                                ---x-
    tasks/cancel                              ---xe
    tasks/update                              ----e
    roots/list                                xxxx-
    sampling/createMessage                    xxxx-
    elicitation/create                        --xx-
    notifications/initialized                 xxxx-
    notifications/roots/list_changed          xxxx-
    notifications/cancelled                   xxxxx
    notifications/progress                    xxxxx
    notifications/message                     xxxxx
    notifications/tools/list_changed          xxxxx
    notifications/resources/list_changed      xxxxx
    notifications/resources/updated           xxxxx
    notifications/prompts/list_changed        xxxxx
    notifications/elicitation/complete        ---x-
    notifications/tasks/status                ---x-
    notifications/subscriptions/acknowledged  ----x
    notifications/tasks                       ----e
";

#[test]
fn every_name_is_in_the_revisions_that_have_it_and_in_no_other() {
    let mut names = BTreeSet::new();
    for line in EXPECTED.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (name, columns) = line.split_once(' ').unwrap();
        let columns = columns.trim();
        assert_eq!(columns.len(), Revision::ALL.len(), "{name}");
        for (revision, column) in Revision::ALL.into_iter().zip(columns.chars()) {
            let has = if name.starts_with("notifications/") {
                revision.has_notice(name)
            } else {
                revision.has_method(name)
            };
            assert_eq!(has, column != '-', "{name} in {revision}");
        }
        names.insert(name);
    }
    let known = METHODS.iter().chain(&NOTICES).map(|(name, ..)| *name);
    assert_eq!(known.collect::<BTreeSet<_>>(), names);
}

#[test]
fn a_name_that_no_revision_has_is_nobodys_business() {
    for revision in Revision::ALL {
        for name in ["", "x/y", "tools", "tools/List", "tasks/", "com.example/run", "ping "] {
            assert!(revision.has_method(name) && revision.has_notice(name), "{name} in {revision}");
        }
    }
}

#[test]
fn each_name_stands_in_the_table_once() {
    let names: Vec<_> = METHODS.iter().chain(&NOTICES).map(|(name, ..)| *name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    assert!(METHODS.iter().chain(&NOTICES).all(|(_, first, last)| first <= last));
}
