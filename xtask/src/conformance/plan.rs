//! Which scenarios are run, so that none of the suite's is forgotten.

use anyhow::{Result, bail, ensure};

/// These are in the suite and pass, or the step fails; so does whatever comes to it.
const REQUIRED: [&str; 5] = [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "json-schema-2020-12-preservation",
];
/// What these scenarios test is not built yet.
const LEFT_OUT: &str = "auth/";

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) run: Vec<String>,
    pub(super) left_out: Vec<String>,
}

impl Plan {
    /// All that are `listed`, or of these the `chosen` ones if there are any.
    pub(super) fn new(listed: &[String], chosen: &[String]) -> Result<Self> {
        for required in REQUIRED {
            ensure!(listed.iter().any(|name| name == required), "the suite has no scenario `{required}`");
        }
        let (left_out, run): (Vec<_>, Vec<_>) =
            listed.iter().cloned().partition(|name| name.starts_with(LEFT_OUT));
        if chosen.is_empty() {
            return Ok(Self { run, left_out });
        }
        for name in chosen {
            if left_out.contains(name) {
                bail!("`{name}` is not run: authorization is not built yet");
            }
            ensure!(run.contains(name), "there is no scenario `{name}`, but {}", run.join(", "));
        }
        Ok(Self { run: chosen.to_vec(), left_out: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn listed(more: &[&str]) -> Vec<String> {
        names(&[&REQUIRED[..], more].concat())
    }

    #[test]
    fn what_is_new_in_the_suite_is_run() {
        let plan = Plan::new(&listed(&["auth/basic", "new"]), &[]).unwrap();
        assert_eq!(plan, Plan { run: listed(&["new"]), left_out: names(&["auth/basic"]) });
    }

    #[test]
    fn what_is_gone_from_the_suite_is_an_error() {
        let error = Plan::new(&names(&REQUIRED[1..]), &[]).unwrap_err().to_string();
        assert_eq!(error, "the suite has no scenario `initialize`");
        assert!(Plan::new(&[], &[]).is_err());
    }

    #[test]
    fn only_the_chosen_are_run() {
        let listed = listed(&["auth/basic"]);
        let plan = Plan::new(&listed, &names(&["sse-retry"])).unwrap();
        assert_eq!(plan, Plan { run: names(&["sse-retry"]), left_out: Vec::new() });
        assert!(Plan::new(&listed, &names(&["auth/basic"])).is_err());
        assert!(Plan::new(&listed, &names(&["tools"])).is_err());
    }
}
