//! Which scenarios are run at which revision, so that none of the suite's is forgotten.

use anyhow::{Result, bail, ensure};

use super::scenario::Scenario;

/// The revisions that are tested, in this order.
pub(super) const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];
/// These are in the suite for a revision, or the step fails; so does whatever comes to it and does not pass.
const REQUIRED: [(&str, &str); 17] = [
    ("initialize", "2025-11-25"),
    ("tools_call", "2025-11-25"),
    ("elicitation-sep1034-client-defaults", "2025-11-25"),
    ("sse-retry", "2025-11-25"),
    ("json-schema-2020-12-preservation", "2025-11-25"),
    ("tools_call", "2026-07-28"),
    ("request-metadata", "2026-07-28"),
    ("http-standard-headers", "2026-07-28"),
    ("http-custom-headers", "2026-07-28"),
    ("http-invalid-tool-headers", "2026-07-28"),
    ("json-schema-ref-no-deref", "2026-07-28"),
    ("sep-2322-client-request-state", "2026-07-28"),
    ("json-schema-2020-12-preservation", "2026-07-28"),
    ("sep-2640-client-no-prefetch", "2026-07-28"),
    ("sep-2640-client-verify-digest", "2026-07-28"),
    ("sep-2640-client-verify-size", "2026-07-28"),
    ("sep-2640-client-verify-frontmatter", "2026-07-28"),
];
/// What these scenarios test is not built yet.
const LEFT_OUT: &str = "auth/";

/// One scenario at one revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) scenario: String,
    pub(super) revision: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) run: Vec<Run>,
    /// With the revisions that they are of, as the suite tells them.
    pub(super) left_out: Vec<Run>,
}

impl Plan {
    /// All that are `listed`, or of these the `chosen` ones if there are any, at each revision that they
    /// are for.
    pub(super) fn new(listed: &[Scenario], chosen: &[String]) -> Result<Self> {
        for (name, revision) in REQUIRED {
            let is_there = |one: &Scenario| one.name == name && one.is_for(revision);
            ensure!(listed.iter().any(is_there), "the suite has no scenario `{name}` at {revision}");
        }
        let (left_out, runnable): (Vec<_>, Vec<_>) =
            listed.iter().partition(|scenario| scenario.name.starts_with(LEFT_OUT));
        for name in chosen {
            if left_out.iter().any(|scenario| scenario.name == *name) {
                bail!("`{name}` is not run: authorization is not built yet");
            }
            let names = || runnable.iter().map(|scenario| &*scenario.name).collect::<Vec<_>>().join(", ");
            let is_known = runnable.iter().any(|scenario| scenario.name == *name);
            ensure!(is_known, "there is no scenario `{name}`, but {}", names());
        }
        let is_chosen = |name: &String| chosen.is_empty() || chosen.contains(name);
        let at = |revision: &'static str| {
            let here = runnable.iter().filter(move |one| one.is_for(revision) && is_chosen(&one.name));
            here.map(move |one| Run { scenario: one.name.clone(), revision: revision.to_owned() })
        };
        let left_out = left_out.iter().filter(|_| chosen.is_empty());
        let left_out =
            left_out.map(|one| Run { scenario: one.name.clone(), revision: one.revisions.join(", ") });
        Ok(Self { run: REVISIONS.into_iter().flat_map(at).collect(), left_out: left_out.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(name: &str, revisions: &[&str]) -> Scenario {
        let revisions = revisions.iter().map(|&revision| revision.to_owned()).collect();
        Scenario { name: name.to_owned(), revisions }
    }

    fn listed(more: &[Scenario]) -> Vec<Scenario> {
        let required = REQUIRED.iter().map(|(name, revision)| scenario(name, &[revision]));
        required.chain(more.iter().cloned()).collect()
    }

    fn at(plan: &Plan, name: &str) -> Vec<String> {
        let runs = plan.run.iter().filter(|run| run.scenario == name);
        runs.map(|run| run.revision.clone()).collect()
    }

    #[test]
    fn what_is_new_in_the_suite_is_run_at_the_revisions_it_is_for() {
        let new = [scenario("new", &["2026-07-28"]), scenario("old", &["2025-06-18", "2025-11-25"])];
        let plan = Plan::new(&listed(&new), &[]).unwrap();
        assert_eq!(
            (at(&plan, "new"), at(&plan, "old")),
            (vec!["2026-07-28".to_owned()], vec!["2025-11-25".to_owned()])
        );
        assert_eq!(at(&plan, "tools_call"), REVISIONS);
        assert_eq!(plan.run.len(), REQUIRED.len() + 2);
    }

    #[test]
    fn an_extension_is_run_at_every_revision() {
        let plan = Plan::new(&listed(&[scenario("more", &["extension"])]), &[]).unwrap();
        assert_eq!(at(&plan, "more"), REVISIONS);
    }

    #[test]
    fn authorization_is_left_out_by_name() {
        let auth =
            [scenario("auth/basic", &["2025-11-25", "2026-07-28"]), scenario("auth/dpop", &["extension"])];
        let plan = Plan::new(&listed(&auth), &[]).unwrap();
        let left_out: Vec<_> = plan.left_out.iter().map(|run| (&*run.scenario, &*run.revision)).collect();
        assert_eq!(left_out, [("auth/basic", "2025-11-25, 2026-07-28"), ("auth/dpop", "extension")]);
        assert_eq!(plan.run.len(), REQUIRED.len());
    }

    #[test]
    fn what_is_gone_from_the_suite_is_an_error() {
        let error = Plan::new(&listed(&[])[1..], &[]).unwrap_err().to_string();
        assert_eq!(error, "the suite has no scenario `initialize` at 2025-11-25");
        assert!(Plan::new(&[], &[]).is_err());
        let mut moved = listed(&[]);
        moved[5].revisions = vec!["2025-11-25".to_owned()];
        assert!(Plan::new(&moved, &[]).is_err());
    }

    #[test]
    fn only_the_chosen_are_run() {
        let listed = listed(&[scenario("auth/basic", &["2025-11-25"])]);
        let chosen = |name: &str| Plan::new(&listed, &[name.to_owned()]);
        let plan = chosen("tools_call").unwrap();
        assert_eq!((plan.run.len(), at(&plan, "tools_call").len(), plan.left_out.len()), (2, 2, 0));
        assert!(chosen("auth/basic").is_err());
        assert!(chosen("tools").is_err());
    }
}
