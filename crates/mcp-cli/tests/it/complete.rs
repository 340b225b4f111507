//! `complete`: arguments of prompts and variables of templates, in each era.

use crate::http_peer::Peer;
use crate::run::{on_demo, on_script, run, script};

const ERAS: [&str; 3] = ["2024-11-05", "2025-11-25", "2026-07-28"];

const HELLO: &str = r#"next
answer '{"protocolVersion":"2025-11-25","capabilities":{"completions":{}},"serverInfo":{"name":"s","version":"1"}}'
next
next
"#;

#[test]
fn values_come_one_a_line_in_every_era() {
    for era in ERAS {
        let args = ["--protocol", era, "complete", "-", "prompt", "review", "language"];
        run(&on_demo(&args)).check(0, "python\nrust\ntypescript\n", "");
        let args = ["--protocol", era, "complete", "-", "prompt", "review", "language=r"];
        run(&on_demo(&args)).check(0, "rust\n", "");
    }
}

#[test]
fn values_depend_on_what_others_have() {
    let args = ["complete", "-", "prompt", "review", "framework=", "language=rust"];
    run(&on_demo(&args)).check(0, "axum\nrocket\ntokio\n", "");
    let template = "demo://greeting/{language}/{name}";
    let peer = Peer::of("modern");
    let url = format!("http://{}/mcp", peer.address);
    let args = ["--protocol", "2026-07-28", "complete", &url, "template", template, "name=J", "language=de"];
    run(&args).check(0, "Jürgen\n", "");
}

#[test]
fn a_revision_without_context_is_sent_none_and_that_is_told() {
    let args =
        ["--protocol", "2025-03-26", "complete", "-", "prompt", "review", "framework=a", "language=rust"];
    let stderr = "warning: mcp-cli: it is not told of other arguments: its revision of the protocol has no place \
                  for them\n";
    run(&on_demo(&args)).check(0, "axum\nangular\n", stderr);
}

#[test]
fn values_that_are_left_out_are_noted() {
    let args = ["complete", "-", "template", "demo://number/{n}", "n"];
    let ran = run(&on_demo(&args));
    assert_eq!(
        (ran.check_status(0).stdout.lines().count(), ran.stderr.as_str()),
        (100, "note: these are 100 of 250 values\n")
    );
    let args = ["complete", "-", "prompt", "review", "language=nope"];
    run(&on_demo(&args)).check(0, "", "note: there are no values\n");
}

#[test]
fn json_is_the_result_exactly_as_it_was_sent() {
    let result = r#"{ "completion":{"total":1e400, "values":["a"]},"x":-0 }"#;
    let server = format!("{HELLO}printf '%s\\n' \"$line\" >&2; answer '{result}'; next");
    let args = ["-v", "--json", "complete", "-", "prompt", "p", "a=b=c", "d=e"];
    let server = script(&server);
    let ran = run(&on_script(&args, &server));
    assert_eq!(ran.check_status(0).stdout, format!("{result}\n"));
    let sent = r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b=c"},"context":{"arguments":{"d":"e"}}}"#;
    assert!(ran.stderr.contains(sent), "{ran:?}");
}

#[test]
fn an_answer_of_another_shape_is_a_failure_that_names_the_way_out() {
    for result in ["{}", r#"{"completion":{"values":"a"}}"#, r#"{"completion":{"values":[1]}}"#] {
        let server = script(&format!("{HELLO}answer '{result}'; next"));
        let ran = run(&on_script(&["complete", "-", "prompt", "p", "a"], &server));
        let text = "error: sh: the answer holds no values of an argument\n";
        assert!(ran.check_status(3).stderr.starts_with(text), "{ran:?}");
        assert!(
            ran.stderr.ends_with("    hint: --json prints it as it came\n") && ran.stdout.is_empty(),
            "{ran:?}"
        );
    }
}

#[test]
fn what_the_server_does_not_have_is_an_error_and_what_it_does_not_offer_is_not_asked_for() {
    let unknown = "error: mcp-cli: MCP error -32602: Unknown prompt: nope\n";
    run(&on_demo(&["complete", "-", "prompt", "nope", "a"])).check(5, "", unknown);
    let server = script("hello; next");
    let ran = run(&on_script(&["complete", "-", "prompt", "p", "a"], &server));
    assert!(ran.check_status(2).stderr.contains("does not offer `completions`"), "{ran:?}");
}

#[test]
fn a_line_that_is_no_completion_is_a_mistake_of_use_and_starts_nothing() {
    for (args, text) in [
        (&["prompt", "p", "=x"][..], "error: `=x` is not ARG or ARG=PREFIX\n"),
        (&["prompt", "p", "a", "b"], "error: `b` is not KEY=VALUE\n"),
        (&["prompt", "p", "a", "b=1", "b=2"], "error: `b` is given twice\n"),
        (&["template", "t", "a=1", "a=2"], "error: `a` is given twice\n"),
    ] {
        run(&[&["complete", "https://never.invalid"], args].concat()).check(2, "", text);
    }
    let ran = run(&["complete", "https://never.invalid", "tool", "t", "a"]);
    assert!(ran.check_status(2).stderr.contains("[possible values: prompt, template]"), "{ran:?}");
}
