//! Compares the edges in the table with those in the manifests.

use std::collections::BTreeSet;

use super::metadata::Package;
use super::table::{Allowed, Row, Stage};

pub(super) fn problems(rows: &[Row], packages: &[Package]) -> Vec<String> {
    let mut problems = Vec::new();
    for package in packages {
        match rows.iter().find(|row| row.name == package.name) {
            Some(row) => {
                check_package(row, package, packages, &mut problems);
                check_tests(rows, row, package, &mut problems);
            }
            None => problems.push(format!("{}: has no row in the table of layers", package.name)),
        }
    }
    for row in rows {
        if row.stage == Stage::Built && !exists(row.name, packages) {
            problems.push(format!("{}: in the table of layers, but no such package", row.name));
        }
    }
    problems
}

fn check_package(row: &Row, package: &Package, packages: &[Package], problems: &mut Vec<String>) {
    let used = |ours: bool| {
        let chosen = package.dependencies.iter().filter(move |it| !it.dev && it.ours == ours);
        chosen.map(|it| it.name.as_str()).collect::<BTreeSet<_>>()
    };
    let (ours, outside) = (used(true), used(false));
    for name in ours.iter().filter(|name| !row.ours.permits(name)) {
        problems.push(format!("{}: may not depend on {name}", row.name));
    }
    for name in outside.iter().filter(|name| !row.outside.permits(name)) {
        problems.push(format!("{}: {name} is not among its outside crates", row.name));
    }
    for name in row.ours.demands().iter().filter(|name| exists(name, packages) && !ours.contains(*name)) {
        problems.push(format!("{}: the table has its edge to {name}, the manifest has not", row.name));
    }
    for name in row.outside.demands().iter().filter(|name| !outside.contains(*name)) {
        problems.push(format!("{}: the table lists {name}, the manifest does not", row.name));
    }
}

/// A test of a layer needs nothing above it; itself it may name, to switch a feature on.
fn check_tests(rows: &[Row], row: &Row, package: &Package, problems: &mut Vec<String>) {
    for dependency in package.dependencies.iter().filter(|it| it.dev && it.ours) {
        if dependency.name != row.name && !is_below(rows, row, &dependency.name) {
            problems.push(format!("{}: its tests may not depend on {}", row.name, dependency.name));
        }
    }
}

/// Whether the table leads down from `row` to the crate of this name.
fn is_below(rows: &[Row], row: &Row, name: &str) -> bool {
    row.ours.permits(name)
        || rows
            .iter()
            .any(|other| other.name != row.name && row.ours.names(other.name) && is_below(rows, other, name))
}

fn exists(name: &str, packages: &[Package]) -> bool {
    packages.iter().any(|package| package.name == name)
}

impl Allowed {
    fn permits(&self, name: &str) -> bool {
        match self {
            Self::Exactly(names) | Self::Among(names) => names.contains(&name),
            Self::Anything => true,
        }
    }

    /// Whether it lists this crate by name.
    fn names(&self, name: &str) -> bool {
        !matches!(self, Self::Anything) && self.permits(name)
    }

    fn demands(&self) -> &'static [&'static str] {
        match self {
            Self::Exactly(names) => names,
            Self::Among(_) | Self::Anything => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::metadata::Dependency;
    use super::*;

    const ROWS: [Row; 3] = [
        Row {
            name: "low",
            stage: Stage::Built,
            ours: Allowed::Exactly(&[]),
            outside: Allowed::Exactly(&["serde"]),
        },
        Row {
            name: "high",
            stage: Stage::Built,
            ours: Allowed::Exactly(&["low", "later"]),
            outside: Allowed::Among(&["tokio"]),
        },
        Row {
            name: "later",
            stage: Stage::Planned,
            ours: Allowed::Exactly(&["low"]),
            outside: Allowed::Anything,
        },
    ];

    /// `edges` holds words such as `low`, `+tokio` (an outside crate) and `dev:low`.
    fn package(name: &str, edges: &str) -> Package {
        let dependencies = edges.split_whitespace().map(|edge| {
            let name = edge.trim_start_matches("dev:").trim_start_matches('+').to_owned();
            let (dev, ours) = (edge.starts_with("dev:"), !edge.contains('+'));
            Dependency { name, dev, ours, features: Vec::new() }
        });
        Package { name: name.to_owned(), dependencies: dependencies.collect(), ..Package::default() }
    }

    #[track_caller]
    fn check(packages: &[Package], expected: &[&str]) {
        assert_eq!(problems(&ROWS, packages), expected);
    }

    #[test]
    fn edges_as_in_the_table_are_fine_without_the_planned_crate() {
        check(&[package("low", "+serde"), package("high", "low +tokio")], &[]);
        check(&[package("low", "+serde dev:low"), package("high", "low dev:low dev:+anyhow")], &[]);
    }

    #[test]
    fn an_edge_that_the_table_has_not_is_a_fault() {
        check(
            &[package("low", "+serde high +tokio"), package("high", "low")],
            &["low: may not depend on high", "low: tokio is not among its outside crates"],
        );
    }

    #[test]
    fn an_edge_that_only_the_table_has_is_a_fault() {
        check(
            &[package("low", ""), package("high", "")],
            &[
                "low: the table lists serde, the manifest does not",
                "high: the table has its edge to low, the manifest has not",
            ],
        );
    }

    #[test]
    fn a_planned_crate_must_match_once_it_is_there() {
        check(
            &[package("low", "+serde"), package("high", "low"), package("later", "")],
            &[
                "high: the table has its edge to later, the manifest has not",
                "later: the table has its edge to low, the manifest has not",
            ],
        );
    }

    #[test]
    fn packages_and_rows_must_correspond() {
        check(
            &[package("low", "+serde"), package("stranger", "")],
            &[
                "stranger: has no row in the table of layers",
                "high: in the table of layers, but no such package",
            ],
        );
    }

    #[test]
    fn tests_of_a_low_layer_may_not_name_a_higher_one() {
        check(
            &[package("low", "+serde dev:high"), package("high", "low")],
            &["low: its tests may not depend on high"],
        );
    }
}
