//! Whether a scenario passed, strictly.

use std::fs;
use std::path::Path;
use std::process::ExitStatus;

use serde_json::Value;

/// The last line of the client's stdout when all went well.
const DONE: &str = "done";

#[derive(Debug)]
pub(super) struct Verdict {
    succeeded: usize,
    failed: usize,
    warned: usize,
    /// Why it did not pass, one a line.
    problems: Vec<String>,
}

impl Verdict {
    /// `ended` is how the suite ended, `None` if it hung; the others are what it wrote, if it did.
    pub(super) fn new(ended: Option<ExitStatus>, checks: Option<&str>, stdout: Option<&str>) -> Self {
        let mut verdict = Self { succeeded: 0, failed: 0, warned: 0, problems: Vec::new() };
        match checks.map(serde_json::from_str) {
            Some(Ok(Value::Array(checks))) => verdict.count(&checks),
            Some(_) => verdict.problems.push("the checks are no list of JSON".to_owned()),
            None => verdict.problems.push("the suite wrote no checks".to_owned()),
        }
        if verdict.succeeded == 0 {
            verdict.problems.push("no check succeeded".to_owned());
        }
        match ended {
            Some(status) if status.success() => {}
            Some(status) => verdict.problems.push(format!("the suite ended with {status}")),
            None => verdict.problems.push("it hung and was ended".to_owned()),
        }
        // To the suite, a client that a signal ended can look like one that ended with 0.
        if stdout.and_then(|text| text.lines().last()) != Some(DONE) {
            verdict.problems.push("the client did not come to its end".to_owned());
        }
        verdict
    }

    pub(super) fn is_pass(&self) -> bool {
        self.problems.is_empty()
    }

    pub(super) fn result(&self, tries: u32) -> &'static str {
        match (self.is_pass(), tries) {
            (true, 1) => "passed",
            (true, _) => "passed when repeated",
            (false, 1) => "FAILED",
            (false, _) => "FAILED twice",
        }
    }

    pub(super) fn checks(&self) -> String {
        format!("{} succeeded, {} failed, {} warned", self.succeeded, self.failed, self.warned)
    }

    /// Tells why it did not pass; `folder` holds what the run left behind.
    pub(super) fn explain(&self, folder: &Path) {
        for problem in &self.problems {
            println!("    {problem}");
        }
        // Where the client ended with an error, it holds what that wrote, too.
        println!("    {}:", folder.join("suite.txt").display());
        for line in fs::read_to_string(folder.join("suite.txt")).unwrap_or_default().lines() {
            println!("    | {line}");
        }
    }

    fn count(&mut self, checks: &[Value]) {
        for check in checks {
            let (counter, what) = match check["status"].as_str() {
                Some("SUCCESS") => {
                    self.succeeded += 1;
                    continue;
                }
                // What was seen on the wire, and what this revision does not have.
                Some("INFO" | "SKIPPED") => continue,
                Some("WARNING") => (&mut self.warned, "warning"),
                _ => (&mut self.failed, "failure"),
            };
            *counter += 1;
            let text = |name: &str| check[name].as_str().filter(|text| !text.is_empty());
            let why = text("errorMessage").or_else(|| text("description")).unwrap_or("no reason given");
            self.problems.push(format!("{what}: {}: {why}", text("id").unwrap_or("a check without a name")));
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    const GOOD: &str =
        r#"[{"id":"a","status":"INFO"},{"id":"b","status":"SUCCESS"},{"id":"c","status":"SKIPPED"}]"#;

    fn ended(code: i32) -> Option<ExitStatus> {
        Some(ExitStatus::from_raw(code << 8))
    }

    fn check(checks: &str, expected: &[&str]) {
        assert_eq!(Verdict::new(ended(0), Some(checks), Some("done\n")).problems, expected);
    }

    #[test]
    fn one_success_and_nothing_bad_is_a_pass() {
        let verdict = Verdict::new(ended(0), Some(GOOD), Some("x\ndone\n"));
        assert!(verdict.is_pass());
        assert_eq!(verdict.checks(), "1 succeeded, 0 failed, 0 warned");
        assert_eq!((verdict.result(1), verdict.result(2)), ("passed", "passed when repeated"));
    }

    #[test]
    fn a_failure_a_warning_and_an_unknown_status_are_no_pass() {
        let checks = r#"[{"id":"a","status":"SUCCESS"},{"id":"b","status":"FAILURE","errorMessage":"no"},
            {"id":"c","status":"WARNING","errorMessage":"","description":"late"},{"status":"ODD"}]"#;
        let expected =
            ["failure: b: no", "warning: c: late", "failure: a check without a name: no reason given"];
        check(checks, &expected);
    }

    #[test]
    fn nothing_checked_is_no_pass() {
        check("[]", &["no check succeeded"]);
        check("{}", &["the checks are no list of JSON", "no check succeeded"]);
        let problems = Verdict::new(ended(0), None, Some("done")).problems;
        assert_eq!(problems, ["the suite wrote no checks", "no check succeeded"]);
    }

    #[test]
    fn a_client_that_did_not_end_well_is_no_pass() {
        let problems = |ended, stdout| Verdict::new(ended, Some(GOOD), stdout).problems;
        assert_eq!(problems(ended(1), Some("done")), ["the suite ended with exit status: 1"]);
        assert_eq!(problems(ended(0), Some("done\nx")), ["the client did not come to its end"]);
        let hung = problems(None, None);
        assert_eq!(hung, ["it hung and was ended", "the client did not come to its end"]);
        assert_eq!(Verdict::new(None, None, None).result(2), "FAILED twice");
    }
}
