//! `listen`: notifications as they arrive.

use crate::run::{on_demo, on_script, run, script};

#[test]
fn notifications_are_lines_of_json_in_the_order_they_came() {
    let server = script(
        r#"hello
           printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
           printf '{"jsonrpc":"2.0","method":"x/y","params":{ "a":1e400 }}\n'"#,
    );
    let ran = run(&on_script(&["--json", "listen", "-"], &server));
    let expected = "{\"method\":\"notifications/tools/list_changed\"}\n{\"method\":\"x/y\",\"params\":{ \"a\":1e400 }}\n";
    assert_eq!(ran.check_status(3).stdout, expected, "the server ended, which is a lost link");
    assert!(ran.stderr.starts_with("error: sh: Transport closed\n"), "{ran:?}");
}

#[test]
fn listening_for_a_time_is_done_after_it() {
    let ran = run(&on_demo(&["listen", "-", "--for", "300"]));
    let expected = "s  notifications/message  info: [demo-server] hello, mcp-cli\n";
    assert!(ran.check_status(0).stdout.ends_with(expected), "{ran:?}");
    assert_eq!(ran.stderr, "");
}
