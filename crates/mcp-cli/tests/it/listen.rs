//! `listen`: notifications as they arrive.

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStderr, ChildStdout, Stdio};

use crate::http_peer::Peer;
use crate::run::{PROGRAM, on_demo, on_script, program, run, script};

const ERAS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// The program while it listens to a server over HTTP.
struct Listener {
    child: Child,
    stdout: Lines<BufReader<ChildStdout>>,
    stderr: BufReader<ChildStderr>,
}

impl Listener {
    /// Listens to an address with these options; ready once the server is heard.
    fn start(url: &str, era: &str, options: &[&str]) -> Self {
        let args = [&["-v", "--json", "--protocol", era, "listen", url], options].concat();
        let mut listener = Self::begin(&args);
        listener.wait_for(": it is heard\n");
        listener
    }

    /// Runs this until the test has seen enough.
    fn begin(args: &[&str]) -> Self {
        let mut child = program(args).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap()).lines();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stdout, stderr }
    }

    /// Reads stderr up to a line that ends so, and hands out all of it.
    fn wait_for(&mut self, end: &str) -> String {
        let mut seen = String::new();
        while !seen.ends_with(end) {
            assert_ne!(self.stderr.read_line(&mut seen).unwrap(), 0, "ended without {end:?}: {seen}");
        }
        seen
    }

    /// The next notification that is no log message.
    fn next(&mut self) -> serde_json::Value {
        loop {
            let line = self.stdout.next().unwrap().unwrap();
            let heard: serde_json::Value = serde_json::from_str(&line).unwrap();
            if heard["method"] != "notifications/message" {
                return heard;
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn url(peer: &Peer) -> String {
    format!("http://{}/mcp", peer.address)
}

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

#[test]
fn a_modern_server_is_listened_to_over_stdio() {
    let mut listener = Listener::begin(&on_demo(&["-v", "--protocol", "2026-07-28", "listen", "-"]));
    listener.wait_for("mcp-cli: it is heard\n");
}

#[test]
fn what_another_client_changes_is_heard_over_http_in_each_era() {
    for era in ERAS {
        let peer = Peer::of("both");
        let url = url(&peer);
        let mut listener = Listener::start(&url, era, &["--resource", "demo://counter"]);
        for kind in ["tool", "resource", "prompt"] {
            run(&["call", &url, "grow", &format!("kind={kind}")]).check_status(0);
            assert_eq!(listener.next()["method"], format!("notifications/{kind}s/list_changed"), "{era}");
        }
        run(&["call", &url, "count"]).check_status(0);
        let heard = listener.next();
        assert_eq!(heard["method"], "notifications/resources/updated", "{era}");
        assert_eq!(heard["params"]["uri"], "demo://counter", "{era}");
    }
}

#[test]
fn a_subscription_that_ends_is_taken_up_again_and_that_is_told() {
    let peer = Peer::of("modern");
    let url = url(&peer);
    let mut listener = Listener::start(&url, "2026-07-28", &[]);
    run(&["--protocol", "2026-07-28", "call", &url, "hang_up"]).check_status(0);
    let warning = format!("warning: {url}: it is not heard at the moment, and is asked again until it is\n");
    listener.wait_for(&warning);
    let note = format!("note: {url}: it is heard again: what changed in between was not told\n");
    listener.wait_for(&note);
    run(&["--protocol", "2026-07-28", "call", &url, "grow"]).check_status(0);
    assert_eq!(listener.next()["method"], "notifications/tools/list_changed");
}

#[test]
fn a_resource_that_is_not_told_of_ends_the_command() {
    for (era, status, text) in [
        ("2025-11-25", 5, "error: mcp-cli: MCP error -32002: "),
        (
            "2026-07-28",
            5,
            "error: mcp-cli: the resource is not watched\n    the server does not tell of changes of",
        ),
    ] {
        let args = ["--protocol", era, "listen", "-", "--resource", "demo://nope", "--for", "60000"];
        let ran = run(&on_demo(&args));
        assert!(ran.check_status(status).stderr.starts_with(text), "{ran:?}");
    }
    let server = script("hello; next");
    let ran = run(&on_script(&["listen", "-", "--resource", "x:1"], &server));
    assert!(ran.check_status(2).stderr.contains("does not offer `resources.subscribe`"), "{ran:?}");
}

#[test]
fn the_level_of_log_messages_is_chosen_where_there_is_one() {
    let hello = r#"next
        answer '{"protocolVersion":"2025-11-25","capabilities":{"logging":{}},"serverInfo":{"name":"s","version":"1"}}'
        next; next; printf '%s\n' "$line" >&2; answer '{}'"#;
    let server = script(hello);
    let ran = run(&on_script(&["-v", "listen", "-", "--log", "error"], &server));
    assert!(
        ran.check_status(3).stderr.contains(r#""method":"logging/setLevel","params":{"level":"error"}"#),
        "{ran:?}"
    );
    let args = ["--protocol", "2026-07-28", "listen", "-", "--log", "error", "--for", "1"];
    let text = "warning: mcp-cli: its revision of the protocol sends log messages only along with answers: --log \
                changes nothing\n";
    run(&on_demo(&args)).check(0, "", text);
    let ran = run(&["listen", "-", "--log", "loud", "--", PROGRAM]);
    assert!(ran.check_status(2).stderr.contains("[possible values: debug, info, "), "{ran:?}");
}

#[test]
fn a_modern_server_that_tells_of_no_changes_is_told_of() {
    let server = script(
        r#"next
           answer '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"ttlMs":0,"cacheScope":"private"}'
           next"#,
    );
    let mut listener = Listener::begin(&on_script(&["--protocol", "2026-07-28", "listen", "-"], &server));
    let text = "warning: sh: it tells of no changes: nothing is heard but what --resource asks for\n";
    assert_eq!(listener.wait_for(text), text);
}
