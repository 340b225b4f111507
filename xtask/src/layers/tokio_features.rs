//! Which parts of tokio the crates without a clock use.

use super::metadata::Package;

/// Crate, the features of tokio that it may use, and the one feature of its own that may add more.
const RULES: [(&str, &[&str], Option<&str>); 2] =
    [("mcp-jsonrpc", &["sync"], Some("testing")), ("mcp-client", &["rt", "sync"], None)];

pub(super) fn problems(packages: &[Package]) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, allowed, exempt) in RULES {
        for package in packages.iter().filter(|package| package.name == name) {
            for feature in always(package).chain(added(package, exempt)) {
                if !allowed.contains(&feature) {
                    problems.push(format!("{name}: may not use tokio's `{feature}`"));
                }
            }
        }
    }
    problems
}

fn always(package: &Package) -> impl Iterator<Item = &str> {
    let tokio = package.dependencies.iter().filter(|it| it.name == "tokio" && !it.dev);
    tokio.flat_map(|it| &it.features).map(String::as_str)
}

/// What the features of `package`, but for `exempt`, switch on in tokio.
fn added<'a>(package: &'a Package, exempt: Option<&'a str>) -> impl Iterator<Item = &'a str> {
    let ours = package.features.iter().filter(move |(name, _)| Some(name.as_str()) != exempt);
    ours.flat_map(|(_, parts)| parts).filter_map(|part| part.strip_prefix("tokio/"))
}

#[cfg(test)]
mod tests {
    use super::super::metadata::Dependency;
    use super::*;

    fn package(name: &str, tokio: &[&str], dev: bool, own: (&str, &str)) -> Package {
        let features = tokio.iter().map(|it| (*it).to_owned()).collect();
        Package {
            name: name.to_owned(),
            dependencies: vec![Dependency { name: "tokio".to_owned(), dev, ours: false, features }],
            features: [(own.0.to_owned(), vec![own.1.to_owned()])].into(),
        }
    }

    #[test]
    fn a_clock_is_allowed_behind_the_testing_feature_and_in_tests() {
        assert_eq!(problems(&[package("mcp-jsonrpc", &["sync"], false, ("testing", "tokio/time"))]), [""; 0]);
        assert_eq!(problems(&[package("mcp-client", &["time"], true, ("x", "y"))]), [""; 0]);
    }

    #[test]
    fn a_clock_elsewhere_is_a_fault() {
        let by_manifest = package("mcp-client", &["rt", "sync", "time"], false, ("x", "y"));
        assert_eq!(problems(&[by_manifest]), ["mcp-client: may not use tokio's `time`"]);
        let by_feature = package("mcp-jsonrpc", &["sync"], false, ("default", "tokio/time"));
        assert_eq!(problems(&[by_feature]), ["mcp-jsonrpc: may not use tokio's `time`"]);
    }
}
