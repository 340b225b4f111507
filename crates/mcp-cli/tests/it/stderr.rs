//! A stderr that is stuck or fails costs what would have been written there, and nothing else.

use std::fs::OpenOptions;

use crate::run::{on_script, program, script};

/// A server that warns for ever when a tool is called.
const FLOOD: &str = r#"hello; next
while :; do echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"}}'; done"#;

#[test]
fn a_stderr_that_nobody_reads_does_not_hold_up_a_deadline() {
    let server = script(FLOOD);
    let args = on_script(&["--timeout", "1000", "call", "-", "x", "--args", "{}"], &server);
    // Its stderr is a pipe that stays open here and is not read.
    let mut child = program(&args).spawn().unwrap();
    let _unread = child.stderr.take();
    assert_eq!(child.wait().unwrap().code(), Some(4));
}

#[cfg(target_os = "linux")]
#[test]
fn a_stderr_that_fails_does_not_lose_the_result() {
    let server = script("hello; next; answer '{\"content\":[]}'; cat >/dev/null");
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let args = on_script(&["-vv", "--json", "call", "-", "x", "--args", "{}"], &server);
    let output = program(&args).stderr(full).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"{\"content\":[]}\n"[..]));
}
