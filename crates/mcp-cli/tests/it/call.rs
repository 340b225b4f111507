//! `call`, `request` and `ping`: what is sent and what is printed.

use crate::run::{on_demo, on_script, run, run_with_input, script};

#[test]
fn text_comes_as_text() {
    run(&on_demo(&["call", "-", "echo", "text=hello\n  world"])).check(0, "hello\n  world\n", "");
}

#[test]
fn values_are_typed_by_the_schema() {
    run(&on_demo(&["call", "-", "echo", "text=5"])).check(0, "5\n", "");
    let ran = run(&on_demo(&["--json", "call", "-", "add", "a=9007199254740993", "b=1"]));
    assert_eq!(ran.check_status(0).json()["structuredContent"]["sum"], 9_007_199_254_740_994_u64);
    let stderr = "error: mcp-cli: `a` must be a number, not `x` (a:=JSON sends anything)\n";
    run(&on_demo(&["call", "-", "add", "a=x", "b=1"])).check(2, "", stderr);
}

#[test]
fn args_come_from_the_line_a_file_or_stdin() {
    run(&on_demo(&["call", "-", "echo", "--args", r#"{"text":"a"}"#])).check(0, "a\n", "");
    run_with_input(&on_demo(&["call", "-", "echo", "--args", "-"]), "{\n  \"text\": \"b\"\n}\n")
        .check(0, "b\n", "");
    let file = format!("@{}/args.json", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&file[1..], "\u{feff}{\"text\":\n\"c\"}\n").unwrap();
    run(&on_demo(&["call", "-", "echo", "--args", &file])).check(0, "c\n", "");
    run(&on_demo(&["call", "-", "echo", "--args", r#"{"text":"a"}"#, "text=d"])).check(0, "d\n", "");
}

// Field case 164.
#[test]
fn json_output_is_the_result_exactly_as_it_was_sent() {
    let result = r#"{ "z":9007199254740993, "a":[18446744073709551615,-0,1e400,0.10],"content":[] }"#;
    let server = script(&format!("hello; next; answer '{result}'; next"));
    run(&on_script(&["--json", "call", "-", "x", "--args", "{}"], &server)).check(
        0,
        &format!("{result}\n"),
        "",
    );
    run(&on_script(&["--json", "request", "-", "x/y"], &server)).check(0, &format!("{result}\n"), "");
}

// Field case 164.
#[test]
fn arguments_reach_the_server_digit_by_digit() {
    let arguments = r#"{"a":9007199254740993,"b":18446744073709551615,"c":-0,"d":1e400,"e":0.10}"#;
    let server = script(r#"hello; next; printf '%s\n' "$line" >&2; answer '{"content":[]}'; next"#);
    let ran = run(&on_script(&["-v", "call", "-", "x", "--args", arguments], &server));
    assert!(ran.check_status(0).stderr.contains(&format!(r#""arguments":{arguments}"#)), "{}", ran.stderr);
}

#[test]
fn with_args_alone_no_tool_list_is_asked_for() {
    let server = script(r#"hello; next; printf '%s\n' "$line" >&2; answer '{"content":[]}'; next"#);
    let ran = run(&on_script(&["-v", "call", "-", "x", "--args", "{}"], &server));
    assert!(ran.check_status(0).stderr.contains(r#""method":"tools/call""#), "{}", ran.stderr);
}

#[test]
fn text_of_a_server_cannot_drive_the_terminal() {
    let result = r#"{"content":[{"type":"text","text":"a\\u001b[2Jb\\u202ec"}]}"#;
    let server = script(&format!("hello; next; answer '{}'; next", result.replace("\\\\", "\\")));
    run(&on_script(&["call", "-", "x", "--args", "{}"], &server)).check(0, "a\\u{1b}[2Jb\\u{202e}c\n", "");
}

#[test]
fn a_request_shows_its_result_indented() {
    run(&on_demo(&["request", "-", "ping"])).check(0, "{}\n", "");
    let ran = run(&on_demo(&["request", "-", "tools/list", "{}"]));
    assert!(
        ran.check_status(0).stdout.starts_with("{\n  \"tools\": [\n    {\n      \"name\": \"echo\","),
        "{ran:?}"
    );
}

#[test]
fn a_ping_tells_its_time() {
    assert!(run(&on_demo(&["ping", "-"])).check_status(0).stdout.starts_with("mcp-cli answered in "));
    assert!(run(&on_demo(&["--json", "ping", "-"])).check_status(0).json()["roundTripMs"].is_number());
}

// Field cases 2 and 38.
#[test]
fn noise_of_a_server_reaches_neither_stdout_nor_the_terminal() {
    let server = script(
        r#"printf 'log\n' >&2; hello; next
           printf '\033[33mwarn\033[0m slow query\n'; printf '\342\224\214\342\224\200\n'
           answer '{"content":[]}'; next"#,
    );
    let args = ["--json", "call", "-", "x", "--args", "{}"];
    run(&on_script(&args, &server)).check(0, "{\"content\":[]}\n", "");
    let ran = run(&on_script(&[&["-vv"], &args[..]].concat(), &server));
    ran.check_status(0);
    assert_eq!(ran.stdout, "{\"content\":[]}\n");
    assert!(ran.stderr.contains("sh: log\n") && !ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
}

#[test]
fn warnings_of_a_server_always_show_and_the_rest_with_v() {
    let ran = run(&on_demo(&["call", "-", "fail"]));
    assert!(ran.stderr.starts_with("mcp-cli: warning: [demo-server] about to fail, as asked\n"), "{ran:?}");
    assert!(!ran.stderr.contains("fail was called"));
    let ran = run(&on_demo(&["-v", "call", "-", "fail"]));
    assert!(ran.stderr.contains("mcp-cli: info: [demo-server] fail was called\n"), "{ran:?}");
}

#[test]
fn progress_shows_with_v_where_there_is_no_terminal() {
    let ran = run(&on_demo(&["-v", "call", "-", "sleep", "ms=1", "steps=2"]));
    assert!(ran.check_status(0).stderr.contains("mcp-cli: progress 2/2: step 2 of 2\n"), "{ran:?}");
}
